"""The cheapest mask of each row type under which enough rows of some tables match it.

What matches a mask matches every coarser one, so the search goes down the columns: it shows a column or hides it, divides
rows by what they have there, and drops groups with too few rows together with all finer masks of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanon_sql.solvers.budget import UNLIMITED, Budget
from kanon_sql.table.arrays import Int32, Int64, Words
from kanon_sql.table.patterns import PatternSet

NOTHING = 1 << 62
"""Cost of a row type that no permitted mask suits."""

_FEW = 4096
"""Rows up to which those that became alike are not put together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """A table in which rows are counted."""

    codes: Int32  # [p, m]: its rows in the codes of the row types; what is below 0 matches no shown cell
    weight: Int64  # [p]: rows of each
    least: int  # how many have to match


@dataclass(frozen=True, slots=True, kw_only=True)
class Cheapest:
    """What was found."""

    shown: Words  # [q]: the cheapest mask of each row type
    cost: Int64  # [q]: cost of a row; `NOTHING` where no permitted mask suits
    complete: bool  # whether the search went to its end: if so, no mask is cheaper


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rows:
    """Rows in the groups of what they show so far: their place in a table, the number of the group, and their weight."""

    place: Int64
    group: Int64
    weight: Int64

    @classmethod
    def of(cls, weight: Int64) -> _Rows:
        """Return all rows of a table, in one group."""
        return cls(place=np.arange(len(weight)), group=np.zeros(len(weight), np.int64), weight=weight)

    def take(self, chosen: NDArray[np.bool_], number: Int64) -> _Rows:
        """Return some of the rows, in groups of other numbers."""
        return _Rows(place=self.place[chosen], group=number[self.group[chosen]], weight=self.weight[chosen])


def cheapest(
    codes: Int32,
    cost: Int64,
    patterns: PatternSet,
    counted: Sequence[Counted],
    budget: Budget = UNLIMITED,
    ladders: Iterable[Sequence[int]] = (),
) -> Cheapest:
    """Return the cheapest permitted mask of each row type under which enough rows of every table match.

    Parameters
    ----------
    codes : int32 array [q, m]
        The row types; in a column where one has a code that no table has, it can only be hidden.
    cost : int64 array [m]
        Cost of hiding each column.
    patterns : PatternSet
        The permitted patterns; none listed permits all 2^m.
    counted : sequence of Counted
        The tables.
    budget : Budget
        Time left; when it ends, row types keep the best mask found, if there is one.
    ladders : iterable of sequence of int
        Columns of which each follows from every one before it.

    Notes
    -----
    At most 2^m steps of O(p log p), in practice far fewer: a group is left when it has too few rows, or when no mask below
    is cheaper than what its row types have. Columns of many values come first: shown, they make small groups, hidden, they
    make rows of large tables alike.
    """
    search = _MaskSearch(codes, cost, patterns, counted, budget, ladders)
    search.run()
    return Cheapest(shown=search.shown, cost=search.best, complete=search.complete)


