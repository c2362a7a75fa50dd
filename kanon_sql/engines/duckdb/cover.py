"""The audit of generalized columns as SQL: every label that a row shows has to cover the value that the row had.

Nothing here is shared with what made the labels: they are read as the texts that they are.
"""

from __future__ import annotations

from kanon_sql.engines.duckdb.from_items import from_item, hierarchy
from kanon_sql.engines.duckdb.names import literal, quoted
from kanon_sql.engines.duckdb.texts import text, tree_links
from kanon_sql.model.hierarchies import DEEPEST
from kanon_sql.model.microaggregation import Means, Medians
from kanon_sql.model.policy import Policy
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.recodings import Bins, Digits, Intervals, Levels, Ranges, Rectangles, Regions


def cover(policy: Policy) -> dict[str, str]:
    """Return the audit of the generalized columns of a policy as slots of the release statement.

    Returns
    -------
    dict of str
        ``covers``, common table expressions with a comma before each; ``uncovered``, branches of a CASE.
    """
    covers, uncovered = [], []
    generalized = [qi for qi in policy.quasi_identifiers if qi.recoding is not None]
    for number, qi in enumerate(generalized, 1):
        check = f'"kanon#cover{number}"'
        covers.append(text("cover", check=check, column=quoted(qi.column), number=str(number), question=_question(qi, number)))
        uncovered.append(text("cover_refusal", check=check, column=literal(qi.column)))
    place = {name: str(number) for number, name in enumerate(policy.generalized, 1)}
    for x, y in policy.rectangles:
        check = f'"kanon#apart{place[x]}"'
        sides = 'SELECT x AS label FROM "kanon#sides" UNION SELECT y FROM "kanon#sides"'
        covers.append(text("cover_rectangles", check=check, x=place[x], y=place[y], read=ends_of(sides)))
        uncovered.append(text("cover_refusal", check=check, column=literal(f"{x} and {y}")))
    return {"covers": "".join(covers), "uncovered": "".join(uncovered)}


def _question(qi: QuasiIdentifier, number: int) -> str:
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
        case Intervals(steps=(str(), *_)):
            return text("cover_periods")
        case Intervals() | Rectangles() | Ranges():
            return _intervals(qi)
        case Levels(table=table):
            return text("cover_levels", links=tree_links(hierarchy(table)), deepest=str(DEEPEST))
        case Bins() | Regions(components="merge"):
            return text("cover_bins")
        case Regions(edges=edges):
            return text("cover_regions", edges=from_item(edges))
        case _:
            return text("cover_sets", word=text("cover_word", word="word"))


def _place(value: str) -> str:
    """Return what a number or a date, given as a text, is ordered by."""
    return f"coalesce({text('cover_number', text=value)}, system.main.encode({value}))"


def _intervals(qi: QuasiIdentifier) -> str:
    """Return the question about a column whose labels have two ends; chosen intervals have no value in common."""
    number = number_of("value")
    order = text("cover_order", column=quoted(qi.column))
    chosen = isinstance(qi.recoding, Intervals) and not qi.recoding.steps
    apart = text("cover_apart", order=order) if chosen else ""
    read = ends_of('SELECT DISTINCT label FROM "kanon#shown"')
    return text("cover_intervals", read=read, number=number, order=order, apart=apart)


def number_of(word: str) -> str:
    """Return what compares a text as a number, NULL where it is none."""
    return text("cover_number", text=word)


def ends_of(labels: str) -> str:
    """Return the common table expression ``"kanon#read"``, a comma before it: the ends of the labels that a query yields."""
    words = {end: text("cover_word", word=f"word.{end}") for end in ("low", "high")}
    numbers = {f"{end}_number": number_of(end) for end in ("low", "high")}
    return text("cover_read", labels=labels, **words, **numbers)
