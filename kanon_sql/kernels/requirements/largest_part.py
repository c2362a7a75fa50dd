"""The largest part of an instance that meets the requirement, by sensitive-value group."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.criteria.dispatch import largest, meets, shortfall
from kanon_sql.kernels.criteria.part import Part, keep_all
from kanon_sql.kernels.requirements.candidates import Candidates

_SMALL = cython.declare(cython.double, 1e-9)

_SHARE = cython.declare(cython.longlong, 64)
"""Of a shortfall, one part of so many is removed at once."""


def largest_parts(part: Part, candidates: Candidates, weight: cython.longlong[::1]) -> NDArray[np.int64]:
    """Return how many rows of each instance can stay, as `largest_part` finds them, int64 [j]."""
    found = np.zeros(len(candidates.begin) - 1, np.int64)
    _largest_parts(part, candidates, weight, found)
    return found


def _largest_parts(part: Part, candidates: Candidates, weight: cython.longlong[::1], found: cython.longlong[::1]) -> None:
    with cython.nogil:
        for j in range(found.shape[0]):
            part.groups = 0
            for s in range(candidates.begin[j], candidates.begin[j + 1]):
                g = candidates.group[s]
                part.group[part.groups] = g
                part.groups += 1
                part.rows[g] = 0
                for a in range(candidates.first[s], candidates.first[s + 1]):
                    part.rows[g] += weight[candidates.item[a]]
            found[j] = largest_part(part)


def largest_part(part):
    """Return how many rows of an instance can stay, 0 if none; set how many of each group.

    Notes
    -----
    Exact for a single requirement of the equal distance or of frequency; else rows leave one after the other that remove most
    of the shortfall, and what stays may not be the most. O(V log n) where it is exact, and where it is not O(c + V) for each
    row that leaves, or for a 64th of all that have to.
    """
    total = keep_all(part)
    if meets(part.required, part.work, part.histogram, 0, total):
        return total
    found = largest(part, total)
    return _without_shortfall(part, total) if found < 0 else found


def whole_part(part):
    """Keep all rows if they meet the requirement together, else none; return how many."""
    total = keep_all(part)
    return total if meets(part.required, part.work, part.histogram, 0, total) else 0


def _without_shortfall(part, total):
    """Let rows leave that remove most of the shortfall; return how many stay."""
    while total > part.required.least:
        missing: cython.double = shortfall(part.required, part.work, part.histogram, 0, total)
        if missing < _SMALL:
            break
        best = -1
        most: cython.double = _SMALL
        for a in range(part.groups):
            g = part.group[a]
            if part.keep[g]:
                less: cython.double = 0.0
                for b in range(part.counter.shape[1]):
                    less += part.work.removed[part.counter[g, b]]
                if less > most:
                    best = g
                    most = less
        if best < 0:
            return 0
        gone = min(part.keep[best], 1 + cython.cast(cython.longlong, missing / most) // _SHARE)
        part.keep[best] -= gone
        total -= gone
        for b in range(part.counter.shape[1]):
            part.histogram[part.counter[best, b]] -= gone
    return total if meets(part.required, part.work, part.histogram, 0, total) else 0
