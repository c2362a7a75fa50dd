"""What witnesses are looked for: of each primary row and measure, one of more, maybe one of less, and which cells they move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.cell_table import Bools, CellTable


class Goal(NamedTuple):
    """A witness that is looked for."""

    # row, measure: whose it is
    row: int
    measure: int
    # grows, falls: by how much the row has to be more, or less instead; 0 where that will not do. If it cannot be more, the
    # witness is about attackers outside of the row.
    grows: int
    falls: int
    borrowed: int  # the base cell of the row that moves though contributors know it; -1 if none does

    @property
    def opens(self) -> bool:
        """Return whether base cells move otherwise than in most witnesses of its measure."""
        return self.borrowed >= 0 or not self.grows


@dataclass(frozen=True, slots=True, kw_only=True)
class Goals:
    """The goals of a table, in the order of their measures; within one, those of more first, in the order of their rows."""

    row: Int32  # [w]
    measure: Int32  # [w]
    borrowed: Int32  # [w]
    # grows, falls [w]: see `Goal`
    grows: Int64
    falls: Int64

    def goal(self, number: int) -> Goal:
        """Return one of them."""
        return Goal(
            row=int(self.row[number]),
            measure=int(self.measure[number]),
            grows=int(self.grows[number]),
            falls=int(self.falls[number]),
            borrowed=int(self.borrowed[number]),
        )

    def among(self, others: Goals, row: Int64) -> Int64:
        """Return which of other goals each is, -1 for none; ``row`` says what the rows of those are here."""
        mine, theirs = self._names(self.row), others._names(row[others.row])
        order = np.lexsort(theirs.T)
        both = np.concatenate((theirs[order], mine))
        together = np.lexsort((np.arange(len(both)) >= len(order), *both.T))  # equal ones follow each other, theirs first
        new = np.r_[True, (both[together[1:]] != both[together[:-1]]).any(axis=1)]
        first = together[np.flatnonzero(new)][np.cumsum(new) - 1]
        found = np.full(len(mine), -1, np.int64)
        at = together >= len(order)
        known = first[at] < len(order)
        found[together[at] - len(order)] = np.where(known, order[np.where(known, first[at], 0)], -1)
        return found

    def _names(self, row: Int64 | Int32) -> Int64:
        return np.stack(
            [np.asarray(each, np.int64) for each in (row, self.measure, self.borrowed, self.grows, self.falls)], axis=1
        )


class RowCells:
    """The base cells of each row."""

    def __init__(self, table: CellTable) -> None:
        rows = table.ancestors.T.ravel()
        order = np.argsort(rows, kind="stable")
        self.first: Int64 = np.searchsorted(rows[order], np.arange(table.rows + 1)).astype(np.int64)
        self.cells: Int32 = (order % table.base_cells).astype(np.int32)

    def of(self, row: int) -> Int32:
        """Return those of a row."""
        return self.cells[self.first[row] : self.first[row + 1]]


def goals_of(table: CellTable, members: RowCells) -> Goals:
    """Return the goals of a table."""
    parts: list[tuple[Int64, ...]] = []
    for number, measure in enumerate(table.measures):
        value = table.values(number)
        primary = measure.required > value
        rows = np.flatnonzero(primary & ~_follows(table, value) if number == 0 else primary)
        borrowed = np.full(len(rows), -1)
        if (measure.fixed == 1).any():
            cells = [_borrowed(table, members.of(row)) for row in rows.tolist()]
            rows, borrowed = np.repeat(rows, [len(each) for each in cells]), np.concatenate([rows[:0], *cells])
        falls = np.where(measure.or_none[rows], value[rows], 0)
        parts.append((rows, np.full(len(rows), number), borrowed, measure.required[rows] - value[rows], falls))
        rows = np.flatnonzero((measure.below >= 0) & (measure.below < value))
        none = np.zeros(len(rows), np.int64)
        parts.append((rows, none + number, none - 1, none, value[rows] - measure.below[rows]))
    row, measures, borrowed, grows, falls = (np.concatenate(each) for each in zip(*parts, strict=True))
    return Goals(
        row=row.astype(np.int32),
        measure=measures.astype(np.int32),
        borrowed=borrowed.astype(np.int32),
        grows=grows.astype(np.int64),
        falls=falls.astype(np.int64),
    )


def _follows(table: CellTable, people: Int64) -> Bools:
    """Return which rows have as many people as they require in each witness of another row, which is a part of them.

    A coalition may be all people of the part, so there it follows for empty rows alone.
    """
    measure = table.measures[0]
    given = np.where(measure.or_none | (measure.required <= people), 0, measure.required)
    found = np.zeros(table.rows, np.bool_)
    for part, finer in enumerate(table.levels):
        some = table.ancestors[given[table.ancestors[:, part]] > 0]
        for whole, coarser in enumerate(table.levels):
            if part != whole and (finer <= coarser).all():
                found[some[given[some[:, part]] >= measure.required[some[:, whole]], whole]] = True
    return found & (people == 0) if table.coalition else found


def _borrowed(table: CellTable, cells: Int32) -> Int64:
    """Return the base cells of a row that a witness each borrows, -1 if one needs none: see `CellTable.coalition`."""
    people = table.measures[0].value[cells]
    order = np.argsort(-people, kind="stable")
    found, people = cells[order].astype(np.int64), people[order]
    if not people[0] or people[0] > table.coalition:
        return np.array([-1])
    wanted = min(table.coalition + 1, int(people.sum()))
    return found[: 1 + int(np.searchsorted(np.cumsum(people), wanted))]


def opened(table: CellTable, members: RowCells, goal: Goal, measure: int) -> tuple[Int64, Int64]:
    """Return the base cells that move otherwise than in most witnesses of a measure, and the least value of each."""
    system = table.measures[measure]
    if goal.borrowed >= 0:
        cells = np.array([goal.borrowed], np.int64)
        return cells, system.value[cells]
    cells = members.of(goal.row).astype(np.int64) if goal.opens else np.zeros(0, np.int64)
    cells = cells[system.fixed[cells] < 2]
    return cells, np.zeros(len(cells), np.int64)


def moved_by(table: CellTable, members: RowCells, goal: Goal, measure: int) -> tuple[Bools, Int64]:
    """Return which base cells a witness of a goal moves in a measure, and the least value of each."""
    system = table.measures[measure]
    movable, known = system.fixed == 0, system.known
    cells, least = opened(table, members, goal, measure)
    if len(cells):
        movable, known = movable.copy(), known.copy()
        movable[cells], known[cells] = True, least
    return movable, known
