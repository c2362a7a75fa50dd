"""Shares of classes in a population, added up for each of its rows, while rows of the table come and go.

A share of 1 has so many parts, and each share is rounded up: if these sums are at most delta, exact ones are too.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import lcm

import numpy as np
from numpy.typing import NDArray

from kanon_sql.model.requirements import DeltaPresence, KMap
from kanon_sql.solvers.threads import WORKERS, mapping
from kanon_sql.table.arrays import Int32, Int64, Words
from kanon_sql.table.coded_table import CodedTable, Population
from kanon_sql.table.keys import alike
from kanon_sql.table.recoding import dividing

_LARGEST = 1 << 61
"""Most parts of a share of 1: the sum of two shares stays within 64 bits."""

_FINEST = 40
"""Shares of up to so many rows of the population add up exactly where the parts allow that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """One guarantee of delta-presence, in parts."""

    population: Population  # the table in which shares are counted
    unit: int  # parts of a share of 1
    most: int  # parts that the shares of a row may add up to

    @classmethod
    def of(cls, requirement: DeltaPresence, table: CodedTable) -> Shared:
        """Choose parts in which as many shares as possible are whole, and delta is."""
        delta, unit = requirement.delta, requirement.delta.denominator
        for rows in range(2, _FINEST + 1):
            unit = lcm(unit, rows) if lcm(unit, rows) <= _LARGEST else unit
        return cls(population=table.populations[requirement.population], unit=unit, most=int(delta * unit))

    def parts(self, rows: Int64, matching: Int64) -> Int64:
        """Return the shares of classes of ``rows`` which so many rows match, at least as many, rounded up."""
        whole, rest = np.divmod(self.unit, np.maximum(1, matching))
        found: Int64 = rows * whole - -(rows * rest) // np.maximum(1, matching)
        return found

    def fitting(self, parts: Int64, matching: Int64) -> Int64:
        """Return how many rows a class may have whose share is at most ``parts``, which are at most those of 1."""
        rows = np.floor(np.maximum(0, parts) / self.unit * matching + 1e-6).astype(np.int64)
        rows -= self.parts(rows, matching) > parts
        found: Int64 = np.maximum(0, rows)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    """The instances of one mask."""

    own: Int32  # [t]: the instance of each row type
    theirs: list[Int32]  # for each guarantee the instance of each row of its population
    matching: list[Int64]  # for each guarantee the rows of its population that match each instance
    allowed: NDArray[np.bool_]  # the instances that match enough rows for every k-map


class Classes:
    """Masks, the rows of the table under each, and the shares that the rows of populations have in them.

    Parameters
    ----------
    table : CodedTable
        t row types, with populations.
    shown : uint64 array [m]
        The masks, cheapest first.
    presence : sequence of DeltaPresence
        The requirement.
    mapped : sequence of KMap
        The further requirements of what a class shows.

    Notes
    -----
    O(m (t + p) log (t + p)) to find the instances of all masks, on all cores; memory 4 m (t + p) bytes.
    """

    def __init__(self, table: CodedTable, shown: Words, presence: list[DeltaPresence], mapped: list[KMap]) -> None:
        self.shared = [Shared.of(each, table) for each in presence]
        self.table, self.shown = table, shown
        known = [each.population for each in self.shared] + [table.populations[each.population] for each in mapped]
        every = np.vstack([table.codes, *(each.codes for each in known)]) + 1  # what is unseen has a code that no row shows
        distinct, place = np.unique(every, axis=0, return_inverse=True)
        ends = np.cumsum([table.row_types, *(len(each.weight) for each in known)])[:-1]
        places = np.split(place, ends)
        cardinality = distinct.max(axis=0).astype(np.int64) + 1
        same = ~dividing(shown, table.ladders.values(), table.codes.shape[1])

        def groups(same: NDArray[np.bool_]) -> Groups:
            number = alike(distinct, cardinality, same).astype(np.int32)
            own, *others = (number[each] for each in places)
            size = int(number.max()) + 1
            matching = [_counted(each, about.weight, size) for each, about in zip(others, known, strict=True)]
            allowed = np.ones(size, np.bool_)
            for each, rows in zip(mapped, matching[len(presence) :], strict=True):
                allowed &= rows >= each.k
            return Groups(own=own, theirs=others[: len(presence)], matching=matching[: len(presence)], allowed=allowed)

        with ThreadPoolExecutor(max_workers=WORKERS) as threads:
            self.groups = list(mapping(threads, enough=len(shown) > 1)(groups, same))
        self.clear()

    def clear(self) -> None:
        """Take all rows away."""
        self.sums = [np.zeros(len(each.population.weight), np.int64) for each in self.shared]
        self.rows: list[Int64 | None] = [None] * len(self.shown)

    def sizes(self, mask: int) -> Int64:
        """Return the rows in each instance of a mask."""
        rows = self.rows[mask]
        return np.zeros(len(self.groups[mask].allowed), np.int64) if rows is None else rows

    def capacity(self, mask: int, instance: Int64, reserve: float = 0.0, relief: list[Int64] | None = None) -> Int64:
        """Return how many more rows instances of a mask can take, so that no sum of shares is above delta.

        Parameters
        ----------
        mask : int
            Its number.
        instance : int64 array
            The requested instances.
        reserve : float
            The share that is left for other masks.
        relief : list of int64 array, optional
            For each guarantee the parts by which the sums of all rows that match these instances become less.
        """
        groups, size = self.groups[mask], self.sizes(mask)[instance]
        found = np.where(groups.allowed[instance], np.iinfo(np.int64).max, 0)
        for place, (about, theirs, matching, sums) in enumerate(
            zip(self.shared, groups.theirs, groups.matching, self.sums, strict=True)
        ):
            top = np.zeros(len(matching), np.int64)
            np.maximum.at(top, theirs, sums)
            limit = about.most - int(reserve * about.unit)
            parts = about.parts(size, matching[instance]) - top[instance] + limit + (0 if relief is None else relief[place])
            found = np.minimum(found, about.fitting(np.minimum(parts, about.most), matching[instance]) - size)
        return np.maximum(0, found)

    def relief(self, mask: int, row_type: Int64, count: Int64) -> list[Int64]:
        """Return for each guarantee the parts by which its class shrinks when rows leave it, each piece by itself."""
        groups, size = self.groups[mask], self.sizes(mask)
        own = groups.own[row_type]
        before = [(about, matching[own]) for about, matching in zip(self.shared, groups.matching, strict=True)]
        return [about.parts(size[own], rows) - about.parts(size[own] - count, rows) for about, rows in before]

    def add(self, mask: int, row_type: Int64, count: Int64) -> None:
        """Let rows come under a mask, or leave it where their count is below 0."""
        groups, before = self.groups[mask], self.sizes(mask)
        after = before.copy()
        np.add.at(after, groups.own[row_type], count)
        changed = np.flatnonzero(after != before)
        for about, theirs, matching, sums in zip(self.shared, groups.theirs, groups.matching, self.sums, strict=True):
            more = np.zeros(len(after), np.int64)
            rows, old = (each[changed] for each in (after, before))
            more[changed] = about.parts(rows, matching[changed]) - about.parts(old, matching[changed])
            sums += more[theirs]
        self.rows[mask] = after


def _counted(group: Int32, weight: Int64, size: int) -> Int64:
    found = np.zeros(size, np.int64)
    np.add.at(found, group, weight)
    return found
