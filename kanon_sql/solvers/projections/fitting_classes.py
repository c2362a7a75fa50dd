"""Classes by known columns that would have too few rows if every row hid what is cheapest for it, and the rows that fit them.

A class is a set of columns, the part of it that is hidden, and the values of the rest. A row fits it if it has these values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels.projections import Relaxation
from kanon_sql.table.arrays import Int32, Int64, Words
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.keys import alike
from kanon_sql.table.recoding import hidden_bits

_SHARE = 4
"""Each time, new classes take at most one in so many of the pairs of a class and a row type that are left.

Classes that are found later prove more: for any 3 of Adult's 14 columns 40,960 cells, and 40,000 if the first ones took all.
"""

_Found = tuple[int, int, int, tuple[int, ...], int]
"""A class: the row types that fit it, its set and hidden part as bits, its columns with values, and the number of these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Charges:
    """What rows pay for classes."""

    row_type: Int32  # [q]: the row type of each charge
    fit: Int32  # [q]: the class of each charge
    amount: Int64  # [q]: how much a row pays

    def largest(self, most: int) -> Charges:
        """Return so many of the charges, those of the largest amounts."""
        chosen = np.argsort(-self.amount, kind="stable")[:most]
        return Charges(row_type=self.row_type[chosen], fit=self.fit[chosen], amount=self.amount[chosen])


