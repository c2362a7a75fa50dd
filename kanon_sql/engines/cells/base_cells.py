"""The base cells of a table, as an engine counts them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kanon_sql.table.arrays import Int32, Int64

LARGEST = 2**62
"""Sums in units are below this, so that no sum of two of them overflows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseCells:
    """What an engine counted, in the order of the keys."""

    keys: Int64  # [b, d]: the keys as numbers, equal ones for equal values
    # [b]: how many people are in each base cell; 0 in those that a reader has to think possible and that nobody has
    people: Int64
    sums: Int64  # [b, s]: the sums, in units of the last decimal place
    contributors: Int64  # [b, s]: for each sum, how many people add more than 0 to it
    # [b, m]: for each sum, the largest contributions to each base cell, in descending order; 0 where there are fewer
    largest: list[Int64]

    @classmethod
    def none(cls, keys: int, sums: int, largest: int) -> BaseCells:
        """Return no cells, of so many keys and sums, and largest contributions to each."""
        nothing = np.zeros((0, sums), np.int64)
        return cls(
            keys=np.zeros((0, keys), np.int64),
            people=np.zeros(0, np.int64),
            sums=nothing,
            contributors=nothing,
            largest=[np.zeros((0, largest), np.int64) for _ in range(sums)],
        )

    def same(self, other: BaseCells) -> bool:
        """Return whether the counts and the sums are the same, cell by cell."""
        mine, theirs = (self.keys, self.people, self.sums), (other.keys, other.people, other.sums)
        return all(map(np.array_equal, mine, theirs))

    @property
    def counted(self) -> BaseCells:
        """Return the cells that somebody has."""
        return self if self.people.all() else self.some(np.flatnonzero(self.people))

    @property
    def ranks(self) -> Int64:
        """Return the keys as ranks among the values of cells that somebody has, int64 array [b, d]."""
        return np.stack(
            [np.searchsorted(np.unique(own), key) for own, key in zip(self.counted.keys.T, self.keys.T, strict=True)], axis=1
        )

    def with_nobody(self, keys: Int64) -> BaseCells:
        """Return these cells, and then others that nobody has, from their keys; each cell is there once."""
        both = np.concatenate((self.keys, keys))
        fresh = np.sort(np.unique(row_numbers(both, [range(both.shape[1])])[0], return_index=True)[1])
        keys = both[fresh[fresh >= len(self.keys)]]
        none, nothing = np.zeros(len(keys), np.int64), np.zeros((len(keys), self.sums.shape[1]), np.int64)
        return BaseCells(
            keys=np.concatenate((self.keys, keys)),
            people=np.concatenate((self.people, none)),
            sums=np.concatenate((self.sums, nothing)),
            contributors=np.concatenate((self.contributors, nothing)),
            largest=[np.concatenate((each, np.zeros((len(keys), each.shape[1]), np.int64))) for each in self.largest],
        )

    def some(self, places: Int64) -> BaseCells:
        """Return some of the cells."""
        largest = [each[places] for each in self.largest]
        return BaseCells(
            keys=self.keys[places],
            people=self.people[places],
            sums=self.sums[places],
            contributors=self.contributors[places],
            largest=largest,
        )


def row_numbers(keys: Int64, sets: Sequence[Sequence[int]]) -> tuple[Int32, int]:
    """Return the row of each base cell in each grouping set, and how many rows there are; see `CellTable.ancestors`."""
    found = np.zeros((len(keys), len(sets)), np.int32)
    rows = 0
    for place, chosen in enumerate(sets):
        group = np.zeros(len(keys), np.int64)
        for key in chosen:
            wide = int(keys[:, key].max(initial=0)) + 1
            if int(group.max(initial=0)) + 1 > LARGEST // wide:
                group = np.unique(group, return_inverse=True)[1]
            group = group * wide + keys[:, key]
        _, first, inverse = np.unique(group, return_index=True, return_inverse=True)
        order = np.empty(len(first), np.int64)
        order[np.argsort(first, kind="stable")] = np.arange(len(first))
        found[:, place] = rows + order[inverse]
        rows += len(first)
    return found, rows


def largest_of(group: Int64, largest: Int64, groups: int) -> Int64:
    """Return the largest contributions to each group, in descending order, from those to its parts.

    Parameters
    ----------
    group : int64 array [n]
        The group of each part, 0 to ``groups - 1``.
    largest : int64 array [n, m]
        Contributions to each part, 0 where there are fewer.
    groups : int
        How many there are.
    """
    most = largest.shape[1]
    found = np.zeros((groups, most), np.int64)
    if not most:
        return found
    value, row = largest.reshape(-1), np.repeat(group, most)
    order = np.lexsort((-value, row))
    ordered = row[order]
    start = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    rank = np.arange(len(ordered)) - np.repeat(start, np.diff(np.r_[start, len(ordered)]))
    top = rank < most
    found[ordered[top], rank[top]] = value[order][top]
    return found
