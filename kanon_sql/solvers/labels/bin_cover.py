"""Bins chosen among all sets of labels that may be bins, so that each label is in one: exact cover by CP-SAT of OR-Tools.

References
----------
Du, Eppstein, Goodrich, Lueker: On the Approximability of Geometric and Geographic Generalization and the Min-Max Bin Covering
Problem (2009), Theorem 3: 3-partition is a case of this problem, and here its instances are solved.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.integer_programs.constraint_search import searched
from kanon_sql.solvers.labels.descending import BOUND, Descending
from kanon_sql.table.arrays import Int64

MOST_SETS = 10_000
"""Sets that a program chooses among; of more it rarely finds an answer in its time."""

_MOST_PARTS = 1 << 17
"""Beginnings of sets that are listed: some hundredths of a second."""

WORK = 0.5
"""Work of the solver where there is no time limit, in its own units; it ends late, after one to three seconds."""

_BOUND = "exact cover by sets of labels"


@dataclass(slots=True, kw_only=True)
class BinCover:
    """The best bins so far, and what is proven."""

    items: Descending  # the labels
    place: Int64  # [n]: the bin of each label in descending order
    work: float = WORK  # work that is left to the solver where there is no time limit, in its own units
    cost: int = field(init=False)  # units of the heaviest bin
    bound: int = field(init=False)  # a lower bound on it

    def __post_init__(self) -> None:
        self.cost, self.bound = int(self.items.loads(self.place).max()), self.items.lower_bound()

    def proof(self) -> str:
        """Return the name of the argument that proves the bound."""
        return BOUND if self.bound == self.items.lower_bound() else _BOUND

    def search(self, budget: Budget) -> None:
        """Raise the bound and lower the cost, until they meet, the sets are too many, or work or budget are used up.

        Notes
        -----
        Bins of at most C units are sought, C being the bound at first. If there are none, C + 1 is a bound, and C grows by
        steps that double; once there are some, C is halfway between. Exponential in the worst case.
        """
        size, count = np.unique(-self.items.weight, return_counts=True)
        size, step, most = -size, 1, self.bound
        while self.bound < self.cost and (self.work > 0 or budget.seconds is not None) and not budget.over():
            most = min(most, self.cost - 1)
            sets = label_sets(size, count, self.items.k, most)
            if sets is None:
                if most == self.bound:
                    return
                most = self.bound
                continue
            units = np.where(sets >= 0, size[sets], 0).sum(axis=1)
            possible = int(units.max(initial=0)) >= self.bound  # some bin is as heavy as that
            found = self._chosen(sets, count, budget) if possible else np.zeros(0, np.int64)
            if found is None:
                return
            if len(found):
                self._keep(sets[found])
                most = (self.bound + self.cost - 1) // 2
            else:
                self.bound, step = most + 1, 2 * step
                most = self.bound + step - 1

    def _chosen(self, sets: Int64, count: Int64, budget: Budget) -> Int64 | None:
        """Return the numbers of sets that hold each label once, none if there are no such sets; None if it was not decided."""
        from kanon_sql.solvers.or_tools import cp_model

        number, place = np.nonzero(sets >= 0)
        held, inside = np.unique(np.stack([sets[number, place], number]), axis=1, return_counts=True)
        most = np.full(len(sets), len(self.items.weight))
        np.minimum.at(most, held[1], count[held[0]] // inside)
        model = cp_model.CpModel()
        times = [model.new_int_var(0, each, "") for each in most.tolist()]
        ends = np.searchsorted(held[0], np.arange(len(count) + 1)).tolist()
        for labels, begin, end in zip(count.tolist(), ends[:-1], ends[1:], strict=True):
            holders = [times[each] for each in held[1, begin:end].tolist()]
            model.add(cp_model.LinearExpr.weighted_sum(holders, inside[begin:end].tolist()) == labels)

        def report() -> None:
            budget.report("sets of labels", budget.share(), self.cost * self.items.unit, self.bound * self.items.unit)

        solver, status = searched(model, budget, report, work=self.work)
        self.work -= solver.response_proto.deterministic_time
        if status == cp_model.INFEASIBLE:
            return np.zeros(0, np.int64)
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return None
        return np.repeat(np.arange(len(sets)), [solver.value(variable) for variable in times])

    def _keep(self, bins: Int64) -> None:
        """Take these bins; labels of equal weight are dealt out in their order."""
        number, place = np.nonzero(bins >= 0)
        self.place = number[np.argsort(bins[number, place], kind="stable")]
        self.cost = int(self.items.loads(self.place).max())


def label_sets(size: Int64, count: Int64, k: int, most: int) -> Int64 | None:
    """List all sets of labels that have ``k`` to ``most`` units.

    Parameters
    ----------
    size, count : int64 arrays [s]
        Different weights of labels, descending, and how many labels have each.
    k, most : int
        Units.

    Returns
    -------
    int64 array [c, w]
        A set as numbers of weights, ascending, filled up with -1. None if there are more than `MOST_SETS`, or if too many
        sets had to be begun.

    Notes
    -----
    A set grows by lighter and lighter labels. The next one has to complete it, or leave units for one more. Memory O(c w).
    """
    rest = np.concatenate([np.cumsum((size * count)[::-1])[::-1], [0]])
    descending = -size
    sets: list[Int64] = []
    part = np.zeros((1, 0), np.int64)
    level, last, run = (np.zeros(1, np.int64) for _ in range(3))
    listed = 0
    while len(part):
        # A weight that is used up is left; labels not heavier than these bring the set to k or more, if any do.
        first = last + (run >= count[last])
        ends = np.searchsorted(descending, level - most)  # the heaviest weight that fits
        completes = np.searchsorted(descending, level - k, side="right")  # behind the lightest that completes the set
        continues = np.searchsorted(descending, level + size[-1] - most)  # the heaviest that leaves units for another
        low, split = np.maximum(first, ends), np.maximum(np.maximum(first, ends), completes)
        again = np.maximum(split, continues)
        ahead, behind = split - low, np.maximum(len(size) - again, 0)
        ahead[low >= len(size)] = 0
        times = ahead + behind
        if int(times.sum()) > _MOST_PARTS:
            return None
        owner = np.repeat(np.arange(len(part)), times)
        offset = np.arange(len(owner)) - np.repeat(np.cumsum(times) - times, times)
        before = offset < ahead[owner]
        chosen = np.where(before, low[owner] + offset, again[owner] + offset - ahead[owner])
        run = np.where((chosen == last[owner]) & (part.shape[1] > 0), run[owner] + 1, 1)
        level, last = level[owner] + size[chosen], chosen
        part = np.column_stack([part[owner], chosen])
        full = level >= k
        listed += int(full.sum())
        if listed > MOST_SETS:
            return None
        sets.append(part[full])
        reach = level + rest[last] - run * size[last]
        grows = (reach >= k) & (level + size[-1] <= most)
        part, level, last, run = part[grows], level[grows], last[grows], run[grows]
    width = max((each.shape[1] for each in sets), default=0)
    return np.concatenate([np.pad(each, ((0, 0), (0, width - each.shape[1])), constant_values=-1) for each in sets])
