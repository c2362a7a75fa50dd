"""The GUARANTEE of the clause: what every equivalence class has to meet.

::

    cond   := term sign number [whose] [FOR known] | number sign term [whose] [FOR known]
    whose  := PER column | PER column LINKED FOR ANY number ROWS | PER ROW | IN table
    known  := ANY number COLUMNS | (column, ...), ...
    term   := k | word(column [, argument]*) | word(table)
    number := decimal [/ decimal]

The files of `model/guarantees` say which words there are, and what is in their brackets. k and l are bounded from below, the
others from above; k counts rows, PER column people, IN table rows of the population that match. PER ROW says that a row is what
counts, even one that is a group; PER "row" names a column. Of k, which is a whole number, ``k > 4`` is a guarantee too; of the
others it is none, as no number comes next. FOR says which quasi-identifiers the attacker knows. Without a k, ``k >= 2`` is
guaranteed, as at every other entrance, except next to a guarantee about the population or for known columns. LINKED is a
guarantee about all rows of a person, and the only one then.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from sqlglot import TokenType

from kanon_sql.clause.condition_mistakes import no_column_of, no_comparison, no_condition, no_hyphen, no_text
from kanon_sql.clause.names import column_name, table_name
from kanon_sql.clause.reader import Reader
from kanon_sql.clause.script import Script
from kanon_sql.errors import PolicyError
from kanon_sql.model.guarantees.written import Written
from kanon_sql.model.linked_histories import LinkedHistories
from kanon_sql.model.requirements import (
    REQUIREMENTS,
    DeltaPresence,
    KAnonymity,
    KMap,
    KnownColumns,
    People,
    Requirement,
    known_ones,
    population_ones,
    sensitive_ones,
)
from kanon_sql.model.validation import as_identifier, same_name

_DEFAULT_K = 2

_LARGEST_K = 2**63 - 1

_EXCHANGED = {">=": "<=", "<=": ">=", ">": "<", "<": ">", "=": "="}

_K = "GUARANTEE k >= 5"

_LINKED = f"{_K} PER patient_id LINKED FOR ANY 2 ROWS"

_KNOWN, _KNOWN_SETS = f"{_K} FOR ANY 3 COLUMNS", f"{_K} FOR (zip, age), (zip, job)"

_BY_WORD = {
    each.written.word.upper(): each for each in REQUIREMENTS if not issubclass(each, KAnonymity | KnownColumns | People | KMap)
}
"""The guarantees that begin with a word of their own, and not with k."""

Term = Callable[[Fraction], Requirement | LinkedHistories]
"""The part of a condition that waits for its number."""


def conditions(reader: Reader, identifying: Container[str]) -> tuple[Requirement, ...] | LinkedHistories:
    """Read all conditions; of several k the greatest counts, and it comes first. Linked histories are a guarantee of their own.

    Parameters
    ----------
    reader : Reader
        Stands behind GUARANTEE.
    identifying : container of str
        The quasi-identifiers, in the form that :func:`same_name` compares; none of them may be sensitive.
    """
    start, one = reader.place, _condition(reader, identifying)
    found: list[Requirement] = []
    while not isinstance(one, LinkedHistories):
        found.append(one)
        if not reader.skip("AND"):
            return _joined(found)
        one = _condition(reader, identifying)
    if found or reader.ahead("AND"):
        hint = "release the table once for each guarantee, or remove the others"
        problem = f"{one.describe()} cannot be combined with other guarantees; hint: {hint}"
        raise reader.script.error(problem, start, reader.place - 1)
    return one


def _joined(found: list[Requirement]) -> tuple[Requirement, ...]:
    known = known_ones(found)
    others = (*known, *sensitive_ones(found), *population_ones(found))
    people = [each.k for each in found if isinstance(each, People)]  # k people have k rows
    rows = [each.k for each in found if isinstance(each, KAnonymity)] or people
    per_row = any(each.per_row for each in found if isinstance(each, KAnonymity))
    if not rows and not population_ones(found) and not known:
        rows = [_DEFAULT_K]
    return (*([KAnonymity(k=max(rows), per_row=per_row)] if rows else []), *others)


def guarantee_of(text: str) -> Requirement:
    """Read one guarantee from a text of its own, such as ``l(disease) >= 2``.

    Raises
    ------
    ClauseError
        When it is none.
    """
    reader = Reader(Script.read(text), 0)
    found = _condition(reader, ())
    if reader.spelled:
        raise reader.error("unexpected text after the guarantee; hint: write l(disease) >= 2")
    if isinstance(found, LinkedHistories):
        hint = f"write ANONYMIZE BY ward GUARANTEE {found.describe()} after a query"
        problem = f"linked histories cannot be combined with other guarantees; hint: {hint}"
        raise reader.script.error(problem, 0, reader.place - 1)
    return found


def _condition(reader: Reader, identifying: Container[str]) -> Requirement | LinkedHistories:
    start = reader.place
    if reader.kind is TokenType.NUMBER or reader.ahead("."):
        hyphened = no_hyphen(reader.script, start)
        if hyphened is not None:
            raise hyphened
        number = reader.number(_K)
        if reader.spelled not in _EXCHANGED or reader.script.spelled(reader.place + 1) in _EXCHANGED:
            raise no_comparison(reader, "a comparison", "the number", _K)
        word = _word(reader, reader.place + 1)
        more = _strict(reader, word, _EXCHANGED[reader.spelled])
        term = _term(reader, identifying)
    else:
        word = _word(reader, start)
        term = _term(reader, identifying)
        more = _strict(reader, word, reader.spelled)
        number = reader.number(_example(word))
    if word == "K" and reader.skip("PER", "ROW"):
        term = _rows
    elif word == "K" and reader.skip("PER"):
        person = column_name(reader, f"{_K} PER patient_id")
        if reader.word == "LINKED" and not reader.ahead("LINKED", "("):
            linked = _histories(reader, person)
            return reader.checked(lambda: linked(number + more), start)
        term = _people(person)
    elif word == "K" and reader.skip("IN"):
        term = _mapped(reader)
    if reader.skip("FOR"):
        term = _known(reader, term)
    return reader.checked(lambda: term(number + more), start)


def _word(reader: Reader, place: int) -> str:
    """Return which term begins at a place."""
    word = reader.script.word(place)
    hyphened = no_hyphen(reader.script, place)
    if hyphened is not None:
        raise hyphened
    if word == "K" or word in _BY_WORD:
        return word
    raise no_condition(reader.script, place)


def _strict(reader: Reader, word: str, sign: str) -> int:
    """Move behind a comparison, read as with the number on its right; return how much it adds to the number."""
    following = reader.script.spelled(reader.place + 1)
    signs = (">=", ">") if word == "K" else (_BY_WORD[word].written.sign,)
    if sign not in _EXCHANGED or (reader.spelled in {"=", "<", ">"} and following in {"=", "<", ">"}):
        raise no_comparison(reader, signs[0], word.lower(), _example(word))
    if sign not in signs:
        problem = f"{word.lower()} supports only {' and '.join(signs)}; hint: write {_example(word)}"
        raise reader.mistake(problem, f" {signs[0]} ")
    reader.place += 1
    return int(sign == ">")


def _example(word: str) -> str:
    return _K if word == "K" else f"GUARANTEE {_BY_WORD[word].written.example}"


def _term(reader: Reader, identifying: Container[str]) -> Term:
    word = reader.word
    reader.place += 1
    if word == "K":
        return _anonymity
    requirement = _BY_WORD[word]
    written, example = requirement.written, _example(word)
    if not reader.skip("("):
        raise no_column_of(reader, word, example)
    named = reader.place
    if written.about == "population":
        about = table_name(reader, example)
    else:
        about = column_name(reader, example)
        if same_name(about) in identifying:
            raise reader.script.error(
                "a sensitive column cannot be in BY, because BY columns may be suppressed; hint: remove it from BY",
                named,
            )
    given: dict[str, Any] = {written.about: about, **_arguments(reader, written, example)}
    reader.expect(")", f"to close {word.lower()}(...); hint: write {example}")
    return lambda number: requirement(**(given | {written.threshold: number}))


def _arguments(reader: Reader, written: Written, example: str) -> dict[str, Any]:
    """Read what follows the column in the brackets: each argument only behind those before it."""
    found: dict[str, Any] = {}
    for name, argument in written.arguments.items():
        if argument.needed:
            reader.expect(",", f"after the column; hint: write {example}")
        elif not reader.skip(","):
            break
        found[name] = (
            reader.number(example)
            if argument.what is None
            else _text(reader, argument.what, argument.hint or f"write {example}")
        )
    return found


def _anonymity(number: Fraction) -> KAnonymity:
    if number.denominator != 1 or number > _LARGEST_K:
        raise PolicyError(f"expected a whole number; hint: write {_K}")
    return KAnonymity(k=int(number))


def _rows(number: Fraction) -> KAnonymity:
    return replace(_anonymity(number), per_row=True)


def _people(column: str) -> Term:
    return lambda number: People(k=_anonymity(number).k, per=column)


def _histories(reader: Reader, person: str) -> Term:
    """Read how many rows of a person the attacker knows, from LINKED."""
    if not reader.skip("LINKED", "FOR", "ANY"):
        reader.place += 1
        raise reader.error(f"expected FOR ANY 2 ROWS after LINKED; hint: write {_LINKED}")
    rows = reader.number(_LINKED)
    if rows.denominator != 1 or not (reader.skip("ROWS") or reader.skip("ROW")):
        raise reader.error(f"expected a whole number of ROWS; hint: write {_LINKED}")
    return lambda number: LinkedHistories(k=_anonymity(number).k, per=person, known_rows=int(rows))


def _mapped(reader: Reader) -> Term:
    population = table_name(reader, f"{_K} IN census")
    return lambda number: KMap(k=_anonymity(number).k, population=population)


def _known(reader: Reader, term: Term) -> Term:
    """Read what the attacker knows, behind FOR."""
    if reader.ahead("("):
        sets = reader.separated(lambda: _known_set(reader))
        return lambda number: _against(term(number), sets)
    if not reader.skip("ANY"):
        raise reader.error(f"expected ANY or a list of columns; hint: write {_KNOWN}")
    columns = reader.number(_KNOWN)
    if reader.word in {"ROW", "ROWS"}:
        raise reader.error(f"FOR ANY ... ROWS needs LINKED; hint: write {_LINKED}")
    if columns.denominator != 1 or not (reader.skip("COLUMNS") or reader.skip("COLUMN")):
        raise reader.error(f"expected a whole number of COLUMNS; hint: write {_KNOWN}")
    return lambda number: _against(term(number), int(columns))


def _against(requested: Requirement | LinkedHistories, known: object) -> KnownColumns:
    """Return a requirement about sets of known columns."""
    if isinstance(requested, KAnonymity):
        if requested.per_row:
            scope = ", ".join(map(_list, known)) if isinstance(known, list) else f"ANY {known} COLUMNS"
            raise PolicyError(
                "PER ROW and FOR are separate guarantees; hint: write GUARANTEE k >= 1 PER ROW AND "
                f"k >= {requested.k} FOR {scope}"
            )
        return KnownColumns.against(requested.k, known)
    if isinstance(requested, KMap | DeltaPresence | KnownColumns | LinkedHistories):
        raise PolicyError(f"{requested.describe()} cannot be combined with FOR; hint: write {_KNOWN}")
    return KnownColumns.against(requested, known)


def _list(columns: Iterable[str]) -> str:
    return f"({', '.join(map(as_identifier, columns))})"


def _known_set(reader: Reader) -> tuple[str, ...]:
    reader.expect("(", f"and a list of columns; hint: write {_KNOWN_SETS}")
    names = reader.separated(lambda: column_name(reader, _KNOWN_SETS))
    reader.expect(")", f"to close the list of known columns; hint: write {_KNOWN_SETS}")
    return tuple(names)


def _text(reader: Reader, what: str, hint: str) -> str:
    if reader.kind is not TokenType.STRING:
        raise no_text(reader, what, hint)
    return reader.unquote()
