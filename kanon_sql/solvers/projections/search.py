"""Releases whose classes by every set of known columns have k rows: the algorithm ``projections``.

A cascade hides cells until every class is large enough. Then single cells are hidden and shown at random. A row that a class is
short of costs as much as a cell, later more, and the search accepts fewer and fewer changes for the worse. A second cascade
repairs the classes that are still too small.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels.projections.classes import SetClasses, search
from kanon_sql.kernels.random import seeded
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.k_anonymity import greedy, refine
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.projections.cascade import cascade
from kanon_sql.solvers.projections.lower_bound import METHOD, least_prices
from kanon_sql.solvers.projections.rows import Rows, sets_of
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.table.recoding import Recoding

_MOST_CLASSES = 60_000_000
"""Rows times sets up to which cells are hidden one by one: the classes then take at most 1 GB."""

_FEW_ROWS = 2_000
"""Rows up to which the release by all columns is searched thoroughly, too; of more rows, it is only greedy."""

_ROUNDS, _LOOKUPS, _PER_CELL = 20, 200_000_000, 40
"""Rounds of the search, classes that it looks up at most, and changes for each cell of the rows that take part.

Adult with 14 columns at k = 5 ends at 2.96 % for any 2 columns; twice as many rounds give less than 0.05 % more."""

_UNIT = 1024
"""Units of the search in which the cheapest cell costs 1."""

_WARM, _COLD = 1.5, 0.3
"""The most that a change may cost in the first round and in the last, in cells."""

_STRICTER = 4.0
"""How many times as much a row that a class is short of costs at the end: else too many are left for the repair."""

_NEVER = 1 << 40
"""What such a row costs where none may be left."""


def solve(problem: Problem, budget: Budget) -> Recoding:
    """Return the cheapest of the releases that are found, with what every row has to cost.

    Notes
    -----
    A release that is k-anonymous by all columns meets every requirement for known columns, so there always is one.
    """
    sets = sets_of(problem.requirement)
    k = max(sets.values())
    rows = Rows.of(problem.table, k)
    prices = least_prices(problem.table, sets, budget)
    least = int(prices.price @ problem.table.weight)
    found = None
    if len(rows.weight) * len(sets) <= _MOST_CLASSES:
        found = _by_cells(problem, budget, rows, rows.classes(sets, budget.seed))
    if found is None or len(rows.weight) <= _FEW_ROWS:
        whole = _by_all_columns(problem, budget, k, thorough=len(rows.weight) <= _FEW_ROWS)
        found = whole if found is None or whole.cost(problem.table) < found.cost(problem.table) else found
    return replace(found, lower_bound=least, bound=METHOD, prices=prices, remark="")


def _by_all_columns(problem: Problem, budget: Budget, k: int, *, thorough: bool) -> Recoding:
    """Return a release that is k-anonymous by all columns."""
    plain = ClassRequirement(table=problem.table, k=k, least=k)
    solver = refine.solve if thorough else greedy.solve
    return solver(replace(problem, requirement=plain), budget)


def _by_cells(problem: Problem, budget: Budget, rows: Rows, classes: SetClasses) -> Recoding | None:
    """Return the best release that hiding and showing of single cells finds; None if there is none."""
    table = problem.table
    over = np.empty((len(rows.weight), table.codes.shape[1]), np.int64)
    if not classes.count():
        return None
    classes.small_by_column(over)
    concerned = over.max(axis=1) > 0
    best: Recoding | None = None
    if cascade(classes, table.cost, over):
        best = _shown_again(problem, rows, classes)
        budget.report("cascade", 0.1, best.cost(table))
    _anneal(problem, budget, classes, concerned)
    if cascade(classes, table.cost, over):
        found = _shown_again(problem, rows, classes)
        best = found if best is None or found.cost(table) < best.cost(table) else best
    return best


def _shown_again(problem: Problem, rows: Rows, classes: SetClasses) -> Recoding:
    """Return the release of the rows as they are, after cells are shown that need not be hidden."""
    before = np.asarray(classes.hidden).copy()
    active = np.flatnonzero(before.max(axis=1) > 0)
    if len(active) and classes.count():
        steps = _steps(classes, active, 4)
        search(classes, active, _costs(problem), _NEVER, 0, steps, seeded(1))
    after = np.asarray(classes.hidden).copy()
    return rows.recoding(after)


def _anneal(problem: Problem, budget: Budget, classes: SetClasses, concerned: NDArray[np.bool_]) -> None:
    """Hide and show cells, and accept fewer and fewer changes for the worse."""
    cost, state = _costs(problem), seeded(budget.seed)
    for number in range(_ROUNDS):
        if budget.over() or (classes.crowded and not classes.count()):
            return
        share = max(number / (_ROUNDS - 1), budget.share())
        active = np.flatnonzero(concerned | (np.asarray(classes.hidden).max(axis=1) > 0))
        if not len(active):
            return
        threshold, penalty = _UNIT * _WARM * (_COLD / _WARM) ** share, _UNIT * _STRICTER**share
        search(classes, active, cost, int(penalty), int(threshold), _steps(classes, active, _PER_CELL) // _ROUNDS, state)
        budget.report("cells", 0.1 + 0.8 * share)


def _costs(problem: Problem) -> NDArray[np.int64]:
    """Return the cost of a hidden cell in units of the search."""
    cost = problem.table.cost
    return np.maximum(1, cost * _UNIT // max(1, int(cost[cost > 0].min(initial=1))))


def _steps(classes: SetClasses, active: NDArray[np.int64], each: int) -> int:
    """Return how many changes are tried: so many for each cell, unless that looks up too many classes."""
    columns = len(classes.of_start) - 1
    sets = max(1, len(classes.of_set) // columns)
    return int(min(each * len(active) * columns, _LOOKUPS // (2 * sets)))
