"""The audit of generalized columns as SQL: every label that a row shows has to cover the value that the row had.

Nothing here is shared with what made the labels: they are read as the texts that they are.
"""

from __future__ import annotations

from kanon_sql.engines.names import literal, quoted, table_name
from kanon_sql.engines.texts import text, tree_links
from kanon_sql.generalizations import Bins, Digits, Intervals, Levels, Ranges, Rectangles, Regions
from kanon_sql.hierarchies import DEEPEST
from kanon_sql.policy import Policy, QuasiIdentifier


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
        slots = {"column": quoted(qi.column), "number": str(number), "question": _question(qi)}
        covers.append(text("cover", check=check, **slots))
        uncovered.append(text("cover_refusal", check=check, column=literal(qi.column)))
    place = {name: str(number) for number, name in enumerate(policy.generalized, 1)}
    for x, y in policy.rectangles:
        check = f'"kanon#apart{place[x]}"'
        covers.append(text("cover_rectangles", check=check, x=place[x], y=place[y]))
        uncovered.append(text("cover_refusal", check=check, column=literal(f"{x} and {y}")))
    return {"covers": "".join(covers), "uncovered": "".join(uncovered)}


def _question(qi: QuasiIdentifier) -> str:
    """Return a query that counts the pairs of value and label of ``"kanon#shown"`` in which the label does not cover."""
    match qi.recoding:
        case Digits(shown=shown):
            return text("cover_digits", most=str(shown[0]) if shown else "system.main.length(value)")
        case Intervals(steps=(str(), *_)):
            return text("cover_periods")
        case Intervals() | Rectangles() | Ranges():
            return text("cover_intervals")
        case Levels(table=table):
            return text("cover_levels", links=tree_links(table_name(table)), deepest=str(DEEPEST))
        case Bins() | Regions(components="merge"):
            return text("cover_bins")
        case Regions(edges=edges):
            return text("cover_regions", edges=table_name(edges))
        case _:
            return text("cover_sets")
