"""The numbers of a column, and what is lost where each class shows one number for all of its rows.

References
----------
Domingo-Ferrer, Mateo-Sanz: Practical Data-Oriented Microaggregation for Statistical Disclosure Control (IEEE TKDE 2002), for
the information loss SSE / SST.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Self

import numpy as np
from numpy.typing import NDArray

from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.measurements import GRAIN


@dataclass(frozen=True, kw_only=True)  # no slots: the total is needed only sometimes
class Measurements:
    """A column of numbers by code, and the rows that have each.

    Notes
    -----
    A cell loses its deviation from what it shows, squared or absolute, relative to what it loses on average where the whole
    column is one class. So a column that is one class loses 1 a cell, as a suppressed column does. A NULL whose class shows
    a number loses 1.
    """

    median: bool  # whether classes show the lower median, and lose absolute deviations; else the mean, and squared ones
    value: list[int]  # the number of each code, ascending, in units of ``1 / denominator``; of NULL 0
    denominator: int
    null: int  # code of NULL, the highest; -1 where there is none
    rows: Int64  # [v]: rows of the table with each code

    @classmethod
    def of(cls, numbers: Sequence[Fraction], codes: Int32, count: Int64, *, null: int, median: bool) -> Self:
        """Return the measurements of a column, whose row types have these codes and counts."""
        denominator = lcm(*(number.denominator for number in numbers))
        rows = np.zeros(len(numbers), np.int64)
        np.add.at(rows, codes, count)
        value = [number.numerator * (denominator // number.denominator) for number in numbers]
        return cls(median=median, value=value, denominator=denominator, null=null, rows=rows)

    @property
    def known(self) -> int:
        """Return the rows that have a number."""
        return int(self.rows.sum()) - (int(self.rows[self.null]) if self.null >= 0 else 0)

    @cached_property
    def total(self) -> Fraction:
        """The deviation of the whole column as one class, in units of ``value``."""
        held = np.flatnonzero(self.rows)
        return sum(self.deviations(held, np.zeros(len(held), np.int64), self.rows[held]).values(), Fraction(0))

    def standardized(self) -> NDArray[np.float64]:
        """Return the number of each code with the mean 0 and the mean square 1 over all rows that have one; of NULL 0."""
        known = np.arange(len(self.value)) != self.null
        rows, value = self.rows.astype(object), self._values
        size, total = self.known, int((rows * value)[known].sum())
        away = (value * size - total)[known]
        square = int((away * away * rows[known]).sum())
        found = np.zeros(len(value))
        if square:
            largest = max(map(abs, away.tolist()))
            found[known] = [each / largest for each in away.tolist()]
            found *= math.sqrt(size * largest * largest / square)
        return found

    def scaled(self) -> NDArray[np.float64]:
        """Return the number of each code so that a difference is what a cell loses by it where medians are shown."""
        if not self.total:
            return np.zeros(len(self.value))
        return np.array([float((value - self.value[0]) * self.known / self.total) for value in self.value])

    def deviations(self, code: Int64, number: Int64, count: Int64) -> dict[int, Fraction]:
        """Return sums of deviations of classes given by pieces, by the size of the classes; O(q log q)."""
        known = code != self.null
        code, number, count = code[known], number[known], count[known]
        classes = int(number.max(initial=-1)) + 1
        size = _sums(count, number, classes)
        value = self._values[code]
        found: dict[int, Fraction] = {}
        if self.median:
            centre = np.empty(classes, object)
            centre[:] = 0
            for each, middle in zip(*self._medians(code, number, count), strict=True):
                centre[each] = self.value[middle]
            off = int((abs(value - centre[number]) * count).sum()) if len(value) else 0
            return {0: Fraction(off)}
        sums = _sums(value * count, number, classes)
        squares = _sums(value * value * count, number, classes)
        for rows, total, square in zip(size.tolist(), sums.tolist(), squares.tolist(), strict=True):
            if rows:
                found[rows] = found.get(rows, 0) + rows * square - total * total
        return {rows: Fraction(total, rows) for rows, total in found.items()}

    def loss(self, code: Int64, number: Int64, count: Int64) -> Fraction:
        """Return what all rows of a partition lose, in cells, rounded up to `GRAIN`.

        Parameters
        ----------
        code, number, count : int64 arrays [q]
            Of each piece the code, the class and the rows.
        """
        lost = sum(self.deviations(code, number, count).values(), Fraction(0))
        cells = Fraction(0) if not self.total else lost * self.known / self.total
        return -(-cells // GRAIN) * GRAIN + self._nulls_with_numbers(code, number, count)

    def share(self, code: Int64, number: Int64, count: Int64) -> Fraction:
        """Return what share of the column's deviation is inside of classes: SSE / SST for means."""
        lost = sum(self.deviations(code, number, count).values(), Fraction(0))
        return lost / self.total if self.total else Fraction(0)

    def means(self, code: Int64, number: Int64, count: Int64) -> list[str | None]:
        """Return the mean of each class as a text that DuckDB reads back to the last bit; None where it has no number.

        Notes
        -----
        The sum is a whole number, and the division of whole numbers is rounded once: the order of the rows plays no part.
        """
        known = code != self.null
        code, number, count = code[known], number[known], count[known]
        classes = int(number.max(initial=-1)) + 1
        rows, sums = _sums(count, number, classes).tolist(), _sums(self._values[code] * count, number, classes).tolist()
        return [repr(total / (size * self.denominator) + 0.0) if size else None for size, total in zip(rows, sums, strict=True)]

    def medians(self, code: Int64, number: Int64, count: Int64) -> dict[int, int]:
        """Return the code of the lower median of each class that has a number."""
        known = code != self.null
        classes, middle = self._medians(code[known], number[known], count[known])
        return dict(zip(classes.tolist(), middle.tolist(), strict=True))

    def _nulls_with_numbers(self, code: Int64, number: Int64, count: Int64) -> int:
        empty = code == self.null
        with_numbers = np.isin(number[empty], number[~empty])
        return int(count[empty][with_numbers].sum())

    @staticmethod
    def _medians(code: Int64, number: Int64, count: Int64) -> tuple[Int64, Int64]:
        """Return the classes that have a number, and the code of the lower median of each."""
        order = np.lexsort((code, number))
        code, number, upto = code[order], number[order], np.cumsum(count[order])
        classes, first = np.unique(number, return_index=True)
        before = np.append(0, upto)[first]
        rows = np.append(before[1:], upto[-1:]) - before
        return classes, code[np.searchsorted(upto, before + (rows + 1) // 2)]

    @cached_property
    def _values(self) -> NDArray[np.object_]:
        found = np.empty(len(self.value), object)
        found[:] = self.value
        return found


def _sums(value: NDArray[np.generic], number: Int64, classes: int) -> NDArray[np.object_]:
    """Return the exact sum over each class."""
    found = np.empty(classes, object)
    found[:] = 0
    np.add.at(found, number, value.astype(object))
    return found
