"""What histories cost at least: each row, and each pair of rows, has to be that of k people, next to the same own columns.

A person who shows some own columns pays the others in every linked row. Each row then shows columns that rows of k people
have, or nothing. If two rows are known, so does each pair. A person with n rows has each row in n - 1 pairs: the cheapest ways
of all pairs cost at most n - 1 times what the person costs. The cheapest choice of own columns is what a person costs at least.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kanon_sql.solvers.histories.known_sets import Support, numbered
from kanon_sql.table.arrays import Int64
from kanon_sql.table.history_table import HistoryTable

MOST_COLUMNS = 10
"""Columns up to which every choice of them is counted: 1,024 choices."""

_MOST_PAIRS = 100_000_000
"""Pairs of rows times choices of what they show, up to which they are counted."""


def lower_bound(table: HistoryTable, k: int, m: int, support: Support) -> tuple[int, str]:
    """Return what every release costs at least, in cells, and what proves it; 0 if there are more than `MOST_COLUMNS` columns.

    Notes
    -----
    O(2^(a + f) r log r) for r rows, a own columns and f others, and O(2^(a + 2f) s log s) for s pairs of rows, if they are few.
    """
    own, facts = table.own.shape[1], table.facts.shape[1]
    if own + facts > MOST_COLUMNS:
        return 0, "none: too many columns"
    pairs = _Pairs.of(table) if m > 1 else None
    if pairs is not None and len(pairs.first) << (own + 2 * facts) > _MOST_PAIRS:
        pairs = None
    values = np.hstack([table.own[table.person] >= 0, table.facts >= 0]).sum(axis=1)
    best = np.full(table.people, np.iinfo(np.int64).max)
    for of_person in range(1 << own):
        row = values.copy()  # a row that shows nothing
        for of_row in range(1 << facts):
            chosen = of_person | of_row << own
            row = np.where(support.of(chosen) >= k, np.minimum(row, values - chosen.bit_count()), row)
        cost = np.bincount(table.person, row, table.people).astype(np.int64)
        if pairs is not None:
            cost = np.maximum(cost, pairs.cost(table, k, of_person, values, row))
        best = np.minimum(best, cost)
    return int(best.sum()), "each row" if pairs is None else "each row and each pair of rows"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pairs:
    """Both orders of each pair of rows of one person."""

    # first, second [s]: the rows; those of the other order are s / 2 places further
    first: Int64
    second: Int64

    @classmethod
    def of(cls, table: HistoryTable) -> _Pairs:
        order = np.argsort(table.person, kind="stable")
        number = table.rows
        begin = np.cumsum(number) - number
        ones, others = [], []
        for distance in range(1, int(number.max(initial=0))):
            many = np.flatnonzero(number > distance)
            length = number[many] - distance
            place = np.repeat(begin[many], length) + _counted(length)
            ones.append(order[place])
            others.append(order[place + distance])
        one, other = (np.concatenate([*each, np.zeros(0, np.int64)]) for each in (ones, others))
        return cls(first=np.concatenate([one, other]), second=np.concatenate([other, one]))

    def cost(self, table: HistoryTable, k: int, of_person: int, values: Int64, row: Int64) -> Int64:
        """Return what each person costs at least who shows some own columns, by pairs of rows; 0 for a person with one row.

        Parameters
        ----------
        of_person : int
            The own columns that are shown, as bits.
        values, row : int64 array [r]
            The cells of each row, and what it costs at least alone.
        """
        half, person = len(self.first) // 2, table.person[self.first]
        shown = [place for place in range(table.own.shape[1]) if of_person >> place & 1]
        mine = np.where((table.own[:, shown] >= 0).all(axis=1), numbered(table.own[:, shown].astype(np.int64)), -1)[person]
        best = values[self.first] + values[self.second]  # both show nothing
        best = np.minimum(best, np.minimum(values[self.first] + row[self.second], row[self.first] + values[self.second]))
        choices = list(_choices(table))
        for number, (bits, shown_first) in enumerate(choices):
            for other_bits, shown_second in choices[number:]:
                keys = np.column_stack([mine, shown_first[self.first], shown_second[self.second]])
                cost = (values[self.first] - bits) + (values[self.second] - other_bits) - 2 * len(shown)
                full = np.flatnonzero((keys >= 0).all(axis=1))
                if (cost[full] < best[full]).any():
                    same = numbered(keys[full])
                    people = np.bincount(np.unique(same * table.people + person[full]) // table.people)[same]
                    best[full] = np.where(people >= k, np.minimum(best[full], cost[full]), best[full])
        both = np.minimum(best[:half], best[half:])
        total = np.bincount(person[:half], both, table.people).astype(np.int64)
        return -(-total // np.maximum(table.rows - 1, 1))


def _choices(table: HistoryTable) -> Iterator[tuple[int, Int64]]:
    """Yield for each choice of the other columns how many they are, and a number for what each row shows of them, or -1."""
    for chosen in range(1 << table.facts.shape[1]):
        columns = [place for place in range(table.facts.shape[1]) if chosen >> place & 1]
        known = (table.facts[:, columns] >= 0).all(axis=1)
        yield len(columns), np.where(known, numbered(table.facts[:, columns].astype(np.int64)), -1)


def _counted(length: Int64) -> Int64:
    """Return 0, 1, ... for each length."""
    return np.arange(int(length.sum())) - np.repeat(np.cumsum(length) - length, length)