class _MaskSearch:
    def __init__(
        self,
        codes: Int32,
        cost: Int64,
        patterns: PatternSet,
        counted: Sequence[Counted],
        budget: Budget,
        ladders: Iterable[Sequence[int]],
    ) -> None:
        self.best = np.full(len(codes), NOTHING, np.int64)
        self.shown = np.zeros(len(codes), np.uint64)
        self.complete = True
        self._codes, self._cost, self._counted, self._budget = codes, cost.tolist(), counted, budget
        self._highest = codes.max(axis=0, initial=0).astype(np.int64)
        self._order = np.argsort(-self._highest, kind="stable").tolist()
        self._patterns = patterns if patterns.listed else None
        self._total = max(1, len(codes))
        self._finer = {
            place: np.uint64(sum(1 << finer for finer in places[:level]))
            for places in ladders
            for level, place in enumerate(places)
        }

    def run(self) -> None:
        queried = _Rows.of(np.zeros(len(self._codes), np.int64))
        tables = [_Rows.of(each.weight) for each in self._counted]
        if all(int(each.weight.sum()) >= each.least for each in self._counted):
            self._visit(0, np.uint64(0), 0, self._patterns, queried, tables)

    def _visit(
        self, depth: int, shown: np.uint64, cost: int, patterns: PatternSet | None, queried: _Rows, tables: list[_Rows]
    ) -> None:
        """Try the masks below one that has decided ``depth`` columns; every group has enough rows."""
        if self._budget.over():
            self.complete = False
            return
        if depth == len(self._order):
            self.best[queried.place], self.shown[queried.place] = cost, shown
            self._budget.report("masks", float((self.best < NOTHING).sum() / self._total))
            return
        column = self._order[depth]
        bit = np.uint64(1 << column)
        finer = _below(patterns, bit, bit)
        if finer is None or len(finer.shown):
            follows = shown & self._finer.get(column, np.uint64(0))
            rows, divided = (queried, tables) if follows else self._divided(column, queried, tables)
            self._go(depth, shown | bit, cost, finer, rows, divided)
        coarser = _below(patterns, bit, np.uint64(0))
        if coarser is None or len(coarser.shown):
            self._go(depth, shown, cost + self._cost[column], coarser, queried, tables, hidden=True)

    def _go(
        self,
        depth: int,
        shown: np.uint64,
        cost: int,
        patterns: PatternSet | None,
        queried: _Rows,
        tables: list[_Rows],
        *,
        hidden: bool = False,
    ) -> None:
        """Go on with the row types that may find a cheaper mask below, and with their groups."""
        least = cost if patterns is None else int(patterns.cost.min())
        alive = self.best[queried.place] > least
        if not alive.any():
            return
        if not alive.all():
            number = np.full(int(queried.group.max()) + 1, -1, np.int64)
            kept = np.unique(queried.group[alive])
            number[kept] = np.arange(len(kept))
            tables = [each.take(number[each.group] >= 0, number) for each in tables]
            queried = queried.take(alive, number)
        if hidden:
            rest = self._order[depth + 1 :]
            tables = [_together(each, about.codes, rest) for each, about in zip(tables, self._counted, strict=True)]
        self._visit(depth + 1, shown, cost, patterns, queried, tables)

    def _divided(self, column: int, queried: _Rows, tables: list[_Rows]) -> tuple[_Rows, list[_Rows]]:
        """Divide groups by what they have in a column, and keep those with enough rows of every table."""
        radix = int(self._highest[column]) + 1
        number = queried.group * radix + self._codes[queried.place, column]
        size = (int(queried.group.max()) + 1) * radix
        few = size <= max(_FEW, len(number))
        if few:  # each code of each group has a number at once
            enough = np.zeros(size, np.bool_)
            enough[number] = True
        else:
            keys, number = np.unique(number, return_inverse=True)
            enough = np.ones(len(keys), np.bool_)
        inside = []
        for rows, about in zip(tables, self._counted, strict=True):
            code = about.codes[rows.place, column].astype(np.int64)
            key = rows.group * radix + code
            there = (code >= 0) & (code < radix)
            if few:
                place = np.where(there, key, 0)
            else:
                place = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
                there &= keys[place] == key
            count = np.zeros(len(enough), np.int64)
            np.add.at(count, place[there], rows.weight[there])
            enough &= count >= about.least
            inside.append((rows, place, there))
        fresh = np.cumsum(enough) - 1
        kept = enough[number]
        divided = [
            _Rows(place=rows.place[stays], group=fresh[place[stays]], weight=rows.weight[stays])
            for rows, place, there in inside
            for stays in [there & enough[place]]
        ]
        return _Rows(place=queried.place[kept], group=fresh[number[kept]], weight=queried.weight[kept]), divided


def _below(patterns: PatternSet | None, bit: np.uint64, wanted: np.uint64) -> PatternSet | None:
    """Return the patterns that show, or hide, a column; None permits all."""
    if patterns is None:
        return None
    chosen = (patterns.shown & bit) == wanted
    return PatternSet(shown=patterns.shown[chosen], cost=patterns.cost[chosen])


def _together(rows: _Rows, codes: Int32, columns: list[int]) -> _Rows:
    """Put rows together that are in one group and alike in the columns still to come."""
    if len(rows.place) <= _FEW:
        return rows
    key = rows.group
    for column in columns:
        code = codes[rows.place, column].astype(np.int64) + 1
        radix = int(code.max()) + 1
        if int(key.max()) >= (1 << 62) // radix:
            key = np.unique(key, return_inverse=True)[1]
        key = key * radix + code
    _, first, owner = np.unique(key, return_index=True, return_inverse=True)
    weight = np.zeros(len(first), np.int64)
    np.add.at(weight, owner, rows.weight)
    return _Rows(place=rows.place[first], group=rows.group[first], weight=weight)
