"""The k-th nearest row of each row, by the cost of the columns in which they differ."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def distances(
    codes: NDArray[np.int32], weight: NDArray[np.int64], cost: NDArray[np.int64], k: int, most: int
) -> NDArray[np.int64]:
    """Return how far the k-th nearest row of a row is away, itself the first, int64 [t]; 0 from row type ``most`` on.

    Notes
    -----
    O(m t) for a row type, less where the k rows are found early; memory O(k).
    """
    t, m = codes.shape
    found = np.zeros(t, np.int64)
    near = np.empty(k, np.int64)
    rows = np.empty(k, np.int64)
    for i in range(most):
        kept, total, furthest = 0, 0, np.int64(1) << 62
        for other in range(t):
            distance = np.int64(0)
            for c in range(m):
                if codes[i, c] != codes[other, c]:
                    distance += cost[c]
                    if distance >= furthest:
                        break
            if distance >= furthest:
                continue
            # The nearest rows in ascending order, as many of them as make k.
            place = kept
            while place > 0 and near[place - 1] > distance:
                place -= 1
            for a in range(min(kept, k - 1), place, -1):
                near[a], rows[a] = near[a - 1], rows[a - 1]
            near[place], rows[place] = distance, weight[other]
            kept = min(kept + 1, k)
            total, kept_now = 0, 0
            for a in range(kept):
                total += rows[a]
                kept_now = a + 1
                if total >= k:
                    break
            kept = kept_now
            if total >= k:
                furthest = near[kept - 1]
        found[i] = near[kept - 1]
    return found
