"""Surplus rows of classes, gathered by pattern: what `shift_rows` and `open_smaller` make new classes of."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import empty_int32, empty_int64, empty_uint8, zeros_uint64
from kanon_sql.kernels.instances.groups import group


@cython.final
@cython.cclass
class SurplusSearch:
    """A search for new classes of surplus rows: pieces of classes, and scratch arrays, allocated once.

    Parameters
    ----------
    piece : int64 array [q, 3]
        Class and rows of each piece, and its cost or pattern; the rows shrink as they move.
    surplus : int64 array [classes]
        Rows above k of each class; shrinks.
    capacity : int
        Slots of groups.

    Attributes
    ----------
    everyone : uint64 array [ceil(q / 64)]
        All pieces, as bits.
    gain : int64 array [q]
        The negated value of each piece: a sort by it brings the most valuable ones to the front.
    slot_rows, slot_marked : int64, uint8 arrays [capacity]
        Surplus rows of each group, and whether one of its pieces was marked.
    slot_first, after : int32 arrays [capacity], [q]
        The listed pieces of each group as a chain, -1 at its end.
    member, other : int64 arrays [q]
        The pieces of one group, and scratch to sort them.
    """

    def __init__(self, piece: NDArray[np.int64], surplus: NDArray[np.int64], capacity: int) -> None:
        q = len(piece)
        self.piece, self.surplus = piece, surplus
        self.everyone = zeros_uint64((q + 63) >> 6)
        self.gain = empty_int64(q)
        self.slot_rows, self.slot_marked = empty_int64(capacity), empty_uint8(capacity)
        self.slot_first, self.after = empty_int32(capacity), empty_int32(q)
        self.member, self.other = empty_int64(q), empty_int64(q)


def begin(search):
    """List all pieces as bits, each as valuable as the last column of ``piece`` says."""
    for i in range(search.piece.shape[0]):
        search.everyone[i >> 6] |= cython.cast(cython.ulonglong, 1) << (i & 63)
        search.gain[i] = -search.piece[i, 2]


def gather(groups, search, shown, n, least, most):
    """Group the first ``n`` listed pieces by what a pattern shows of them; return how many groups there are.

    Those are marked that have a piece from ``least`` to ``most`` in the last column of ``piece``.
    """
    slots = group(groups, shown, n)
    for h in range(slots):
        search.slot_rows[h] = 0
        search.slot_marked[h] = 0
        search.slot_first[h] = -1
    for r in range(n - 1, -1, -1):
        i = groups.row[r]
        h = groups.slot[r]
        search.slot_rows[h] += min(search.piece[i, 1], search.surplus[search.piece[i, 0]])
        if least <= search.piece[i, 2] <= most:
            search.slot_marked[h] = 1
        search.after[r] = search.slot_first[h]
        search.slot_first[h] = r
    return slots


def members(groups, search, h):
    """Collect the pieces of a group; return how many there are."""
    count = 0
    r = search.slot_first[h]
    while r >= 0:
        search.member[count] = groups.row[r]
        count += 1
        r = search.after[r]
    return count


def move(search, moves, last, i, rows, p):
    """Let rows of a piece move to the class of a pattern; return the moves made so far."""
    search.piece[i, 1] -= rows
    search.surplus[search.piece[i, 0]] -= rows
    moves[last, 0] = i
    moves[last, 1] = rows
    moves[last, 2] = p
    return last + 1


def take_back(search, moves, made, last):
    """Take back the moves from ``made`` on; return how many are left."""
    for a in range(made, last):
        search.piece[moves[a, 0], 1] += moves[a, 1]
        search.surplus[search.piece[moves[a, 0], 0]] += moves[a, 1]
    return made
