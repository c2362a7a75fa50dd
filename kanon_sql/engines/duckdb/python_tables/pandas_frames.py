"""pandas frames: columns outside the guarantee are taken row by row, quasi-identifiers come back in their dtype."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from uuid import UUID

import numpy as np

from kanon_sql.engines.duckdb.python_tables.frames import Frame
from kanon_sql.errors import SourceError
from kanon_sql.table.arrays import Int64

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

_PLAIN = (str, bytes, int, bool)
_COMPARED = (float, Decimal, dt.date, dt.datetime, dt.time, dt.timedelta)
"""Python types whose values Arrow may alter, such as naive moments next to others with a time zone."""


class PandasFrame(Frame):
    """A pandas.DataFrame; its index and its ``attrs`` are not released."""

    def __init__(self, frame: pd.DataFrame) -> None:
        if not frame.columns.is_unique:
            raise SourceError("a column name occurs twice; hint: rename one of them")
        self._frame = frame
        self.names = [str(name) for name in frame.columns]
        self.rows = len(frame)

    def kind(self, place: int) -> str:
        """Return the dtype; a categorical one may list its values, so only its name is reported."""
        return str(self._frame.dtypes.iloc[place].name).split("[")[0]

    def values(self, place: int) -> pa.ChunkedArray:
        """Return a column as Arrow, what has no type there as text; NaN and None are NULL."""
        return _chunked(_values(self._frame.iloc[:, place], self.names[place]))

    def order(self, place: int) -> list[str] | None:
        """Return the categories of an ordered categorical column of texts."""
        import pandas as pd

        dtype = self._frame.dtypes.iloc[place]
        if not (isinstance(dtype, pd.CategoricalDtype) and dtype.ordered):
            return None
        categories = list(dtype.categories)
        return categories if all(isinstance(each, str) for each in categories) else None

    def exact_values(self, place: int) -> pa.ChunkedArray:
        """Return a column as Arrow, or raise where Python objects are others after the way there and back."""
        values = self.values(place)
        _refuse_altered(self._frame.iloc[:, place], values)
        return values

    def objects(self, place: int) -> list[Any]:
        """Return the cells of a column as Python objects."""
        return list(self._frame.iloc[:, place])

    def taken(self, place: int, rows: Int64) -> pd.Series[Any]:
        """Return these rows of a column, with a new index."""
        return self._frame.iloc[:, place].iloc[rows].reset_index(drop=True)

    def shown(self, place: int, values: pa.ChunkedArray) -> pd.Series[Any]:
        """Return the dtype of the source; whole numbers and booleans with suppressed cells take pandas' nullable types."""
        return _shown(self._frame.iloc[:, place], values)

    def made(self, values: pa.ChunkedArray) -> pd.Series[Any]:
        """Return texts in pandas' own type of texts, or floats."""
        cells: pd.Series[Any] = values.to_pandas()
        return cells

    def table(self, columns: Mapping[int, Any]) -> pd.DataFrame:
        """Return a frame with a new index."""
        import pandas as pd

        frame = pd.DataFrame(dict(columns))
        frame.columns = pd.Index([self._frame.columns[place] for place in columns])
        return frame


