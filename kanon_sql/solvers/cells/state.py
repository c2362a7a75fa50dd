"""A table in the making: which rows are suppressed, and the witnesses of the primary rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels.cells import BoxSearch, CellSpace, WitnessStore, find, users
from kanon_sql.solvers.cells.cheapest_witness import CheapestWitness
from kanon_sql.solvers.cells.goals import Goal, Goals, RowCells, opened
from kanon_sql.solvers.cells.lower_bound import Bound
from kanon_sql.solvers.integer_programs.model import Floats
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.cell_table import Bools, CellTable, Witnesses

_STEPS, _LEAST_STEPS, _ALL_STEPS = 2_000, 80, 3_000_000
"""Steps of the search for one move, at most and at least; between them so many in all for a move of each witness."""

UNIT, _GUIDED = 16, 1.05
"""Parts of 1 that weights are whole numbers of, and the weight of a row that is not suppressed in part."""

SECONDARY = 2
"""Mark of a secondary row in the search space."""

_GARBAGE = 8
"""The store is renewed when it is so many times as large as its witnesses."""


class Changes(NamedTuple):
    """Changes of base cells: in which measure, which cell, and by how much."""

    of: Int32
    base: Int32
    change: Int64


@dataclass(slots=True, kw_only=True)
class State:
    """A table whose primary rows have witnesses, or will have."""

    table: CellTable
    weight: Int64  # [r]: what it costs to suppress each row, less where a bound suppresses it in part
    space: CellSpace
    searches: list[BoxSearch]
    # [b], [b]: by how much each base cell can be less in a search, and which are fixed, for each measure
    limits: list[tuple[Int64, NDArray[np.uint8]]]
    store: WitnessStore
    goals: Goals  # the witnesses that are looked for
    members: RowCells  # the base cells of each row
    failures: list[int]
    steps: int
    others: dict[int, Changes] = field(default_factory=dict)  # what some witnesses change in other measures
    # what finds a witness where no move does, by its measure
    programs: dict[int, CheapestWitness] = field(default_factory=dict)
    by_programs: bool = False  # whether moves alone did not find all witnesses
    bound: Bound | None = None  # what every suppression costs at least, if it is known

    @property
    def measure(self) -> Int32:
        """Return the measure of each witness."""
        return self.goals.measure

    @property
    def pattern(self) -> NDArray[np.uint8]:
        """Return the suppression pattern of the rows: 0 is shown, `SECONDARY` is secondary, and 1 is suppressed for itself."""
        return np.asarray(self.space.suppressed)

    @property
    def shown(self) -> NDArray[np.uint8]:
        """Return which rows must not be suppressed."""
        return np.asarray(self.space.shown)

    @property
    def cost(self) -> int:
        """Return the cost of the secondary rows."""
        return int(self.table.cost[self.pattern == SECONDARY].sum())

    def guide(self, share: Floats, strength: float) -> None:
        """Make rows cheaper that the cheapest relaxed suppression suppresses in part, for moves that are found from now on."""
        self.weight[:] = np.maximum(1, self.table.cost * np.round(UNIT * (_GUIDED - strength * share)).astype(np.int64))
        self.price(self.weight)

    def price(self, weight: Int64) -> None:
        """Set what moves cost that are found from now on."""
        np.asarray(self.space.cost)[:] = weight

    def find(self, witness: int, *, free: bool, steps: int = 0) -> Int32 | None:
        """Find a witness, in more steps if requested; return the rows that are suppressed for it, None where there is none."""
        goal = self.goals.goal(witness)
        if not goal.opens:
            return self._find(witness, goal, free, steps)
        margin, fixed = self.limits[goal.measure]
        cells, least = opened(self.table, self.members, goal, goal.measure)
        before = margin[cells], fixed[cells]
        margin[cells], fixed[cells] = self.table.measures[goal.measure].value[cells] - least, 0
        found = self._find(witness, goal, free, steps)
        margin[cells], fixed[cells] = before
        return found

    def _find(self, witness: int, goal: Goal, free: bool, steps: int) -> Int32 | None:
        search, need = self.searches[goal.measure], np.asarray(self.store.need)
        for search.down, amount in ((False, goal.grows), (True, goal.falls)):
            need[witness] = amount
            if amount and find(self.space, search, self.store, witness, free, max(steps, self.steps)):
                self.others.pop(witness, None)
                return np.asarray(self.store.new)[: self.store.news].copy()
        return None

    def put_own(self, witness: int, base: Int32, change: Int64) -> None:
        """Take a witness that changes some base cells of its measure alone."""
        rows = np.unique(self.table.ancestors[base])
        self.store.put(witness, base, change, rows[self.pattern[rows] == SECONDARY])
        self.others.pop(witness, None)

    def put(self, witness: int, change: Int64) -> None:
        """Take a witness from elsewhere: the changes of all measures, int64 array [measures, b]."""
        own = int(self.measure[witness])
        base = np.flatnonzero(change[own])
        self.put_own(witness, base.astype(np.int32), change[own, base])
        of, base = np.nonzero(change)
        if (of != own).any():
            of, base = of[of != own], base[of != own]
            self.others[witness] = Changes(of.astype(np.int32), base.astype(np.int32), change[of, base])

    def users(self, row: int) -> list[int]:
        """Return the witnesses that change a secondary row."""
        found: list[int] = users(self.space, self.store, row).tolist()
        if not self.others:
            return found
        return sorted({*found, *(each for each, moves in self.others.items() if row in self.table.ancestors[moves.base])})

    def kept(self, witnesses: list[int] | slice) -> tuple[Int64, Int64, dict[int, Changes]]:
        """Return where some witnesses are, for `restore`."""
        start, count = (np.asarray(each)[witnesses].copy() for each in (self.store.start, self.store.count))
        return start, count, self.others.copy()

    def restore(self, witnesses: list[int] | slice, kept: tuple[Int64, Int64, dict[int, Changes]]) -> None:
        """Take back some witnesses."""
        np.asarray(self.store.start)[witnesses], np.asarray(self.store.count)[witnesses], self.others = kept

    def clear(self) -> None:
        """Forget all witnesses and publish all secondary rows."""
        self.pattern[self.pattern == SECONDARY] = 0
        np.asarray(self.store.count)[:] = 0
        self.others = {}
        self.take(self.snapshot())

    def renew(self) -> None:
        """Forget outdated witnesses where they are many."""
        if self.store.used > _GARBAGE * int(np.asarray(self.store.count).sum()) + 100_000:
            self.take(self.snapshot())

    def snapshot(self) -> tuple[NDArray[np.uint8], Witnesses]:
        """Return the pattern and the witnesses, for `take`."""
        return self.pattern.copy(), self.witnesses()

    def take(self, kept: tuple[NDArray[np.uint8], Witnesses]) -> None:
        """Go back to another pattern and other witnesses."""
        self.pattern[:], found = kept
        of = np.repeat(np.arange(len(self.measure)), np.diff(found.start))
        other = found.of != self.measure[of]
        self.others = {
            int(each): Changes(*(part[other & (of == each)] for part in (found.of, found.base, found.change)))
            for each in np.unique(of[other])
        }
        of, base, change = of[~other], found.base[~other], found.change[~other]
        count = np.bincount(of, minlength=len(self.measure))
        keys = [np.zeros(0, np.int64)]
        for column in self.table.ancestors.T:
            rows = column[base]
            chosen = self.pattern[rows] == SECONDARY
            keys.append(rows[chosen].astype(np.int64) * len(count) + of[chosen])  # two links of a witness do no harm
        np.asarray(self.store.count)[:] = count
        self.store.renew(base, change, np.cumsum(count) - count, np.concatenate(keys))

    @property
    def suppressed(self) -> Bools:
        """Return which rows are suppressed."""
        return self.pattern > 0

    def witnesses(self) -> Witnesses:
        """Return the witnesses in the order of their measures and rows."""
        start, count = np.asarray(self.store.start), np.asarray(self.store.count)
        within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        entry = np.repeat(start, count) + within
        whose = np.repeat(np.arange(len(count)), count)
        moves = Changes(self.measure[whose], np.asarray(self.store.base)[entry], np.asarray(self.store.change)[entry])
        if self.others:
            whose = np.concatenate([whose, *(np.full(len(each.of), witness) for witness, each in self.others.items())])
            order = np.argsort(whose, kind="stable")
            whose = whose[order]
            moves = Changes(*(np.concatenate(parts)[order] for parts in zip(moves, *self.others.values(), strict=True)))
        return Witnesses(
            row=np.asarray(self.store.row).copy(),
            measure=self.measure,
            start=np.searchsorted(whose, np.arange(len(count) + 1)).astype(np.int64),
            of=moves.of,
            base=moves.base,
            change=moves.change,
        )


def steps_for(witnesses: int) -> int:
    """Return the steps of the search for one move where so many witnesses look for one."""
    return min(_STEPS, max(_LEAST_STEPS, _ALL_STEPS // max(1, witnesses)))
