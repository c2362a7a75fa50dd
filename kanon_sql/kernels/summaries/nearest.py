"""The nearest row types of each row type, by what a class of just the two loses."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kanon_sql.kernels.summaries.measure import RANGE, Measure

BLOCK = 16
"""Row types that are passed over together where they are all too far."""


class _Blocks(NamedTuple):
    """What the rows of each block have in each column: bits of their codes modulo 64, and the range of those not NULL."""

    has: NDArray[np.uint64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]


@njit(cache=True, nogil=True)
def _bit(code: int) -> np.uint64:
    return np.uint64(1) << np.uint64(code & 63)


@njit(cache=True, nogil=True)
def _blocks(measure: Measure, packed: NDArray[np.int32]) -> _Blocks:
    t, m = packed.shape
    many = (t + BLOCK - 1) // BLOCK
    has = np.zeros((many, m), np.uint64)
    low, high = np.full((many, m), np.int64(1) << 40), np.full((many, m), np.int64(-1))
    for p in range(t):
        for c in range(m):
            has[p // BLOCK, c] |= _bit(packed[p, c])
            if packed[p, c] != measure.null[c]:
                low[p // BLOCK, c] = min(low[p // BLOCK, c], packed[p, c])
                high[p // BLOCK, c] = max(high[p // BLOCK, c], packed[p, c])
    return _Blocks(has, low, high)


@njit(cache=True, nogil=True)
def _apart(measure: Measure, one: NDArray[np.int32], other: NDArray[np.int32], limit: np.int64) -> np.int64:
    """Return what a class of just two rows loses by row, or ``limit`` or more."""
    distance = np.int64(0)
    for c in range(len(one)):
        if one[c] != other[c]:
            away = np.int64(1)
            if measure.kind[c] == RANGE and one[c] != measure.null[c] and other[c] != measure.null[c]:
                away = np.int64(abs(one[c] - other[c]))
            distance += away * measure.step[c]
            if distance >= limit:
                break
    return distance


@njit(cache=True, nogil=True)
def nearest(
    codes: NDArray[np.int32],
    weight: NDArray[np.int64],
    measure: Measure,
    k: int,
    member: NDArray[np.int64],
    reach: int,
    near: NDArray[np.int32],
    kept: int,
) -> NDArray[np.int64]:
    """List the nearest row types of each, and return how far its k-th nearest row is at least, itself the first, int64 [t].

    Parameters
    ----------
    codes : int32 array [t, m]
        Row types.
    weight : int64 array [t]
        Rows of each row type.
    measure : Measure
        How loss is counted.
    k : int
        Which row's distance is returned.
    member : int64 array [t]
        The row types in an order that has similar ones near each other.
    reach : int
        Blocks of the order looked at on each side; the distances are true only if that is all of them.
    near : int32 array [t, s]
        Filled with the nearest row types, the nearest first, -1 where there are no more.
    kept : int
        Row types whose distances are kept while looking, at least s; the distance is that of the last if they have no k rows.

    Notes
    -----
    O(t * blocks) in all, and O(m) for a row type of a block that is near enough; memory O(t m).
    """
    (t, m), s = codes.shape, near.shape[1]
    packed = codes[member]
    blocks = _blocks(measure, packed)
    distance, other = np.empty(kept + 1, np.int64), np.empty(kept + 1, np.int32)
    found = np.zeros(t, np.int64)
    kind, step, null = measure.kind, measure.step, measure.null
    has, low, high = blocks.has, blocks.low, blocks.high
    bit, null_bit = np.zeros(m, np.uint64), np.zeros(m, np.uint64)
    for c in range(m):
        null_bit[c] = _bit(null[c])
    for p in range(t):
        for c in range(m):
            bit[c] = _bit(packed[p, c])
        i, home, many, limit = member[p], p // BLOCK, 0, np.int64(1) << 62
        for turn in range(2 * reach + 1):
            b = home - (turn + 1) // 2 if turn & 1 else home + turn // 2
            if b < 0 or b >= len(has):
                continue
            away = np.int64(0)  # what the row is away from those of the block at least
            for c in range(m):
                if has[b, c] & bit[c] == 0:
                    code, far = packed[p, c], np.int64(1)
                    if (
                        kind[c] == RANGE
                        and code != null[c]
                        and high[b, c] >= 0
                        and (null[c] < 0 or not has[b, c] & null_bit[c])
                    ):
                        far = max(low[b, c] - code, code - high[b, c], far)
                    away += far * step[c]
                    if away >= limit:
                        break
            if away >= limit:
                continue
            for q in range(b * BLOCK, min(t, (b + 1) * BLOCK)):
                away = _apart(measure, packed[p], packed[q], limit)
                if q == p or away >= limit:
                    continue
                place = many
                while place > 0 and distance[place - 1] > away:
                    distance[place], other[place] = distance[place - 1], other[place - 1]
                    place -= 1
                distance[place], other[place] = away, member[q]
                many = min(many + 1, kept)
                if many == kept:
                    limit = distance[kept - 1]
        near[i] = -1
        near[i, : min(s, many)] = other[: min(s, many)]
        rows, place = weight[i], 0
        while rows < k and place < many:
            found[i] = distance[place]
            rows += weight[other[place]]
            place += 1
    return found
