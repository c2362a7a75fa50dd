"""polars frames: columns outside the guarantee are gathered row by row, quasi-identifiers come back in their dtype."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kanon_sql.engines.duckdb.python_tables.conversions import converted
from kanon_sql.engines.duckdb.python_tables.frames import Frame
from kanon_sql.table.arrays import Int64

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa


class PolarsFrame(Frame):
    """A polars.DataFrame, or a LazyFrame, which is collected once."""

    def __init__(self, frame: pl.DataFrame | pl.LazyFrame) -> None:
        import polars as pl

        self._lazy = isinstance(frame, pl.LazyFrame)
        refusal = "the LazyFrame cannot be collected; hint: call collect() to see why"
        self._frame: pl.DataFrame = converted(frame.collect, refusal) if isinstance(frame, pl.LazyFrame) else frame
        self.names = self._frame.columns
        self.rows = self._frame.height

    def kind(self, place: int) -> str:
        """Return the name of the dtype, without the values that an Enum lists."""
        return str(self._frame.dtypes[place].base_type().__name__)

    def values(self, place: int) -> pa.ChunkedArray:
        """Return a column as Arrow."""
        import pyarrow as pa

        series = self._frame.to_series(place)
        if not _has_arrow(series.dtype):  # Arrow would be given addresses of objects
            raise TypeError("no Arrow type")
        return pa.chunked_array([series.to_arrow()])

    def order(self, place: int) -> list[str] | None:
        """Return the values of an Enum."""
        import polars as pl

        dtype = self._frame.dtypes[place]
        return dtype.categories.to_list() if isinstance(dtype, pl.Enum) else None

    def objects(self, place: int) -> list[Any]:
        """Return the cells of a column as Python objects."""
        return self._frame.to_series(place).to_list()

    def taken(self, place: int, rows: Int64) -> pl.Series:
        """Return these rows of a column."""
        import polars as pl

        cells = self._frame.to_series(place).alias("cells").gather(rows)  # a name such as "*" would be read as a pattern
        if not (_has_views(cells.dtype) and _has_arrow(cells.dtype)):
            return cells
        return pl.Series(values=cells.to_arrow()).cast(cells.dtype)  # views share buffers with rows that are not in the frame

    def shown(self, place: int, values: pa.ChunkedArray) -> pl.Series:
        """Return the dtype of the source; Enum and Categorical know just the values that are shown."""
        import polars as pl
        import pyarrow as pa

        dtype = self._frame.dtypes[place]
        if not isinstance(dtype, pl.Enum | pl.Categorical):
            return pl.Series(values=values).cast(_without_lists(dtype))
        texts = pl.Series(values=values.cast(pa.large_string()), dtype=pl.String)
        seen = set(texts)
        if isinstance(dtype, pl.Enum):
            return texts.cast(pl.Enum([value for value in dtype.categories if value in seen]))
        return texts.cast(pl.Categorical(_categories(seen - {None})))

    def made(self, values: pa.ChunkedArray) -> pl.Series:
        """Return a column of strings, or of floats."""
        import polars as pl

        return pl.Series(values=values, dtype=pl.Float64 if str(values.type) == "double" else pl.String)

    def table(self, columns: Mapping[int, Any]) -> pl.DataFrame | pl.LazyFrame:
        """Return a frame; lazy where the source was."""
        import polars as pl

        frame = pl.DataFrame([column.alias(self.names[place]) for place, column in columns.items()])
        return frame.lazy() if self._lazy else frame


def _inner(dtype: Any) -> list[Any]:
    fields = [field.dtype for field in getattr(dtype, "fields", [])]
    inner = getattr(dtype, "inner", None)
    return fields if inner is None else [inner]


def _has_arrow(dtype: Any) -> bool:
    import polars as pl

    foreign = dtype in (pl.Object, pl.Int128, pl.UInt128, pl.Unknown)
    return not foreign and all(map(_has_arrow, _inner(dtype)))


def _has_views(dtype: Any) -> bool:
    import polars as pl

    return dtype in (pl.String, pl.Binary) or any(map(_has_views, _inner(dtype)))


def _without_lists(dtype: Any) -> Any:
    """Return a nested dtype with strings in the place of types that list values."""
    import polars as pl

    if isinstance(dtype, pl.Enum | pl.Categorical):
        return pl.String()
    if isinstance(dtype, pl.List):
        return pl.List(_without_lists(dtype.inner))
    if isinstance(dtype, pl.Array):
        return pl.Array(_without_lists(dtype.inner), dtype.size)
    if isinstance(dtype, pl.Struct):
        return pl.Struct({field.name: _without_lists(field.dtype) for field in dtype.fields})
    return dtype


def _categories(shown: set[Any]) -> pl.Categories:
    """Return categories of the release's own: those that all columns of a process share would list suppressed values."""
    import polars as pl

    digest = hashlib.sha256("\0".join(sorted(shown)).encode()).hexdigest()
    return pl.Categories(f"kanon-{digest[:32]}")
