"""The sets of a cover, made disjoint one by one as they are chosen (the step *Reduce* of Meyerson and Williams)."""

from __future__ import annotations

import numpy as np

from kanon_sql.solvers.instances.partition import Classes, divided
from kanon_sql.table.arrays import Int64
from kanon_sql.table.coded_table import CodedTable


class DisjointClasses:
    """Classes of k to 2 k - 1 rows that grow into a partition; a row type of k rows is a class of its own from the start.

    Attributes
    ----------
    left : int64 array [t]
        Rows of each row type that are in no class yet.

    Notes
    -----
    A chosen set of which k or more rows are new gives up its other rows: diameters only shrink. If fewer are new, it is
    filled up to k with rows of classes above k, which only shrink too; else the new rows are united with a class that holds
    a row of the set, and the diameter of the union is at most the sum of both. So the sum of the diameters of the classes is at
    most the sum over the chosen sets.
    """

    def __init__(self, table: CodedTable, k: int) -> None:
        large = np.flatnonzero(table.weight >= k)
        self.left = np.where(table.weight < k, table.weight, 0)
        self._table = table
        self._k = k
        self._rows: list[dict[int, int]] = [{int(i): int(table.weight[i])} for i in large]
        self._size = [int(table.weight[i]) for i in large]
        self._where: list[set[int]] = [set() for _ in range(table.row_types)]
        for number, i in enumerate(large):
            self._where[i].add(number)

    def add(self, row_types: Int64, most: Int64) -> None:
        """Make a class of up to 2 k - 1 rows in no class, at most ``most`` of each row type, the first in the order given.

        The set has at least k rows in all, one of which is in no class.
        """
        new: dict[int, int] = {}
        capacity = 2 * self._k - 1
        for place in np.flatnonzero(self.left[row_types]):
            i = int(row_types[place])
            new[i] = min(int(self.left[i]), int(most[place]), capacity)
            capacity -= new[i]
            if not capacity:
                break
        for i, rows in new.items():
            self.left[i] -= rows
        need = self._k - sum(new.values())
        taken = self._surplus_rows(row_types, most, new, need) if need > 0 else []
        if taken is None:
            self._put(self._nearest(row_types, need), new)
            return
        self._size.append(0)
        self._rows.append({})
        for number, i, rows in taken:
            self._put(number, {i: -rows})
            self._put(len(self._size) - 1, {i: rows})
        self._put(len(self._size) - 1, new)

    def finished(self) -> Classes:
        """Return the classes; rows in no class, none or at least k, are divided among themselves."""
        row_type = np.array([i for rows in self._rows for i in rows], np.int32)
        count = np.array([count for rows in self._rows for count in rows.values()], np.int64)
        number = np.repeat(np.arange(len(self._rows)), [len(rows) for rows in self._rows])
        classes = Classes(row_type=row_type, count=count, number=number)
        unassigned = np.flatnonzero(self.left)
        if not len(unassigned):
            return classes
        return classes.concatenated(divided(self._table, unassigned, self.left[unassigned], self._k))

    def _surplus_rows(self, row_types: Int64, most: Int64, new: dict[int, int], need: int) -> list[tuple[int, int, int]] | None:
        """Return class, row type and rows of the surplus of classes above k in the set, ``need`` in all, or None."""
        surplus: dict[int, int] = {}
        found = []
        for i, rows in zip(row_types.tolist(), most.tolist(), strict=True):
            allowed = rows - new.get(i, 0)
            for number in sorted(self._where[i]):
                take = min(allowed, need, self._rows[number][i], surplus.get(number, self._size[number] - self._k))
                if take > 0:
                    found.append((number, i, take))
                    surplus[number] = surplus.get(number, self._size[number] - self._k) - take
                    allowed -= take
                    need -= take
                    if not need:
                        return found
        return None

    def _nearest(self, row_types: Int64, need: int) -> int:
        """Return the first class that holds a row of the set and has at most k - 1 + ``need`` rows.

        There is one where the surplus of the classes has fewer than ``need`` rows of the set: one of them holds more rows of
        the set than its surplus.
        """
        near = (number for i in map(int, row_types) for number in sorted(self._where[i]))
        return next(number for number in near if self._size[number] - self._k < need)

    def _put(self, number: int, rows: dict[int, int]) -> None:
        """Add rows to a class, or take them away where they are negative."""
        for i, count in rows.items():
            held = self._rows[number].get(i, 0) + count
            self._size[number] += count
            if held:
                self._rows[number][i] = held
                self._where[i].add(number)
            else:
                del self._rows[number][i]
                self._where[i].discard(number)
