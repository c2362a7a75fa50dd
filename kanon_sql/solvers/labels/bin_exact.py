"""`bin_exact`: the division whose heaviest bin is the lightest, by CP-SAT of OR-Tools.

Bins are chosen among all sets of labels that may be bins; if these are too many, a program counts the labels of each bin.

References
----------
Du, Eppstein, Goodrich, Lueker: On the Approximability of Geometric and Geographic Generalization and the Min-Max Bin Covering
Problem (2009), section 4: the problem is NP-hard in the strong sense.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from kanon_sql.errors import PolicyError
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.integer_programs.constraint_search import searched
from kanon_sql.solvers.labels import spread
from kanon_sql.solvers.labels.balanced import balance
from kanon_sql.solvers.labels.bin_cover import BinCover
from kanon_sql.solvers.labels.descending import Descending
from kanon_sql.solvers.labels.grouping import Grouping
from kanon_sql.table.arrays import Int64

MOST_VARIABLES = 20_000
"""Different weights times bins; the search is rarely ended beyond some hundreds."""

_WORK = 60.0
"""Work on sets of labels where there is no time limit, in units of the solver: about a minute."""

GUARANTEE = "the optimum (constraint programming)"

_BOUND = "constraint programming over numbers of equal labels"


def group(weight: Int64, k: int, budget: Budget) -> Grouping:
    """Return bins whose heaviest is as light as possible, or the best found in time with what is proven.

    Raises
    ------
    PolicyError
        When `balanced` proves nothing, and the labels have too many different weights for so many bins.

    Notes
    -----
    Bins of `balanced` are the first ones and bound the search; those of `bin_cover` follow. All divisions have the same rows in
    sum, so there is nothing but the heaviest bin to choose by. Exponential in the worst case; without a limit of time the clock
    decides nothing.
    """
    items = Descending.of(weight, k)
    place = balance(items, budget)
    cover = BinCover(items=items, place=place, work=_WORK)
    cover.search(budget)
    if cover.cost == cover.bound:
        return items.grouping(cover.place, GUARANTEE, cover.bound, cover.proof())
    program = _Program(items, cover)
    program.solve(budget)
    ended = program.cost == program.bound
    guarantee = GUARANTEE if ended else f"the search did not end; it began with a solution of {spread.GUARANTEE}"
    return items.grouping(program.place, guarantee, program.bound, _BOUND)


class _Program:
    """How many labels of each weight are in each bin; bins in descending order, those at the end may be empty.

    Attributes
    ----------
    place : int64 array [n]
        The best bins so far, of the labels in descending order.
    cost, bound : int
        Units of the heaviest of them, and a proven lower bound.
    """

    def __init__(self, items: Descending, cover: BinCover) -> None:
        self.place, self.cost, self.bound = cover.place, cover.cost, cover.bound
        self._items = items
        self._size, self._count = np.unique(-items.weight, return_counts=True)
        self._size = -self._size
        bins = items.most_bins()
        if len(self._size) * bins > MOST_VARIABLES:
            raise PolicyError(
                f"bin_exact supports at most {MOST_VARIABLES:,} pairs of a weight and a bin, but the labels have "
                f"{len(self._size):,} different weights and fill up to {bins:,} bins; hint: use the algorithm 'balanced'"
            )
        self._lay_out(bins)

    def _lay_out(self, bins: int) -> None:
        from kanon_sql.solvers.or_tools import cp_model

        self._model = model = cp_model.CpModel()
        needed = -(-int(self._items.weight.sum()) // self.cost)  # fewer bins would be heavier
        full = cp_model.Domain(self._items.k, self.cost)
        empty = cp_model.Domain(0, 0)
        load = [
            model.new_int_var_from_domain(full if number < needed else full.union_with(empty), "") for number in range(bins)
        ]
        self._inside = [
            [model.new_int_var(0, min(count, self.cost // size), "") for _ in load]
            for size, count in zip(self._size.tolist(), self._count.tolist(), strict=True)
        ]
        for row, count in zip(self._inside, self._count.tolist(), strict=True):
            model.add(sum(row) == count)
        for number, column in enumerate(zip(*self._inside, strict=True)):
            model.add(cp_model.LinearExpr.weighted_sum(column, self._size.tolist()) == load[number])
        for heavy, light in pairwise(load):
            model.add(heavy >= light)
        model.add(load[0] >= self.bound)
        model.minimize(load[0])
        order = np.argsort(-self._items.loads(self.place), kind="stable")
        position = np.argsort(order)[self.place]
        kind = np.searchsorted(-self._size, -self._items.weight)
        hint = np.zeros((len(self._size), bins), np.int64)
        np.add.at(hint, (kind, position), 1)
        for row, values in zip(self._inside, hint.tolist(), strict=True):
            for variable, value in zip(row, values, strict=True):
                model.add_hint(variable, value)

    def solve(self, budget: Budget) -> None:
        """Search until the end, or until the budget is used up, and keep what is better."""
        from kanon_sql.solvers.or_tools import cp_model

        def report() -> None:
            budget.report("bins", budget.share(), self.cost * self._items.unit, self.bound * self._items.unit)

        solver, status = searched(self._model, budget, report)
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            self._keep(np.array([[solver.value(variable) for variable in row] for row in self._inside]))
        if status != cp_model.UNKNOWN:
            self.bound = max(self.bound, math.ceil(solver.best_objective_bound - 1e-6))

    def _keep(self, count: Int64) -> None:
        """Deal the labels of each weight out to the bins, in their order."""
        number = np.concatenate([np.repeat(np.arange(count.shape[1]), row) for row in count])
        load = self._items.loads(number)
        if load[load > 0].min() >= self._items.k and int(load.max()) < self.cost:
            self.place, self.cost = number, int(load.max())
