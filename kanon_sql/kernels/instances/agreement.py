"""Where rows agree: the patterns under which a row looks like its nearest others."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

_ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def shared_patterns(
    codes: NDArray[np.int32],
    weight: NDArray[np.int64],
    cost: NDArray[np.int64],
    seeds: NDArray[np.int64],
    others: NDArray[np.int64],
    steps: int,
) -> NDArray[np.uint64]:
    """Return patterns uint64 [seeds, steps]: the columns in which a seed agrees with its 1, 2, 4, ... nearest ``others``.

    Nearest is what agrees in the dearest columns, ties by position; a row type of several rows counts as that many.

    Notes
    -----
    O(s (o m + o log o)) for s seeds and o others; memory O(o + s steps).
    """
    m = codes.shape[1]
    agree = np.zeros(len(others), np.uint64)
    shown = np.zeros(len(others), np.int64)
    found = np.zeros((len(seeds), steps), np.uint64)
    for s in range(len(seeds)):
        row = codes[seeds[s]]
        for o in range(len(others)):
            agree[o], shown[o] = 0, 0
            for c in range(m):
                if codes[others[o], c] == row[c]:
                    agree[o] |= _ONE << np.uint64(c)
                    shown[o] += cost[c]
        common, rows, step = ~np.uint64(0), weight[seeds[s]] - 1, 0
        for o in np.argsort(-shown, kind="mergesort"):
            if others[o] == seeds[s]:
                continue
            common &= agree[o]
            rows += weight[others[o]]
            while step < steps and rows >= 1 << step:
                found[s, step] = common
                step += 1
            if step == steps or common == 0:
                break
    return found
