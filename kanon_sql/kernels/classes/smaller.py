"""New classes of k surplus rows, among patterns that cost the same."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.classes.surplus import SurplusSearch, begin, gather, members, move, take_back
from kanon_sql.kernels.instances.groups import GroupingWorkspace, sift
from kanon_sql.kernels.merge_sort import sort_by_key


def open_smaller(
    codes: NDArray[np.int32],
    piece: NDArray[np.int64],
    surplus: NDArray[np.int64],
    place: NDArray[np.int64],
    patterns: cython.ulonglong[::1],
    sieve: tuple[NDArray[np.uint64], NDArray[np.uint64]],
    k: cython.longlong,
    moves: cython.longlong[:, ::1],
) -> int:
    """Open each instance of the patterns that is no class yet with k rows of the surplus of larger classes.

    Parameters
    ----------
    codes : int32 array [q, m]
        Codes of each piece.
    piece : int64 array [q, 3]
        Class, rows and pattern of each piece, -1 for another pattern; the rows shrink as they move.
    surplus : int64 array [classes]
        Rows above k of each class; shrinks.
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
    search = SurplusSearch(piece, surplus, groups.capacity)
    made = 0
    with cython.nogil:
        begin(search)
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
        if search.piece[i, 2] == p or (search.piece[i, 1] > 0 and search.surplus[search.piece[i, 0]] > 0):
            groups.row[n] = i
            n += 1
    slots = gather(groups, search, shown, n, p, p)  # what is marked is a class already
    for h in range(slots):
        if not search.slot_marked[h] and search.slot_rows[h] >= k:
            made = _take_from_largest(search, members(groups, search, h), p, k, moves, made)
    return made


def _take_from_largest(search, count, p, k, moves, made):
    """Take k rows of the ``count`` members, from the largest classes first, or none; return the moves made so far."""
    last = made
    missing = k
    for r in range(count):
        search.gain[search.member[r]] = -search.surplus[search.piece[search.member[r], 0]]
    sort_by_key(search.member, count, search.gain, search.other)
    for r in range(count):
        if missing == 0 or last == moves.shape[0]:
            break
        i = search.member[r]
        step = min(missing, min(search.piece[i, 1], search.surplus[search.piece[i, 0]]))
        if step <= 0:
            continue
        last = move(search, moves, last, i, step, p)
        missing -= step
    return last if missing == 0 else take_back(search, moves, made, last)
