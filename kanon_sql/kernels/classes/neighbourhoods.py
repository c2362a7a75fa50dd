"""Classes near a row: those whose rows could share a class with it, or with one that could."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.classes.partition import SLOTS, CandidateClasses, Partition
from kanon_sql.kernels.random import below

_INSTANCES = cython.declare(cython.longlong, 2)
_MEMBERS = cython.declare(cython.longlong, 8)
"""Instances of a row, and members of each, that are visited next."""


def classes_near(
    candidates: CandidateClasses, partition: Partition, seed: int, rows: int, state: NDArray[np.uint64]
) -> NDArray[np.int32]:
    """Return classes around row type ``seed`` that cost something and have about so many rows together, none above half.

    Notes
    -----
    A walk over random instances and members, at most 64 steps a row; memory O(j + rows).
    """
    found = np.empty(rows + 1, np.int32)
    return found[
        : _visit(
            candidates,
            partition,
            seed,
            rows,
            state,
            found,
            np.empty(64 * rows, np.int32),
            np.zeros(len(candidates.cost), np.uint8),
        )
    ]


def _visit(candidates, partition, seed, rows, state, found, queue, seen):
    """Fill ``found`` and return the number of classes."""
    head = 0
    tail = 1
    many = 0
    total = 0
    queue[0] = seed
    while head < tail and total < rows:
        i = queue[head]
        head += 1
        for s in range(SLOTS):
            c = partition.where[i * SLOTS + s]
            if c >= 0 and not seen[c] and candidates.cost[c] > 0 and partition.rows[c] <= rows // 2:
                seen[c] = True
                found[many] = c
                many += 1
                total += partition.rows[c]
                break
        low = candidates.first[i]
        high = candidates.first[i + 1]
        for walk in range(_INSTANCES):
            j = candidates.instance[low + below(state, high - low)] if high > low else -1
            for s in range(_MEMBERS):
                if j >= 0 and tail < queue.shape[0]:
                    queue[tail] = candidates.member[
                        candidates.start[j] + below(state, candidates.start[j + 1] - candidates.start[j])
                    ]
                    tail += 1
    return many
