"""The rows of each value of each column."""

from __future__ import annotations

import numpy as np

from kanon_sql.table.arrays import Int32, Words


def rows_by_value(word: Words) -> tuple[Int32, Int32, Int32]:
    """Return for each column the rows by their value, int32 [m, n]; for each cell where these begin, and how many they are."""
    order = np.argsort(word, axis=0, kind="stable")
    start, size = np.empty((2, *order.shape), np.int32)
    for column in range(order.shape[1]):
        same = word[order[:, column], column]
        first = np.flatnonzero(np.append(True, same[1:] != same[:-1]))
        many = np.diff(first, append=len(order))
        start[order[:, column], column], size[order[:, column], column] = np.repeat(first, many), np.repeat(many, many)
    return np.ascontiguousarray(order.T.astype(np.int32)), start, size
