"""New classes of k surplus rows, among patterns that cost the same."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import empty_int32, empty_int64, empty_uint8, zeros_uint64
from kanon_sql.kernels.instances.groups import GroupingWorkspace, group, sift
from kanon_sql.kernels.merge_sort import sort_by_key


@cython.final
@cython.cclass
class _SmallerClassSearch:
    """The search for new classes of surplus rows of larger ones: pieces of classes, and scratch arrays, allocated once.

    Parameters
    ----------
    piece, size
        As in `open_smaller`.
    capacity : int
        Slots of groups.

    Attributes
    ----------
    everyone : uint64 array [ceil(q / 64)]
        All pieces, as bits.
    gain : int64 array [q]
        The negated size of the class of each listed piece: a sort by it brings the largest classes to the front.
    slot_rows, slot_open : int64, uint8 arrays [capacity]
        Surplus rows of classes for each group, and whether the group is a class already.
    slot_first, after : int32 arrays [capacity], [q]
        The listed pieces of each group as a chain, -1 at its end.
    member, other : int64 arrays [q]
        The pieces of one group, and scratch to sort them.
    """

    def __init__(self, piece: NDArray[np.int64], size: NDArray[np.int64], capacity: int) -> None:
        q = len(piece)
        self.piece, self.size = piece, size
        self.everyone = zeros_uint64((q + 63) >> 6)
        self.gain = empty_int64(q)
        self.slot_rows, self.slot_open = empty_int64(capacity), empty_uint8(capacity)
        self.slot_first, self.after = empty_int32(capacity), empty_int32(q)
        self.member, self.other = empty_int64(q), empty_int64(q)


def open_smaller(
    codes: NDArray[np.int32],
    piece: NDArray[np.int64],
    size: NDArray[np.int64],
    place: NDArray[np.int64],
    patterns: NDArray[np.uint64],
    sieve: tuple[NDArray[np.uint64], NDArray[np.uint64]],
    k: int,
    moves: NDArray[np.int64],
) -> int:
    """Open each instance of the patterns that is no class yet with k rows of the surplus of larger classes.

    Parameters
    ----------
    codes : int32 array [q, m]
        Codes of each piece.
    piece : int64 array [q, 3]
        Class, rows and pattern of each piece, -1 for another pattern; the rows shrink as they move.
    size : int64 array [classes]
        Rows of each class; shrinks to k at least.
    place : int64 array [2, m]
        Key word and stride of each column (mixed radix).
    patterns : uint64 array [p]
        Shown columns as bits, in the order in which they are tried.
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
    return _open_all(groups, _SmallerClassSearch(piece, size, groups.capacity), patterns, k, moves)


def _open_all(
    groups: GroupingWorkspace,
    search: _SmallerClassSearch,
    patterns: cython.ulonglong[::1],
    k: cython.longlong,
    moves: cython.longlong[:, ::1],
) -> int:
    made = 0
    with cython.nogil:
        for i in range(search.piece.shape[0]):
            search.everyone[i >> 6] |= cython.cast(cython.ulonglong, 1) << (i & 63)
        for p in range(patterns.shape[0]):
            made = _open(groups, search, patterns[p], p, k, moves, made)
            if made == moves.shape[0]:
                break
    return made


def _open(groups, search, shown, p, k, moves, made):
    """Open the instances of one pattern; return the moves made so far."""
    n = 0
    for r in range(sift(groups, search.everyone, shown)):
        i = groups.row[r]
        if search.piece[i, 2] == p or (search.piece[i, 1] > 0 and search.size[search.piece[i, 0]] > k):
            groups.row[n] = i
            n += 1
    slots = group(groups, shown, n)
    for h in range(slots):
        search.slot_rows[h] = 0
        search.slot_open[h] = 0
        search.slot_first[h] = -1
    for r in range(n - 1, -1, -1):
        i = groups.row[r]
        h = groups.slot[r]
        if search.piece[i, 2] == p:
            search.slot_open[h] = 1
        search.slot_rows[h] += min(search.piece[i, 1], search.size[search.piece[i, 0]] - k)
        search.after[r] = search.slot_first[h]
        search.slot_first[h] = r
    for h in range(slots):
        if not search.slot_open[h] and search.slot_rows[h] >= k:
            count = 0
            r = search.slot_first[h]
            while r >= 0:
                search.member[count] = groups.row[r]
                count += 1
                r = search.after[r]
            made = _take_from_largest(search, count, p, k, moves, made)
    return made


def _take_from_largest(search, count, p, k, moves, made):
    """Take k rows of the ``count`` members, from the largest classes first, or none; return the moves made so far."""
    last = made
    missing = k
    for r in range(count):
        search.gain[search.member[r]] = -search.size[search.piece[search.member[r], 0]]
    sort_by_key(search.member, count, search.gain, search.other)
    for r in range(count):
        if missing == 0 or last == moves.shape[0]:
            break
        i = search.member[r]
        step = min(missing, min(search.piece[i, 1], search.size[search.piece[i, 0]] - k))
        if step <= 0:
            continue
        search.piece[i, 1] -= step
        search.size[search.piece[i, 0]] -= step
        moves[last, 0] = i
        moves[last, 1] = step
        moves[last, 2] = p
        last += 1
        missing -= step
    if missing == 0:
        return last
    for a in range(made, last):
        i = moves[a, 0]
        search.piece[i, 1] += moves[a, 1]
        search.size[search.piece[i, 0]] += moves[a, 1]
    return made
