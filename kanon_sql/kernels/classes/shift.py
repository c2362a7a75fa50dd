"""New classes for expensive rows, filled up to k with surplus rows of cheaper classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.classes.surplus import SurplusSearch, begin, gather, members, move, take_back
from kanon_sql.kernels.instances.groups import GroupingWorkspace, sift
from kanon_sql.kernels.merge_sort import sort_by_key

_HIGHEST = cython.declare(cython.longlong, (1 << 63) - 1)


def shift_rows(
    codes: NDArray[np.int32],
    piece: NDArray[np.int64],
    surplus: NDArray[np.int64],
    place: NDArray[np.int64],
    patterns: cython.longlong[:, ::1],
    sieve: tuple[NDArray[np.uint64], NDArray[np.uint64]],
    k: cython.longlong,
    moves: cython.longlong[:, ::1],
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
    search = SurplusSearch(piece, surplus, groups.capacity)
    made = 0
    with cython.nogil:
        begin(search)
        for p in range(patterns.shape[0]):
            made = _open(groups, search, cython.cast(cython.ulonglong, patterns[p, 0]), patterns[p, 1], p, k, moves, made)
            if made == moves.shape[0]:
                break
    return made


def _open(groups, search, shown, cost, p, k, moves, made):
    """Open the instances of one pattern; return the moves made so far."""
    n = 0
    for r in range(sift(groups, search.everyone, shown)):
        i = groups.row[r]
        if search.piece[i, 1] > 0 and search.surplus[search.piece[i, 0]] > 0:
            groups.row[n] = i
            n += 1
    slots = gather(groups, search, shown, n, cost + 1, _HIGHEST)
    for h in range(slots):
        if search.slot_marked[h] and search.slot_rows[h] >= k:
            made = _take_cheapest(search, members(groups, search, h), cost, p, k, moves, made)
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
        last = move(search, moves, last, i, step, p)
        rows += step
        saved += step * gain
    return last if rows >= k and saved > 0 else take_back(search, moves, made, last)
