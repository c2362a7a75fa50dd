"""Random numbers that are the same everywhere: one word of state, no generator behind the scenes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython

COMPILED = cython.compiled
"""Whether the kernels run compiled."""

_LOW_51 = cython.declare(cython.ulonglong, (1 << 51) - 1)
_LOW_47 = cython.declare(cython.ulonglong, (1 << 47) - 1)
"""Bits that stay in a word when it is shifted left by 13 or 17: no other bit is shifted, since Python's numbers do not wrap."""


def seeded(seed: int) -> NDArray[np.uint64]:
    """Return the state for a seed, uint64 [1], never 0."""
    return np.array([(seed * 0x9E3779B97F4A7C15 + 0x2545F4914F6CDD1D) % (1 << 64) or 1], np.uint64)


@cython.overflowcheck(False)
def below(state, limit):
    """Return a whole number from 0 to ``limit - 1`` (xorshift64)."""
    x: cython.ulonglong = state[0]
    x ^= (x & _LOW_51) << 13
    x ^= x >> 7
    x ^= (x & _LOW_47) << 17
    state[0] = x
    return cython.cast(cython.longlong, (x >> 11) % cython.cast(cython.ulonglong, limit))
