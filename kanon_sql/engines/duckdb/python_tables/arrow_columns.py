"""Columns of Arrow on their way through DuckDB: in types that DuckDB reads, and back in their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa


def for_duckdb(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the values in a type that DuckDB reads, or unchanged where there is no better one.

    Notes
    -----
    DuckDB reads durations as intervals, which do not lead back, and no half floats. Extension types are read by what they
    store, but for UUID, which DuckDB has.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if isinstance(kind, pa.BaseExtensionType) and not isinstance(kind, pa.UuidType):
        return for_duckdb(_stored(column))
    if pa.types.is_dictionary(kind):
        return for_duckdb(column.cast(kind.value_type))
    if pa.types.is_run_end_encoded(kind):
        return for_duckdb(pa.chunked_array([pc.run_end_decode(chunk) for chunk in column.chunks], kind.value_type))
    if pa.types.is_duration(kind):
        return column.cast(pa.int64())
    if pa.types.is_float16(kind):
        return column.cast(pa.float32())
    return column


def from_duckdb(values: pa.ChunkedArray, source: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return values of a column as they come from DuckDB in the type of the source; a dictionary lists just what is shown."""
    import pyarrow as pa

    if pa.types.is_dictionary(source.type):
        return _indexed(_typed(values, source.type.value_type), source)
    return _typed(values, source.type)


def compact(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column of dictionary type without entries that no row has."""
    return _indexed(column.cast(column.type.value_type), column)


def same(first: pa.ChunkedArray, second: pa.ChunkedArray) -> bool:
    """Return whether two columns of one type hold the same values, to the bit."""
    import pyarrow as pa

    if isinstance(first.type, pa.BaseExtensionType):
        return same(_stored(first), _stored(second))
    if pa.types.is_floating(first.type):
        bits = {16: pa.int16(), 32: pa.int32(), 64: pa.int64()}[first.type.bit_width]
        first, second = (pa.chunked_array([chunk.view(bits) for chunk in each.chunks], bits) for each in (first, second))
    if first.equals(second):
        return True
    # NaN inside a list differs from itself
    return pa.types.is_nested(first.type) and repr(first.to_pylist()) == repr(second.to_pylist())


def _typed(values: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    import pyarrow as pa
    import pyarrow.compute as pc

    if values.type == kind:
        return values
    if pa.types.is_null(kind) and values.null_count == len(values):  # before DuckDB 2, nothing but NULL comes back as numbers
        return pa.chunked_array([pa.nulls(len(values))])
    if isinstance(kind, pa.BaseExtensionType):
        stored = _uuids(values) if isinstance(kind, pa.UuidType) else _typed(values, kind.storage_type)
        return pa.chunked_array([kind.wrap_array(chunk) for chunk in stored.chunks], kind)
    if pa.types.is_run_end_encoded(kind):
        plain = _typed(values, kind.value_type)
        return pa.chunked_array([pc.run_end_encode(chunk, run_end_type=kind.run_end_type) for chunk in plain.chunks], kind)
    return values.cast(kind)


def _uuids(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa

    stored = [None if text is None else bytes.fromhex(text.replace("-", "")) for text in texts.to_pylist()]
    return pa.chunked_array([pa.array(stored, pa.binary(16))])


def _stored(column: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa

    return pa.chunked_array([chunk.storage for chunk in column.chunks], column.type.storage_type)


def _indexed(values: pa.ChunkedArray, source: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return values as a dictionary of just these values, in the order of the dictionary of the source."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = source.type
    dictionary = source.unify_dictionaries().chunk(0).dictionary if source.num_chunks else pa.array([], kind.value_type)
    place = pc.index_in(values, value_set=dictionary, skip_nulls=True).combine_chunks()
    hidden = np.asarray(place.is_null())
    number = np.asarray(place.fill_null(0))
    used = np.unique(number[~hidden])
    indices = pa.array(np.searchsorted(used, number), pa.int64(), mask=hidden).cast(kind.index_type)
    return pa.chunked_array([pa.DictionaryArray.from_arrays(indices, dictionary.take(pa.array(used)), ordered=kind.ordered)])
