"""The GUARANTEE of the clause: what every equivalence class has to meet.

::

    cond   := term sign number [PER column] | number sign term [PER column]
    term   := k | l(column [, 'variant' [, c]]) | t(column [, 'metric' [, 'hierarchy']]) | alpha(column, 'value')
    number := decimal [/ decimal]

k and l are bounded from below, t and alpha from above; k counts rows, or PER column people. Of k, which is a whole number,
``k > 4`` is a promise too; of the others it is none, because no number comes next. Without a k, ``k >= 2`` is promised, as at
every other entrance.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from fractions import Fraction

from sqlglot import TokenType

from kanon_sql.clause.names import column_name
from kanon_sql.clause.reader import Reader
from kanon_sql.errors import PolicyError
from kanon_sql.model.requirements import (
    METRICS,
    VARIANTS,
    AlphaAnonymity,
    KAnonymity,
    LDiversity,
    People,
    Requirement,
    TCloseness,
    sensitive_ones,
)
from kanon_sql.model.validation import same_name

_DEFAULT_K = 2

_LARGEST_K = 2**63 - 1

_HINTS = {
    "K": "GUARANTEE k >= 5",
    "PER": "GUARANTEE k >= 5 PER patient_id",
    "L": "GUARANTEE l(disease) >= 2",
    "T": "GUARANTEE t(disease, 'ordered') <= 0.3",
    "ALPHA": "GUARANTEE alpha(disease, 'flu') <= 0.2",
}

_SIGNS = {"K": (">=", ">"), "L": (">=",), "T": ("<=",), "ALPHA": ("<=",)}

_EXCHANGED = {">=": "<=", "<=": ">=", ">": "<", "<": ">", "=": "="}

Term = Callable[[Fraction], Requirement]
"""What stands beside the number of a condition, waiting for it."""


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
    people = max((each.k for each in found if isinstance(each, People)), default=_DEFAULT_K)  # k people have k rows
    k = max((each.k for each in found if isinstance(each, KAnonymity)), default=people)
    return (KAnonymity(k=k), *sensitive_ones(found))


def _condition(reader: Reader, identifying: Container[str]) -> Requirement:
    start = reader.place
    if reader.kind is TokenType.NUMBER or reader.ahead("."):
        number = reader.number(_HINTS["K"])
        if reader.spelled not in _EXCHANGED:
            raise reader.error("expected a comparison behind the number; hint: GUARANTEE k >= 5")
        word = _word(reader, reader.place + 1)
        more = _strict(reader, word, _EXCHANGED[reader.spelled])
        term = _term(reader, identifying)
    else:
        word = _word(reader, start)
        term = _term(reader, identifying)
        more = _strict(reader, word, reader.spelled)
        number = reader.number(_HINTS[word])
    if word == "K" and reader.skip("PER"):
        per = column_name(reader, _HINTS["PER"])
        return reader.checked(lambda: People(k=_anonymity(number + more).k, per=per), start)
    return reader.checked(lambda: term(number + more), start)


def _word(reader: Reader, place: int) -> str:
    """Return which term begins at a place."""
    word = reader.script.word(place)
    if word in _SIGNS:
        return word
    if not word:
        raise reader.script.error("expected a condition; hint: GUARANTEE k >= 5", place)
    end = reader.script.after(place + 1) if reader.script.spelled(place + 1) == "(" else place + 1
    condition = reader.script.text[reader.script.start(place) : reader.script.stop(end - 1)]
    hint = "the guarantees are k, l(...), t(...) and alpha(...), as in GUARANTEE k >= 5"
    raise reader.script.error(f"{condition} is not supported; hint: {hint}", place, end - 1)


def _strict(reader: Reader, word: str, sign: str) -> int:
    """Move behind a comparison, read as with the number on its right; return how much it adds to the number."""
    if sign not in _EXCHANGED:
        raise reader.error(f"expected {_SIGNS[word][0]} behind {word.lower()}; hint: {_HINTS[word]}")
    if sign not in _SIGNS[word]:
        raise reader.error(f"{word.lower()} supports only {' and '.join(_SIGNS[word])}; hint: {_HINTS[word]}")
    reader.place += 1
    return int(sign == ">")


def _term(reader: Reader, identifying: Container[str]) -> Term:
    word = reader.word
    reader.place += 1
    if word == "K":
        return _anonymity
    reader.expect("(", f"behind {word.lower()}; hint: {_HINTS[word]}")
    named = reader.place
    column = column_name(reader, _HINTS[word])
    if same_name(column) in identifying:
        raise reader.script.error(
            "a sensitive column cannot be in the BY list, whose columns may be suppressed; hint: take it out of the list", named
        )
    term = {"L": _diversity, "T": _closeness, "ALPHA": _limited}[word](reader, column)
    reader.expect(")", f"at the end of {word.lower()}(...); hint: {_HINTS[word]}")
    return term


def _anonymity(number: Fraction) -> KAnonymity:
    if number.denominator != 1 or number > _LARGEST_K:
        raise PolicyError(f"expected a whole number; hint: {_HINTS['K']}")
    return KAnonymity(k=int(number))


def _diversity(reader: Reader, column: str) -> Term:
    variant = (
        _text(reader, "a variant", f"the variants are {', '.join(map(repr, VARIANTS))}") if reader.skip(",") else VARIANTS[0]
    )
    c = reader.number(_HINTS["L"]) if reader.skip(",") else None
    return lambda number: LDiversity(sensitive=column, l=number, variant=variant, c=c)


def _closeness(reader: Reader, column: str) -> Term:
    metrics = f"{', '.join(map(repr, METRICS))}, or the name of a table of distances"
    metric = _text(reader, "a metric", metrics) if reader.skip(",") else METRICS[0]
    hierarchy = _text(reader, "the table of a tree", _HINTS["T"]) if reader.skip(",") else None
    return lambda number: TCloseness(sensitive=column, t=number, metric=metric, hierarchy=hierarchy)


def _limited(reader: Reader, column: str) -> Term:
    reader.expect(",", f"behind the column; hint: {_HINTS['ALPHA']}")
    value = _text(reader, "the value", _HINTS["ALPHA"])
    return lambda number: AlphaAnonymity(sensitive=column, value=value, alpha=number)


def _text(reader: Reader, what: str, hint: str) -> str:
    if reader.kind is not TokenType.STRING:
        raise reader.error(f"expected {what} in single quotes; hint: {hint}")
    return reader.unquote()
