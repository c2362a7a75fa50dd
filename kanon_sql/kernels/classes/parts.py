"""Parts of a search space: some rows, and the candidate classes that these rows alone can fill."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

try:
    import cython
except ModuleNotFoundError:
    from kanon_sql.kernels import uncompiled as cython

if not cython.compiled:  # compiled, it comes from the .pxd
    from kanon_sql.kernels.classes.partition import CandidateClasses


def restricted(
    candidates: CandidateClasses, row_type: NDArray[np.int32], rows: NDArray[np.int64], open_classes: NDArray[np.int32], k: int
) -> tuple[CandidateClasses, NDArray[np.int32]]:
    """Return the candidates that some rows can fill with k of them, or that are open, and the number of each among all.

    Parameters
    ----------
    candidates : CandidateClasses
        Of all rows.
    row_type, rows : int32, int64 arrays [q]
        Row types, each once, and how many of its rows belong to the part: there they have the numbers 0 to q - 1.
    open_classes : int32 array
        The candidates that are classes of the part.
    k : int
        Least rows of a class.

    Notes
    -----
    O(members of these row types + j).
    """
    j = len(candidates.cost)
    total, count = np.zeros(j, np.int64), np.zeros(j, np.int64)
    _count(candidates, row_type, rows, total, count)
    chosen = np.union1d(np.flatnonzero(total >= k), open_classes).astype(np.int32)
    start, first = np.zeros(len(chosen) + 1, np.int64), np.zeros(len(row_type) + 1, np.int64)
    np.cumsum(count[chosen], out=start[1:])
    number = np.full(j, -1, np.int32)
    number[chosen] = np.arange(len(chosen), dtype=np.int32)
    member, instance = np.empty(int(start.max()), np.int32), np.empty(int(start.max()), np.int32)
    _list(candidates, row_type, number, start[: len(chosen)].copy(), member, first, instance)
    part = CandidateClasses(
        start=start,
        member=member,
        first=first,
        instance=instance,
        cost=np.asarray(candidates.cost)[chosen],
        price=np.asarray(candidates.price)[row_type],
        weight=rows,
    )
    return part, chosen


def _count(
    candidates: CandidateClasses,
    row_type: cython.int[::1],
    rows: cython.longlong[::1],
    total: cython.longlong[::1],
    count: cython.longlong[::1],
) -> None:
    """Add up the rows and the row types of each candidate."""
    a: cython.longlong
    f: cython.longlong
    j: cython.longlong
    with cython.nogil:
        for f in range(row_type.shape[0]):
            for a in range(candidates.first[row_type[f]], candidates.first[row_type[f] + 1]):
                j = candidates.instance[a]
                total[j] += rows[f]
                count[j] += 1


def _list(
    candidates: CandidateClasses,
    row_type: cython.int[::1],
    number: cython.int[::1],
    end: cython.longlong[::1],
    member: cython.int[::1],
    first: cython.longlong[::1],
    instance: cython.int[::1],
) -> None:
    """List the candidates that have a number from both sides; ``end[j]`` is where the next member of j belongs."""
    a: cython.longlong
    f: cython.longlong
    j: cython.longlong
    place: cython.longlong = 0
    with cython.nogil:
        for f in range(row_type.shape[0]):
            for a in range(candidates.first[row_type[f]], candidates.first[row_type[f] + 1]):
                j = number[candidates.instance[a]]
                if j >= 0:
                    instance[place] = j
                    place += 1
                    member[end[j]] = f
                    end[j] += 1
            first[f + 1] = place
