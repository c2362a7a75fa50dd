"""New classes for expensive rows, filled up to k with surplus rows of cheaper classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import empty_int32, empty_int64, empty_uint8
from kanon_sql.kernels.instances.groups import GroupingWorkspace, group, sift
from kanon_sql.kernels.merge_sort import sort_by_key


@cython.final
@cython.cclass
class _CheaperClassSearch:
    """The search for new classes that save cells: pieces of classes, and scratch arrays, allocated once.

    Parameters
    ----------
    piece, surplus
        As in `shift_rows`.
    capacity : int
        Slots of groups.

    Attributes
    ----------
    gain : int64 array [q]
        The negated cost of each piece: a sort by it brings the most expensive ones to the front.
    slot_rows, slot_expensive : int64, uint8 arrays [capacity]
        Surplus rows of each group, and whether one of them costs more than the pattern.
    slot_first, after : int32 arrays [capacity], [q]
        The listed pieces of each group as a chain, -1 at its end.
    member, other : int64 arrays [q]
        The pieces of one group, and scratch to sort them.
    """

    def __init__(self, piece: NDArray[np.int64], surplus: NDArray[np.int64], capacity: int) -> None:
        q = len(piece)
        self.piece, self.surplus = piece, surplus
        self.gain = -piece[:, 2]
        self.slot_rows, self.slot_expensive = empty_int64(capacity), empty_uint8(capacity)
        self.slot_first, self.after = empty_int32(capacity), empty_int32(q)
        self.member, self.other = empty_int64(q), empty_int64(q)


def shift_rows(
    codes: NDArray[np.int32],
    piece: NDArray[np.int64],
    surplus: NDArray[np.int64],
    place: NDArray[np.int64],
    patterns: NDArray[np.int64],
    sieve: tuple[NDArray[np.uint64], NDArray[np.uint64]],
    k: int,
    moves: NDArray[np.int64],
) -> int:
    """Open every instance of the patterns that saves cells with surplus rows of their classes.

    Parameters
    ----------
    codes : int32 array [q, m]
        Codes of each piece.
    piece : int64 array [q, 3]
        Class, rows and cost of each piece; the rows shrink as they move.
    surplus : int64 array [classes]
        Rows above k of each class; shrinks.
    place : int64 array [2, m]
        Key word and stride of each column (mixed radix).
    patterns : int64 array [p, 2]
        Shown columns as bits, and cost, cheapest first.
    sieve : tuple of uint64 arrays [j], [j, ceil(q / 64)]
        Sets of columns, and the pieces frequent in each (`frequent_sets`).
    k : int
        Least rows of a class.
    moves : int64 array [limit, 3]
        Filled with piece, rows and pattern. The search ends when it is full.

    Returns
    -------
    int
        Number of moves.

    Notes
    -----
    O(p j q / 64) for the sifting with j sets plus O(m + log q) per eligible piece; memory O(q).
    """
    groups = GroupingWorkspace(codes=codes, place=place, sets=sieve[0], frequent=sieve[1])
    search = _CheaperClassSearch(piece, surplus, groups.capacity)
    return _open_all(groups, search, np.zeros((len(piece) + 63) >> 6, np.uint64), patterns, k, moves)


def _open_all(
    groups: GroupingWorkspace,
    search: _CheaperClassSearch,
    everyone: cython.ulonglong[::1],
    patterns: cython.longlong[:, ::1],
    k: cython.longlong,
    moves: cython.longlong[:, ::1],
) -> int:
    made = 0
    with cython.nogil:
        for i in range(search.piece.shape[0]):
            everyone[i >> 6] |= cython.cast(cython.ulonglong, 1) << (i & 63)
        for p in range(patterns.shape[0]):
            made = _open(groups, search, everyone, patterns, p, k, moves, made)
            if made == moves.shape[0]:
                break
    return made


def _open(groups, search, everyone, patterns, p, k, moves, made):
    """Open the instances of one pattern; return the moves made so far."""
    shown: cython.ulonglong = cython.cast(cython.ulonglong, patterns[p, 0])
    cost = patterns[p, 1]
    n = 0
    for r in range(sift(groups, everyone, shown)):
        i = groups.row[r]
        if search.piece[i, 1] > 0 and search.surplus[search.piece[i, 0]] > 0:
            groups.row[n] = i
            n += 1
    size = group(groups, shown, n)
    for h in range(size):
        search.slot_rows[h] = 0
        search.slot_expensive[h] = 0
        search.slot_first[h] = -1
    for r in range(n - 1, -1, -1):
        i = groups.row[r]
        h = groups.slot[r]
        search.slot_rows[h] += min(search.piece[i, 1], search.surplus[search.piece[i, 0]])
        if search.piece[i, 2] > cost:
            search.slot_expensive[h] = 1
        search.after[r] = search.slot_first[h]
        search.slot_first[h] = r
    for h in range(size):
        if search.slot_expensive[h] and search.slot_rows[h] >= k:
            count = 0
            r = search.slot_first[h]
            while r >= 0:
                search.member[count] = groups.row[r]
                count += 1
                r = search.after[r]
            made = _take_cheapest(search, count, cost, p, k, moves, made)
    return made


def _take_cheapest(search, count, cost, p, k, moves, made):
    """Take surplus rows of the ``count`` members, the most expensive first, while it saves or k rows are not reached.

    Returns the moves made so far. What is taken is subtracted from the pieces and from the surplus of their classes; nothing
    is, if the class of ``cost`` would save nothing.
    """
    last = made
    rows = 0
    saved = 0
    sort_by_key(search.member, count, search.gain, search.other)
    for r in range(count):
        i = search.member[r]
        gain = search.piece[i, 2] - cost
        if last == moves.shape[0] or (gain <= 0 and rows >= k):
            break
        step = min(search.piece[i, 1], search.surplus[search.piece[i, 0]])
        if gain <= 0:
            step = min(step, k - rows)
        if step <= 0:
            continue
        search.piece[i, 1] -= step
        search.surplus[search.piece[i, 0]] -= step
        moves[last, 0] = i
        moves[last, 1] = step
        moves[last, 2] = p
        last += 1
        rows += step
        saved += step * gain
    if rows >= k and saved > 0:
        return last
    for a in range(made, last):
        i = moves[a, 0]
        search.piece[i, 1] += moves[a, 1]
        search.surplus[search.piece[i, 0]] += moves[a, 1]
    return made
