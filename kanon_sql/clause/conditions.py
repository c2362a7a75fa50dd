"""The GUARANTEE of the clause: what every equivalence class has to meet.

::

    cond   := term sign number [whose] | number sign term [whose]
    whose  := PER column | PER ROW | IN table
    term   := k | l(column [, 'variant' [, c]]) | t(column [, 'metric' [, 'hierarchy']]) | alpha(column, 'value')
            | beta(column) | delta(column) | presence(table)
    number := decimal [/ decimal]

k and l are bounded from below, the others from above; k counts rows, PER column people, IN table rows of the population that
match. PER ROW says that a row is what counts, even one that is a group; PER "row" names a column. Of k, which is a whole
number, ``k > 4`` is a guarantee too; of the others it is none, as no number comes next. Without a k, ``k >= 2`` is guaranteed,
as at every other entrance, but beside a guarantee about the population.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass, replace
from fractions import Fraction

from sqlglot import TokenType

from kanon_sql.clause.condition_mistakes import no_column_of, no_comparison, no_condition, no_hyphen, no_text
from kanon_sql.clause.names import column_name, table_name
from kanon_sql.clause.reader import Reader
from kanon_sql.errors import PolicyError
from kanon_sql.model.requirements import (
    METRICS,
    VARIANTS,
    AlphaAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    KAnonymity,
    KMap,
    LDiversity,
    People,
    Requirement,
    TCloseness,
    population_ones,
    sensitive_ones,
)
from kanon_sql.model.validation import same_name

_DEFAULT_K = 2

_LARGEST_K = 2**63 - 1

_EXCHANGED = {">=": "<=", "<=": ">=", ">": "<", "<": ">", "=": "="}

Term = Callable[[Fraction], Requirement]
"""What stands beside the number of a condition, waiting for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelling:
    """How the clause writes a requirement.

    Parameters
    ----------
    word : str
        The word it begins with.
    signs : tuple of str
        The comparisons that may stand between it and its number.
    example : str
        What a hint shows.
    read : callable, optional
        Reads what follows the column or table that it is about, returns what waits for the number; None where there is none.
    """

    word: str
    signs: tuple[str, ...]
    example: str
    read: Callable[[Reader, str], Term] | None = None


def conditions(reader: Reader, identifying: Container[str]) -> tuple[Requirement, ...]:
    """Read all conditions; of several k the greatest counts, and it comes first.

    Parameters
    ----------
    reader : Reader
        Stands behind GUARANTEE.
    identifying : container of str
        The quasi-identifiers, in the form that :func:`same_name` compares; none of them may be sensitive.
    """
    found = [_condition(reader, identifying)]
    while reader.skip("AND"):
        found.append(_condition(reader, identifying))
    others = (*sensitive_ones(found), *population_ones(found))
    people = [each.k for each in found if isinstance(each, People)]  # k people have k rows
    rows = [each.k for each in found if isinstance(each, KAnonymity)] or people
    per_row = any(each.per_row for each in found if isinstance(each, KAnonymity))
    if not rows and not population_ones(found):
        rows = [_DEFAULT_K]
    return (*([KAnonymity(k=max(rows), per_row=per_row)] if rows else []), *others)


def _condition(reader: Reader, identifying: Container[str]) -> Requirement:
    start = reader.place
    if reader.kind is TokenType.NUMBER or reader.ahead("."):
        hyphened = no_hyphen(reader.script, start)
        if hyphened is not None:
            raise hyphened
        number = reader.number(_example("K"))
        if reader.spelled not in _EXCHANGED or reader.script.spelled(reader.place + 1) in _EXCHANGED:
            raise no_comparison(reader, "a comparison", "the number", _example("K"))
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
        term = _people(reader, column_name(reader, SPELLINGS[People].example))
    elif word == "K" and reader.skip("IN"):
        term = _mapped(reader)
    return reader.checked(lambda: term(number + more), start)


def _word(reader: Reader, place: int) -> str:
    """Return which term begins at a place."""
    word = reader.script.word(place)
    hyphened = no_hyphen(reader.script, place)
    if hyphened is not None:
        raise hyphened
    if word in _BY_WORD:
        return word
    raise no_condition(reader.script, place)


def _strict(reader: Reader, word: str, sign: str) -> int:
    """Move behind a comparison, read as with the number on its right; return how much it adds to the number."""
    following = reader.script.spelled(reader.place + 1)
    if sign not in _EXCHANGED or (reader.spelled in {"=", "<", ">"} and following in {"=", "<", ">"}):
        raise no_comparison(reader, _BY_WORD[word].signs[0], word.lower(), _example(word))
    if sign not in _BY_WORD[word].signs:
        problem = f"{word.lower()} supports only {' and '.join(_BY_WORD[word].signs)}; hint: {_example(word)}"
        raise reader.mistake(problem, f" {_BY_WORD[word].signs[0]} ")
    reader.place += 1
    return int(sign == ">")


