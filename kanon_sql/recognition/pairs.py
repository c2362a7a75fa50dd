"""Pairs of rows of a table, as hashes: random ones, and those that share a value of a column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from math import inf
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Flags: TypeAlias = NDArray[np.bool_]
Places: TypeAlias = NDArray[np.int64]

FEWEST_PAIRS = 30
"""Least number of pairs of rows for a conclusion."""

_DETERMINED = 0.98
"""A value determines a column if at least this share of the pairs with that value agree on the column."""

_NUMBERS = 0.95
"""A column with at least this many values per row numbers the rows; one with a value in at least this share of them is full."""

_GROUPS = 20
"""Values up to which ages are groups, such as decades: these are compared exactly."""

_APART = 1.0, 3.0
"""Years by which what grows may differ in the rows of a person, if it is known when both were written, and if not."""

_RANDOM_PAIRS = 4096
"""Approximate number of random pairs. A few hundred are enough for 6 bits; more take longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledRows:
    """Rows of a table in which each value is a hash: all of them, or some."""

    names: tuple[str, ...]  # the columns
    hashes: NDArray[np.uint64]  # [rows, columns]: the hash of each cell
    filled: Flags  # [rows, columns]: whether a cell is not NULL
    # [rows]: whether a row was drawn at random. The others have a hash that ``parts`` divides, in a column of many values.
    drawn: Flags
    varied: tuple[bool, ...]  # whether the sample has all rows whose hash in this column is divisible by ``parts``
    # for columns that grow by one each year, such as an age, by their places: what the rows show, NaN for none
    years: Mapping[int, NDArray[np.float64]] = field(default_factory=dict)
    written: NDArray[np.float64] | None = None  # when each row was written, in years, NaN for none; ages are compared by it
    spelled: Set[int] = frozenset()  # the places of names that occur in several spellings, of which each hash stands for all
    rows: int  # rows of the whole table
    parts: int = 1  # 1 if these are all rows, else a power of 2

    @classmethod
    def none(cls) -> SampledRows:
        """Return no rows."""
        cells = np.empty((0, 0), np.bool_)
        return cls(names=(), hashes=cells.astype(np.uint64), filled=cells, drawn=cells.ravel(), varied=(), rows=0)


def _in_order(sample: SampledRows) -> SampledRows:
    """Return the rows in a random order that depends on their values, not on the order in the engine.

    Notes
    -----
    Equal rows are numbered first. Otherwise they would be neighbours, and agree on everything.
    """
    key = _key(sample.hashes, sample.filled)
    order = np.argsort(key, kind="stable")
    begins = np.flatnonzero(np.r_[True, key[order[1:]] != key[order[:-1]]])
    number = np.arange(len(order)) - np.repeat(begins, np.diff(np.r_[begins, len(order)]))
    order = order[np.argsort(_mixed(key[order] ^ _mixed(number.astype(np.uint64) + np.uint64(1))), kind="stable")]
    return replace(
        sample,
        hashes=sample.hashes[order],
        filled=sample.filled[order],
        drawn=sample.drawn[order],
        years={place: each[order] for place, each in sample.years.items()},
        written=None if sample.written is None else sample.written[order],
    )


def _key(hashes: NDArray[np.uint64], filled: Flags) -> NDArray[np.uint64]:
    """Return a hash of each row."""
    key = np.zeros(len(hashes), np.uint64)
    for column in range(hashes.shape[1]):
        key = _mixed(key ^ np.where(filled[:, column], hashes[:, column], np.uint64(0)))
    return key


