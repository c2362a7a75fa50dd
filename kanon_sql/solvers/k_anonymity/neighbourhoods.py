"""Large neighbourhoods: some hundred rows with all their classes are assigned anew by the integer program.

Two neighbourhoods that share no class are solved at a time, on two threads. The classes around them stay; rows may move
into those, and new classes may be opened anywhere in the search space.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels.classes.neighbourhoods import classes_near
from kanon_sql.kernels.classes.partition import SLOTS, Partition, put_all, take_all
from kanon_sql.kernels.random import seeded
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.flow import side_by_side
from kanon_sql.solvers.instances.ilp import Assignment, Outcome, Program, solve_program
from kanon_sql.solvers.instances.search_space import SearchSpace
from kanon_sql.table.arrays import Int32, Int64

_ROWS, _CLASSES = 130, 8
"""Rows of a neighbourhood at first, or as many smallest classes as that where this is more."""

_PAIRS, _MORE_PAIRS = 500, 8_000
"""Pairs of a group of rows and an instance beyond which neighbourhoods shrink: at first, and when they grow."""

_NODES = 1
"""Nodes of the search tree of one program at first: the root and its cuts."""

_IDLE = 12
"""Rounds without a gain after which neighbourhoods grow, or the search ends, where the clock does not end it."""

_SECONDS = 3.0
"""Longest time of one program where there is a time limit."""

_COMPARED = 2_000
"""Instances that are compared with each other; more are all kept."""

ROUNDS = 50
"""Pairs of neighbourhoods where the clock does not decide: the local search before leaves little to gain in large tables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Rows of some row types in classes of a partition."""

    row_type: Int32
    number: Int32
    count: Int64

    def key(self) -> bytes:
        """Return what is the same only where the same rows are in the same classes."""
        order = np.lexsort((self.number, self.row_type))
        return b"".join(part[order].tobytes() for part in (self.row_type, self.number, self.count))


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood:
    """Rows without a class, and the program that finds them new ones.

    Parameters
    ----------
    row_type, count : int64 arrays [f]
        The row types and their rows.
    group : int64 array [f]
        Row types that fit the same instances are one group of the program.
    fallback : int64 array [f]
        The cheapest class that is open anyway, -1 where there is none.
    instance : int64 array [j]
        The instances of the program, as numbers of the candidate classes.
    program : Program
        See there.
    """

    row_type: Int64
    count: Int64
    group: Int64
    fallback: Int64
    instance: Int64
    program: Program

    @classmethod
    def of(cls, space: SearchSpace, partition: Partition, row_type: Int64, count: Int64) -> Neighbourhood:
        """Return the neighbourhood of rows that are in no class of the partition."""
        begin, cost = np.asarray(space.candidates.first), space.instances.cost
        size = begin[row_type + 1] - begin[row_type]
        owner = np.repeat(np.arange(len(row_type)), size)
        first = np.cumsum(size) - size
        place = np.arange(size.sum()) - first[owner] + begin[row_type][owner]
        instance = np.asarray(space.candidates.instance)[place].astype(np.int64)
        opened = np.asarray(partition.rows)[instance] > 0
        fallback = np.full(len(row_type), -1, np.int64)
        with_fallback, at = np.unique(owner[opened], return_index=True)  # the first is the cheapest
        fallback[with_fallback] = instance[opened][at]
        used, place = np.unique(instance[~opened], return_inverse=True)
        owner = owner[~opened]
        enough = np.bincount(place, weights=count[owner], minlength=len(used)) >= space.k
        used, owner, place = _only(enough, used, owner, place)
        used, owner, place = _only(undominated(owner, place, cost[used], len(row_type)), used, owner, place)
        other = np.where(fallback >= 0, cost[fallback], -1)
        group, sample = _grouped(owner, place, other)
        rows = np.zeros(len(sample), np.int64)
        np.add.at(rows, group, count)
        first_of_group = np.zeros(len(row_type), np.bool_)
        first_of_group[sample] = True
        chosen = first_of_group[owner]
        program = Program(
            rows=rows, group=group[owner[chosen]], instance=place[chosen], cost=cost[used], other=other[sample], k=space.k
        )
        return cls(row_type=row_type, count=count, group=group, fallback=fallback, instance=used, program=program)

    def placed(self, answer: Assignment) -> Placement:
        """Return the answer: the rows of each group and what is assigned of it are laid side by side."""
        target = np.append(self.instance[self.program.instance], np.full(len(answer.elsewhere), -1))
        amount = np.append(answer.count, answer.elsewhere)
        of_group = np.append(self.program.group, np.arange(len(answer.elsewhere)))
        flow, order = np.argsort(of_group, kind="stable"), np.argsort(self.group, kind="stable")
        source, chosen, count = side_by_side(self.count[order], amount[flow])
        source, number = order[source], target[flow[chosen]]
        return Placement(
            row_type=self.row_type[source].astype(np.int32),
            number=np.where(number < 0, self.fallback[source], number).astype(np.int32),
            count=count,
        )


def _only(kept: NDArray[np.bool_], used: Int64, owner: Int64, place: Int64) -> tuple[Int64, Int64, Int64]:
    """Return instances, and the pairs of a row type and a place among the instances, without those not kept."""
    stays = kept[place]
    return used[kept], owner[stays], (np.cumsum(kept) - 1)[place[stays]]


def undominated(owner: Int64, place: Int64, cost: Int64, row_types: int) -> NDArray[np.bool_]:
    """Return the instances that no other can replace: cheaper for all its rows, or as dear with more rows, or the first."""
    if len(cost) > _COMPARED:
        return np.ones(len(cost), np.bool_)
    fits = np.zeros((len(cost), -(-row_types // 64) * 64), np.bool_)
    fits[place, owner] = True
    size, word = fits.sum(axis=1), np.packbits(fits, axis=1).view(np.uint64).T
    within = np.ones((len(cost), len(cost)), np.bool_)
    for bits in word:
        within &= (bits[:, None] & ~bits) == 0
    order = np.lexsort((np.arange(len(cost)), -size, cost))
    rank = np.empty(len(cost), np.int64)
    rank[order] = np.arange(len(cost))
    replaced: NDArray[np.bool_] = np.logical_or.reduce(within & (rank < rank[:, None]), axis=1)
    return ~replaced


def _grouped(owner: Int64, place: Int64, other: Int64) -> tuple[Int64, Int64]:
    """Number row types that fit the same instances alike; return the number of each, and of each number the first.

    The program shrinks by that, and loses some of its symmetry.
    """
    order = np.lexsort((place, owner))
    ends = np.searchsorted(owner[order], np.arange(len(other) + 1))
    fits = place[order].astype(np.int64)
    numbers: dict[tuple[bytes, int], int] = {}
    group = np.empty(len(other), np.int64)
    sample: list[int] = []
    for each, elsewhere in enumerate(other.tolist()):
        key = (fits[ends[each] : ends[each + 1]].tobytes(), elsewhere)
        group[each] = numbers.setdefault(key, len(numbers))
        if group[each] == len(sample):
            sample.append(each)
    return group, np.array(sample, np.int64)


def improve(space: SearchSpace, partition: Partition, bound: int, budget: Budget, rounds: int | None) -> None:
    """Assign neighbourhoods anew until the rounds or the time are over; never to more cost.

    Parameters
    ----------
    space, partition
        Where; the partition is changed.
    bound : int
        A lower bound on the cost of every release, at which the search ends.
    budget : Budget
        Time left, and the seed.
    rounds : int, optional
        Pairs of neighbourhoods; None goes on until the time is over.
    """
    random, state = np.random.default_rng(budget.seed), seeded(budget.seed)
    cost, done, idle = space.cost(partition), 0, 0
    rows = most = max(_ROWS, _CLASSES * space.k)
    quick = True
    in_vain: set[bytes] = set()  # neighbourhoods solved since the last gain: where there are few rows, they come again

    def solved(near: Neighbourhood) -> Outcome:
        seconds = math.inf if budget.seconds is None else min(_SECONDS, budget.left())
        return solve_program(near.program, seconds=seconds, nodes=_NODES if quick else None, quick=quick)

    with ThreadPoolExecutor(max_workers=2) as threads:
        while cost > bound and not budget.over() and (rounds is None or done < rounds):
            lifted = []
            for _ in range(2):
                seed = _seed(space, partition, random)
                placement = _lifted(partition, classes_near(space.candidates, partition, seed, rows, state))
                if placement.key() in in_vain:
                    _put_back(partition, placement)
                elif len(placement.count):
                    lifted.append(placement)
            near = [_around(space, partition, placement) for placement in lifted]
            pairs = max((len(each.program.group) for each in near), default=0)
            if pairs > (_PAIRS if quick else _MORE_PAIRS) and rows > space.k + 1:
                for placement in lifted:
                    _put_back(partition, placement)
                rows = max(rows * 4 // 5, space.k + 1)
                continue
            for placement, around, outcome in zip(lifted, near, threads.map(solved, near), strict=True):
                _apply(space, partition, placement, around, outcome.assignment)
            rows = min(most, rows * 5 // 4 + 1) if lifted else max(rows * 4 // 5, space.k + 1)
            in_vain.update(placement.key() for placement in lifted)
            done += 1
            if space.cost(partition) == cost:
                idle += 1
            else:
                cost, idle = space.cost(partition), 0
                in_vain.clear()
            if idle == _IDLE:
                if rounds is not None:
                    break
                # Small neighbourhoods gain most for their time; when they have nothing left, larger ones may.
                idle, quick, most = 0, False, min(most * 3 // 2, space.table.rows)
                in_vain.clear()
            budget.report("neighbourhoods", budget.share() if rounds is None else done / rounds, cost, bound)


def _seed(space: SearchSpace, partition: Partition, random: np.random.Generator) -> int:
    """Draw a row type; one is as likely as its rows cost more than their price."""
    where = np.asarray(partition.where)
    used = np.flatnonzero(where >= 0)
    if not len(used):
        return 0
    row_type = used // SLOTS
    excess = np.asarray(partition.amount)[used] * np.maximum(
        np.asarray(space.candidates.cost)[where[used]] - np.asarray(space.candidates.price)[row_type], 0
    )
    total = np.cumsum(excess)
    if total[-1] == 0:
        return int(row_type[random.integers(len(row_type))])
    return int(row_type[np.searchsorted(total, random.integers(total[-1]), side="right")])


def _lifted(partition: Partition, classes: Int32) -> Placement:
    """Take classes out of the partition."""
    places = []
    for number in classes.tolist():
        place = partition.head[number]
        while place >= 0:
            places.append(place)
            place = partition.after[place]
    place = np.array(places, np.int64)
    placement = Placement(
        row_type=(place // SLOTS).astype(np.int32),
        number=np.asarray(partition.where)[place],
        count=np.asarray(partition.amount)[place],
    )
    take_all(partition, placement.row_type, placement.number, placement.count)
    return placement


def _put_back(partition: Partition, placement: Placement) -> None:
    put_all(partition, placement.row_type, placement.number, placement.count)


def _around(space: SearchSpace, partition: Partition, placement: Placement) -> Neighbourhood:
    row_type, place = np.unique(placement.row_type.astype(np.int64), return_inverse=True)
    count = np.zeros(len(row_type), np.int64)
    np.add.at(count, place, placement.count)
    return Neighbourhood.of(space, partition, row_type, count)


def _apply(
    space: SearchSpace, partition: Partition, placement: Placement, near: Neighbourhood, answer: Assignment | None
) -> None:
    """Put the rows where the answer says if that costs no more, else back."""
    cost = space.instances.cost
    if answer is not None and answer.cost <= int(cost[placement.number] @ placement.count):
        new = near.placed(answer)
        fitted = put_all(partition, new.row_type, new.number, new.count)
        if fitted == len(new.count):
            return
        take_all(partition, new.row_type[:fitted], new.number[:fitted], new.count[:fitted])
    _put_back(partition, placement)
