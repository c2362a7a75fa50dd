"""Random numbers that are the same everywhere: one word of state, no generator behind the scenes."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray


def seeded(seed: int) -> NDArray[np.uint64]:
    """Return the state for a seed, uint64 [1], never 0."""
    return np.array([(seed * 0x9E3779B97F4A7C15 + 0x2545F4914F6CDD1D) % (1 << 64) or 1], np.uint64)


@njit(cache=True, nogil=True)
def below(state: NDArray[np.uint64], limit: int) -> np.int64:
    """Return a whole number from 0 to ``limit - 1`` (xorshift64)."""
    x = state[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    state[0] = x
    return np.int64((x >> np.uint64(11)) % np.uint64(limit))
