"""The release of histories: what to show of each row, and what every release costs at least."""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction

from kanon_sql.errors import InfeasibleError
from kanon_sql.model.how_many import how_many
from kanon_sql.solvers.budget import Moment, Progress, silent
from kanon_sql.solvers.histories.cascade import cascade
from kanon_sql.solvers.histories.exact import exact
from kanon_sql.solvers.histories.known_sets import Support, most_sets
from kanon_sql.solvers.histories.lower_bound import lower_bound
from kanon_sql.table.history_table import HistoryTable, Shown

EXACT = "all releases were searched"

_MOST_SETS = 20_000_000
"""Sets of known rows that are searched and counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistorySolution:
    """What a search found."""

    shown: Shown  # the release
    lower_bound: int  # what every release costs at least, in cells
    bound_method: str  # what proves it
    seconds: float  # how long it took


def solve(table: HistoryTable, k: int, m: int, report: Progress = silent) -> HistorySolution:
    """Return a release in which any 1 to m linked rows of a person are those of at least k people.

    Raises
    ------
    InfeasibleError
        When there are fewer than k people, or more sets of rows than can be counted.
    """
    if table.people < k:
        raise InfeasibleError(
            f"the table has {how_many(table.people, 'person', 'people')}, fewer than k = {k}; hint: use a smaller k"
        )
    if most_sets(table, m) > _MOST_SETS:
        raise InfeasibleError(
            f"the people's rows form more than {_MOST_SETS:,} sets of {how_many(m, 'row')}; hint: lower known_rows, or "
            "release fewer rows per person"
        )
    started = time.monotonic()
    support = Support(table)
    shown = cascade(table, k, m, support, report)
    report(Moment(step="proving a lower bound of histories", done=0.0, cost=Fraction(shown.cost(table))))
    bound, method = lower_bound(table, k, m, support)
    cost, moment = shown.cost(table), Moment(step="searching all releases of histories", done=0.0)
    found = exact(table, k, m, lambda: report(moment)) if bound < cost else None
    if found is not None:
        best, proven = found
        shown = best if best.cost(table) < cost else shown
        bound, method = (proven, EXACT) if proven > bound else (bound, method)
    return HistorySolution(shown=shown, lower_bound=bound, bound_method=method, seconds=time.monotonic() - started)