def _term(reader: Reader, identifying: Container[str]) -> Term:
    word = reader.word
    reader.place += 1
    read = _BY_WORD[word].read
    if read is None:
        return _anonymity
    if not reader.skip("("):
        raise no_column_of(reader, word, _example(word))
    if read is _present:
        return _closed(reader, word, read(reader, table_name(reader, _example(word))))
    named = reader.place
    column = column_name(reader, _example(word))
    if same_name(column) in identifying:
        raise reader.script.error(
            "a sensitive column cannot be in the BY list, whose columns may be suppressed; hint: take it out of the list", named
        )
    return _closed(reader, word, read(reader, column))


def _closed(reader: Reader, word: str, term: Term) -> Term:
    reader.expect(")", f"at the end of {word.lower()}(...); hint: {_example(word)}")
    return term


def _anonymity(number: Fraction) -> KAnonymity:
    if number.denominator != 1 or number > _LARGEST_K:
        raise PolicyError(f"expected a whole number; hint: {_example('K')}")
    return KAnonymity(k=int(number))


def _rows(number: Fraction) -> KAnonymity:
    return replace(_anonymity(number), per_row=True)


def _people(_: Reader, column: str) -> Term:
    return lambda number: People(k=_anonymity(number).k, per=column)


def _mapped(reader: Reader) -> Term:
    population = table_name(reader, SPELLINGS[KMap].example)
    return lambda number: KMap(k=_anonymity(number).k, population=population)


def _diversity(reader: Reader, column: str) -> Term:
    variant = (
        _text(reader, "a variant", f"the variants are {', '.join(map(repr, VARIANTS))}") if reader.skip(",") else VARIANTS[0]
    )
    c = reader.number(_example("L")) if reader.skip(",") else None
    return lambda number: LDiversity(sensitive=column, l=number, variant=variant, c=c)


def _closeness(reader: Reader, column: str) -> Term:
    metrics = f"{', '.join(map(repr, METRICS))}, or the name of a table of distances"
    metric = _text(reader, "a metric", metrics) if reader.skip(",") else METRICS[0]
    hierarchy = _text(reader, "the table of a tree", _example("T")) if reader.skip(",") else None
    return lambda number: TCloseness(sensitive=column, t=number, metric=metric, hierarchy=hierarchy)


def _limited(reader: Reader, column: str) -> Term:
    reader.expect(",", f"behind the column; hint: {_example('ALPHA')}")
    value = _text(reader, "the value", _example("ALPHA"))
    return lambda number: AlphaAnonymity(sensitive=column, value=value, alpha=number)


def _like(_: Reader, column: str) -> Term:
    return lambda number: BetaLikeness(sensitive=column, beta=number)


def _undisclosed(_: Reader, column: str) -> Term:
    return lambda number: DeltaDisclosure(sensitive=column, delta=number)


def _present(_: Reader, population: str) -> Term:
    return lambda number: DeltaPresence(delta=number, population=population)


def _text(reader: Reader, what: str, hint: str) -> str:
    if reader.kind is not TokenType.STRING:
        raise no_text(reader, what, hint)
    return reader.unquote()


SPELLINGS: dict[type[Requirement], Spelling] = {
    KAnonymity: Spelling(word="K", signs=(">=", ">"), example="GUARANTEE k >= 5"),
    People: Spelling(word="PER", signs=(), example="GUARANTEE k >= 5 PER patient_id", read=_people),
    KMap: Spelling(word="IN", signs=(), example="GUARANTEE k >= 5 IN census"),
    LDiversity: Spelling(word="L", signs=(">=",), example="GUARANTEE l(disease) >= 2", read=_diversity),
    TCloseness: Spelling(word="T", signs=("<=",), example="GUARANTEE t(disease, 'ordered') <= 0.3", read=_closeness),
    AlphaAnonymity: Spelling(word="ALPHA", signs=("<=",), example="GUARANTEE alpha(disease, 'flu') <= 0.2", read=_limited),
    BetaLikeness: Spelling(word="BETA", signs=("<=",), example="GUARANTEE beta(disease) <= 2", read=_like),
    DeltaDisclosure: Spelling(word="DELTA", signs=("<=",), example="GUARANTEE delta(disease) <= 1", read=_undisclosed),
    DeltaPresence: Spelling(word="PRESENCE", signs=("<=",), example="GUARANTEE presence(census) <= 0.2", read=_present),
}
"""How each requirement is written; PER and IN follow a number, so no condition begins with them."""

_BY_WORD = {each.word: each for each in SPELLINGS.values() if each.signs}


def _example(word: str) -> str:
    return _BY_WORD[word].example
