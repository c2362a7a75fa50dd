"""The audit of generalized columns as SQL: every label that a row shows has to cover the value that the row had.

Nothing here is shared with what made the labels: they are read as the texts that they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction

from kanon_sql.engines.duckdb.gather.from_items import from_item, hierarchy
from kanon_sql.engines.duckdb.label_types import label_of
from kanon_sql.engines.duckdb.names import literal, quoted
from kanon_sql.engines.duckdb.texts import text, tree_links
from kanon_sql.model.coding import Coded, Cuts
from kanon_sql.model.hierarchies import DEEPEST
from kanon_sql.model.policy import Policy
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.recodings import (
    Bins,
    Digits,
    Intervals,
    Levels,
    Means,
    Medians,
    Ranges,
    Rectangles,
    Regions,
    coded_ends,
    shows_values,
)

_PERIODS = {
    "day": "system.main.strftime(t, '%Y-%m-%d')",
    "month": "system.main.strftime(t, '%Y-%m')",
    "quarter": "system.main.concat(system.main.strftime(t, '%Y'), '-Q', system.main.quarter(t))",
    "year": "system.main.strftime(t, '%Y')",
    "decade": "system.main.concat(system.main.format('{:03}', system.main.year(t) // 10), '0s')",
}
"""The label of a date t by its period."""

_TOKENS = (
    'SELECT each.token AS label, each.word AS told FROM (SELECT system.main.unnest(words[{number}]) AS each FROM "kanon#fit")'
)
_TEXTS = 'SELECT DISTINCT label, label AS told FROM "kanon#shown"'
"""What each label of a set says: a token stands for a text, which may be long."""


def cover(policy: Policy, *, tokens: bool = True) -> dict[str, str]:
    """Return the audit of the generalized columns of a policy as slots of the release statement.

    Parameters
    ----------
    tokens : bool
        Whether labels of ranges and sets are tokens, whose texts are in ``"kanon#fit"``.

    Returns
    -------
    dict of str
        ``covers``, common table expressions with a comma before each; ``uncovered``, branches of a CASE.
    """
    covers, uncovered = [], []
    generalized = [qi for qi in policy.quasi_identifiers if qi.recoding is not None]
    for number, qi in enumerate(generalized, 1):
        check = f'"kanon#cover{number}"'
        label = label_of(policy, number) if tokens and isinstance(qi.recoding, Ranges) else f"labels[{number}]"
        question = _question(qi, number, tokens=tokens)
        covers.append(text("cover", check=check, column=quoted(qi.column), number=str(number), label=label, question=question))
        uncovered.append(text("cover_refusal", check=check, column=literal(qi.column)))
    place = {name: str(number) for number, name in enumerate(policy.generalized, 1)}
    for x, y in policy.rectangles:
        check = f'"kanon#apart{place[x]}"'
        sides = 'SELECT x AS label FROM "kanon#sides" UNION SELECT y FROM "kanon#sides"'
        covers.append(text("cover_rectangles", check=check, x=place[x], y=place[y], read=ends_of(sides)))
        uncovered.append(text("cover_refusal", check=check, column=literal(f"{x} and {y}")))
    return {"covers": "".join(covers), "uncovered": "".join(uncovered)}


def _question(qi: QuasiIdentifier, number: int, *, tokens: bool) -> str:
    """Return a query that counts the pairs of value and label of ``"kanon#shown"`` in which the label does not cover.

    Of means and medians it counts the classes whose label is none.
    """
    match qi.recoding:
        case Means():
            return text("cover_means", number=str(number), column=quoted(qi.column))
        case Medians():
            column = f"qi.{quoted(qi.column)}"
            values = {"value": column, "label": f"system.main.cast_to_type(labels[{number}], {column})"}
            return text("cover_medians", **{name: _place(f"CAST({each} AS VARCHAR)") for name, each in values.items()})
        case Digits(shown=shown):
            return text("cover_digits", most=str(shown[0]) if shown else "system.main.length(value)")
        case Intervals(steps=(str(), *_) as steps):
            labels = [*(["value"] if shows_values(qi.recoding) else []), *(_PERIODS[str(step)] for step in steps)]
            ends = ends_first(qi.recoding, "year", str)
            return text("cover_periods", ends=ends, labels=", ".join(labels))
        case Intervals(steps=(_, *_)) | Cuts() | Coded():
            return _numbers(qi.recoding)
        case Intervals() | Rectangles() | Ranges():
            return _intervals(qi)
        case Levels(table=table):
            return text("cover_levels", links=tree_links(hierarchy(table)), deepest=str(DEEPEST))
        case Bins() | Regions(components="merge"):
            return text("cover_bins")
        case Regions(edges=edges):
            return text("cover_regions", edges=from_item(edges))
        case _:
            label_query = _TOKENS.format(number=number) if tokens else _TEXTS
            return text("cover_sets", label_query=label_query, word=text("cover_word", word="word"))


def _place(value: str) -> str:
    """Return what a number or a date, given as a text, is ordered by."""
    return f"coalesce({text('cover_number', text=value)}, system.main.encode({value}))"


def _intervals(qi: QuasiIdentifier) -> str:
    """Return the question about a column whose labels are ranges of values; chosen intervals have no value in common."""
    number = number_of("value")
    order = text("cover_order", column=quoted(qi.column))
    chosen = isinstance(qi.recoding, Intervals) and not qi.recoding.steps
    apart = text("cover_apart", order=order) if chosen else ""
    read = ends_of('SELECT DISTINCT label FROM "kanon#shown"')
    return text("cover_intervals", read=read, number=number, order=order, apart=apart)


def _numbers(recoding: Intervals | Cuts | Coded) -> str:
    """Return the question about a column of numbers in intervals, beyond whose ends only the label of the end is shown."""
    return text(
        "cover_numbers",
        read=number_labels(),
        number=number_of("value"),
        ends=ends_first(recoding, "number", lambda end: number_of(literal(end))),
        values="true" if shows_values(recoding) else "false",
    )


def ends_first(recoding: Intervals | Cuts | Coded, value: str, compared: Callable[[str], str]) -> str:
    """Return branches of a CASE: beyond an end, only its own label is shown."""
    branches = [
        f"WHEN {value} {sign} {compared(end)} THEN shown.label = {literal(label)}" for sign, end, label in _each_end(recoding)
    ]
    return "\n        ".join(branches)


def end_labels(recoding: Intervals | Cuts | Coded) -> list[str]:
    """Return the labels of the ends."""
    return [label for _, _, label in _each_end(recoding)]


def _each_end(recoding: Intervals | Cuts | Coded) -> Iterator[tuple[str, str, str]]:
    """Yield for each end how numbers beyond it compare to it, the end, and its label."""
    top, bottom = coded_ends(recoding)
    if top is not None:
        yield ">=", written(top), f"{written(top)}+"
    if bottom is not None:
        yield "<=", written(bottom), f"<={written(bottom)}"


def number_labels() -> str:
    """Return the common table expression ``"kanon#read"``, a comma before it: where labels of numbers begin and end."""
    return text("cover_read_numbers", low_number=number_of("low"), high_number=number_of("high"))


def written(number: Fraction) -> str:
    """Return a number as a decimal, as labels have it; one that has none is refused before."""
    exact = Decimal(number.numerator) / Decimal(number.denominator)
    return format(exact.normalize(), "f")


def number_of(word: str) -> str:
    """Return what compares a text as a number, NULL where it is none."""
    return text("cover_number", text=word)


def ends_of(labels: str) -> str:
    """Return the common table expression ``"kanon#read"``, a comma before it: the ends of the labels that a query yields."""
    words = {end: text("cover_word", word=f"word.{end}") for end in ("low", "high")}
    numbers = {f"{end}_number": number_of(end) for end in ("low", "high")}
    return text("cover_read", labels=labels, **words, **numbers)
