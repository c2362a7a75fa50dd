"""Labels from the heaviest to the lightest, and what their weights prove of every division into bins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_sql.solvers.labels.grouping import Grouping, refuse_few
from kanon_sql.table.arrays import Int64

BOUND = "numbers of bins and of labels that share one"


@dataclass(frozen=True, slots=True, kw_only=True)
class Descending:
    """Labels in descending order of their rows, counted in the largest unit that divides all of them."""

    label: Int64  # [n]: the labels; equal ones in their order
    weight: Int64  # [n]: units of each of them, descending
    k: int  # least units of a bin
    unit: int  # Rows of a unit. Every bin holds whole units, so k may be rounded up to whole ones.

    @classmethod
    def of(cls, weight: Int64, k: int) -> Descending:
        """Sort labels by their rows; O(n log n).

        Raises
        ------
        InfeasibleError
            When all together have fewer than k rows.
        """
        refuse_few(weight, k)
        unit = int(np.gcd.reduce(weight))
        label = np.argsort(-weight, kind="stable")
        return cls(label=label, weight=weight[label] // unit, k=-(-k // unit), unit=unit)

    def most_bins(self) -> int:
        """Return a number of bins that no division exceeds; O(n).

        Notes
        -----
        Proof. Of the bins, one for each *oversize* label, of k units or more, can hold one. The others hold only small labels,
        of S units together, so they are S // k or fewer. Where the j - 1 heaviest small labels have fewer than k units, each
        of these bins holds j labels or more, so they are s // j or fewer for s small labels.
        """
        small = self.weight[self.weight < self.k]
        units = np.cumsum(small)
        each = int(np.searchsorted(units, self.k)) + 1
        return len(self.weight) - len(small) + min(int(small.sum()) // self.k, len(small) // each)

    def at_least(self, bins: int) -> int:
        """Return a lower bound on the units of the heaviest of so many bins, or of fewer; O(n).

        Notes
        -----
        Proof. Some bin holds the heaviest label, and some bin at least T / b of T units in b bins. Of the j b + 1 heaviest
        labels some bin holds j + 1, which have no fewer units than the last j + 1 of them. With fewer bins all three only grow.
        """
        total = np.concatenate([[0], np.cumsum(self.weight)])
        shared = np.arange(1, (len(self.weight) - 1) // bins + 1)
        last = total[shared * bins + 1] - total[shared * (bins - 1)]
        return max(int(self.weight[0]), -(-int(total[-1]) // bins), int(last.max(initial=0)))

    def lower_bound(self) -> int:
        """Return a lower bound on the units of the heaviest bin of every division; O(n)."""
        return self.at_least(self.most_bins())

    def loads(self, place: Int64) -> Int64:
        """Return the units of each bin, int64 [b], given the bin of each label in descending order."""
        load = np.zeros(int(place.max()) + 1, np.int64)
        np.add.at(load, place, self.weight)
        return load

    def grouping(self, place: Int64, guarantee: str, lower_bound: int | None = None, bound: str = BOUND) -> Grouping:
        """Return the division with these bins of the labels in descending order, and what is proven, in units."""
        group = np.empty(len(place), np.int64)
        group[self.label] = place
        proven = self.lower_bound() if lower_bound is None else lower_bound
        return Grouping.of(group, self.unit * proven, bound, guarantee)
