"""Classes near a row: those whose rows could share a class with it, or with one that could."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kanon_sql.kernels.classes.plans import SLOTS, Plan, Pool
from kanon_sql.kernels.random import below

_INSTANCES, _MEMBERS = 2, 8
"""Instances of a row, and members of each, that are looked at next."""


@njit(cache=True, nogil=True)
def classes_near(pool: Pool, plan: Plan, seed: int, rows: int, state: NDArray[np.uint64]) -> NDArray[np.int32]:
    """Return classes around row type ``seed`` that cost something and have about so many rows together, none above half.

    Notes
    -----
    A walk over random instances and members, at most 64 steps a row.
    """
    found = np.empty(rows + 1, np.int32)
    queue = np.empty(64 * rows, np.int32)
    seen = np.zeros(len(pool.cost), np.bool_)
    queue[0] = seed
    head, tail, many, total = 0, 1, 0, 0
    while head < tail and total < rows:
        i = queue[head]
        head += 1
        for s in range(SLOTS):
            c = plan.where[i * SLOTS + s]
            if c >= 0 and not seen[c] and pool.cost[c] > 0 and plan.rows[c] <= rows // 2:
                seen[c] = True
                found[many] = c
                many += 1
                total += plan.rows[c]
                break
        low, high = pool.first[i], pool.first[i + 1]
        for _ in range(_INSTANCES):
            j = pool.instance[low + below(state, high - low)] if high > low else -1
            for _ in range(_MEMBERS):
                if j >= 0 and tail < len(queue):
                    queue[tail] = pool.member[pool.start[j] + below(state, pool.start[j + 1] - pool.start[j])]
                    tail += 1
    return found[:many].copy()
