"""Two halves of the classes, so that two threads search at the same time, each in its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels.classes import Partition, put_all
from kanon_sql.kernels.summaries import Classes
from kanon_sql.table.arrays import Int32, Int64

_BLOCKS = 32
"""Blocks of similar row types that are drawn for one half or the other: fewer part more neighbours for long."""


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
