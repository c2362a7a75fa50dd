"""Neighbourhoods of classes: which are destroyed, their rows, and the new classes in their place."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import empty_int32, full_int32
from kanon_sql.kernels.classes.partition import SLOTS, Partition, put, take
from kanon_sql.kernels.random import below
from kanon_sql.kernels.summaries.growth import NewClasses, Unassigned
from kanon_sql.kernels.summaries.measure import Measure

_ATTEMPTS = cython.declare(cython.longlong, 6)
"""Draws of a neighbour for each class of a neighbourhood."""


@cython.final
@cython.cclass
class Classes:
    """The classes of a partition.

    Parameters
    ----------
    partition : Partition
        Which rows are in which class.
    size, loss : int64 arrays [classes]
        Row types of each class, and the loss of all its rows.
    """

    def __init__(self, *, partition: Partition, size: NDArray[np.int64], loss: NDArray[np.int64]) -> None:
        self.partition, self.size, self.loss = partition, size, loss


@cython.final
@cython.cclass
class Shape:
    """What is rebuilt at once, and when it is kept.

    Parameters
    ----------
    k : int
        Least rows of a class.
    classes, row_types : int
        Most classes of a neighbourhood, and their most row types.
    threshold : int
        How much more than before a neighbourhood may lose.
    by_gain : bool
        Whether half of the neighbourhoods are grown by gain.
    """

    def __init__(self, *, k: int, classes: int, row_types: int, threshold: int, by_gain: bool) -> None:
        self.k, self.classes, self.row_types, self.threshold, self.by_gain = k, classes, row_types, threshold, by_gain


@cython.final
@cython.cclass
class NeighbourhoodWorkspace:
    """Scratch arrays of a search.

    Parameters
    ----------
    measure : Measure
        How loss is counted.
    classes : Classes
        The classes that there are.
    shape : Shape
        What is rebuilt at once.
    row_types, most : int
        Row types of the table, and the most new classes of a neighbourhood.

    Attributes
    ----------
    chosen, many : int32 array, int
        ``chosen[:many]`` are the classes of the neighbourhood.
    unassigned, new : Unassigned, NewClasses
        Its rows, and the new classes.
    place_of : int32 array [t]
        The place of a row type among the unassigned; -1 between uses.
    free, unused : int32 array [classes + 1], int
        ``free[:unused]`` are the numbers of no class.
    """

    def __init__(self, measure: Measure, classes: Classes, shape: Shape, row_types: int, most: int) -> None:
        self.chosen, self.many = empty_int32(shape.classes), 0
        self.unassigned = Unassigned(shape.row_types, measure.columns)
        self.new = NewClasses(measure, most, 2 * shape.row_types)
        self.place_of = full_int32(row_types, -1)
        empty = np.flatnonzero(np.asarray(classes.size) == 0).astype(np.int32)
        free = np.empty(len(classes.size) + 1, np.int32)
        free[: len(empty)] = empty
        self.free, self.unused = free, len(empty)


def _class_of(partition, i, state):
    """Return one of the classes of a row type."""
    slots = 1 << partition.bits
    turn = below(state, SLOTS)  # a slot that row types do not have counts as an empty one
    turn = turn if turn < slots else 0
    while partition.where[i * slots + turn] < 0:
        turn = (turn + 1) % slots
    return partition.where[i * slots + turn]


def select(classes, near, shape, work, state):
    """Choose the class of some row and classes of rows near it; return what they lose."""
    c = _class_of(classes.partition, below(state, near.shape[0]), state)
    total = classes.size[c]
    loss = classes.loss[c]
    work.many = 0
    if total > shape.row_types:
        return 0
    work.chosen[0] = c
    work.many = 1
    for attempt in range(_ATTEMPTS * shape.classes):
        if work.many == shape.classes:
            break
        c = work.chosen[below(state, work.many)]
        place = classes.partition.head[c]
        for link in range(below(state, classes.size[c])):
            place = classes.partition.after[place]
        i = near[place >> classes.partition.bits, below(state, near.shape[1])]
        if i < 0:
            continue
        c = _class_of(classes.partition, i, state)
        known: cython.bint = total + classes.size[c] > shape.row_types
        for a in range(work.many):
            known = known or work.chosen[a] == c
        if not known:
            work.chosen[work.many] = c
            work.many += 1
            total += classes.size[c]
            loss += classes.loss[c]
    return loss


def list_rows(codes, partition, work):
    """List the rows of the chosen classes as unassigned; in the partition they stay where they are for now."""
    types = 0
    for a in range(work.many):
        place = partition.head[work.chosen[a]]
        while place >= 0:
            i = place >> partition.bits
            if work.place_of[i] < 0:
                work.place_of[i] = types
                work.unassigned.row_type[types] = i
                work.unassigned.rows[types] = 0
                for c in range(codes.shape[1]):
                    work.unassigned.code[c, types] = codes[i, c]
                types += 1
            work.unassigned.rows[work.place_of[i]] += partition.amount[place]
            place = partition.after[place]
    for x in range(types):
        work.place_of[work.unassigned.row_type[x]] = -1
    work.unassigned.types = types


def first_row(unassigned, furthest, state):
    """Return an unassigned row type to start a class with: any, or the furthest from the class before."""
    r = below(state, unassigned.types)
    while unassigned.rows[r] == 0:
        r = (r + 1) % unassigned.types
    if furthest:
        for x in range(unassigned.types):
            if unassigned.rows[x] and unassigned.growth[x] > unassigned.growth[r]:
                r = x
    return r


def add_piece(new, r, p, rows):
    """Let rows of an unassigned row type join class p; False if there are too many pieces."""
    if new.pieces == new.piece.shape[0]:
        return False
    new.piece[new.pieces, 0] = r
    new.piece[new.pieces, 1] = p
    new.piece[new.pieces, 2] = rows
    new.pieces += 1
    return True


def fits(partition, work):
    """Return whether every row type has slots for its pieces; the unassigned rows are overwritten."""
    slots = 1 << partition.bits
    for r in range(work.unassigned.types):
        work.unassigned.rows[r] = 0
    for q in range(work.new.pieces):
        work.unassigned.rows[work.new.piece[q, 0]] += 1
    for r in range(work.unassigned.types):
        used = work.unassigned.rows[r]
        if used == 1:
            continue
        for s in range(slots):
            place = work.unassigned.row_type[r]
            place = place * slots + s
            elsewhere: cython.bint = partition.where[place] >= 0
            for a in range(work.many):
                elsewhere = elsewhere and partition.where[place] != work.chosen[a]
            used += elsewhere
        if used > slots:
            return False
    return True


def replace(classes, work, p):
    """Put the p new classes in place of the chosen."""
    for a in range(work.many):
        c = work.chosen[a]
        while classes.partition.head[c] >= 0:
            place = classes.partition.head[c]
            take(classes.partition, place >> classes.partition.bits, c, classes.partition.amount[place])
        classes.size[c] = 0
        classes.loss[c] = 0
        work.free[work.unused] = c
        work.unused += 1
    for q in range(work.new.pieces):
        put(
            classes.partition,
            work.unassigned.row_type[work.new.piece[q, 0]],
            work.free[work.unused - 1 - work.new.piece[q, 1]],
            work.new.piece[q, 2],
        )
    for a in range(p):
        work.unused -= 1
        c = work.free[work.unused]
        classes.loss[c] = work.new.rows[a] * work.new.row_loss[a]
        place = classes.partition.head[c]
        while place >= 0:
            classes.size[c] += 1
            place = classes.partition.after[place]
