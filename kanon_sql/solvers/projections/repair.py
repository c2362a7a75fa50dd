"""The end of the search: failing classes are filled or emptied one by one, in the cheapest way.

Other rows join such a class, or its rows leave it. Each of them suppresses or shows further cells if that makes up for the
damage its change does to other classes. In most passes a class is repaired at any price, so that the search can leave a local
minimum. Two rules keep it from going in circles. Rows that changed lately do not change back. If classes by a set keep failing,
each row they are short of costs more. A cascade would suppress cells in all failing classes at once, and so break others.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from itertools import pairwise
from math import inf

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels.projections import (
    SetClasses,
    best_change,
    failing_after,
    fitting_rows,
    key_by,
    short_in,
    small_by_column,
    turn,
)
from kanon_sql.solvers.budget import Budget
from kanon_sql.table.arrays import Int64

_AT_ANY_PRICE, _TURN = 8, 10
"""The first 8 of 10 passes repair a class at any price, the others only if the total cost falls."""

_NOISE = (0.3, 0.6)
"""The mean of a random discount on each way to repair a class, in penalties: in those other passes, and in the first."""

_LATELY, _LONGER = 3, 10
"""For 3 passes after a change, a row does not join a class; if it has to leave one, that costs one more penalty.

Each 10th pass makes that one pass longer, until fewer classes fail than ever before.
"""

_LIGHTER = 0.97
"""Each pass adds a penalty to the price of a set with failing classes; then all prices are multiplied by this."""

_CANDIDATES, _MORE = 24, 2
"""Rows that are tried for a class that others have to join: at least, and for each row that it is short of."""

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
        self._bits = [_bits(columns) for columns in self._columns]
        self._tries = 0
        self._fitting, self._inside = np.empty(rows, np.int64), np.empty(rows, np.uint8)
        self._found = np.empty((2 * sets, 2), np.int64)

    def run(self, over: Int64, budget: Budget, passes: int, tries: int) -> None:
        """Repair classes until none fails, or until so many passes, or trial changes of a row, are used up.

        ``over`` [n, m] is scratch.
        """
        classes, self._failing, self._tries = self._classes, {}, tries
        fewest, self._lasting = inf, _LATELY
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
                if self._tries < 0 or budget.over() or not classes.ready():
                    return
                if short_in(classes, *failing[place]):
                    self._repair(failing[place])
            self._price = np.maximum(self._penalty, (self._price * _LIGHTER).astype(np.int64))
            self._number += 1
            budget.report("repair", 0.9)

    def _listed(self, over: Int64) -> bool:
        """Keep the noted classes that still fail; if there are none, look at all rows. Return whether any class fails."""
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
        ways = [*alone, [each for way in alone for each in way]]
        options = [self._left(inside, each, number) for each in ways]
        options.append(self._joined(failing, others[~self._lately(others)] if self._at_any_price else others))
        may_cost = self._draw.exponential(_NOISE[self._at_any_price] * self._penalty, len(options)).tolist()
        gainful = [(spent - more, changes) for (spent, changes), more in zip(options, may_cost, strict=True) if changes]
        lowest, changes = min(gainful, key=lambda each: each[0], default=(0, []))
        if not changes or not (lowest < 0 or self._at_any_price):
            self._note(failing)
            return
        self._do(changes)
        for each, change in changes:
            self._changed[each] = self._number
            for other, hidden in self._found[: failing_after(classes, each, change, self._found)].tolist():
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
        most = max(_CANDIDATES, _MORE * short_in(classes, *failing))
        if len(able) > most:
            few = np.flatnonzero(other.sum(axis=1) == 1)
            first = few if len(few) >= most else np.arange(len(able))
            chosen = np.sort(self._draw.choice(first, most, replace=False))
            able, other = able[chosen], other[chosen]
        must = dict(zip(able.tolist(), (other * (1 << columns)).sum(axis=1).tolist(), strict=True))
        best = [(*self._best(row, bits, number), row) for row, bits in must.items()]
        heapify(best)
        total, changes = 0, []
        while best and short_in(classes, *failing):
            row = heappop(best)[-1]
            spent, change = self._best(row, must[row], number)  # rows that joined before may have changed what it costs
            if best and (spent, change, row) > best[0]:
                heappush(best, (spent, change, row))
                continue
            total += spent
            changes.append((row, change))
            self._do(changes[-1:])
        self._do(changes)
        return total, changes

    def _left(self, inside: Int64, ways: list[int], number: int) -> tuple[int, list[_Change]]:
        """Return what it costs that the rows of a class leave it by changing one of some cells, and what they change."""
        total, changes = 0, []
        for row in inside.tolist():
            spent, change = min(self._best(row, must, number) for must in ways)
            total += spent
            changes.append((row, change))
            self._do(changes[-1:])
        self._do(changes)
        return total + self._penalty * self._at_any_price * int(self._lately(inside).sum()), changes

    def _best(self, row: int, must: int, number: int) -> tuple[int, int]:
        """Return what it costs that a row changes some cells of a set and others, no more of the set, and all of these."""
        self._tries -= 1
        return best_change(self._classes, row, must, self._bits[number] & ~must, self._cost, self._price)

    def _do(self, changes: list[_Change]) -> None:
        """Change rows, or change them back."""
        for row, change in changes:
            self._classes.ready()
            turn(self._classes, row, change)


def _bits(columns: NDArray[np.int64]) -> int:
    return sum(1 << each for each in columns.tolist())
