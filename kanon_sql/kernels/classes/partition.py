"""Candidate classes, and the assignment of rows to classes with O(1) moves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import full_int32, zeros_int32, zeros_int64

SLOTS = 16
"""Classes over which the rows of one row type may be spread: a cache line of them."""

BITS = SLOTS.bit_length() - 1
"""Bits of the number of a slot."""


@cython.final
@cython.cclass
class CandidateClasses:
    """The candidate classes of a search: pattern instances, from both sides.

    Parameters
    ----------
    start, member : int64 array [j + 1], int32 array
        ``member[start[j] : start[j + 1]]`` are the row types of instance j.
    first, instance : int64 array [t + 1], int32 array
        ``instance[first[i] : first[i + 1]]`` are the instances of row type i, cheapest first.
    cost, price : int64 arrays [j], [t]
        In the units of the prices.
    weight : int64 array [t]
        Rows of each row type.
    """

    def __init__(
        self,
        *,
        start: NDArray[np.int64],
        member: NDArray[np.int32],
        first: NDArray[np.int64],
        instance: NDArray[np.int32],
        cost: NDArray[np.int64],
        price: NDArray[np.int64],
        weight: NDArray[np.int64],
    ) -> None:
        self.start, self.member = start, member
        self.first, self.instance = first, instance
        self.cost, self.price, self.weight = cost, price, weight


@cython.final
@cython.cclass
class Partition:
    """Which rows are in which class: slot s of row type i is place ``(i << bits) + s``.

    Parameters
    ----------
    row_types, instances : int
        How many there are.
    bits : int
        Each row type has 2^bits slots; a row type of fewer rows needs no more than it has rows.

    Attributes
    ----------
    where, amount : int32, int64 arrays [slots t]
        The class of each place, -1 when empty, and its rows.
    used : int32 array [t]
        Places of each row type that are not empty.
    rows, head, places : int64, int32, int32 arrays [j]
        Rows of each class, the first of its places, -1 when empty, and how many there are.
    after, before : int32 arrays [slots t]
        The places of one class as a chain.
    """

    def __init__(self, row_types: int, instances: int, bits: int = BITS) -> None:
        self.bits, places = bits, row_types << bits
        self.where = full_int32(places, -1)
        self.amount = zeros_int64(places)
        self.used, self.rows = zeros_int32(row_types), zeros_int64(instances)
        self.head, self.places = full_int32(instances, -1), zeros_int32(instances)
        self.after = full_int32(places, -1)
        self.before = full_int32(places, -1)


def put(partition, i, j, count):
    """Add rows of row type i to class j; False, and nothing done, if its slots are full."""
    free = -1
    unseen = partition.used[i]
    for place in range(i << partition.bits, (i + 1) << partition.bits):
        if partition.where[place] == j:
            partition.amount[place] += count
            partition.rows[j] += count
            return True
        if partition.where[place] >= 0:
            unseen -= 1
        elif free < 0:
            free = place
        if free >= 0 and unseen == 0:
            break
    if free < 0:
        return False
    partition.where[free] = j
    partition.places[j] += 1
    partition.used[i] += 1
    partition.amount[free] = count
    partition.rows[j] += count
    old = partition.head[j]
    partition.after[free] = old
    partition.before[free] = -1
    if old >= 0:
        partition.before[old] = free
    partition.head[j] = free
    return True


def take(partition, i, j, count):
    """Remove rows of row type i from class j."""
    for place in range(i << partition.bits, (i + 1) << partition.bits):
        if partition.where[place] == j:
            partition.rows[j] -= count
            partition.amount[place] -= count
            if partition.amount[place] == 0:
                partition.where[place] = -1
                partition.places[j] -= 1
                partition.used[i] -= 1
                if partition.after[place] >= 0:
                    partition.before[partition.after[place]] = partition.before[place]
                if partition.before[place] >= 0:
                    partition.after[partition.before[place]] = partition.after[place]
                else:
                    partition.head[j] = partition.after[place]
            return


def place_of(partition, i, turn):
    """Return a place that row type i has rows in, from slot ``turn`` on; -1 if there is none."""
    slots = 1 << partition.bits
    for s in range(slots):
        place = i * slots + (turn + s) % slots
        if partition.where[place] >= 0:
            return place
    return -1


def put_all(partition: Partition, row_type: cython.int[::1], number: cython.int[::1], count: cython.longlong[::1]) -> int:
    """Add pieces to a partition; return the number of pieces before the first that found no slot."""
    q: cython.longlong
    for q in range(len(row_type)):
        if not put(partition, row_type[q], number[q], count[q]):
            return q
    return len(row_type)


def take_all(partition: Partition, row_type: cython.int[::1], number: cython.int[::1], count: cython.longlong[::1]) -> None:
    """Remove pieces from a partition."""
    q: cython.longlong
    for q in range(len(row_type)):
        take(partition, row_type[q], number[q], count[q])
