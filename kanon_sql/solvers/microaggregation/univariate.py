"""`univariate`: optimal microaggregation of one column of numbers, in whole numbers.

References
----------
Hansen, Mukherjee: A Polynomial Algorithm for Optimal Univariate Microaggregation (IEEE TKDE 2003).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from math import lcm
from typing import Self

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.microaggregation.measurements import Measurements
from kanon_sql.solvers.summaries.partition import SummaryPartition

METHOD = "dynamic programming over the order of the values"

_MOST_EDGES = 20_000_000
"""Classes that are weighed, in some tens of seconds."""

_CHECKED = 1024
"""Cuts between two looks at the clock."""

Weigh = Callable[[int, int], int]
"""What the rows between two cuts lose as one class, in some unit."""


def solve(column: Measurements, k: int, budget: Budget) -> SummaryPartition | None:
    """Return a partition that loses least; None where the time does not suffice, or the column has a NULL.

    Parameters
    ----------
    column : Measurements
        v values; row type i has the i-th of them.
    k : int
        Least number of rows of a class; there are at least k rows.

    Notes
    -----
    Some best partition has classes that follow each other in the order of the values: where two classes show some numbers,
    the class of the smaller number may as well have the smaller of their rows. A class of 2k rows or more that do not agree
    can be cut in two without loss. So the rows between two cuts are k to 2k - 1, or have one value; and a long run of one value
    needs cuts only among its first and last 2k - 2 rows. O(n k) for n such cuts, each step with whole numbers of any size: no
    comparison is rounded.
    """
    if column.null >= 0:
        return None
    cuts = _Cuts.of(column, k)
    if len(cuts.place) * k > _MOST_EDGES:
        return None
    place, weigh = cuts.place, cuts.absolute(column) if column.median else cuts.squared(column, k)
    least: list[int | None] = [0]
    before = [0]
    low = high = 0  # cuts 2k - 1 to k rows before
    alone, run, best_alone = 0, -1, -1  # the best cut in the run of one value, k rows before or more
    for j in range(1, len(place)):
        if j % _CHECKED == 0:
            if budget.over():
                return None
            budget.report("ordered values", j / len(place))
        while place[low] <= place[j] - 2 * k:
            low += 1
        while place[high] <= place[j] - k:
            high += 1
        best, start = None, 0
        for i in range(low, high):
            lost = least[i]
            if lost is not None:
                lost += weigh(i, j)
                if best is None or lost < best:
                    best, start = lost, i
        if cuts.run[j] != run:
            alone, run, best_alone = j - 1, cuts.run[j], -1
        while place[alone] <= place[j] - k:
            if least[alone] is not None and (best_alone < 0 or least[alone] < least[best_alone]):  # type: ignore[operator]
                best_alone = alone
            alone += 1
        if best_alone >= 0 and (best is None or least[best_alone] < best):  # type: ignore[operator]
            best, start = least[best_alone], best_alone
        least.append(best)
        before.append(start)
    return cuts.partition(before)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cuts:
    """Where classes may end, in the order of the rows."""

    first: list[int]  # for each value the rows before its first
    place: list[int]  # the rows before each cut; the first cut is before all, the last behind all
    run: list[int]  # the value of the last row before each cut; of the first cut 0

    @classmethod
    def of(cls, column: Measurements, k: int) -> Self:
        """Return the cuts that some best partition has."""
        place, run, start = [0], [0], 0
        first = []
        for value, rows in enumerate(column.rows.tolist()):
            first.append(start)
            most = 2 * k - 2
            inner = range(1, rows + 1) if rows <= 2 * most + 1 else [*range(1, most + 1), *range(rows - most, rows + 1)]
            place += [start + each for each in inner]
            run += [value] * len(inner)
            start += rows
        return cls(first=first, place=place, run=run)

    def squared(self, column: Measurements, k: int) -> Weigh:
        """Return the weights of means: the squared deviations, times a common denominator of all sizes."""
        unit = lcm(*range(k, 2 * k))
        share = [0, *(unit // size for size in range(1, 2 * k))]
        value = [each - column.value[0] for each in column.value]
        place = self.place
        sums = self._upto(value)
        squares = [unit * each for each in self._upto([each * each for each in value])]

        def weigh(i: int, j: int) -> int:
            total = sums[j] - sums[i]
            return squares[j] - squares[i] - total * total * share[place[j] - place[i]]

        return weigh

    def absolute(self, column: Measurements) -> Weigh:
        """Return the weights of medians: what the rows behind the lower median have more than those before it."""
        place, sums = self.place, self._upto(column.value)
        first, numbers = self.first, column.value
        whole: list[int] = [0, *accumulate(number * rows for number, rows in zip(numbers, column.rows.tolist(), strict=True))]

        def weigh(i: int, j: int) -> int:
            middle = (place[i] + place[j] - 1) // 2
            at = bisect_right(first, middle) - 1
            upto = whole[at] + (middle - first[at]) * numbers[at]  # of all rows before the median
            below, above = upto - sums[i], sums[j] - upto
            return above - below + numbers[at] * (2 * middle - place[i] - place[j])

        return weigh

    def partition(self, before: list[int]) -> SummaryPartition:
        """Return the partition of the best cuts, given for each cut the one before it."""
        ends = [len(before) - 1]
        while ends[-1]:
            ends.append(before[ends[-1]])
        edges = np.array([self.place[each] for each in reversed(ends)])
        starts = np.union1d(edges[:-1], self.first)
        row_type = np.searchsorted(self.first, starts, side="right") - 1
        return SummaryPartition(
            row_type=row_type.astype(np.int32),
            number=np.searchsorted(edges, starts, side="right") - 1,
            count=np.diff(starts, append=edges[-1]),
            bound=METHOD,
        )

    def _upto(self, value: list[int]) -> list[int]:
        """Return the sum of the values of all rows before each cut."""
        whole, found = 0, [0]
        for j in range(1, len(self.place)):
            whole += (self.place[j] - self.place[j - 1]) * value[self.run[j]]
            found.append(whole)
        return found
