"""Local search for k alone: it takes longer, and two threads take part if there are many row types.

The threads search two halves of the classes, which are drawn again after some rounds. What they find does not depend on
how many threads there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import seeded
from kanon_sql.kernels.classes import Partition, put_all
from kanon_sql.kernels.summaries import Classes, Measure, Shape, rebuild
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.summaries.search import INITIAL, LARGE, most_of, steps_of
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.coded_table import CodedTable

_ROUNDS, _LEAST_ROUNDS, _MOST_ROUNDS = 30, 8, 600
"""Rounds for each thousand row types, at least and at most. Adult x 9 loses 5 % less than with 4 for each thousand."""

_LIMITED = 20
"""Times as many rounds at most with a time limit: few row types gain nothing more long before."""

_HALVED, _TURN = 4_000, 12
"""Row types from which on two threads search two halves, and rounds until these are drawn again."""

_BLOCKS = 32
"""Blocks of similar row types that are drawn for one half or the other: fewer part more neighbours for long."""


def search_longer(
    table: CodedTable,
    measure: Measure,
    scale: int,
    k: int,
    classes: Classes,
    near: Int32,
    bound: int,
    budget: Budget,
) -> Classes:
    """Return the classes after neighbourhoods of them were rebuilt, as `kanon_sql.solvers.summaries.search.search` does.

    Parameters
    ----------
    table, measure, scale, classes, near, bound, budget
        As there. With a time limit the search goes on until it ends.
    k : int
        Least rows of a class, the only requirement.
    """
    order = _first_classes(classes)
    states = [seeded(budget.seed), seeded(budget.seed + 1)]
    threshold = INITIAL * int(np.sum(classes.loss)) // table.rows
    rounds = budget.steps(min(_MOST_ROUNDS, max(_LEAST_ROUNDS, _ROUNDS * table.row_types // 1000)))
    row_types, most = most_of(k)
    together = table.row_types >= _HALVED
    turn = _TURN if together else 1

    def searched(codes: Int32, around: Int32, part: Classes, limit: int, state: int, calls: int) -> None:
        shape = Shape(k=k, classes=most, row_types=row_types, threshold=limit, by_gain=k >= LARGE)
        for _ in range(calls):
            if not budget.over():
                rebuild(codes, measure, part, around, shape, steps_of(row_types), states[state])

    def half_searched(half: Half, state: int, limit: int) -> None:
        searched(half.codes, half.near, half.classes, limit, state, _TURN // 2)

    with ThreadPoolExecutor(max_workers=2) as threads:
        for number, left in enumerate(_cooling(-(-rounds // turn), budget)):
            loss = int(np.sum(classes.loss))
            if loss <= bound:
                break
            budget.report("local search", 1 - left, loss // scale, bound // scale)
            limit = int(threshold * left)
            if together:
                halves = list(halved(table.codes, near, table.weight, classes, k, order, number))
                list(threads.map(half_searched, halves, (0, 1), (limit, limit)))
                found = joined(classes, halves)
                together = found is not classes
                classes = found
            else:
                searched(table.codes, near, classes, limit, 0, turn)
    return classes


def _cooling(turns: int, budget: Budget) -> Iterator[float]:
    """Give for each turn the share of the threshold that is left, down to 0: by the time if it is limited, else by number."""
    begun, limited = budget.share(), budget.seconds is not None
    most = turns * _LIMITED if limited else turns
    for done in range(most):
        if budget.over():
            return
        spent = (budget.share() - begun) / (1 - begun) if limited else 0.0
        yield 1 - max(spent, (done + 1) / most)


def _first_classes(classes: Classes) -> Int64:
    """Return the place of each row type in the order of the classes that it is in at first."""
    where = np.asarray(classes.partition.where).reshape(len(classes.partition.used), -1)
    first = where.max(axis=1)
    order = np.empty(len(first), np.int64)
    order[np.argsort(first, kind="stable")] = np.arange(len(first))
    return order


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassRows:
    """The pieces of a partition: row type, class and rows of each."""

    row_type: Int64
    number: Int64
    count: Int64
    bits: int

    @classmethod
    def of(cls, partition: Partition) -> ClassRows:
        """Return the pieces of a partition, in the order of their row types."""
        where = np.asarray(partition.where)
        used = np.flatnonzero(where >= 0)
        return cls(
            row_type=used >> partition.bits,
            number=where[used].astype(np.int64),
            count=np.asarray(partition.amount)[used],
            bits=partition.bits,
        )

    def only(self, chosen: NDArray[np.bool_]) -> ClassRows:
        """Return some of the pieces."""
        return ClassRows(row_type=self.row_type[chosen], number=self.number[chosen], count=self.count[chosen], bits=self.bits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Half:
    """Some classes, as a partition of their own."""

    row_type: Int64  # [h]: its row types, ascending; a row type may be in both halves
    codes: Int32  # [h, m]: the codes of these row types
    near: Int32  # [h, s]: the places of row types near each, -1 for one of the other half
    classes: Classes  # the classes, which a search may change

    @classmethod
    def of(cls, codes: Int32, near: Int32, pieces: ClassRows, loss: Int64, k: int) -> Half:
        """Return some pieces, all those of their classes, with the loss of each class."""
        row_type, place = np.unique(pieces.row_type, return_inverse=True)
        used, number = np.unique(pieces.number, return_inverse=True)
        local = np.full(len(codes) + 1, -1, np.int32)  # the last is that of the neighbours that there are not
        local[row_type] = np.arange(len(row_type))
        most = int(pieces.count.sum()) // k
        partition = Partition(len(row_type), most, pieces.bits)
        put_all(partition, place.astype(np.int32), number.astype(np.int32), pieces.count)
        lost = np.zeros(most, np.int64)
        lost[: len(used)] = loss[used]
        classes = Classes(partition=partition, size=np.bincount(number, minlength=most), loss=lost)
        return cls(row_type=row_type, codes=codes[row_type], near=local[near[row_type]], classes=classes)


def halved(codes: Int32, near: Int32, weight: Int64, classes: Classes, k: int, order: Int64, seed: int) -> Iterator[Half]:
    """Give the two halves of classes.

    Parameters
    ----------
    codes, near : int32 arrays [t, m], [t, s]
        As in `kanon_sql.solvers.summaries.search.search`.
    weight : int64 array [t]
        Rows of each row type.
    classes : Classes
        The classes, of k rows or more.
    order : int64 array [t]
        The place of each row type in an order that has similar ones near each other.
    seed : int
        Draws the blocks.
    """
    random = np.random.default_rng(seed)
    block = (order + random.integers(len(order))) % len(order) * _BLOCKS // len(order)
    second = random.permutation(_BLOCKS) < _BLOCKS // 2
    pieces, loss = ClassRows.of(classes.partition), np.asarray(classes.loss)
    # A class goes with the row type of it that has most rows: so few of those are in both halves.
    heaviest = np.lexsort((-pieces.row_type, weight[pieces.row_type]))
    leader = np.zeros(len(loss), np.int64)
    leader[pieces.number[heaviest]] = pieces.row_type[heaviest]
    side = second[block[leader]][pieces.number]
    for chosen in (~side, side):
        yield Half.of(codes, near, pieces.only(chosen), loss, k)


def joined(whole: Classes, halves: Sequence[Half]) -> Classes:
    """Return the classes of two halves, or those before if a row type is now in more classes than it has slots for."""
    partition = whole.partition
    fresh = Partition(len(partition.used), len(whole.size), partition.bits)
    most, before = len(whole.size), 0
    size, loss = np.zeros(most, np.int64), np.zeros(most, np.int64)
    for half in halves:
        pieces, many = ClassRows.of(half.classes.partition), len(half.classes.size)
        row_type = half.row_type[pieces.row_type].astype(np.int32)
        number = (pieces.number + before).astype(np.int32)
        if put_all(fresh, row_type, number, pieces.count) < len(number):
            return whole
        size[before : before + many], loss[before : before + many] = (
            np.asarray(half.classes.size),
            np.asarray(half.classes.loss),
        )
        before += many
    return Classes(partition=fresh, size=size, loss=loss)
