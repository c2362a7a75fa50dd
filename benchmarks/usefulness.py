"""Usefulness of a release (Loukides and Shao), exactly, from the original rows and the released ones.

Definition 5 of "Pattern-Guided k-Anonymity": the mean over the released classes of the sum over the columns of the
diversity of the class's original values. Diversity is range over range where the column is numeric, and number of
distinct values over that of the whole column elsewhere. Smaller is better; the most is the number of columns.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Int64 = NDArray[np.int64]


def class_numbers(released: pa.Table) -> Int64:
    """Return the number of the class of each released row, dense from 0; NULL is a value like any other."""
    codes = np.stack([_codes(column) for column in released.columns], axis=1)
    number: Int64 = np.unique(codes, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return number


def usefulness(original: pa.Table, number: Int64) -> Fraction:
    """Return the usefulness of the partition of the original rows into numbered classes."""
    classes = int(number.max()) + 1
    order = np.argsort(number, kind="stable")
    first = np.searchsorted(number[order], np.arange(classes))
    total = Fraction(0)
    for column in original.columns:
        if pa.types.is_integer(column.type) and not column.null_count:
            values = column.to_numpy().astype(np.int64)
            spread = int(values.max() - values.min())
            own = np.maximum.reduceat(values[order], first) - np.minimum.reduceat(values[order], first)
            total += Fraction(int(own.sum()), spread) if spread else 0
        else:
            codes = _codes(column) + 1
            domain = int(codes.max()) + 1
            total += Fraction(len(np.unique(number * domain + codes)), len(np.unique(codes)))
    return total / classes


def _codes(column: pa.ChunkedArray) -> Int64:
    indices = column.combine_chunks().dictionary_encode().indices
    codes: Int64 = pc.fill_null(indices, -1).to_numpy(zero_copy_only=False).astype(np.int64)
    return codes
