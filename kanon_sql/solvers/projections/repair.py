"""The end of the search: classes that still fail are filled or emptied one by one, in the way that costs least.

Other rows join such a class, or its rows leave it. Each of them hides or shows further cells where that makes good what its
change does to other classes. In most passes a class is repaired at any price, so that the search leaves what no single change
makes better. Two rules end its circles: rows that changed lately do not change back, and what rows are short of costs more for
the sets by which classes keep failing. A cascade would hide cells in all failing classes at once, and so break others.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels.projections.cascade import small_by_column
from kanon_sql.kernels.projections.classes import SetClasses
from kanon_sql.kernels.projections.failing import failing_beside, fitting_rows, key_by, short_in
from kanon_sql.kernels.projections.repair import best_change, turn
from kanon_sql.solvers.budget import Budget
from kanon_sql.table.arrays import Int64

_AT_ANY_PRICE, _TURN = 8, 10
"""Of so many passes, those that come first repair a class at any price, the others only if that does not cost too much."""

_NOISE = (0.3, 0.6)
"""The mean of what a change may cost more than another, in rows that a class is short of: of the others, and of the first."""

_LATELY, _LONGER = 3, 10
"""Passes in which a row that changed does not join a class; where it leaves one, it costs as much as a row short.

It is one pass more whenever so many passes have not left fewer failing classes: the search goes round in a longer circle.
"""

_LIGHTER = 0.97
"""What is left after a pass of what rows short of classes by a set cost more. It grows by the penalty while one fails."""

_CANDIDATES = 24
"""Rows that are tried for one that joins a class."""

_MOST_ROWS = 12
"""Rows that join a class or leave it, at most."""

_Change = tuple[int, int]
"""A row, and the columns in which it changes, as bits."""

_Class = tuple[int, int, int]
"""A row that has the values of a class, the number of its set, and the columns of the set that it hides, as bits."""


class Repair:
    """The repair of the classes of rows, where only rows count, every cell may be hidden, and no column has levels.

    Parameters
    ----------
    classes : SetClasses
        Changes.
    cost : int64 array [m]
        Cost of hiding a cell.
    penalty : int
        What each row that a class is short of costs at first.
    seed : int
        Of the order of the classes, and of the rows that are tried.
    """

    def __init__(self, classes: SetClasses, cost: Int64, penalty: int, seed: int) -> None:
        rows, sets = len(classes.weight), len(classes.need)
        self._classes, self._cost, self._penalty = classes, cost, penalty
        self._draw = np.random.default_rng(seed)
        self._price: Int64 = np.full(sets, penalty, np.int64)
        self._changed: Int64 = np.full(rows, -_LATELY - 1, np.int64)
        self._number = 0
        self._failing: dict[int, _Class] = {}
        self._lasting = _LATELY
        start, member = np.asarray(classes.set_start).tolist(), np.asarray(classes.member).astype(np.int64)
        self._columns = [member[first:end] for first, end in pairwise(start)]
        self._fitting, self._inside = np.empty(rows, np.int64), np.empty(rows, np.uint8)
        self._found = np.empty((2 * sets, 2), np.int64)

    def run(self, over: Int64, budget: Budget, passes: int, tries: int) -> None:
        """Repair classes until none fails, in so many passes over those that fail, and tries, at most.

        ``over`` [n, m] is scratch.
        """
        classes, self._failing = self._classes, {}
        fewest, self._lasting = len(over) * over.shape[1], _LATELY
        for number in range(passes):
            if budget.over() or not classes.ready() or not self._listed(over):
                return
            failing, self._failing = list(self._failing.values()), {}
            if len(failing) < fewest:
                fewest, self._lasting = len(failing), _LATELY
            elif number % _LONGER == 0:
                self._lasting += 1
            self._price[np.unique([each for _, each, _ in failing])] += self._penalty
            for place in self._draw.permutation(len(failing)).tolist():
                if tries == 0 or budget.over() or not classes.ready():
                    return
                if short_in(classes, *failing[place]):
                    self._repair(failing[place])
                    tries -= 1
            self._price = np.maximum(self._penalty, (self._price * _LIGHTER).astype(np.int64))
            self._number += 1
            budget.report("repair", 0.9)

    def _listed(self, over: Int64) -> bool:
        """Keep the classes noted to fail that still do; without any, look at all rows. Return whether one fails."""
        classes = self._classes
        self._failing = {key: each for key, each in self._failing.items() if short_in(classes, *each)}
        if not self._failing and small_by_column(classes, np.arange(len(over)), over):
            hidden = np.asarray(classes.hidden)
            for row, number in np.asarray(classes.failing)[: classes.listed].tolist():
                columns = self._columns[number]
                self._note((row, number, _bits(columns[hidden[row, columns] > 0])))
        return bool(self._failing)

    def _note(self, failing: _Class) -> None:
        self._failing[key_by(self._classes, *failing)] = failing

    def _repair(self, failing: _Class) -> None:
        """Fill or empty a class."""
        classes, (row, number, part) = self._classes, failing
        columns = self._columns[number]
        size = fitting_rows(classes, row, number, part, self._fitting, self._inside)
        fitting, within = self._fitting[:size].copy(), self._inside[:size] > 0
        inside, others = fitting[within], fitting[~within]
        alone = [[1 << each] for each in columns.tolist()]
        ways = [*alone, [each for way in alone for each in way]] if len(inside) <= _MOST_ROWS else []
        options = [self._left(inside, each, columns) for each in ways if classes.ready()]
        if short_in(classes, *failing) <= _MOST_ROWS and classes.ready():
            able = others[~self._lately(others)] if self._at_any_price else others
            options.append(self._joined(failing, able))
        may_cost = self._draw.exponential(_NOISE[self._at_any_price] * self._penalty, len(options)).tolist()
        worth = [(paid - more, changes) for (paid, changes), more in zip(options, may_cost, strict=True) if changes]
        lowest, changes = min(worth, key=lambda each: each[0], default=(0, []))
        if not (lowest < 0 or self._at_any_price) or not changes or not classes.ready():
            self._note(failing)
            return
        self._do(changes)
        for each, change in changes:
            self._changed[each] = self._number
            for other, hidden in self._found[: failing_beside(classes, each, change, self._found)].tolist():
                self._note((each, other, hidden))

    @property
    def _at_any_price(self) -> bool:
        return self._number % _TURN < _AT_ANY_PRICE

    def _lately(self, rows: Int64) -> NDArray[np.bool_]:
        """Return which rows changed lately."""
        found: NDArray[np.bool_] = self._changed[rows] >= self._number - self._lasting
        return found

    def _joined(self, failing: _Class, able: Int64) -> tuple[int, list[_Change]]:
        """Return what it costs that some of other rows join a class, and what they change."""
        classes, (_, number, part) = self._classes, failing
        columns = self._columns[number]
        other = (np.asarray(classes.hidden)[able[:, None], columns] > 0) != ((part >> columns) & 1 > 0)
        if len(able) > _CANDIDATES:
            few = np.flatnonzero(other.sum(axis=1) == 1)
            first = few if len(few) >= _CANDIDATES else np.arange(len(able))
            chosen = np.sort(self._draw.choice(first, _CANDIDATES, replace=False))
            able, other = able[chosen], other[chosen]
        must = dict(zip(able.tolist(), (other * (1 << columns)).sum(axis=1).tolist(), strict=True))
        total, changes = 0, []
        while must and short_in(classes, *failing):
            paid, change, best = min((*self._best(each, bits, columns), each) for each, bits in must.items())
            turn(classes, best, change)
            total += paid
            changes.append((best, change))
            del must[best]
        self._do(changes)
        return total, changes

    def _left(self, inside: Int64, ways: list[int], columns: Int64) -> tuple[int, list[_Change]]:
        """Return what it costs that the rows of a class leave it by changing one of some cells, and what they change."""
        total, changes = 0, []
        for each in inside.tolist():
            paid, change = min(self._best(each, must, columns) for must in ways)
            turn(self._classes, each, change)
            total += paid
            changes.append((each, change))
        self._do(changes)
        return total + self._penalty * self._at_any_price * int(self._lately(inside).sum()), changes

    def _best(self, row: int, must: int, columns: Int64) -> tuple[int, int]:
        """Return what it costs that a row changes some cells of a set and others, no more of the set, and all of these."""
        return best_change(self._classes, row, must, _bits(columns) & ~must, self._cost, self._price)

    def _do(self, changes: list[_Change]) -> None:
        """Change rows, or change them back."""
        for row, change in changes:
            turn(self._classes, row, change)


def _bits(columns: NDArray[np.int64]) -> int:
    return sum(1 << each for each in columns.tolist())
