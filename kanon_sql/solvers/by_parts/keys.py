"""Key columns: parts that agree in them lose little, because they are shown nearly always."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.k_anonymity.greedy import cheapest_first
from kanon_sql.table.arrays import Int32, Int64, Words
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.keys import mixed_radix
from kanon_sql.table.patterns import PatternSet

_SAMPLE = 1 << 16
"""Row types of the sample; a greedy takes half a second for them."""

_K = 2
"""In a sample rows have fewer others that are near, so fewer of them have to look alike."""

_COLUMNS, _MOST = 12, 3
"""Columns hidden least that key columns are chosen among, and most of them in a key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyColumns:
    """What a sample tells of the columns as keys."""

    codes: Int32  # [s, m]: the row types of the sample
    shown: Words  # [s]: what a greedy shows of them

    @classmethod
    def of(cls, table: CodedTable, patterns: PatternSet, budget: Budget) -> KeyColumns:
        """Look at evenly spread row types of a table, in ascending order of their codes."""
        chosen = np.unique(np.linspace(0, table.row_types - 1, min(_SAMPLE, table.row_types)).astype(np.int64))
        sample = table.of_row_types(chosen)
        partial = cheapest_first(sample, patterns, _K, budget)
        return cls(codes=sample.codes, shown=np.where(partial.placed, partial.shown, 0).astype(np.uint64))

    def choose(self, row_types: int, most: int, avoided: Collection[int] = ()) -> tuple[int, ...]:
        """Return the columns that are hidden least among those whose values divide row types into small enough groups.

        Parameters
        ----------
        row_types : int
            How many there are to divide.
        most : int
            Most of them that a part may have.
        avoided : collection of int
            Columns that are no keys this time.

        Returns
        -------
        tuple of int
            At most three columns; those of the smallest largest group if no group is small enough.

        Notes
        -----
        O(s log s) for each set of columns that is tried, at most 298.
        """
        hidden = [int((~(self.shown >> np.uint64(c)) & np.uint64(1)).sum()) for c in range(self.codes.shape[1])]
        able = [c for c in range(len(hidden)) if c not in avoided and self.codes[:, c].any()]
        able = sorted(able, key=lambda c: (hidden[c], c))[:_COLUMNS]
        sets = [chosen for size in range(1, _MOST + 1) for chosen in combinations(able, size)]
        sets.sort(key=lambda chosen: (self._touched(chosen), len(chosen), chosen))
        best: tuple[int, ...] = ()
        least = row_types + 1
        for chosen in sets:
            largest = self._largest(chosen) * row_types // len(self.codes)
            if largest <= most:
                return chosen
            if largest < least:
                best, least = chosen, largest
        return best

    def _touched(self, chosen: tuple[int, ...]) -> int:
        """Return how many row types of the sample hide one of the columns."""
        key = np.uint64(sum(1 << column for column in chosen))
        return int((self.shown & key != key).sum())

    def _largest(self, chosen: tuple[int, ...]) -> int:
        """Return the size of the largest group of row types of the sample that agree in the columns."""
        return int(np.unique(keys_of(self.codes, chosen), return_counts=True)[1].max())


def keys_of(codes: Int32, columns: tuple[int, ...]) -> Int64:
    """Return a number for each row that tells its values in at most three columns."""
    part = codes[:, list(columns)].astype(np.int64)
    _, stride, words = mixed_radix(part.max(axis=0, initial=0) + 1)
    if words == 1:
        keys: Int64 = part @ stride
        return keys
    return np.unique(part, axis=0, return_inverse=True)[1].ravel().astype(np.int64)


def divided(codes: Int32, row_types: Int64, columns: tuple[int, ...], most: int) -> list[Int64]:
    """Divide row types into parts: whole groups that agree in the key columns, as many as fit; larger groups are cut.

    Parameters
    ----------
    codes : int32 array [t, m]
        The table.
    row_types : int64 array
        Those to divide, ascending.
    columns : tuple of int
        The key columns.
    most : int
        Most row types of a part.

    Returns
    -------
    list of int64 array
        Each ascending.
    """
    if len(row_types) <= most or not columns:
        return [row_types[start : start + most] for start in range(0, len(row_types), most)]
    keys = keys_of(np.stack([codes[row_types, column] for column in columns], axis=1), tuple(range(len(columns))))
    order = np.argsort(keys, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(keys[order])) + 1, len(order)).tolist()
    parts, start, stop = [], 0, 0
    for end in ends:
        if end - start > most and stop > start:
            parts.append(np.sort(row_types[order[start:stop]]))
            start = stop
        while end - start > most:
            parts.append(np.sort(row_types[order[start : start + most]]))
            start += most
        stop = end
    if stop > start:
        parts.append(np.sort(row_types[order[start:stop]]))
    return parts
