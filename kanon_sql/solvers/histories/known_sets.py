"""The sets of rows that an attacker may know, how many people have each, and how many could have it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from kanon_sql.table.arrays import Int64
from kanon_sql.table.history_table import HistoryTable, Shown


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownSets:
    """Sets of rows of one person each."""

    rows: Int64  # [s, j]: the linked rows of each set
    people: Int64  # [s]: how many people have rows that show the same, as often, next to the same own columns


def known_sets(table: HistoryTable, shown: Shown, m: int) -> list[KnownSets]:
    """Return the sets of 1 to m linked rows of each person, by their number of rows.

    Notes
    -----
    O(s log s) for s sets. The rows of a set are in the order of what they show, so that equal sets are found by sorting.
    """
    own = numbered(np.where(shown.own, table.own, -1))
    fact = numbered(np.where(shown.facts, table.facts, -1))
    linked = np.flatnonzero(shown.linked)
    order = linked[np.lexsort((fact[linked], table.person[linked]))]
    person = table.person[order]
    first = np.flatnonzero(np.append(True, person[1:] != person[:-1])) if len(order) else np.empty(0, np.int64)
    number = np.diff(np.append(first, len(order)))
    found = []
    for size in range(1, m + 1):
        parts = []
        for n in np.unique(number[number >= size]):
            places = np.array(list(combinations(range(n), size)), np.int64)
            parts.append((first[number == n, None, None] + places[None]).reshape(-1, size))
        rows = order[np.concatenate(parts)] if parts else np.empty((0, size), np.int64)
        if len(rows):
            same = numbered(np.column_stack([own[table.person[rows[:, 0]]], fact[rows]]))
            whose = np.unique(same * table.people + table.person[rows[:, 0]]) // table.people
            found.append(KnownSets(rows=rows, people=np.bincount(whose)[same]))
    return found


def numbered(codes: Int64) -> Int64:
    """Return a number from 0 for each row of an array, the same for equal rows."""
    found = np.zeros(len(codes), np.int64)
    for column in codes.T.astype(np.int64):
        found = np.unique(found * (int(column.max(initial=0)) + 2) + column + 1, return_inverse=True)[1].reshape(-1)
    return found


def most_sets(table: HistoryTable, m: int) -> int:
    """Return how many sets of m rows people have, without listing them."""
    return sum(comb(rows, m) * int(people) for rows, people in enumerate(np.bincount(table.rows)))


class Support:
    """For each row and each choice of columns, the people who have a row with these values: no release can do better.

    Parameters
    ----------
    table : HistoryTable
        The source.

    Notes
    -----
    A choice is computed when it is first needed, in O(r log r), and kept. Columns are bits: the person's own first.
    """

    def __init__(self, table: HistoryTable) -> None:
        self._table = table
        self._codes = np.hstack([table.own[table.person], table.facts])
        self._known: dict[int, Int64] = {}

    def of(self, chosen: int) -> Int64:
        """Return the people for each row, 0 for a row that has no value in one of the columns."""
        if chosen not in self._known:
            columns = [place for place in range(self._codes.shape[1]) if chosen >> place & 1]
            full = np.flatnonzero((self._codes[:, columns] >= 0).all(axis=1))
            same = numbered(self._codes[full][:, columns])
            people = self._table.people
            each = np.unique(same * people + self._table.person[full]) // max(people, 1)
            found = np.zeros(len(self._codes), np.int64)
            found[full] = np.bincount(each, minlength=1)[same] if len(full) else 0
            self._known[chosen] = found
        return self._known[chosen]
