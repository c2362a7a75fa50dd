"""The support of given instances: the row types that have the values which an instance shows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

try:
    import cython
except ModuleNotFoundError:
    from kanon_sql.kernels import uncompiled as cython

_HASH = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
_WORD = cython.declare(cython.ulonglong, (1 << 64) - 1)


@cython.final
@cython.cclass
class _Workspace:
    """Scratch arrays, allocated once.

    Parameters
    ----------
    codes : int32 array [t, m]
        The row types.
    most : int
        Most instances of a pattern.

    Attributes
    ----------
    column : int64 array [m]
        The shown columns.
    table : int64 array [at least 2 most]
        A hash table of the instances of a pattern, -1 where it is free.
    owner : int64 array [t]
        The instance of each row type, -1 where it is in none.
    end : int64 array [most + 1]
        Where the members of each instance end, while they are filled in.
    member : int32 array [t]
        The members of the instances of a pattern.
    """

    codes: cython.int[:, ::1]
    column: cython.longlong[::1]
    table: cython.longlong[::1]
    owner: cython.longlong[::1]
    end: cython.longlong[::1]
    member: cython.int[::1]

    def __init__(self, codes: NDArray[np.int32], most: int) -> None:
        t, m = codes.shape
        size = 16
        while size < 2 * most:
            size *= 2
        self.codes, self.column = codes, np.empty(m, np.int64)
        self.table, self.owner = np.empty(size, np.int64), np.empty(t, np.int64)
        self.end, self.member = np.empty(most + 1, np.int64), np.empty(t, np.int32)


def supports(
    codes: NDArray[np.int32], shown: NDArray[np.uint64], sample: NDArray[np.int32], first: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the row types that look like each ``sample`` under its pattern, ascending, as ``start`` and ``member``.

    Parameters
    ----------
    codes : int32 array [t, m]
        Codes; column ``c`` is bit ``c`` of a pattern.
    shown : uint64 array [p]
        Patterns.
    sample : int32 array [j]
        Row types that look different under their pattern; those of pattern p are ``first[p]`` to ``first[p + 1] - 1``.

    Notes
    -----
    O(p t m); memory O(t) beside the answer.
    """
    work = _Workspace(codes, int(np.diff(first).max(initial=0)))
    start, member = np.zeros(len(sample) + 1, np.int64), [np.empty(0, np.int32)]
    for p in range(len(shown)):
        found = _list_members(work, shown[p], sample, first[p], first[p + 1], start)
        member.append(np.asarray(work.member)[:found].copy())
    return start, np.concatenate(member)


def _list_members(
    work: _Workspace,
    shown: cython.ulonglong,
    sample: cython.int[::1],
    low: cython.longlong,
    high: cython.longlong,
    start: cython.longlong[::1],
) -> int:
    """List the members of the instances ``low`` to ``high - 1``, which are of one pattern; return how many they are."""
    found: cython.longlong
    with cython.nogil:
        found = _list(work, shown, sample, low, high, start)
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _list(
    work: _Workspace,
    shown: cython.ulonglong,
    sample: cython.int[::1],
    low: cython.longlong,
    high: cython.longlong,
    start: cython.longlong[::1],
) -> cython.longlong:
    c: cython.longlong
    h: cython.longlong
    i: cython.longlong
    j: cython.longlong
    columns: cython.longlong = 0
    size: cython.longlong = 16
    for c in range(work.column.shape[0]):
        if (shown >> c) & 1:
            work.column[columns] = c
            columns += 1
    while size < 2 * (high - low):
        size *= 2
    for h in range(size):
        work.table[h] = -1
    for j in range(low, high):
        work.end[j - low] = 0
        h = _slot(work, sample[j], columns, size)
        while work.table[h] >= 0:
            h = (h + 1) & (size - 1)
        work.table[h] = j
    for i in range(work.owner.shape[0]):
        h = _slot(work, i, columns, size)
        while work.table[h] >= 0 and not _alike(work, i, sample[work.table[h]], columns):
            h = (h + 1) & (size - 1)
        work.owner[i] = work.table[h]
        if work.table[h] >= 0:
            work.end[work.table[h] - low] += 1
    for j in range(low, high):
        start[j + 1] = start[j] + work.end[j - low]
        work.end[j - low] = start[j] - start[low]
    for i in range(work.owner.shape[0]):
        j = work.owner[i]
        if j >= 0:
            work.member[work.end[j - low]] = i
            work.end[j - low] += 1
    return start[high] - start[low]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _alike(work: _Workspace, i: cython.longlong, j: cython.longlong, columns: cython.longlong) -> cython.bint:
    """Return whether two row types have the same shown values."""
    a: cython.longlong = 0
    while a < columns and work.codes[i, work.column[a]] == work.codes[j, work.column[a]]:
        a += 1
    return a == columns


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.overflowcheck(False)
def _slot(work: _Workspace, i: cython.longlong, columns: cython.longlong, size: cython.longlong) -> cython.longlong:
    """Return where a row type is looked for first in the hash table."""
    a: cython.longlong
    mixed: cython.ulonglong = 0
    for a in range(columns):
        mixed = ((mixed ^ cython.cast(cython.ulonglong, work.codes[i, work.column[a]])) * _HASH) & _WORD
        mixed ^= mixed >> 29
    return cython.cast(cython.longlong, mixed & cython.cast(cython.ulonglong, size - 1))
