"""`bin_scheme`: large labels by configurations of rounded sizes, small ones into the lightest bins; close to the optimum.

References
----------
Du, Eppstein, Goodrich, Lueker: On the Approximability of Geometric and Geographic Generalization and the Min-Max Bin Covering
Problem (2009), Theorem 9; an integer program stands for the enumeration of all types of packings.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from kanon_sql.errors import PolicyError
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.integer_programs.constraint_search import searched
from kanon_sql.solvers.labels import fold
from kanon_sql.solvers.labels.descending import Descending
from kanon_sql.solvers.labels.grouping import Grouping
from kanon_sql.table.arrays import Int64

MOST_CONFIGURATIONS = 20_000
"""The program has a variable for each, and is solved some ten times."""

_ROUNDS = 64
"""Rounds of moves and swaps after the packing."""


def group(weight: Int64, k: int, budget: Budget, *, epsilon: Fraction = Fraction(1, 4)) -> Grouping:
    """Return bins of k rows or more made from a `relaxed` packing, whose own bins may be somewhat lighter.

    Parameters
    ----------
    epsilon : Fraction
        More than 0, at most 1/2: how far sizes are rounded.

    Raises
    ------
    PolicyError
        When epsilon is out of range, or so small that there are too many configurations.

    Notes
    -----
    Moves and swaps raise light bins and lower heavy ones, which keeps the bound of the packing. While there are bins below k,
    the lightest are joined in pairs. Both of a pair are below k but for the last pair, so the heaviest bin is at most
    max(3 k - 3, (1 + epsilon) (OPT + epsilon k) + k - 1), or (1 + epsilon) (OPT + epsilon k) where no bins had to be joined.
    As OPT is at least k, that is at most max(3, (1 + epsilon)^2 + 1) times OPT. The time may end before the packing is found,
    and then nothing is guaranteed. All divisions have the same rows in sum, so there is nothing but the heaviest bin to
    choose by.
    """
    if not 0 < epsilon <= Fraction(1, 2):
        raise PolicyError(f"epsilon must be above 0 and at most 1/2, got {epsilon}; hint: use 1/4")
    items = Descending.of(weight, k)
    place = _merged_small(items, relaxed(weight[items.label], k, epsilon, budget))
    factor = max(Fraction(3), (1 + epsilon) ** 2 + 1)
    guarantee = f"at most {factor} times the optimum (Du et al. 2009, Theorem 9 with epsilon = {epsilon})"
    return items.grouping(place, "nothing is guaranteed, as the search was stopped" if budget.over() else guarantee)


def _merged_small(items: Descending, place: Int64) -> Int64:
    from kanon_sql.kernels.labels import even_out

    while True:
        load = items.loads(place)
        even_out(items.weight, place, load, items.k, items.at_least(len(load)), _ROUNDS)
        if load.min() >= items.k:
            return place
        ascending = np.argsort(load, kind="stable")
        joined = 2 * max(1, int((load < items.k).sum()) // 4)  # few at once: those that are left find more to even out
        target = np.arange(len(load))
        target[ascending[1:joined:2]] = ascending[0:joined:2]
        place = np.unique(target[place], return_inverse=True)[1]


def relaxed(weight: Int64, k: int, epsilon: Fraction, budget: Budget) -> Int64:
    """Return bins of (1 - 2 epsilon) k rows or more, the heaviest of (1 + epsilon) (OPT + epsilon k) or fewer.

    Parameters
    ----------
    weight : int64 array [n]
        Rows of each label, descending; k or more together.
    k, epsilon, budget
        As in `group`; OPT is the least heaviest bin where all bins have k rows.

    Returns
    -------
    int64 array [n]
        The bin of each label. Those of `fold` where the time ends before.

    Notes
    -----
    *Large* labels, of epsilon k rows or more, are rounded down by a factor below 1 + epsilon; bins that hold the same number of
    each rounded size have the same configuration. The program asks for configurations of at most C rows that hold each large
    label once, no more bins than can be filled, enough for small labels to end at C, and not more below
    (1 - epsilon) k rows than the small labels have. The least such C is sought.

    Proof. Rounded, an optimal division is an answer for C = OPT. Small labels have at most epsilon k rows and each joins the
    bin that is the lightest then: one that ends above C + epsilon k would need all bins above C, and one that ends below
    (1 - 2 epsilon) k all small labels to have filled what is missing to (1 - epsilon) k. Rounding up costs the factor.

    The search starts below the heaviest bin of `fold`. Where that is one label, `fold` is optimal. Else it is below 3 k; or the
    labels below k have fewer than k rows together, and some optimal division has one oversize label in each bin, which is
    then required of the configurations too. So their number depends on epsilon alone. Memory O(n + configurations).
    """
    folded = fold.group(weight, k, budget)
    best, high = folded.group, int(folded.rows(weight).max())
    if high == folded.lower_bound:
        return best
    types = _Types.of(weight, k, epsilon, high)
    low = types.least()
    while low < high and not budget.over():
        budget.report("configurations", budget.share(), high, folded.lower_bound)
        middle = (low + high) // 2
        packing = types.packing(middle, budget)
        if packing is None:
            low = middle + 1
        else:
            best, high = types.completed(weight, packing), middle
    return best


@dataclass(frozen=True, slots=True, kw_only=True)
class _Types:
    """Rounded sizes, and the configurations of a bin."""

    size: Int64  # [s]: rounded sizes of large labels, descending
    count: Int64  # [s]: how many labels have each
    inside: Int64  # [c, s]: how many labels of each size a configuration has
    small: int  # rows of all small labels
    most_bins: int  # the most bins that can be filled
    filled: int  # the least whole number of rows from (1 - epsilon) k

    @classmethod
    def of(cls, weight: Int64, k: int, epsilon: Fraction, heaviest: int) -> _Types:
        """Round large labels and list the configurations of at most ``heaviest`` rows.

        Raises
        ------
        PolicyError
            When there are more than `MOST_CONFIGURATIONS` of them.
        """
        large = weight[weight >= math.ceil(epsilon * k)]
        limits, limit = [k], epsilon * k
        while limit <= int(weight[0]):
            limits.append(math.ceil(limit))
            limit *= 1 + epsilon
        # The limit k divides no class of sizes, so that every class is of oversize labels or of none.
        rounded = np.searchsorted(np.unique(limits), large, side="right")
        _, last, count = np.unique(-rounded, return_index=True, return_counts=True)
        size = large[last + count - 1]
        inside = _configurations(size, count, heaviest)
        if int(weight[weight < k].sum()) < k:
            inside = inside[inside[:, size >= k].sum(axis=1) == 1]
        return cls(
            size=size,
            count=count,
            inside=inside,
            small=int(weight[len(large) :].sum()),
            most_bins=Descending.of(weight, k).most_bins(),
            filled=math.ceil((1 - epsilon) * k),
        )

    def least(self) -> int:
        """Return a level below which no packing ends."""
        rows = int(self.count @ self.size) + self.small
        return max(-(-rows // self.most_bins), int(self.size.max(initial=0)))

    def packing(self, most: int, budget: Budget) -> Int64 | None:
        """Return the configurations of the bins, int64 [b, s], that leave capacity for small labels up to ``most`` rows."""
        from kanon_sql.solvers.or_tools import cp_model

        level = self.inside @ self.size
        fits = np.flatnonzero(level <= most)
        inside, level = self.inside[fits], level[fits]
        model = cp_model.CpModel()
        used = [model.new_int_var(0, self.most_bins, "") for _ in fits]
        for row, count in zip(inside.T.tolist(), self.count.tolist(), strict=True):
            model.add(cp_model.LinearExpr.weighted_sum(used, row) == count)
        rows = int(self.count @ self.size) + self.small
        model.add_linear_constraint(cp_model.LinearExpr.sum(used), -(-rows // most), self.most_bins)
        model.add(cp_model.LinearExpr.weighted_sum(used, np.maximum(self.filled - level, 0).tolist()) <= self.small)
        solver, status = searched(model, budget, lambda: budget.report("configurations", budget.share()))
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return None
        return np.repeat(inside, [solver.value(variable) for variable in used], axis=0)

    def completed(self, weight: Int64, packing: Int64) -> Int64:
        """Deal the large labels out to the bins of a packing, and put the small ones into the lightest."""
        from kanon_sql.kernels.labels import to_lightest

        bins = np.arange(len(packing))
        large = np.concatenate([bins[:0], *(np.repeat(bins, labels) for labels in packing.T)])
        return np.concatenate([large, to_lightest(np.ascontiguousarray(weight[len(large) :]), packing @ self.size)])


def _configurations(size: Int64, count: Int64, heaviest: int) -> Int64:
    """Return all ways to put labels of these sizes into a bin of at most ``heaviest`` rows, int64 [c, s]."""
    found = np.zeros((1, 0), np.int64)
    level = np.zeros(1, np.int64)
    for rows, most in zip(size.tolist(), count.tolist(), strict=True):
        times = np.minimum(most, (heaviest - level) // rows) + 1
        if int(times.sum()) > MOST_CONFIGURATIONS:
            raise PolicyError(
                f"bin_scheme supports at most {MOST_CONFIGURATIONS:,} configurations of a bin, but {len(size)} sizes permit "
                "more; hint: use the algorithm 'balanced'"
            )
        before = np.repeat(np.arange(len(found)), times)
        added = np.arange(len(before)) - np.repeat(np.cumsum(times) - times, times)
        found = np.column_stack([found[before], added])
        level = level[before] + added * rows
    return found
