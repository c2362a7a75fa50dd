"""The support of given instances: the row types that have the values which an instance shows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython


def list_members(
    codes: cython.int[:, ::1],
    shown: cython.ulonglong[::1],
    sample: cython.int[::1],
    order: cython.int[:, ::1],
    first: cython.longlong[:, ::1],
    start: cython.longlong[::1],
    member: cython.int[::1],
    count: cython.bint,
) -> None:
    """Write the number of members of instance j to ``start[j + 1]``, or the members from ``start[j]`` on."""
    with cython.nogil:
        for j in range(sample.shape[0]):
            i = sample[j]
            rarest = -1
            low = 0
            least = codes.shape[0]
            for c in range(codes.shape[1]):
                if (shown[j] >> c) & 1 and first[c, codes[i, c] + 1] - first[c, codes[i, c]] <= least:
                    rarest = c
                    low = first[c, codes[i, c]]
                    least = first[c, codes[i, c] + 1] - low
            place = 0 if count else start[j]
            for a in range(low, low + least):
                i = a if rarest < 0 else order[rarest, a]
                if not _alike(codes, shown[j], i, sample[j]):
                    continue
                if not count:
                    member[place] = i
                place += 1
            if count:
                start[j + 1] = place


def _alike(codes, shown, i, j):
    """Return whether two row types have the same shown values."""
    c = 0
    while c < codes.shape[1] and ((shown >> c) & 1 == 0 or codes[i, c] == codes[j, c]):
        c += 1
    return c == codes.shape[1]


def of_some(
    start: NDArray[np.int64], member: NDArray[np.int32], chosen: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the members of some instances, one after the other, as ``start`` and ``member``; O(members)."""
    begin = np.zeros(len(chosen) + 1, np.int64)
    np.cumsum(np.diff(start)[chosen], out=begin[1:])
    found = np.empty(begin[len(chosen)], np.int32)
    _copy_all(start, member, chosen, begin, found)
    return begin, found


def _copy_all(
    start: cython.longlong[::1],
    member: cython.int[::1],
    chosen: cython.longlong[::1],
    begin: cython.longlong[::1],
    found: cython.int[::1],
) -> None:
    """Write the members of the ``chosen`` instances to ``found``."""
    with cython.nogil:
        for j in range(chosen.shape[0]):
            for a in range(begin[j + 1] - begin[j]):
                found[begin[j] + a] = member[start[chosen[j]] + a]


def of_row_types(
    start: NDArray[np.int64], member: NDArray[np.int32], order: NDArray[np.int32], row_types: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the instances of each row type, in an order of all of them, one after the other, as ``first`` and ``instance``.

    Parameters
    ----------
    start, member : int64 array [j + 1], int32 array
        ``member[start[j] : start[j + 1]]`` are the row types of instance j.
    order : int32 array [j]
        The instances.
    row_types : int
        How many there are.

    Notes
    -----
    O(members).
    """
    first = np.zeros(row_types + 1, np.int64)
    np.cumsum(np.bincount(member, minlength=row_types), out=first[1:])
    instance = np.empty(len(member), np.int32)
    _append_all(start, member, order, first[:row_types].copy(), instance)
    return first, instance


def _append_all(
    start: cython.longlong[::1],
    member: cython.int[::1],
    order: cython.int[::1],
    end: cython.longlong[::1],
    instance: cython.int[::1],
) -> None:
    """Append each instance to those of its row types; ``end[i]`` is where the next one of row type i belongs."""
    with cython.nogil:
        for q in range(order.shape[0]):
            for a in range(start[order[q]], start[order[q] + 1]):
                instance[end[member[a]]] = order[q]
                end[member[a]] += 1
