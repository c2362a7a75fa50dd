"""A local search among classes that meet a requirement: they take rows of more expensive ones, or are rebuilt by prices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels.classes import SLOTS
from kanon_sql.kernels.requirements import Assignment, AssignmentList, Growth, Neighbourhood, assign_all, grow, rebuild
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.repair import PartialRecoding
from kanon_sql.solvers.instances.search_space import tightened
from kanon_sql.solvers.sensitive.repair import repair, still_kept
from kanon_sql.solvers.sensitive.search_space import SensitiveSearchSpace
from kanon_sql.table.arrays import Int32, Int64, Words
from kanon_sql.table.recoding import Recoding

_SWEEPS = 6
_WORTHWHILE = 0.001
"""Sweeps of growth, and the share of the cost that a sweep has to save to be followed by another one."""

_ITEMS = 1 << 17
"""Items of instances between two checks of the clock, some hundredths of a second."""

_SIZE = 40
"""Row types of a neighbourhood that is rebuilt."""

_NOISE = 0.3
"""How far prices are perturbed for that, in cells of the most expensive column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrays:
    """The arrays of an assignment and its search space; see `SensitiveSearchSpace` and `Partition`."""

    start: Int64
    member: Int32
    first: Int64
    instance: Int32
    cost: Int64
    price: NDArray[np.float64]
    where: Int32
    amount: Int64
    rows: Int64
    head: Int32
    after: Int32

    @classmethod
    def of(cls, assignment: Assignment) -> Arrays:
        """Return views that change with the assignment."""
        sides = {name: np.asarray(getattr(assignment.space, name)) for name in ("start", "member", "first", "instance")}
        partition = {
            name: np.asarray(getattr(assignment.partition, name)) for name in ("where", "amount", "rows", "head", "after")
        }
        return cls(**sides, **partition, cost=np.asarray(assignment.space.cost), price=np.asarray(assignment.space.price))


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """Classes in a search space, and unassigned rows."""

    space: SensitiveSearchSpace  # the instances that classes may be formed of
    assignment: Assignment  # where the rows are
    arrays: Arrays  # the same for NumPy
    growth: Growth  # the state of growth
    neighbourhood: Neighbourhood  # the state of destroy and repair

    @classmethod
    def of(cls, space: SensitiveSearchSpace, partial: PartialRecoding, price: NDArray[np.float64]) -> Search:
        """Return the search that starts with some classes; rows that are not placed are unassigned."""
        wider, instance = space.with_classes(partial)
        assignment = wider.unassigned(price)
        # Rows that find no slot, because their row type is spread over too many classes, are unassigned too: those come first.
        order = np.argsort(instance >= 0, kind="stable")
        found = np.where(instance < 0, np.int32(len(wider)), instance)[order]
        assign_all(assignment, partial.row_type[order], found, partial.count[order])
        return cls(
            space=wider,
            assignment=assignment,
            arrays=Arrays.of(assignment),
            growth=Growth(assignment, wider.candidates),
            neighbourhood=Neighbourhood(assignment, _SIZE),
        )

    @property
    def cost(self) -> int:
        """Return the cost of all rows; unassigned rows cost more than in any class."""
        return int(self.arrays.cost @ self.arrays.rows)

    def grow(self, budget: Budget) -> None:
        """Let all instances draw rows from more expensive classes, again and again while that saves much."""
        start = self.space.start
        items = self.space.requirement.judged_at_once(budget, _ITEMS)
        ends = np.unique(np.append(np.searchsorted(start, np.arange(items, start[-1], items)), len(start) - 1)).tolist()
        chunks = list(zip([0, *ends[:-1]], ends, strict=True))
        for _ in range(_SWEEPS):
            saved = 0
            for chunk in chunks:
                if budget.over():
                    return
                saved += grow(self.growth, chunk)
            if saved <= _WORTHWHILE * self.cost:
                return

    def rebuild(self, steps: int, state: NDArray[np.uint64]) -> None:
        """Rebuild neighbourhoods, never to more cost; no row may be unassigned."""
        rebuild(self.neighbourhood, steps, _NOISE * float(self.space.table.cost.max()), state)

    def partial(self) -> PartialRecoding:
        """Return where the rows are; unassigned rows are not placed."""
        used = np.flatnonzero(self.arrays.where >= 0)
        instance = self.arrays.where[used]
        placed = instance < len(self.space)
        pattern = np.append(self.space.instances.pattern, 0)[np.where(placed, instance, -1)]
        return PartialRecoding(
            row_type=(used // SLOTS).astype(np.int32),
            shown=np.where(placed, self.space.patterns.shown[pattern], np.uint64(0)),
            count=self.arrays.amount[used],
            placed=placed,
        )

    def recoding(self, budget: Budget) -> Recoding:
        """Return the release, unassigned rows placed."""
        space = self.space
        kept = still_kept(space.problem.requirement, self.partial())  # a class whose row types had too many slots may not
        repaired = repair(space.problem, kept, budget).recoding()
        return tightened(space.table, space.patterns, space.problem.k, repaired)


def of_recoding(recoding: Recoding) -> PartialRecoding:
    """Return a recoding as pieces that are all placed."""
    placed = np.ones(len(recoding.count), np.bool_)
    return PartialRecoding(row_type=recoding.row_type, shown=recoding.shown, count=recoding.count, placed=placed)


def with_rest(found: AssignmentList, shown: Words, left: Int64) -> PartialRecoding:
    """Return pieces of classes, whose numbers stand for ``shown``, and the rows left of each row type, which are not placed."""
    row_type, number, count = (np.asarray(each)[: found.size] for each in (found.row_type, found.number, found.count))
    rest = np.flatnonzero(left)
    return PartialRecoding(
        row_type=np.concatenate([row_type, rest]).astype(np.int32),
        shown=np.concatenate([shown[number], np.zeros(len(rest), np.uint64)]),
        count=np.concatenate([count, left[rest]]),
        placed=np.concatenate([np.ones(len(row_type), np.bool_), np.zeros(len(rest), np.bool_)]),
    )
