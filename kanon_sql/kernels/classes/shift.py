"""New classes for dear rows, filled up to k with rows that cheaper classes can spare."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kanon_sql.kernels.instances.groups import capacity_for, columns_of, group, sift

_ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def _cheapest_k(
    member: NDArray[np.int32],
    piece: NDArray[np.int64],
    spare: NDArray[np.int64],
    cost: int,
    k: int,
    moves: NDArray[np.int64],
) -> int:
    """Take what the pieces ``member`` can spare, dearest first, while it saves or k rows are not reached.

    Returns the number of ``moves`` filled with piece and rows, 0 if the class of ``cost`` would save nothing. What is
    taken is subtracted from ``piece`` and ``spare``.
    """
    made, rows, saved = 0, 0, 0
    for r in np.argsort(-piece[member, 2], kind="mergesort"):
        i = member[r]
        gain = piece[i, 2] - cost
        if made == len(moves) or (gain <= 0 and rows >= k):
            break
        step = min(piece[i, 1], spare[piece[i, 0]])
        if gain <= 0:
            step = min(step, k - rows)
        if step <= 0:
            continue
        piece[i, 1] -= step
        spare[piece[i, 0]] -= step
        moves[made, 0], moves[made, 1] = i, step
        made += 1
        rows += step
        saved += step * gain
    if rows >= k and saved > 0:
        return made
    for step in range(made):
        piece[moves[step, 0], 1] += moves[step, 1]
        spare[piece[moves[step, 0], 0]] += moves[step, 1]
    return 0


@njit(cache=True, nogil=True)
def take_spare(
    codes: NDArray[np.int32],
    piece: NDArray[np.int64],
    spare: NDArray[np.int64],
    place: NDArray[np.int64],
    patterns: NDArray[np.int64],
    sieve: tuple[NDArray[np.uint64], NDArray[np.uint64]],
    k: int,
    moves: NDArray[np.int64],
) -> int:
    """Open every instance of the patterns that saves cells with rows that their classes can spare.

    Parameters
    ----------
    codes : int32 array [q, m]
        Codes of each piece.
    piece : int64 array [q, 3]
        Class, rows and cost of each piece; the rows shrink as they move.
    spare : int64 array [classes]
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
    q, m = codes.shape
    capacity = capacity_for(q)
    slot_key = np.empty((capacity, place[0].max() + 1), np.int64)
    slot_used = np.empty(capacity, np.bool_)
    slot_rows = np.empty(capacity, np.int64)
    slot_dear = np.empty(capacity, np.bool_)
    slot_last = np.empty(capacity, np.int32)
    row = np.empty(q, np.int32)
    slot = np.empty(q, np.int32)
    before = np.empty(q, np.int32)
    member = np.empty(q, np.int32)
    column = np.empty(m, np.int64)
    alive = np.zeros((q + 63) >> 6, np.uint64)
    for i in range(q):
        alive[i >> 6] |= _ONE << np.uint64(i & 63)
    made = 0
    for p in range(len(patterns)):
        cost = patterns[p, 1]
        s = columns_of(np.uint64(patterns[p, 0]), column)
        n = 0
        for r in range(sift(alive, sieve[0], sieve[1], np.uint64(patterns[p, 0]), row)):
            if piece[row[r], 1] > 0 and spare[piece[row[r], 0]] > 0:
                row[n] = row[r]
                n += 1
        size = group(codes, place, column[:s], row[:n], slot_key, slot_used, slot)
        slot_rows[:size] = 0
        slot_dear[:size] = False
        slot_last[:size] = -1
        for r in range(n):
            h = slot[r]
            slot_rows[h] += min(piece[row[r], 1], spare[piece[row[r], 0]])
            slot_dear[h] |= piece[row[r], 2] > cost
            before[r] = slot_last[h]
            slot_last[h] = r
        for h in range(size):
            if not slot_used[h] or not slot_dear[h] or slot_rows[h] < k:
                continue
            count, r = 0, slot_last[h]
            while r >= 0:
                member[count] = row[r]
                count += 1
                r = before[r]
            new = _cheapest_k(member[:count][::-1].copy(), piece, spare, cost, k, moves[made:])
            moves[made : made + new, 2] = p
            made += new
        if made == len(moves):
            break
    return made
