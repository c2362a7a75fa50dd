"""Large neighbourhoods: some dozen rows are assigned anew by the integer program, around one that pays much.

What is taken apart are classes of rows that some instance could hold at less cost than they pay; of large classes only such
rows leave. They may move into classes around, too: those are in the program with the rows that stay, which fit nowhere else.

Two neighbourhoods are solved at a time, on two threads. No class of the one is in the program of the other, or only as a new
one; and where both open the same instance, or one returns to it, what meets the requirement meets it when it is merged.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels.classes import SLOTS
from kanon_sql.kernels.requirements import assign, unassign
from kanon_sql.model.distances import MatrixDistance
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.neighbourhood import Neighbourhood, Placement, expensive_row_type, places_of, undominated
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.solvers.sensitive.program import Answer, Program, solve_program
from kanon_sql.solvers.sensitive.search import Search
from kanon_sql.table.arrays import Int64

_ROWS, _GROWTH, _SHRINKING = 40.0, 1.05, 0.8
"""Rows of a neighbourhood at first, and by what they are multiplied where a program was solved to the end, and where not."""

_PAIRS, _MORE_PAIRS = 200, 1_000
"""Pairs of a group of rows and an instance beyond which neighbourhoods shrink: without and with a time limit."""

_NODES = 20
"""Nodes of the search tree of one program: most are solved at the root."""

_SECONDS = 2.0
"""Longest time of one program where there is a time limit."""

_INSTANCES, _MEMBERS = 12, 64
"""Instances whose rows are taken apart for one neighbourhood, and members of each that are looked at."""


@dataclass(slots=True, kw_only=True)
class Neighbourhoods:
    """Assigns neighbourhoods of a search anew, two after two."""

    search: Search  # where; it is changed, never to more cost
    random: np.random.Generator  # chooses the neighbourhoods
    rows: float = _ROWS  # rows of the next one
    complete: bool = False  # whether a neighbourhood was the whole table, solved to the end: another one would find no more

    @property
    def whole(self) -> bool:
        """Return whether the next neighbourhood is the whole table."""
        return self.search.space.table.rows <= self.rows

    def solve(self, budget: Budget) -> None:
        """Assign two neighbourhoods anew; the clock only decides where there is a time limit.

        Notes
        -----
        Some tenths of a second, nearly all in the solver; the interpreter is free for other threads meanwhile.
        """
        search, least = self.search, 2.0 * self.search.space.requirement.least
        taken = np.zeros(len(search.space) + 1, np.bool_)
        tasks = []
        for _ in range(1 if self.whole else 2):
            lifted = _everything(search) if self.whole else _near(search, int(self.rows), taken, self.random)
            if not len(lifted.count):
                continue
            task = _Task.of(search, lifted, taken)
            if task.size <= (_PAIRS if budget.seconds is None else _MORE_PAIRS):
                tasks.append(task)
                continue
            _put(search, lifted)
            self.rows = max(self.rows * _SHRINKING, least)

        def solved(task: _Task) -> Answer:
            seconds = math.inf if budget.seconds is None else min(_SECONDS, budget.left())
            return solve_program(task.program, seconds=seconds, nodes=_NODES)

        with ThreadPoolExecutor(max_workers=2) as threads:
            answers = list(threads.map(solved, tasks))
        for task, answer in zip(tasks, answers, strict=True):
            task.apply(search, answer)
            self.complete |= self.whole and answer.ended
            self.rows = max(self.rows * (_GROWTH if answer.ended else _SHRINKING), least)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    """Rows that were taken out, where they may go, and the same as a program that pins the rows of the classes around."""

    lifted: Placement
    near: Neighbourhood
    program: Program

    @classmethod
    def of(cls, search: Search, lifted: Placement, taken: NDArray[np.bool_]) -> _Task:
        """Take rows out of their classes, and note in ``taken`` which classes the program is about."""
        _take(search, lifted)
        arrays, requirement = search.arrays, search.space.requirement
        row_type, piece = np.unique(lifted.row_type.astype(np.int64), return_inverse=True)
        count, highest_cost = np.zeros(len(row_type), np.int64), np.zeros(len(row_type), np.int64)
        np.add.at(count, piece, lifted.count)
        np.maximum.at(highest_cost, piece, arrays.cost[lifted.number])
        size = arrays.first[row_type + 1] - arrays.first[row_type]
        owner = np.repeat(np.arange(len(row_type)), size)
        within = np.arange(size.sum()) - (np.cumsum(size) - size)[owner]
        used, place = np.unique(arrays.instance[arrays.first[row_type][owner] + within].astype(np.int64), return_inverse=True)
        fits = np.zeros((len(row_type), len(used)), np.bool_)
        fits[owner, place] = True
        pinned = (arrays.rows[used] > 0) & ~taken[used]
        # An instance that costs all of its rows more than their present cost could only serve to free rows for others.
        useful = (arrays.cost[used] <= (fits * highest_cost[:, None]).max(axis=0, initial=0)) | np.isin(used, lifted.number)
        useful &= pinned | ((count @ fits >= requirement.least) & undominated(owner, place, arrays.cost[used], len(row_type)))
        used, pinned, fits = used[useful], pinned[useful], fits[:, useful]
        group, free = _program(requirement, row_type, count, arrays.cost[used], fits)
        nowhere = np.full(len(row_type), -1)
        near = Neighbourhood(row_type=row_type, count=count, group=group, fallback=nowhere, instance=used, program=free)
        around = np.flatnonzero(pinned)
        taken[used[around]] = taken[lifted.number] = True
        return cls(lifted=lifted, near=near, program=_with_pinned(search, free, used, around))

    @property
    def size(self) -> int:
        """Return how many pairs the program has; where any two values may be exchanged, as often as there are values."""
        about = {each.column: each for each in self.program.requirement.sensitive}
        matrices = [
            len(about[each.sensitive].count)
            for each in self.program.requirement.requirements
            if isinstance(about[each.sensitive].distances.get(getattr(each, "metric", "")), MatrixDistance)
        ]
        return len(self.program.group) * max(matrices, default=1)

    def apply(self, search: Search, answer: Answer) -> None:
        """Put the rows where the answer says if that costs no more, else back."""
        if answer.assignment is not None:
            pairs, groups = len(self.near.program.group), len(self.near.program.rows)
            free = replace(
                answer.assignment,
                count=answer.assignment.count[:pairs],
                elsewhere=answer.assignment.elsewhere[:groups],
            )
            new, cost = self.near.placed(free), search.arrays.cost
            if cost[new.number] @ new.count <= cost[self.lifted.number] @ self.lifted.count and _put(search, new):
                return
        _put(search, self.lifted)


def _program(
    requirement: ClassRequirement, row_type: Int64, count: Int64, cost: Int64, fits: NDArray[np.bool_]
) -> tuple[Int64, Program]:
    """Return the program of row types that fit instances [f, j], and of each its group: alike in values and in what it fits."""
    values = requirement.group[row_type].astype(np.int32)[:, None].view(np.uint8)
    _, sample, group = np.unique(np.hstack([np.packbits(fits, axis=1), values]), axis=0, return_index=True, return_inverse=True)
    rows = np.zeros(len(sample), np.int64)
    np.add.at(rows, group, count)
    pair, instance = np.nonzero(fits[sample])
    return group, Program(
        rows=rows,
        group=pair,
        instance=instance,
        cost=cost,
        other=np.full(len(sample), -1),
        k=requirement.least,
        counter=requirement.counter[row_type[sample]],
        requirement=requirement,
    )


def _with_pinned(search: Search, program: Program, used: Int64, around: Int64) -> Program:
    """Return the program with the rows that are in the instances ``used[around]``: groups that fit nothing else."""
    groups = search.space.requirement.group_counter
    held = np.zeros((len(around), len(groups)), np.int64)
    for each, number in enumerate(used[around].tolist()):
        place = np.array(places_of(search.assignment.partition, number), np.int64)
        np.add.at(held[each], search.space.requirement.group[place // SLOTS], search.arrays.amount[place])
    owner, group = np.nonzero(held)
    return replace(
        program,
        rows=np.append(program.rows, held[owner, group]),
        group=np.append(program.group, len(program.rows) + np.arange(len(group))),
        instance=np.append(program.instance, around[owner]),
        other=np.append(program.other, np.full(len(group), -1)),
        counter=np.concatenate([program.counter, groups[group]]),
    )


def _near(search: Search, rows: int, taken: NDArray[np.bool_], random: np.random.Generator) -> Placement:
    """Choose about so many rows around one that pays much, of classes that are not taken.

    A row draws an instance that costs less than it pays, whose members leave their classes if these are no cheaper; then one
    of the rows that leave draws the next.
    """
    arrays = search.arrays
    places: dict[int, int] = {}
    closed = taken.copy()
    row_type = expensive_row_type(search.assignment.partition, arrays.cost, arrays.price, random)
    for _ in range(_INSTANCES):
        before = total = sum(places.values())
        instance = arrays.instance[arrays.first[row_type] : arrays.first[row_type + 1]]
        own = arrays.where[row_type * SLOTS : (row_type + 1) * SLOTS]
        instance = instance[arrays.cost[instance] < arrays.cost[own[own >= 0]].max(initial=0)]
        if len(instance):
            j = instance[random.integers(len(instance))]
            member = arrays.member[arrays.start[j] : arrays.start[j + 1]]
            for i in np.append(row_type, random.permutation(member)[:_MEMBERS]).tolist():
                place = np.arange(i * SLOTS, (i + 1) * SLOTS)
                place = place[arrays.where[place] >= 0]
                number = arrays.where[place]
                open_ = np.flatnonzero((arrays.cost[number] >= arrays.cost[j]) & ~closed[number])
                if not len(open_):
                    continue
                chosen = open_[random.integers(len(open_))]
                c = int(number[chosen])
                if arrays.rows[c] <= max(rows // 2, search.space.requirement.least):
                    closed[c] = True
                    leaving = places_of(search.assignment.partition, c)
                else:
                    leaving = [int(place[chosen])]
                places |= {each: min(int(arrays.amount[each]), rows) for each in leaving}
                total = sum(places.values())
                if total >= rows or total - before >= rows // 3:
                    break
        if not places or total >= rows:
            break
        row_type = list(places)[random.integers(len(places))] // SLOTS
    chosen, count = (np.array(list(each), np.int64) for each in (places, places.values()))
    return Placement.at(search.assignment.partition, chosen, count)


def _everything(search: Search) -> Placement:
    used = np.flatnonzero(search.arrays.where >= 0)
    return Placement.at(search.assignment.partition, used, search.arrays.amount[used])


def _take(search: Search, placement: Placement) -> None:
    for i, j, rows in zip(placement.row_type.tolist(), placement.number.tolist(), placement.count.tolist(), strict=True):
        unassign(search.assignment, i, j, rows)


def _put(search: Search, placement: Placement) -> bool:
    """Put rows into classes; False, and nothing done, if they find no slot."""
    pieces = zip(placement.row_type.tolist(), placement.number.tolist(), placement.count.tolist(), strict=True)
    for done, (i, j, rows) in enumerate(pieces):
        if not assign(search.assignment, i, j, rows):
            made = slice(done)
            fitted = Placement(row_type=placement.row_type[made], number=placement.number[made], count=placement.count[made])
            _take(search, fitted)
            return False
    return True
