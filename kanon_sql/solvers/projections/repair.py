"""The end of the search: classes that still fail are filled or emptied one by one, in the way that costs least.

Other rows join such a class, or its rows leave it. Each of them hides or shows further cells where that makes good what its
change does to other classes. A cascade would hide cells in all failing classes at once, and so break others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels.projections.cascade import short, small_by_column
from kanon_sql.kernels.projections.classes import SetClasses
from kanon_sql.kernels.projections.repair import best_change, turn
from kanon_sql.solvers.budget import Budget
from kanon_sql.table.arrays import Int64

_NOISE = 0.6
"""The mean of what a change may cost, in rows that a class is short of."""

_PATIENCE, _CANDIDATES = 12, 24
"""Passes in which failing classes may not get fewer, and rows that are tried for one that joins a class."""

_MOST_TRIED = 200_000
"""Classes that are tried in a pass, times the sets: with more sets, each takes longer."""

_MOST_ROWS = 12
"""Rows that join a class or leave it, at most."""

_Change = tuple[int, int]
"""A row, and the columns in which it changes, as bits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """The repair of the classes of rows, where only rows count, every cell may be hidden, and no column has levels.

    Parameters
    ----------
    classes : SetClasses
        Changes.
    cost : int64 array [m]
        Cost of hiding a cell.
    penalty : int
        What each row that a class is short of costs.
    draw : Generator
        Of the order of the classes, and of the rows that are tried.
    """

    classes: SetClasses
    cost: Int64
    penalty: int
    draw: np.random.Generator

    def run(self, over: Int64, budget: Budget, passes: int) -> None:
        """Repair what can be repaired: look at all failing classes so many times. ``over`` [n, m] is scratch."""
        every, fewest, left = np.arange(len(over)), over.size, _PATIENCE
        for _ in range(passes):
            failing = self.classes.ready() and small_by_column(self.classes, every, over)
            if not failing or not left or budget.over():
                return
            fewest, left = min(fewest, failing), _PATIENCE if failing < fewest else left - 1
            listed = np.asarray(self.classes.failing)[: self.classes.listed].copy()
            for row, number in self.draw.permutation(listed)[: _MOST_TRIED // len(self.classes.need)].tolist():
                if budget.over() or not self.classes.ready():
                    return
                if short(self.classes, row, number):
                    self._repaired(row, number)

    def _repaired(self, row: int, number: int) -> None:
        """Fill or empty the class of a row by a set, if that does not cost too much."""
        start, member = np.asarray(self.classes.set_start), np.asarray(self.classes.member)
        columns = member[start[number] : start[number + 1]].astype(np.int64)
        hidden = np.asarray(self.classes.hidden)
        alike = self._alike(row, columns)
        inside = alike[(hidden[alike][:, columns] == hidden[row, columns]).all(axis=1)]
        alone = [[1 << each] for each in columns.tolist()]
        ways = [*alone, [each for way in alone for each in way]] if len(inside) <= _MOST_ROWS else []
        options = [self._left(inside, each, columns) for each in ways if self.classes.ready()]
        if short(self.classes, row, number) <= _MOST_ROWS and self.classes.ready():
            options.append(self._joined(row, number, columns, np.setdiff1d(alike, inside)))
        may_cost = self.draw.exponential(_NOISE * self.penalty, len(options)).tolist()
        worth = [(paid - more, changes) for (paid, changes), more in zip(options, may_cost, strict=True) if changes]
        lowest, changes = min(worth, key=lambda each: each[0], default=(0, []))
        if lowest < 0 and self.classes.ready():
            self._do(changes)

    def _alike(self, row: int, columns: Int64) -> Int64:
        """Return the rows that have the values which a row shows of some columns."""
        classes = self.classes
        shown = [each for each in columns.tolist() if not classes.hidden[row, each]]
        if not shown:
            return np.arange(len(classes.weight))
        rarest = min(shown, key=lambda each: classes.alike_size[row, each])
        first, size = classes.alike_start[row, rarest], classes.alike_size[row, rarest]
        rows = np.asarray(classes.alike)[rarest, first : first + size]
        word = np.asarray(classes.word)
        found: Int64 = rows[(word[rows][:, shown] == word[row, shown]).all(axis=1)].astype(np.int64)
        return found

    def _joined(self, row: int, number: int, columns: Int64, able: Int64) -> tuple[int, list[_Change]]:
        """Return what it costs that some of other rows join the class of a row, and what they change."""
        classes = self.classes
        hidden = np.asarray(classes.hidden)[:, columns]
        if len(able) > _CANDIDATES:
            few = (hidden[able] != hidden[row]).sum(axis=1) == 1
            first = able[few] if few.sum() >= _CANDIDATES else able
            able = np.sort(self.draw.choice(first, _CANDIDATES, replace=False))
        total, changes = 0, []
        while len(able) and short(classes, row, number):
            tried = [(*self._best(each, _bits(columns[hidden[each] != hidden[row]]), columns), each) for each in able.tolist()]
            paid, change, best = min(tried)
            turn(classes, best, change)
            total, able = total + paid, able[able != best]
            changes.append((best, change))
        self._do(changes)
        return total, changes

    def _left(self, inside: Int64, ways: list[int], columns: Int64) -> tuple[int, list[_Change]]:
        """Return what it costs that the rows of a class leave it by changing one of some cells, and what they change."""
        total, changes = 0, []
        for each in inside.tolist():
            paid, change = min(self._best(each, must, columns) for must in ways)
            turn(self.classes, each, change)
            total += paid
            changes.append((each, change))
        self._do(changes)
        return total, changes

    def _best(self, row: int, must: int, columns: Int64) -> tuple[int, int]:
        """Return what it costs that a row changes some cells of a set and others, no more of the set, and all of these."""
        return best_change(self.classes, row, must, _bits(columns) & ~must, self.cost, self.penalty)

    def _do(self, changes: list[_Change]) -> None:
        """Change rows, or change them back."""
        for row, change in changes:
            turn(self.classes, row, change)


def _bits(columns: NDArray[np.int64]) -> int:
    return sum(1 << each for each in columns.tolist())
