"""What it costs to move a person from a base cell to one that nobody has: the rows that have to be suppressed for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kanon_sql.engines.cells.base_cells import BaseCells
from kanon_sql.engines.cells.published_set import OwnSets
from kanon_sql.table.arrays import Int64
from kanon_sql.table.cell_table import Bools, CellTable

IMPOSSIBLE = 1 << 48
"""The price of a cell that some table could not have; others cost less."""

CLOSED = 1 << 40
"""What an empty row costs that has to be shown."""

_NEW, _CLAIMED = -2, -1
"""In place of the number of a row: no table has it, and one that is empty, or that does not meet a condition."""

_CODES = 1 << 62
"""Codes of rows below this are int64."""


class MovedPeople:
    """The rows of tables by their keys, and what it costs to move a person.

    Parameters
    ----------
    places : mapping
        The place of each grouping set in it.
    tables : sequence of OwnSets
        All tables.
    gain, loss : int64 arrays [r]
        What it costs if a row has a person more, and a person less.
    """

    def __init__(
        self,
        table: CellTable,
        places: Mapping[tuple[int, ...], int],
        cells: BaseCells,
        tables: Sequence[OwnSets],
        gain: Int64,
        loss: Int64,
    ) -> None:
        self._table, self._tables, self._gain, self._loss = table, tables, gain, loss
        keys = list(dict.fromkeys(own.keys for each in tables for own in each.sets))
        self._number = {each: number for number, each in enumerate(keys)}
        self._place = np.array([places[each] for each in keys], np.int64)
        self._weights, self._offset = _weights(cells.keys.max(axis=0, initial=0) + 1, keys)
        self._rows = dict[int, int]()
        for number, place in enumerate(self._place):
            rows, first = np.unique(table.ancestors[:, place], return_index=True)
            codes = cells.keys[first] @ self._weights[:, number] + self._offset[number]
            self._rows.update(zip(codes.tolist(), rows.tolist(), strict=True))
        self._columns = [np.array([self._number[own.keys] for own in each.sets], np.int64) for each in tables]
        self._chosen = [
            np.stack([np.isin(np.arange(cells.keys.shape[1]), own.keys) for own in each.sets], axis=1) for each in tables
        ]
        self._occurs = [_occurring(cells.keys, each.meets & (cells.people > 0)) if each.new else [] for each in tables]

    def claim(self, key: Int64, number: int | None = None) -> None:
        """Count the rows of an empty cell as rows, where there are none: those of all tables, or of one."""
        codes = (key @ self._weights + self._offset).tolist()
        for each in self._tables if number is None else [self._tables[number]]:
            for own in each.sets:
                if not own.conditions or all(key[one] == 1 for one in own.conditions):
                    self._rows.setdefault(codes[self._number[own.keys]], _CLAIMED)

    def price(self, fresh: Int64, lenders: Int64) -> Int64:
        """Return what it costs to move a person to each of some empty cells, by their keys, from each of some base cells."""
        codes = (fresh @ self._weights + self._offset).ravel().tolist()
        get = self._rows.get
        rows = np.array([get(each, _NEW) for each in codes], np.int64).reshape(len(fresh), len(self._number))
        before = self._table.ancestors[lenders[:, None], self._place]
        price, seen = np.zeros(len(fresh), np.int64), np.zeros(rows.shape, np.bool_)
        for number, (table, columns) in enumerate(zip(self._tables, self._columns, strict=True)):
            row, other = rows[:, columns], before[:, columns]
            for place, own in enumerate(table.sets):
                if own.conditions:
                    row[(fresh[:, list(own.conditions)] != 1).any(axis=1), place] = _CLAIMED
            added = row == _NEW
            if added.any():
                price[(added & ~self._may_be_added(number, fresh, row)).any(axis=1)] = IMPOSSIBLE
                if table.shown:
                    price += CLOSED * added[:, [own.keys in table.shown for own in table.sets]].sum(axis=1)
            moves = (row != other) & ~seen[:, columns]  # tables may have the same rows
            seen[:, columns] |= moves
            cost = self._loss[other] + np.where(added, 1, np.where(row >= 0, self._gain[np.maximum(row, 0)], 0))
            price += (cost * moves).sum(axis=1)
        return price

    def _may_be_added(self, number: int, fresh: Int64, row: Int64) -> Bools:
        """Return which empty rows a table can have, ``row`` being those that it has.

        Their values occur, or it is published and leaves such rows out. A filtered count of 0 is seen in a shown row.
        """
        table = self._tables[number]
        if table.new:
            never = np.stack([~each[column] for each, column in zip(self._occurs[number], fresh.T, strict=True)], axis=1)
            return ~(never @ self._chosen[number])
        whole = row[:, np.arange(row.shape[1]) % table.plain]
        of_condition = np.arange(row.shape[1]) >= table.plain
        hidden = (whole >= 0) & (self._gain[np.maximum(whole, 0)] == 0)
        return np.where(of_condition, hidden | (table.absent & (whole == _NEW)), table.absent)


def _weights(sizes: Int64, keys: Sequence[tuple[int, ...]]) -> tuple[Int64, Int64]:
    """Return by what each key is multiplied in the code of a row, for each grouping set, and what is added to each code."""
    weights, offset, begin = [], [], 0
    for chosen in keys:
        own, size = [0] * len(sizes), 1
        for key in chosen:
            own[key], size = size, size * int(sizes[key])
        weights.append(own)
        offset.append(begin)
        begin += size
    kind = np.int64 if begin < _CODES else object
    return np.array(weights, kind).T, np.array(offset, kind)


def _occurring(keys: Int64, inside: Bools) -> list[Bools]:
    """Return which values of each key some base cells have."""
    found = [np.zeros(int(column.max(initial=0)) + 1, np.bool_) for column in keys.T]
    for own, column in zip(found, keys.T, strict=True):
        own[column[inside]] = True
    return found
