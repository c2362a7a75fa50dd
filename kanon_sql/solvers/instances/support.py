"""The support of given instances: the row types that have the values which an instance shows."""

from __future__ import annotations

import numpy as np

from kanon_sql.kernels.instances import list_members
from kanon_sql.table.arrays import Int32, Int64, Words


def supports(codes: np.ndarray[tuple[int, int], np.dtype[np.int32]], shown: Words, sample: Int32) -> tuple[Int64, Int32]:
    """Return the row types that look like each ``sample`` under its pattern, ascending, as ``start`` and ``member``.

    Parameters
    ----------
    codes : int32 array [t, m]
        Codes; column ``c`` is bit ``c`` of a pattern.
    shown : uint64 array [j]
        The pattern of each instance.
    sample : int32 array [j]
        A row type of each instance.

    Notes
    -----
    Only the row types that share the rarest of the shown values are compared: O(m) for each; O(t m log t) to sort them, and
    memory O(t m).
    """
    t, m = codes.shape
    order = np.empty((m, t), np.int32)
    first = np.empty((m, int(codes.max(initial=0)) + 2), np.int64)
    for c in range(m):
        order[c] = np.argsort(codes[:, c], kind="stable")
        first[c] = np.searchsorted(codes[order[c], c], np.arange(first.shape[1]))
    start = np.zeros(len(sample) + 1, np.int64)
    list_members(codes, shown, sample, order, first, start, np.empty(0, np.int32), True)
    np.cumsum(start, out=start)
    member = np.empty(start[len(sample)], np.int32)
    list_members(codes, shown, sample, order, first, start, member, False)
    return start, member
