"""Exact keys of rows of codes: mixed-radix numbers, in as many 64-bit words as are needed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.table.arrays import Int32, Int64

_WORD_LIMIT = 1 << 62


def mixed_radix(cardinality: Int64) -> tuple[Int64, Int64, int]:
    """Place every column into as many 64-bit key words as are needed, so that a key identifies a group exactly.

    Returns
    -------
    word, stride : int64 arrays [m]
        The key word of each column and the factor of its code in it.
    words : int
        Number of key words.
    """
    word = np.zeros(len(cardinality), np.int64)
    stride = np.ones(len(cardinality), np.int64)
    current, size = 0, 1
    for column, radix in enumerate(int(value) for value in cardinality):
        if size * radix > _WORD_LIMIT:
            current, size = current + 1, 1
        word[column], stride[column] = current, size
        size *= radix
    return word, stride, current + 1


def alike(codes: Int32, cardinality: Int64, hidden: NDArray[np.bool_]) -> Int64:
    """Return the instance of a pattern that each row type is in, int64 [t], dense from 0.

    Parameters
    ----------
    codes : int32 array [t, m]
        The row types.
    cardinality : int64 array [m]
        Codes of each column.
    hidden : bool array [m]
        The columns that the pattern hides.

    Notes
    -----
    O(t (m + log t)).
    """
    word, stride, words = mixed_radix(np.where(hidden, 1, cardinality))
    keys = np.zeros((words, len(codes)), np.int64)
    for column in np.flatnonzero(~hidden):
        keys[word[column]] += codes[:, column] * stride[column]
    order = np.lexsort(keys)
    number = np.zeros(len(codes), np.int64)
    number[order[1:]] = np.cumsum((keys[:, order[1:]] != keys[:, order[:-1]]).any(axis=0))
    return number


def ascending(codes: Int32) -> Int64:
    """Return the order of rows of codes, of which the first column counts least."""
    cardinality = codes.max(axis=0, initial=0).astype(np.int64) + 1
    word, stride, words = mixed_radix(cardinality)
    keys = [codes[:, word == index].astype(np.int64) @ stride[word == index] for index in range(words)]
    return np.lexsort(keys).astype(np.int64)
