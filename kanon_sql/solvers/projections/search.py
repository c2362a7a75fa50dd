"""Single cells are hidden and shown until all classes by every set of known columns meet their requirement.

A cascade hides cells until every class is large enough, or few are not. Then cells are hidden and shown at random. A row that
a class is short of costs as much as a cell, later more, and the search accepts fewer and fewer changes for the worse. Then
the classes that are still too small are repaired one by one, and a second cascade hides cells in what is left of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import seeded
from kanon_sql.kernels.projections import SetClasses, note_rare, search, small_by_column
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.projections.cascade import LOOKUPS, cascade, classes_of_a_cell
from kanon_sql.solvers.projections.repair import Repair
from kanon_sql.solvers.projections.rows import Rows
from kanon_sql.table.arrays import Int64, Words
from kanon_sql.table.ladder import COST
from kanon_sql.table.recoding import Recoding, hidden_bits

_ROUNDS, _LOOKUPS, _PER_CELL = 20, (350_000_000, 1_200_000_000), 150
"""Rounds of the search, the classes that it looks up at most, and changes for each cell of the rows that take part.

The lookups are those for sets of up to two columns and of more. Showing cells again takes as many, and of more twice as many.
"""

_SLOWER = (14, 20)
"""How many times as long a class takes of which people or sensitive values count: each change is made and taken back."""

_LEAST_LOOKUPS = 2_000_000
"""Classes that the search of a small table looks up."""

_UNIT = 1024
"""Units of the search in which the cheapest cell costs 1."""

_WARM, _COLD = (0.6, 1.2), (0.1, 0.15)
"""The mean of what a change may cost in the first round and in the last, for sets of up to two columns and of more."""

_STRICTER = (60.0, 5.0)
"""How many times as much as a cell a row that a class is short of costs at the end of the search."""

_MILD = (0.3, 6.0), (0.3, 2.5)
"""Both at the end where classes are then repaired one by one, for sets of up to two columns and of more.

Measured: 75,000 x 16 then loses 0.9 % of its cells for any 2 columns, and Adult 12.8 % for any 3. Without such a repair, they
lost 1.2 and 13.5 %.
"""

_REPAIR, _BETWEEN = 3.0, 20.0
"""What such a row costs at first in that repair, and where the search goes on between two of them."""

_COOL, _COOLED = (0.3, 0.1), 8
"""What a change may cost in between, in the first round and the last, and rounds."""

_PASSES, _TRIES = (10, 4_000), 2_000_000
"""Passes of the first repair and of the second, and at most so many trial changes of a row in each: about a minute."""

_AGAIN, _ROUNDS_AGAIN = (0.6, 0.2), (20, 10)
"""What a change may cost when cells are shown again, in the first round, and the rounds; the same after such a repair."""

_REPAIRS, _RAISED, _MORE, _LONGER = 8, 60.0, 4, 3
"""Otherwise rounds in which only rows in failing classes change, and what such a row costs more in each of them.

Then, how many times as many changes a cell gets, and a round at most.
"""

_FIRST = 12
"""Rounds of the first cascade where only rows count: the search takes up what it leaves failing."""

_SHARE = 0.6
"""The share of the time left that the search may take, and again that what follows the repair may take."""

_ENDING, CASCADE = 0.3, 0.5
"""The share of the time left that the search leaves for the last cascade, and the seconds that the first one has at least.

