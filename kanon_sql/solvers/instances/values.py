"""The row types that have each value, as the comparison of all row types with each other reads them."""

from __future__ import annotations

import numpy as np

from kanon_sql.kernels.instances import Values
from kanon_sql.table.arrays import Int64

_FREQUENT = 32
"""A value that one in so many row types has, or more, is a bit set; of rarer ones the row types are listed."""


def row_types_by_value(codes: np.ndarray[tuple[int, int], np.dtype[np.int32]], cost: Int64) -> Values:
    """Return the row types of each value.

    Parameters
    ----------
    codes : int32 array [t, m]
        The row types.
    cost : int64 array [m]
        The cost of a column in which two row types differ, 1 or more.
    """
    t, m = codes.shape
    order = np.argsort(cost, kind="stable")
    cardinality = codes.max(axis=0, initial=0).astype(np.int64) + 1
    first = np.append(0, np.cumsum(cardinality))
    rows = np.concatenate([np.bincount(codes[:, c], minlength=int(cardinality[c])) for c in range(m)])
    frequent = rows * _FREQUENT >= t
    place = np.where(frequent, np.cumsum(frequent) - 1, -1).astype(np.int32)
    held = np.zeros((int(frequent.sum()), (t + 63) // 64 * 8), np.uint8)
    for c in range(m):
        value = np.flatnonzero(frequent[first[c] : first[c + 1]])
        there = np.packbits(codes[:, c] == value[:, None], axis=1, bitorder="little")
        held[place[first[c] + value], : there.shape[1]] = there
    return Values(
        codes=codes,
        column=order.astype(np.int64),
        cost=cost[order].astype(np.int64),
        first=first,
        start=np.append(0, np.cumsum(rows)),
        member=np.concatenate([np.argsort(codes[:, c], kind="stable").astype(np.int32) for c in range(m)]),
        place=place,
        bits=held.view("<u8").astype(np.uint64),
    )