def _chunked(values: pa.Array | pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa

    return values if isinstance(values, pa.ChunkedArray) else pa.chunked_array([values])


def _values(series: pd.Series[Any], name: str) -> pa.Array | pa.ChunkedArray:
    import pandas as pd
    import pyarrow as pa

    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        codes = np.asarray(series.cat.codes, np.int64)
        return _chunked(_values(pd.Series(dtype.categories), name)).take(pa.array(codes, mask=codes < 0))
    if isinstance(dtype, pd.SparseDtype):
        return _values(pd.Series(np.asarray(series)), name)
    if _travels_as_text(dtype):
        return _as_texts(series)
    if _of_objects(dtype):
        return _objects(series, name)
    return pa.array(series, from_pandas=True)


def _travels_as_text(dtype: Any) -> bool:
    """Return whether values of a dtype travel as texts, because neither Arrow nor DuckDB has them."""
    import pandas as pd

    return isinstance(dtype, pd.PeriodDtype | pd.IntervalDtype) or dtype.kind == "c"


def _of_objects(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind == "O"


def _as_texts(series: pd.Series[Any]) -> pa.Array:
    """Return one text per value."""
    import pandas as pd
    import pyarrow as pa

    codes, different = pd.factorize(series)
    texts = pa.array([str(value) for value in different], pa.string())
    if len(texts.unique()) < len(texts):
        raise ValueError("two values have the same text")
    return texts.take(pa.array(codes, mask=codes < 0))


def _objects(series: pd.Series[Any], name: str) -> pa.Array:
    """Return Python objects of one type as Arrow; Arrow itself would make a number of a text's neighbour."""
    import pyarrow as pa

    present = series[series.notna()]
    types = set(map(type, present))
    if len(types) > 1:
        raise SourceError(f'the column "{name}" mixes types; hint: convert its values to one type')
    if not types:
        return pa.nulls(len(series))
    (one,) = types
    if one is UUID:
        return _as_texts(series)
    if one not in (*_PLAIN, *_COMPARED):
        raise SourceError(f'the column "{name}" contains objects of type {one.__name__}; hint: convert them to text')
    return pa.array(series, from_pandas=True)


def _refuse_altered(series: pd.Series[Any], values: pa.ChunkedArray) -> None:
    import pandas as pd

    if isinstance(series.dtype, pd.CategoricalDtype):
        listed = pd.Series(series.dtype.categories)
        _refuse_altered(listed, _chunked(_values(listed, "")))
    elif _holds(series, _COMPARED) and values.drop_null().to_pylist() != list(series.dropna()):
        raise ValueError("values change in the conversion to Arrow")


def _shown(series: pd.Series[Any], values: pa.ChunkedArray) -> pd.Series[Any]:
    import pandas as pd

    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _categories(dtype, values)
    if isinstance(dtype, pd.SparseDtype):
        dense = _shown(pd.Series(np.asarray(series)), values)
        return dense.astype(dtype) if dense.dtype == dtype.subtype else dense
    if _travels_as_text(dtype) or _holds(series, (UUID,)):
        return _from_texts(series, values)
    if _of_objects(dtype):
        cells = np.empty(len(values), object)
        cells[:] = values.to_pylist()
        return pd.Series(cells, dtype=object)
    if values.null_count and dtype.kind in "iub" and isinstance(dtype, np.dtype):
        nullable = {"bool": "boolean"}.get(dtype.name, dtype.name.replace("int", "Int").replace("uI", "UI"))
        dtype = pd.api.types.pandas_dtype(nullable)
    exact = hasattr(dtype, "__from_arrow__")
    given: pd.Series[Any] = values.to_pandas(types_mapper=lambda _: dtype) if exact else values.to_pandas()
    return given if given.dtype == dtype else given.astype(dtype)


def _holds(series: pd.Series[Any], types: tuple[type, ...]) -> bool:
    """Return whether Python objects, all of one type, are of one of these types."""
    return _of_objects(series.dtype) and type(next(iter(series.dropna()), None)) in types


def _from_texts(series: pd.Series[Any], values: pa.ChunkedArray) -> pd.Series[Any]:
    """Return the values that have these texts, as they are in the source."""
    import pandas as pd

    _, different = pd.factorize(series)
    places = pd.Index([str(value) for value in different], dtype=object).get_indexer(pd.Index(values.to_pylist(), dtype=object))
    cells = pd.api.extensions.take(different, places, allow_fill=bool((places < 0).any()))
    return pd.Series(cells, dtype=object if _of_objects(series.dtype) else None)


def _categories(dtype: pd.CategoricalDtype, values: pa.ChunkedArray) -> pd.Series[Any]:
    """Return a categorical column with just the categories that are shown, in their order."""
    import pandas as pd
    import pyarrow.compute as pc

    listed = _chunked(_values(pd.Series(dtype.categories), "")).combine_chunks()
    places = pc.index_in(values, value_set=listed, skip_nulls=True).fill_null(-1).to_numpy()
    used = np.unique(places[places >= 0])
    codes = np.where(places < 0, -1, np.searchsorted(used, places))
    return pd.Series(pd.Categorical.from_codes(codes, dtype.categories[used], ordered=dtype.ordered))
