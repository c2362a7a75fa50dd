"""Arrow columns of base cells as whole numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from kanon_sql.errors import SourceError
from kanon_sql.table.arrays import Int64


def numbers(array: Any) -> Int64:
    """Return whole numbers, NULL as 0."""
    import pyarrow.compute as pc

    return np.asarray(pc.fill_null(array.cast("int64"), 0), np.int64)


def units(array: Any, name: str) -> Int64:
    """Return decimal or whole numbers in units of their last place, NULL as 0.

    Raises
    ------
    SourceError
        When they are no such numbers, or too long.
    """
    import pyarrow as pa

    kind = array.type
    if pa.types.is_null(kind):
        return np.zeros(len(array), np.int64)
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind):
        return numbers(array)
    if not pa.types.is_decimal(kind):
        raise SourceError(
            f"the sum {name} needs whole or decimal numbers to be protected exactly; nothing was released; "
            "hint: cast its values to DECIMAL(18, 2)"
        )
    wide = array.cast(pa.decimal128(38, kind.scale))
    words = np.frombuffer(wide.buffers()[1], np.int64).reshape(-1, 2)[wide.offset : wide.offset + len(wide)]
    valid = np.asarray(wide.is_valid())
    low = np.where(valid, words[:, 0], 0)
    if ((low >> 63) != np.where(valid, words[:, 1], 0)).any():
        raise SourceError(f"the sum {name} has more than 18 digits; hint: round its values, or sum them in thousands")
    return low


def matrix(lists: Any, most: int, name: str) -> Int64:
    """Return lists of numbers as the rows of an array, filled up with 0."""
    lengths = np.asarray(lists.value_lengths().fill_null(0), np.int64)
    values = units(lists.flatten(), name)
    found = np.zeros((len(lists), most), np.int64)
    row = np.repeat(np.arange(len(lists)), lengths)
    column = np.arange(len(values)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    found[row, column] = values
    return found
