"""`balanced`, the default: the heaviest labels first, each into the lightest bin, then moves and swaps between bins.

If that leaves a doubt, few labels are divided exactly, by dynamic programming over their subsets; more labels by exact cover.

References
----------
Graham: Bounds on Multiprocessing Timing Anomalies (1969), for the order.
Du, Eppstein, Goodrich, Lueker: On the Approximability of Geometric and Geographic Generalization and the Min-Max Bin Covering
Problem (2009), for the factor.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.labels.bin_cover import BinCover
from kanon_sql.solvers.labels.descending import Descending
from kanon_sql.solvers.labels.grouping import Grouping
from kanon_sql.solvers.labels.spread import GUARANTEE, spread
from kanon_sql.table.arrays import Int64

_TRIES, _TRIED = 16, 1 << 15
"""Numbers of bins that are tried one below the other; of few labels more, up to so many labels in all tries."""

FEW = 16
"""Labels that are divided exactly: 3^16 steps take a tenth of a second, each label more three times as long."""

_SUBSETS = "dynamic programming over subsets of labels"

_ROUNDS, _VISITED = 8, 1 << 20
"""Rounds of moves and swaps in a try; of few labels more, up to so many visits of a label."""


def group(weight: Int64, k: int, budget: Budget) -> Grouping:
    """Return bins as equal as moves and swaps make them; nearly always the heaviest one is proven to be the best possible.

    Of `FEW` labels or fewer, the heaviest bin is always the best possible. Of more, `bin_cover` looks for better bins, if there
    are not too many sets of labels that can be bins.

    Parameters
    ----------
    budget : Budget
        Time left; when it ends, the best bins so far are returned.

    Notes
    -----
    As many bins as might be filled are tried first, then fewer, until no smaller number can be better, by the bound that
    `Descending.at_least` proves. The bins of `spread` are kept unless better ones are found, so the heaviest has at most 5/2
    times the rows that the best division has in its heaviest. All divisions have the same rows in sum; of equally good ones
    that were tried the one with the most bins is kept.

    O(n log n) a try; memory O(n). Of few labels O(3^n). `bin_cover` ends after a fixed amount of work, a few seconds.
    """
    items = Descending.of(weight, k)
    place = balance(items, budget)
    heaviest = int(items.loads(place).max())
    if heaviest == items.lower_bound():
        return items.grouping(place, GUARANTEE)
    if len(weight) > FEW:
        cover = BinCover(items=items, place=place)
        cover.search(budget)
        return items.grouping(cover.place, GUARANTEE, cover.bound, cover.proof())
    from kanon_sql.kernels.labels import lightest_bins

    bins = lightest_bins(items.weight, items.k, heaviest - 1)
    if len(bins):
        place = np.argmax(bins[:, None] >> np.arange(len(weight)) & 1, axis=0)
        heaviest = int(items.loads(place).max())
    return items.grouping(place, GUARANTEE, heaviest, _SUBSETS)


def balance(items: Descending, budget: Budget) -> Int64:
    """Return the bin of each label in descending order, int64 [n]; as in `group`."""
    search = _BinSearch(items=items, budget=budget)
    search.run()
    return search.place


@dataclass(slots=True, kw_only=True)
class _BinSearch:
    """The best bins so far, and their rank: the units of the heaviest, then less for more bins."""

    items: Descending
    budget: Budget
    place: Int64 = field(init=False)
    rank: tuple[int, int] = field(init=False)

    def __post_init__(self) -> None:
        self.place = spread(self.items)
        self.rank = _rank(self.items.loads(self.place))

    def run(self) -> None:
        """Try the largest numbers of bins one by one; where none of them can be filled, look for the largest by bisection."""
        tries = max(_TRIES, _TRIED // len(self.items.weight))
        bins, bound = self.items.most_bins(), self.items.lower_bound()
        filled = False
        for number in range(tries):
            if not self.better(bins) or self.budget.over():
                return
            self.budget.report("bins", number / tries, self.rank[0] * self.items.unit, bound * self.items.unit)
            filled |= self.fills(bins)
            bins -= 1
        least = 1
        while not filled and least < bins and not self.budget.over():
            middle = (least + bins + 1) // 2
            if not self.better(middle) or self.fills(middle):
                least = middle
            else:
                bins = middle - 1

    def better(self, bins: int) -> bool:
        """Return whether so many bins might be better than the best so far."""
        return bins > 0 and (self.items.at_least(bins), -bins) < self.rank

    def fills(self, bins: int) -> bool:
        """Return whether so many bins were filled; keep them if they are the best."""
        from kanon_sql.kernels.labels import even_out, to_lightest

        weight = self.items.weight
        load = np.zeros(bins, np.int64)
        place = to_lightest(weight, load)
        even_out(weight, place, load, self.items.k, self.items.at_least(bins), max(_ROUNDS, _VISITED // len(weight)))
        if load.min() < self.items.k:
            return False
        if _rank(load) < self.rank:
            self.place, self.rank = place, _rank(load)
        return True


def _rank(load: Int64) -> tuple[int, int]:
    return int(load.max()), -len(load)
