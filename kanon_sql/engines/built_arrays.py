"""Arrow arrays built from buffers: `pyarrow.array` imports pandas, which a release does not need."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kanon_sql.errors import SourceError

if TYPE_CHECKING:
    import pyarrow as pa

MOST_BYTES = (1 << 31) - 1
"""What the offsets of an Arrow text array can count."""


def numbers(values: NDArray[Any], missing: NDArray[np.bool_] | None = None) -> pa.Array:
    """Return an array of whole numbers, NULL where they are ``missing``; O(n), without a copy of the values."""
    import pyarrow as pa

    buffers = [None if missing is None else _bits(~missing), pa.py_buffer(np.ascontiguousarray(values))]
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), buffers)


def texts(values: Iterable[str | None]) -> pa.Array:
    """Return an array of texts.

    Raises
    ------
    SourceError
        When they have 2 GiB or more together: offsets would wrap, and texts be others.
    """
    import pyarrow as pa

    encoded = [None if value is None else value.encode() for value in values]
    known = np.array([value is not None for value in encoded], np.bool_)
    sizes = np.cumsum([0, *(0 if value is None else len(value) for value in encoded)])
    if sizes[-1] > MOST_BYTES:
        raise SourceError("the labels of a column use 2 GiB or more in total; hint: generalize the column to shorter labels")
    joined = b"".join(value for value in encoded if value is not None)
    buffers = [None if known.all() else _bits(known), pa.py_buffer(sizes.astype(np.int32)), pa.py_buffer(joined)]
    return pa.Array.from_buffers(pa.string(), len(encoded), buffers)


def flag_lists(flags: NDArray[np.bool_]) -> pa.Array:
    """Return a list of flags for each row of an array."""
    import pyarrow as pa

    rows, width = flags.shape
    values = pa.Array.from_buffers(pa.bool_(), rows * width, [None, _bits(np.ascontiguousarray(flags).ravel())])
    offsets = pa.py_buffer(np.arange(0, rows * width + 1, width, dtype=np.int32))
    return pa.Array.from_buffers(pa.list_(pa.bool_()), rows, [None, offsets], children=[values])


def _bits(known: NDArray[np.bool_]) -> pa.Buffer:
    import pyarrow as pa

    return pa.py_buffer(np.packbits(known, bitorder="little"))
