"""Releases whose classes by every set of known columns meet their requirement: the algorithm ``projections``.

The lower bound is computed on a thread of its own meanwhile. Small tables end with an exact program.
"""

from __future__ import annotations

from dataclasses import replace

from kanon_sql.errors import InfeasibleError
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.projections.all_columns import by_all_columns
from kanon_sql.solvers.projections.exact import improved
from kanon_sql.solvers.projections.levels import whole_cells, with_levels
from kanon_sql.solvers.projections.partition_bound import proven_prices
from kanon_sql.solvers.projections.rows import Rows
from kanon_sql.solvers.projections.search import CASCADE, Search
from kanon_sql.solvers.projections.set_requirements import Sets, sets_of
from kanon_sql.solvers.threads import background
from kanon_sql.table.recoding import Recoding

_MOST_CLASSES = 200_000_000
"""Rows times sets up to which cells are hidden one by one; classes that take more than 1 GB end it.

100,000 x 60 for any 2 columns takes minutes, and loses 1.6 % of the cells: by all columns it is 60 %.
"""

_PER_SECOND = 20_000_000
"""Rows times sets that a cascade counts in a second, at least: with less time, it is not begun."""

_FEW_ROWS = 2_000
"""Rows up to which the release by all columns is searched thoroughly, too; of more rows, it is only greedy."""


def solve(problem: Problem, budget: Budget) -> Recoding:
    """Return the cheapest of the releases that are found, with what every row has to cost.

    Raises
    ------
    InfeasibleError
        When none is found.

    Notes
    -----
    What classes by all columns meet, their unions meet, too. So a release that meets everything by all columns is always one.
    """
    sets = sets_of(problem.requirement)
    bound = background(lambda ended: proven_prices(problem.table, sets, budget.alongside(ended)), at_once=True)
    with bound as finished:
        found = _found(problem, sets, budget)
        prices, method = finished(lambda: budget.report("bound", 0.95, found.cost(problem.table)))
    least = -(-int(prices.price @ problem.table.weight) // prices.scale)
    return improved(problem, sets, replace(found, lower_bound=least, bound=method, prices=prices, remark=""), budget)


def _found(problem: Problem, sets: Sets, budget: Budget) -> Recoding:
    """Return the cheapest release that is found."""
    rows = Rows.of(problem.table, max(each.rows for each in sets.values()))
    search, found = None, None
    values = sum(len(each.count) for each in problem.table.sensitive if any(required.values for required in sets.values()))
    if len(rows.weight) * len(sets) * (4 + values) <= 4 * min(_MOST_CLASSES, (budget.clock() + CASCADE) * _PER_SECOND):
        search = Search(problem=problem, budget=budget, rows=rows, classes=rows.classes(sets, budget.seed))
        found = search.by_cells()
        if problem.table.has_ladders and search.free:
            suppressed = _by_suppression(problem, budget)
            shown = None if suppressed is None else search.shown_again(rows.hidden(suppressed))
            found = min((each for each in (found, shown) if each), key=lambda each: each.cost(problem.table), default=None)
    if found is not None and len(rows.weight) > _FEW_ROWS:
        return found
    try:
        whole = by_all_columns(problem, budget, thorough=len(rows.weight) <= _FEW_ROWS and not budget.over())
    except InfeasibleError:
        if found is None:
            raise
        return found
    starts = [found, whole, search.shown_again(rows.hidden(whole)) if search else None]
    return min((each for each in starts if each), key=lambda each: each.cost(problem.table))


def _by_suppression(problem: Problem, budget: Budget) -> Recoding | None:
    """Return a release that shows the finest permitted level of each cell or nothing; None if none is found."""
    suppressing, finest = whole_cells(problem)
    sets = sets_of(suppressing.requirement)
    rows = Rows.of(suppressing.table, max(each.rows for each in sets.values()))
    search = Search(problem=suppressing, budget=budget, rows=rows, classes=rows.classes(sets, budget.seed))
    found = search.by_cells()
    return None if found is None else replace(found, shown=with_levels(found.shown, finest))
