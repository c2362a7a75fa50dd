"""Keys and conditions that are expressions over columns, as a certificate spells them.

A certificate may come from anybody. So only known words reach the database: columns of the source, numbers, texts,
operators, and functions of values. There is no query among them, and no function that reads anything else.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence

from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.errors import CertificateError
from kanon_sql.model.named_rows import shows_of
from kanon_sql.model.tabulation import condition_key, is_condition, level_of
from kanon_sql.model.validation import same_name

_TOKEN = re.compile(
    r"""\s*(?:(?P<text>'(?:[^']|'')*')|(?P<quoted>"(?:[^"]|"")+")|(?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)"""
    r"""|(?P<word>[^\W\d]\w*)|(?P<sign>::|<=|>=|< ?>|! ?=|= ?=|/ ?/|\| ?\||[-+*/%<>=(),.]))"""
)

_TABLE = re.compile(r"name( \. name){0,2}(( as)? name)?")
"""A table, or a file, and its other name."""

_NAMES = ("word", "quoted")

_WORDS = frozenset(
    {"and", "or", "not", "in", "between", "is", "null", "like", "ilike", "true", "false", "case", "when", "then", "else", "end"}
)
"""Words between values."""

_BEFORE_BRACKETS = _WORDS - {"null", "true", "false", "end", "is"}
"""Words that a bracket may follow and that are no functions."""

_FUNCTIONS = frozenset(
    {"abs", "ceil", "contains", "day", "floor", "left", "length", "lower", "month", "right", "round", "starts_with"}
    | {"substring", "trim", "upper", "year"}
)
"""Functions of values."""

_SPECIAL = frozenset({"cast", "coalesce", "nullif", "try_cast"})
"""Functions that belong to the grammar."""

_TYPES = frozenset(
    {"bigint", "bool", "boolean", "date", "double", "float", "int", "integer", "real", "smallint", "text", "timestamp"}
    | {"tinyint", "ubigint", "uinteger", "varchar"}
)
"""What a value may be cast to."""


def columns_in(text: str, known: Container[str] = ()) -> frozenset[str]:
    """Return the columns that the text of a key may name, in the form that `same_name` compares; ``known`` are columns."""
    text = (shows_of(text) or (text, ()))[0]
    column = (level_of(text) or (text, ""))[0]
    if same_name(column) in known:
        return frozenset({same_name(column)})
    tokens = list(_tokens(column.removeprefix(condition_key("")) if is_condition(text) else column))
    found = set[str]()
    for place, (kind, spelled) in enumerate(tokens):
        word = same_name(spelled)
        if kind == "quoted":
            found.add(same_name(_name(spelled)))
        elif (
            kind == "word"
            and word not in _WORDS | {"as"}
            and _spelled(tokens, place + 1) != "("
            and not _is_type(tokens, place)
        ):
            found.add(word)
    return frozenset(found or {same_name(column)})


def is_one_table(source: str) -> bool:
    """Return whether what a table of counts reads is all rows of one table or file.

    Examples
    --------
    >>> [is_one_table(f"from {text}") for text in ("people", "main . people as p", "'people.csv'", "a , b", "people () p")]
    [True, True, True, False, False]
    """
    word, _, rest = source.partition(" ")
    tokens = list(_tokens(rest))
    shape = " ".join(spelled if kind == "sign" else "as" if same_name(spelled) == "as" else "name" for kind, spelled in tokens)
    return word == "from" and _TABLE.fullmatch(shape) is not None


def expression_sql(text: str, known: Mapping[str, str]) -> str:
    """Return an expression as SQL.

    Parameters
    ----------
    text : str
        As the certificate spells it.
    known : mapping
        The columns of the source by their names in the form that `same_name` compares.

    Raises
    ------
    CertificateError
        When something in it is not known here.
    """
    tokens = list(_tokens(text))
    found, place, depth = list[str](), 0, 0
    while place < len(tokens):
        kind, spelled = tokens[place]
        if kind in _NAMES and _spelled(tokens, place + 1) == "." and place + 2 < len(tokens) and tokens[place + 2][0] in _NAMES:
            place += 2  # the table in front of a column
            continue
        depth += (spelled == "(") - (spelled == ")")
        sql = _sql(tokens, place, known)
        if depth < 0 or sql is None:
            raise _unknown(kind, spelled)
        found.append(sql)
        place += 1
    if depth or not found:
        raise _unknown("sign", "(")
    return f"({' '.join(found)})"


def _sql(tokens: Sequence[tuple[str, str]], place: int, known: Mapping[str, str]) -> str | None:
    """Return the SQL of a token; None if it is not known."""
    kind, spelled = tokens[place]
    word, name, called = same_name(spelled), same_name(_name(spelled)), _spelled(tokens, place + 1) == "("
    if kind not in _NAMES:
        return None if kind == "other" or spelled == "." else spelled.replace(" ", "") if kind == "sign" else spelled
    if kind == "word" and called and word in _FUNCTIONS:
        return f"system.main.{word}"
    special = word in _SPECIAL and called
    typed = _is_type(tokens, place) or (word == "as" and _spelled(tokens, place + 1) in _TYPES)
    if kind == "word" and (special or typed or word in (_BEFORE_BRACKETS if called else _WORDS)):
        return word
    return quoted(known[name]) if name in known and not called else None


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    """Yield the kind of each token and how it is spelled; what is none of them is of the kind 'other'."""
    place, end = 0, len(text.rstrip())
    while place < end:
        found = _TOKEN.match(text, place)
        if found is None:
            yield "other", text[place:].split()[0]
            return
        yield str(found.lastgroup), found[str(found.lastgroup)]
        place = found.end()


def _spelled(tokens: Sequence[tuple[str, str]], place: int) -> str:
    return same_name(tokens[place][1]) if 0 <= place < len(tokens) else ""


def _is_type(tokens: Sequence[tuple[str, str]], place: int) -> bool:
    """Return whether a word is the type of a cast, or of the text behind it."""
    typed = _spelled(tokens, place - 1) in {"::", "as"} or (place + 1 < len(tokens) and tokens[place + 1][0] == "text")
    return typed and _spelled(tokens, place) in _TYPES


def _name(spelled: str) -> str:
    return spelled[1:-1].replace('""', '"') if spelled.startswith('"') else spelled


def _unknown(kind: str, spelled: str) -> CertificateError:
    what = spelled if kind in _NAMES else "a sign"
    return CertificateError(
        "tabulation",
        f"a key or a condition uses {what}, which kanon verify does not evaluate, so the table cannot be counted again; hint: "
        "use only columns, texts, numbers, operators and plain functions",
    )