Without one that ends, there is no release by single cells: with a limit, the first one goes on to the end.
"""

_LISTED = 0.85
"""From this share of the search on, failing classes are listed, and a sixth of the changes are about them."""

_NEVER = 1 << 40
"""What such a row costs where none may be left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """The search for single cells to hide."""

    # problem, budget: as for `solve`
    problem: Problem
    budget: Budget
    rows: Rows
    classes: SetClasses  # their classes

    def by_cells(self) -> Recoding | None:
        """Return the best release that hiding and showing of single cells finds; None if there is none."""
        table, classes, masks = self.problem.table, self.classes, self._masks
        over = np.empty((len(self.rows.weight), table.codes.shape[1]), np.int64)
        if masks is not None:  # all rows begin with the mask that hides least
            classes.hide(np.tile(hidden_bits(masks[:1], over.shape[1]), (len(over), 1)).astype(np.uint8))
        if not classes.count():
            return None
        if self._one_by_one and not self._wide:
            note_rare(classes)
        self._small(over)
        concerned = over.max(axis=1) > 0
        best: Recoding | None = None
        if cascade(classes, table.cost, over, self.budget, masks, _FIRST if classes.plain else None):
            best = self.shown_again(rounds=1)
            self.budget.report("cascade", 0.1, best.cost(table))
        elif self.budget.limited and classes.plain:
            best = self._at_once(over)
        self._anneal(concerned, over)
        if self._one_by_one:
            self._repair_one_by_one(over)
        else:
            self._repair(over)
        if cascade(classes, table.cost, over, self.budget, masks):
            found = self.shown_again()
            best = found if best is None or found.cost(table) < best.cost(table) else best
        return best

    def _at_once(self, over: NDArray[np.int64]) -> Recoding | None:
        """Return the release of a cascade that goes on to the end, if there is time for it; the rows stay as they are."""
        before, budget = np.asarray(self.classes.hidden).copy(), self.budget.at_least(CASCADE, self.budget.ended)
        found = None
        if cascade(self.classes, self.problem.table.cost, over, budget, self._masks):
            found = self.shown_again(rounds=1)
            self.budget.report("cascade", 0.1, found.cost(self.problem.table))
        self.classes.hide(before)
        return found

    def shown_again(self, hidden: NDArray[np.uint8] | None = None, rounds: int | None = None) -> Recoding:
        """Return the release of the rows as they are, or that hide these cells, after cells are shown again."""
        classes = self.classes
        if hidden is not None:
            classes.hide(hidden)
        before = np.asarray(classes.hidden).copy()
        active = np.flatnonzero(before.max(axis=1) > 0)
        state = seeded(self.budget.seed)
        rounds, warm = rounds or _ROUNDS_AGAIN[self._one_by_one and not self._wide], _UNIT * _AGAIN[self._one_by_one]
        for number in range(rounds if len(active) else 0):
            self._changed(active, _NEVER, warm * (1 - (number + 1) / rounds), state, 1 + (self._wide and rounds > 1))
        return self.rows.recoding(np.asarray(classes.hidden).copy())

    def _anneal(self, concerned: NDArray[np.bool_], over: NDArray[np.int64]) -> None:
        """Hide and show cells, and accept fewer and fewer changes for the worse."""
        classes, budget, state = self.classes, self.budget.part(_SHARE), seeded(self.budget.seed)
        wide = self._wide
        cold, stricter = _MILD[wide] if self._one_by_one else (_COLD[wide], _STRICTER[wide])
        for number in range(_ROUNDS):
            if budget.over() or not classes.compact():
                return
            share = max(number / (_ROUNDS - 1), budget.share())
            if share >= _LISTED:
                self._small(over)
            active = np.flatnonzero(concerned | (np.asarray(classes.hidden).max(axis=1) > 0))
            if not len(active):
                return
            temperature = _UNIT * _WARM[wide] * (cold / _WARM[wide]) ** share
            self._changed(active, int(_UNIT * stricter**share), temperature, state)
            budget.report("cells", 0.1 + 0.8 * share)

    def _repair_one_by_one(self, over: NDArray[np.int64]) -> None:
        """Repair classes one by one; the search goes on in between."""
        repair, before_end = Repair(self.classes, self._costs, int(_UNIT * _REPAIR), self.budget.seed), self._before_end()
        repair.run(over, before_end, _PASSES[0], self.budget.steps(_TRIES))
        state, budget = seeded(self.budget.seed), before_end.part(_SHARE)
        for number in range(_COOLED):
            active = np.flatnonzero(np.asarray(self.classes.hidden).max(axis=1) > 0)
            if budget.over() or not self.classes.compact() or not len(active):
                break
            temperature = _UNIT * _COOL[0] * (_COOL[1] / _COOL[0]) ** (number / (_COOLED - 1))
            self._changed(active, int(_UNIT * _BETWEEN), temperature, state)
            self.budget.report("repair", 0.9)
        repair.run(over, before_end, _PASSES[1], self.budget.steps(_TRIES))

    def _repair(self, over: NDArray[np.int64]) -> None:
        """Change rows in failing classes alone, which cost more and more: a cascade hides more cells for them."""
        state, before_end = seeded(self.budget.seed), self._before_end()
        for number in range(1, _REPAIRS + 1):
            if before_end.over() or not self.classes.ready() or not self._small(over):
                return
            active = np.flatnonzero(over.max(axis=1) > 0)
            self._changed(active, int(_UNIT * _RAISED * number), _UNIT * _AGAIN[False], state, _MORE)

    def _before_end(self) -> Budget:
        """Return the time up to the last cascade."""
        return self.budget.part(1 - _ENDING)

    def _changed(self, active: Int64, penalty: int, temperature: float, state: Words, more: int = 1) -> None:
        """Try the changes of a round until the time is up; classes are counted again when places run out."""
        left, worse = self._steps(active, more), _worse(temperature)
        while left > 0 and not self.budget.over() and self.classes.ready():
            steps = min(left, max(1, LOOKUPS // classes_of_a_cell(self.classes)))
            left -= search(self.classes, active, self._costs, self._choice, penalty, worse, steps, state)

    def _small(self, over: NDArray[np.int64]) -> int:
        """Count for each cell the failing classes of its row, and list them; return how many there are."""
        return small_by_column(self.classes, np.arange(len(over)), over)

    @property
    def _one_by_one(self) -> bool:
        """Whether only rows count, every cell may be hidden, and no column has levels."""
        return self.classes.plain and self.free and not self.problem.table.has_ladders

    @property
    def free(self) -> bool:
        """Whether every cell may be hidden."""
        return self._masks is None

    @property
    def _masks(self) -> Words | None:
        """The permitted masks, those that hide least first; None where every cell may be hidden."""
        table, shown = self.problem.table, self.problem.patterns.shown
        ladders = {names: places for names, places in table.ladders.items() if names != COST}
        levels = (sum(not table.hidden_levels >> place & 1 for place in places) for places in ladders.values())
        free = COST not in table.ladders and len(shown) == prod(each + 1 for each in levels)
        return None if free or not len(shown) else shown

    @property
    def _wide(self) -> bool:
        """Whether some set has more than two columns."""
        return bool(np.diff(self.classes.set_start).max() > 2)

    @property
    def _choice(self) -> Words:
        """The same for the kernel: empty where every cell may be hidden."""
        masks = self._masks
        return np.empty(0, np.uint64) if masks is None else masks

    @property
    def _costs(self) -> NDArray[np.int64]:
        """The cost of a hidden cell in units of the search."""
        cost = self.problem.table.cost
        return np.maximum(1, cost * _UNIT // max(1, int(cost[cost > 0].min(initial=1))))

    def _steps(self, active: NDArray[np.int64], more: int) -> int:
        """Return how many changes are tried in a round: so many for each cell, but not too few or too many lookups in all."""
        columns, each = len(self.classes.of_start) - 1, classes_of_a_cell(self.classes)
        steps = more * max(_PER_CELL * len(active) * columns, _LEAST_LOOKUPS // each)
        lookups = _LOOKUPS[self._wide]
        most = (lookups if self.classes.plain else lookups // _SLOWER[self._wide]) * min(more, _LONGER)
        return self.budget.steps(min(steps, most // each)) // _ROUNDS


def _worse(temperature: float) -> Int64:
    """Return numbers that are exponentially distributed with this mean."""
    found: Int64 = (-temperature * np.log(np.arange(1, 1025) / 1024)).astype(np.int64)
    return found
