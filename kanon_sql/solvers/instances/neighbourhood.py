"""A neighbourhood of classes: rows that were taken out of them, and the integer program that finds them new ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels.classes import SLOTS, Partition
from kanon_sql.solvers.instances.flow import side_by_side
from kanon_sql.solvers.instances.ilp import Assignment, Program
from kanon_sql.solvers.instances.search_space import RowSearchSpace
from kanon_sql.table.arrays import Int32, Int64

_COMPARED = 2_000
"""Instances that are compared with each other; more are all kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Rows of some row types in classes of a partition."""

    row_type: Int32
    number: Int32
    count: Int64

    @classmethod
    def at(cls, partition: Partition, place: Int64, count: Int64) -> Placement:
        """Return rows at places of a partition."""
        return cls(row_type=(place // SLOTS).astype(np.int32), number=np.asarray(partition.where)[place], count=count)

    def by_row_type(self) -> tuple[Int64, Int64]:
        """Return the row types, and the rows of each."""
        row_type, place = np.unique(self.row_type.astype(np.int64), return_inverse=True)
        count = np.zeros(len(row_type), np.int64)
        np.add.at(count, place, self.count)
        return row_type, count

    def key(self) -> bytes:
        """Return what is the same only where the same rows are in the same classes."""
        order = np.lexsort((self.number, self.row_type))
        return b"".join(part[order].tobytes() for part in (self.row_type, self.number, self.count))


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood:
    """Rows without a class, and the program that finds them new ones."""

    row_type: Int64  # [f]: the row types
    count: Int64  # [f]: their rows
    group: Int64  # [f]: row types that fit the same instances are one group of the program
    fallback: Int64  # [f]: the cheapest class that is open anyway, -1 where there is none
    instance: Int64  # [j]: the instances of the program, as numbers of the candidate classes
    program: Program

    @classmethod
    def of(cls, space: RowSearchSpace, partition: Partition, row_type: Int64, count: Int64) -> Neighbourhood:
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
    """Return the instances that no other replaces: cheaper for all its rows, or of equal cost with more rows, or the first."""
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


def places_of(partition: Partition, number: int) -> list[int]:
    """Return the places of a class."""
    found, place, after = [], partition.head[number], partition.after
    while place >= 0:
        found.append(place)
        place = after[place]
    return found


def expensive_row_type(
    partition: Partition, cost: Int64, price: Int64 | NDArray[np.float64], random: np.random.Generator
) -> int:
    """Draw a row type; one is as likely as its rows cost more than their price."""
    where = np.asarray(partition.where)
    used = np.flatnonzero(where >= 0)
    if not len(used):
        return 0
    row_type = used // SLOTS
    total = np.cumsum(np.asarray(partition.amount)[used] * np.maximum(cost[where[used]] - price[row_type], 0))
    if total[-1] == 0:
        return int(row_type[random.integers(len(row_type))])
    exact = np.issubdtype(total.dtype, np.integer)
    drawn = random.integers(total[-1]) if exact else random.random() * total[-1]
    return int(row_type[np.searchsorted(total, drawn, side="right")])
