"""Parts of a search space: some rows, and the candidate classes that these rows alone can fill."""

from __future__ import annotations

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.classes.partition import CandidateClasses


def count_candidates(
    candidates: CandidateClasses,
    row_type: cython.int[::1],
    rows: cython.longlong[::1],
    total: cython.longlong[::1],
    count: cython.longlong[::1],
) -> None:
    """Add up the rows and the row types of each candidate."""
    with cython.nogil:
        for f in range(row_type.shape[0]):
            for a in range(candidates.first[row_type[f]], candidates.first[row_type[f] + 1]):
                j = candidates.instance[a]
                total[j] += rows[f]
                count[j] += 1


def list_candidates(
    candidates: CandidateClasses,
    row_type: cython.int[::1],
    number: cython.int[::1],
    end: cython.longlong[::1],
    member: cython.int[::1],
    first: cython.longlong[::1],
    instance: cython.int[::1],
) -> None:
    """List the candidates that have a number from both sides; ``end[j]`` is where the next member of j belongs."""
    place = 0
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