def _mixed(key: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a hash of a hash: bits of each place depend on all others."""
    key = (key ^ (key >> np.uint64(32))) * _ODD
    key = (key ^ (key >> np.uint64(29))) * _ODD
    return key ^ (key >> np.uint64(32))


_ODD = np.uint64(0xD6E8FEB86659FD93)


_EVERY = slice(None)


class Pairs:
    """Pairs of sampled rows: random ones, and for each column those that share a value.

    Parameters
    ----------
    sample : SampledRows
        At least two rows.
    per : int, optional
        The place of the column that already tells people apart: only pairs of rows that differ in it share a value.

    Attributes
    ----------
    sample : SampledRows
        The rows, in another order.
    names : tuple of str
        Their columns.
    """

    def __init__(self, sample: SampledRows, per: int | None = None) -> None:
        self.sample, self.names, self.per = _in_order(sample), sample.names, per
        drawn = np.flatnonzero(self.sample.drawn)  # their order is one of hashes, so neighbours are random
        steps = range(1, min(len(drawn), 1 + -(-_RANDOM_PAIRS // len(drawn))))
        self._random = tuple(np.concatenate([np.roll(drawn, step * each) for step in steps]) for each in (0, 1))
        self._columns: dict[tuple[int, ...], tuple[Places, Places, float, float]] = {}
        self._determined: dict[tuple[int, int], bool] = {}

    def at_random(self, column: int, *key: int) -> float:
        """Return the share of random pairs that agree, of those that differ in a key; infinite if too few have a value."""
        first, second = self.differing(*key)
        share = self.agreement(column, first, second)
        return inf if share is None else max(share, 1 / len(first))

    def differing(self, *key: int) -> tuple[Places, Places]:
        """Return the random pairs that differ in a key; without one, all of them."""
        first, second = self._random
        if not key:
            return first, second
        other = self._hashes(key)
        differ = other[first] != other[second]
        return first[differ], second[differ]

    def sharing(self, *key: int) -> tuple[Places, Places]:
        """Return the pairs of neighbours within the same value of a key, of rows in random order."""
        return self._column(key)[:2]

    def values(self, *key: int) -> float:
        """Return the number of values."""
        return self._column(key)[2]

    def rows(self, *key: int) -> float:
        """Return the number of rows that have one."""
        return self._column(key)[3]

    def numbers_rows(self, *key: int) -> bool:
        """Return whether a key has nearly as many values as rows: then it tells rows apart, and not people."""
        return self.values(*key) >= _NUMBERS * self.rows(*key)

    def is_full(self, column: int) -> bool:
        """Return whether nearly every row has a value."""
        return float(self.sample.filled[self.sample.drawn, column].mean()) >= _NUMBERS

    def together(self, columns: Sequence[int]) -> NDArray[np.uint64]:
        """Return a hash of some columns together, for each row that was drawn; NULL is a value like any other."""
        return _key(self.sample.hashes[self.sample.drawn][:, columns], self.sample.filled[self.sample.drawn][:, columns])

    def agreement(self, column: int, first: Places, second: Places) -> float | None:
        """Return the share of the pairs that agree on a column, of those with two values; None for few of them."""
        filled = self.sample.filled[:, column]
        known = filled[first] & filled[second]
        size = int(known.sum())
        if size < min(FEWEST_PAIRS, len(first)) // 2 or not size:
            return None
        return float(self._agrees(column, first[known], second[known]).mean())

    def agreement_on_all(self, columns: Sequence[int], first: Places, second: Places) -> float:
        """Return the share of the pairs that agree on all of some columns, 0 without pairs; NULL agrees with nothing."""
        agree = np.ones(len(first), np.bool_)
        for column in columns:
            filled = self.sample.filled[:, column]
            agree &= filled[first] & filled[second] & self._agrees(column, first, second)
        return float(agree.mean()) if len(agree) else 0.0

    def years_apart(self, column: int, *pairs: Places) -> float:
        """Return how far apart a column that grows is on average, in years: of some pairs, or of random ones."""
        apart = np.abs(self._apart(column, *(pairs or self._random))[0])
        return 0.0 if np.isnan(apart).all() else float(np.nanmean(apart))

    def determines(self, one: int, other: int) -> bool:
        """Return whether rows that agree on one column agree on another."""
        if (one, other) not in self._determined:
            share = self.agreement(other, *self.sharing(one))
            self._determined[one, other] = share is not None and share >= _DETERMINED
        return self._determined[one, other]

    def _agrees(self, column: int, first: Places, second: Places) -> Flags:
        hashes = self.sample.hashes[:, column]
        same: Flags = hashes[first] == hashes[second]
        if column not in self.sample.years or self.values(column) <= _GROUPS:
            return same
        apart, known = self._apart(column, first, second)
        return same | (np.abs(apart) <= np.where(known, *_APART))

    def _apart(self, column: int, first: Places, second: Places) -> tuple[NDArray[np.float64], Flags]:
        """Return by how many years a column that grows differs, and whether it is known when the rows were written.

        The age of each row may be that of the day when it was written, or of one day. What differs less counts.
        """
        years, written = self.sample.years[column], self.sample.written
        apart = years[first] - years[second]
        if written is None:
            return apart, np.zeros(len(first), np.bool_)
        later = written[first] - written[second]
        known = ~np.isnan(later)
        grown = apart - np.where(known, later, 0.0)
        return np.where(np.abs(grown) < np.abs(apart), grown, apart), known

    def _column(self, key: tuple[int, ...]) -> tuple[Places, Places, float, float]:
        if key not in self._columns:
            self._columns[key] = self._neighbours(key)
        return self._columns[key]

    def _hashes(self, key: tuple[int, ...], rows: Places | slice = _EVERY) -> NDArray[np.uint64]:
        hashes = self.sample.hashes[rows]
        return hashes[:, key[0]] if len(key) == 1 else _key(hashes[:, key], self.sample.filled[rows][:, key])

    def _neighbours(self, key: tuple[int, ...]) -> tuple[Places, Places, float, float]:
        sample, filled = self.sample, np.logical_and.reduce(self.sample.filled[:, key], axis=1)
        varied = [each for each in key if sample.varied[each]]
        if sample.parts > 1 and varied:  # all rows of some values of one column are there, and so those of some keys
            part = sample.hashes[:, varied[0]] & np.uint64(sample.parts - 1)
            times, chosen = sample.parts, np.flatnonzero(filled & (part == 0))
        else:
            times, chosen = 1, np.flatnonzero(filled & sample.drawn)
        hashes = self._hashes(key, chosen)
        order = np.argsort(hashes, kind="stable")
        chosen, hashes = chosen[order], hashes[order]
        same = hashes[:-1] == hashes[1:]
        rows = float(filled[sample.drawn].mean()) * sample.rows
        values = float(times * (len(chosen) - int(same.sum())))
        first, second = chosen[:-1][same], chosen[1:][same]
        if self.per is not None:
            different = sample.hashes[first, self.per] != sample.hashes[second, self.per]
            first, second = first[different], second[different]
        return first, second, values, rows