class FittingClasses:
    """The classes of a relaxation, which grow, and its charges.

    Parameters
    ----------
    least : dict of tuple to int
        The sets of columns, each with the rows of a class.
    rare : list of list of int
        For each row type the sets, as bits, that it has to hide a cell of.
    scale : int
        Units of charges in a unit of the cost.
    nodes, most : int
        Steps of the search for a row, and the pairs of a class and a row type up to which classes are added.
    """

    def __init__(
        self, table: CodedTable, least: dict[tuple[int, ...], int], rare: list[list[int]], scale: int, *, nodes: int, most: int
    ) -> None:
        self.table, self._least, self._left = table, least, most
        start: Int64 = np.cumsum([0, *map(len, rare)]).astype(np.int64)
        self._rows = table.weight, start, np.array([mask for masks in rare for mask in masks], np.uint64)
        self._cost, self._nodes = table.cost * scale, nodes
        self._number: dict[tuple[int, ...], Int32] = {}
        self._known: set[tuple[int, int, int]] = set()
        self._classes: list[tuple[int, int, int]] = []
        self.row_type: Int32 = np.empty(0, np.int32)
        self.fit: Int32 = np.empty(0, np.int32)
        self.relaxation = self._relaxation(np.empty(0, np.int64), np.zeros(table.row_types, np.uint64))

    def grow(self, over: Callable[[], bool]) -> bool:
        """Add the classes that have too few rows in the last solution of the relaxation; return whether there are new ones.

        Parameters
        ----------
        over : callable
            Whether the time is up, and no more sets are looked at.

        Notes
        -----
        O(n) for each set, for n row types. Classes that few rows fit come first; they take a part of the pairs that are left.
        """
        found = sorted(self._short(over))
        fitting = np.cumsum([each[0] for each in found], dtype=np.int64)
        chosen = found[: int(np.searchsorted(fitting, self._left // _SHARE, "right"))]
        if not chosen:
            return False
        self._left -= int(fitting[len(chosen) - 1])
        self._known.update((bits, part, number) for _, bits, part, _, number in chosen)
        self._add(chosen)
        return True

    def _short(self, over: Callable[[], bool]) -> Iterator[_Found]:
        """Yield classes that are new and too small."""
        every = np.asarray(self.relaxation.hidden)
        hiding: Int64 = np.flatnonzero(every)
        for columns, need in self._least.items():
            if over():
                return
            bits = sum(1 << place for place in columns)
            part = every[hiding] & np.uint64(bits)
            rows, part = hiding[part != 0], part[part != 0]
            if len(rows):
                yield from self._still_shown(columns, bits, rows, need)
                for hidden in np.unique(part).tolist():
                    valued = tuple(place for place in columns if not hidden >> place & 1)
                    yield from self._hidden_part(valued, (bits, hidden), rows[part == hidden], need)

    def _still_shown(self, columns: tuple[int, ...], bits: int, rows: Int64, need: int) -> Iterator[_Found]:
        """Yield classes of rows that show a whole set, where others hide a part of it."""
        number, weight = self._numbered(columns), self.table.weight
        size = np.bincount(number, weight)
        gone = np.bincount(number[rows], weight[rows], len(size))
        small = (gone > 0) & (gone < size) & (size - gone < need) & (size >= need)
        yield from self._new(columns, (bits, 0), np.flatnonzero(small))

    def _hidden_part(self, valued: tuple[int, ...], of: tuple[int, int], rows: Int64, need: int) -> Iterator[_Found]:
        """Yield classes of rows that hide the same part of a set."""
        size = np.bincount(self._numbered(valued)[rows], self.table.weight[rows])
        yield from self._new(valued, of, np.flatnonzero((size > 0) & (size < need)))

    def _new(self, valued: tuple[int, ...], of: tuple[int, int], numbers: Int64) -> Iterator[_Found]:
        if len(numbers):
            fits = np.bincount(self._numbered(valued))
            for number in numbers.tolist():
                if (*of, number) not in self._known:
                    yield int(fits[number]), *of, valued, number

    def _numbered(self, columns: tuple[int, ...]) -> Int32:
        """Return the number of the values of each row type in some columns."""
        if columns not in self._number:
            chosen = list(columns)
            number = alike(self.table.codes[:, chosen], self.table.cardinality[chosen], np.zeros(len(chosen), np.bool_))
            self._number[columns] = number.astype(np.int32)
        return self._number[columns]

    def _add(self, found: list[_Found]) -> None:
        """Add classes and the row types that fit them; those of a row type stay together, older classes first."""
        by_columns: dict[tuple[tuple[int, ...], int, int], list[tuple[int, int]]] = {}
        for _, bits, part, valued, number in found:
            by_columns.setdefault((valued, bits, part), []).append((number, len(self._classes)))
            need = self._least[tuple(place for place in range(len(self._cost)) if bits >> place & 1)]
            self._classes.append((bits, part, need))
        rows, classes = [], []
        for (valued, _, _), listed in by_columns.items():
            numbered = self._numbered(valued)
            place = np.full(int(numbered.max()) + 1, -1, np.int32)
            place[[each for each, _ in listed]] = [each for _, each in listed]
            fitting = np.flatnonzero(place[numbered] >= 0)
            rows.append(fitting)
            classes.append(place[numbered[fitting]])
        many = len(self._classes)
        row_type, fit = np.divmod(np.sort(np.concatenate(rows) * many + np.concatenate(classes)), many)
        before = np.arange(len(self.fit)) + np.searchsorted(row_type, self.row_type, "left")
        after = np.arange(len(fit)) + np.searchsorted(self.row_type, row_type, "right")
        charge: Int64 = np.zeros(len(self.fit) + len(fit), np.int64)
        charge[before] = np.asarray(self.relaxation.charge)
        joined_row, joined = np.empty(len(charge), np.int32), np.empty(len(charge), np.int32)
        joined_row[before], joined_row[after] = self.row_type, row_type
        joined[before], joined[after] = self.fit, fit
        self.row_type, self.fit = joined_row, joined
        self.relaxation = self._relaxation(charge, np.asarray(self.relaxation.hidden))

    def _relaxation(self, charge: Int64, hidden: Words) -> Relaxation:
        """Return the relaxation of these classes."""
        classes = np.array(self._classes, np.int64).reshape(-1, 3)
        bits, part = classes[:, 0].astype(np.uint64), classes[:, 1].astype(np.uint64)
        start = np.searchsorted(self.row_type, np.arange(self.table.row_types + 1)).astype(np.int64)
        columns = _columns(bits, len(self._cost))
        need = np.ascontiguousarray(classes[:, 2])
        return Relaxation(self._rows, self._cost, (bits, part, need, columns), (start, self.fit, charge), hidden, self._nodes)

    def charges(self) -> Charges:
        """Return the charges of the relaxation."""
        charge = np.asarray(self.relaxation.charge)
        some = np.flatnonzero(charge)
        return Charges(row_type=self.row_type[some], fit=self.fit[some], amount=charge[some])

    def charge(self, charges: Charges) -> None:
        """Let the relaxation have these charges alone."""
        many = len(self._classes)
        place = np.searchsorted(
            self.row_type.astype(np.int64) * many + self.fit, charges.row_type.astype(np.int64) * many + charges.fit
        )
        charge = np.asarray(self.relaxation.charge)
        charge[:] = 0
        charge[place] = charges.amount
        np.asarray(self.relaxation.active)[:] = 1

    def listed(self) -> Int64:
        """Return the row type, the set and its hidden part as bits, and the amount of each charge, int64 [q, 4]."""
        found = self.charges()
        classes = np.array(self._classes, np.int64).reshape(-1, 3)[found.fit]
        return np.column_stack([found.row_type.astype(np.int64), classes[:, :2], found.amount])


def _columns(bits: Words, columns: int) -> Int32:
    """Return the columns of each set, int32 [c, w], followed by -1."""
    shown: NDArray[np.bool_] = hidden_bits(bits, columns) == 0
    widest = int(shown.sum(axis=1).max(initial=1))
    order = np.argsort(~shown, axis=1, kind="stable")[:, :widest]
    found: Int32 = np.where(np.take_along_axis(shown, order, axis=1), order, -1).astype(np.int32)
    return np.ascontiguousarray(found)
