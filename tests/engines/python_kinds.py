"""Tables of every kind with columns of every type, and how their cells are told without the code under test."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

ROWS = 12
ZIPS = ["98101"] * 5 + ["98109"] * 4 + ["98115"] * 2 + [None]
AGES = [34, 34, 51, 51, 28, 28, 28, 34, 34, 51, 60, 61]
PEOPLE = [f"team-{i // 2}" for i in range(ROWS)]
BIG = 2**60 + 1


def many(values: list[Any]) -> list[Any]:
    """Return as many cells as there are rows."""
    return (values * ROWS)[:ROWS]


def _dictionary(values: list[Any], kind: pa.DataType) -> pa.Array:
    return pa.array(values, kind.value_type).dictionary_encode().cast(kind)


def arrow_table() -> pa.Table:
    """An Arrow table with a column of every type."""
    columns: dict[str, Any] = {
        "null": pa.nulls(ROWS),
        "big": pa.array(many([BIG, None, -BIG])),
        "half": pa.array(np.array(many([0.5, 1.5, float("nan")]), np.float16)),
        "double": pa.array(many([0.0, -0.0, float("nan"), float("inf"), None])),
        "decimal256": pa.array(many([Decimal(10**50), None]), pa.decimal256(60, 0)),
        "decimal": pa.array(many([Decimal("1.50"), None]), pa.decimal128(38, 2)),
        "view": pa.array(many(["short", "longer than twelve bytes", None]), pa.string_view()),
        "bytes view": pa.array(many([b"short", b"longer than twelve bytes", None]), pa.binary_view()),
        "time": pa.array(many([1, 86_399_999_999_999, None]), pa.time64("ns")),
        "moment": pa.array(many([1, -(2**62), 2**63 - 1, None]), pa.timestamp("ns", tz="Europe/Vienna")),
        "seconds": pa.array(many([2**40, None]), pa.timestamp("s", tz="UTC")),
        "duration": pa.array(many([1, 2**62, None]), pa.duration("ns")),
        "interval": pa.array(many([(1, 30, 1), (0, 60, -1), None]), pa.month_day_nano_interval()),
        "list": pa.array(many([[BIG], [], [None], None]), pa.list_(pa.int64())),
        "list view": pa.array(many([[1], [2, 3], None]), pa.list_view(pa.int32())),
        "fixed": pa.array(many([[1, 2], None]), pa.list_(pa.int32(), 2)),
        "struct": pa.array(many([{"a": 1, "b": [BIG]}, {"a": None, "b": None}, None])),
        "map": pa.array(many([[("a", 1)], [], None]), pa.map_(pa.string(), pa.int32())),
        "words": _dictionary(many(["b", "a", None]), pa.dictionary(pa.int8(), pa.string(), ordered=True)),
        "numbers": _dictionary(many([BIG, 3, None]), pa.dictionary(pa.int32(), pa.int64())),
        "runs": pc.run_end_encode(pa.array(sorted(many([1, 2])))),
        "union": pa.UnionArray.from_sparse(
            pa.array(many([0, 1]), pa.int8()), [pa.array(many([1])), pa.array(many(["x", "y"]))]
        ),
        "dense": pa.UnionArray.from_dense(
            pa.array(many([0, 1]), pa.int8()),
            pa.array([i // 2 for i in range(ROWS)], pa.int32()),
            [pa.array([1] * 6), pa.array(["x"] * 6)],
        ),
        "uuid": pa.array(many([b"0" * 16, b"\x00" * 15 + b"\x01", None]), pa.binary(16)).cast(pa.uuid()),
        "flag8": pa.array(many([1, 0, None]), pa.int8()).cast(pa.bool8()),
        "foreign": pa.ExtensionArray.from_storage(pa.opaque(pa.string(), "t", "v"), pa.array(many(["x", None]))),
        "*": pa.array(many(["star"])),
        "^a.*$": pa.array(many(["pattern"])),
    }
    return pa.table({"id": range(ROWS), "Zip": ZIPS, "team": PEOPLE, "age": AGES, **columns})


def pandas_frame() -> pd.DataFrame:
    """A pandas frame with a column of every dtype."""
    columns: dict[str, Any] = {
        "Int64": pd.array(many([BIG, None, -BIG]), dtype="Int64"),
        "UInt8": pd.array(many([255, None]), dtype="UInt8"),
        "Float64": pd.array(many([0.5, None]), dtype="Float64"),
        "boolean": pd.array(many([True, None, False]), dtype="boolean"),
        "bool": np.array(many([True, False])),
        "half": np.array(many([0.5, float("nan")]), np.float16),
        "complex": np.array(many([1 + 2j, 3 - 1j])),
        "object integers": pd.Series(many([BIG, None]), dtype=object),
        "huge integers": pd.Series(many([2**70, 1]), dtype=object),
        "objects": pd.Series(many([{1, 2}, ("a", 1), None, float("nan"), 2.5, "text", b"bytes"]), dtype=object),
        "uuid": [uuid.UUID(int=i // 3) for i in range(ROWS)],
        "decimals": pd.Series(many([Decimal("1.0"), Decimal("1.00"), None]), dtype=object),
        "sparse": pd.arrays.SparseArray(many([0, 0, BIG])),
        "sparse real": pd.arrays.SparseArray(many([float("nan"), 1.5])),
        "words": pd.Categorical(many(["b", "a", None]), categories=["c", "b", "a"], ordered=True),
        "numbers": pd.Categorical(many([BIG, None]), categories=[5, BIG]),
        "cut": pd.cut(many([1, 5, 9]), 3),
        "period": pd.PeriodIndex(many(["2020-01", "2021-07", None]), freq="M"),
        "interval": pd.arrays.IntervalArray.from_tuples(many([(0, 1), (1, 2)]), closed="left"),
        "moment": pd.DatetimeIndex(many(["2020-01-01 00:00:00.000000001", None]), tz="Europe/Vienna"),
        "day": np.array(many(["2020-01-01", "1066-10-14"]), "datetime64[s]"),
        "span": np.array(many([1, 2**61]), "timedelta64[ns]"),
        "str": pd.array(many(["a", None]), dtype="str"),
        "string": pd.array(many(["a", None]), dtype="string[python]"),
        "arrow integers": pd.array(many([BIG, None]), dtype=pd.ArrowDtype(pa.int64())),
        "arrow lists": pd.array(many([[BIG], None]), dtype=pd.ArrowDtype(pa.list_(pa.int64()))),
        "arrow moments": pd.array(many([1, None]), dtype=pd.ArrowDtype(pa.timestamp("ns", tz="UTC"))),
        "*": many(["star"]),
        7: many(["number"]),
    }
    frame = pd.DataFrame({"id": range(ROWS), "Zip": ZIPS, "team": PEOPLE, "age": AGES, **columns})
    return frame.set_index(pd.Index(range(100, 100 + ROWS), name="kept out"))


def polars_frame() -> pl.DataFrame:
    """A polars frame with a column of every dtype."""
    return pl.DataFrame(
        [
            pl.Series("id", range(ROWS)),
            pl.Series("Zip", ZIPS),
            pl.Series("team", PEOPLE),
            pl.Series("age", AGES),
            pl.Series("int128", many([2**100, None]), dtype=pl.Int128),
            pl.Series("decimal", many([Decimal("1.50"), None]), dtype=pl.Decimal(38, 2)),
            pl.Series("time", many([dt.time(1, 2, 3, 4), None]), dtype=pl.Time),
            pl.Series("moment", many([1, None]), dtype=pl.Int64).cast(pl.Datetime("ns", "Europe/Vienna")),
            pl.Series("span", many([1, 2**62, None]), dtype=pl.Int64).cast(pl.Duration("ns")),
            pl.Series("words", many(["x", "y", None]), dtype=pl.Categorical),
            pl.Series("level", many(["low", None, "high"]), dtype=pl.Enum(["low", "mid", "high"])),
            pl.Series("object", many([{1}, None, uuid.UUID(int=1)]), dtype=pl.Object),
            pl.Series("null", many([None]), dtype=pl.Null),
            pl.Series("struct", many([{"a": BIG, "b": "x"}, None])),
            pl.Series("list", many([["x"], [], None]), dtype=pl.List(pl.Enum(["x", "y"]))),
            pl.Series("array", many([[1, 2], None]), dtype=pl.Array(pl.Int8, 2)),
            pl.Series("binary", many([b"\x00", None]), dtype=pl.Binary),
            pl.Series("uint64", many([2**64 - 1, None]), dtype=pl.UInt64),
            pl.Series("*", many(["star"])),
            pl.Series("^a.*$", many(["pattern"])),
        ]
    )


LITERALS = {
    "uhugeint": "(CASE WHEN i % 2 = 0 THEN '340282366920938463463374607431768211455' ELSE '1' END)::UHUGEINT",
    "hugeint": "(CASE WHEN i % 2 = 0 THEN '-170141183460469231731687303715884105728' ELSE '1' END)::HUGEINT",
    "timetz": "(CASE WHEN i % 2 = 0 THEN '12:00:00+05:30' ELSE '12:00:00-01' END)::TIMETZ",
    "bit": "(CASE WHEN i % 2 = 0 THEN '10110' ELSE '0' END)::BIT",
    "json": "'{\"a\": 1}'::JSON",
    "enum": "(CASE WHEN i % 2 = 0 THEN 'it''s' END)::ENUM('a', 'it''s')",
    "uuid": "('5d6023c6-a622-48b5-9fec-029d2b6ad2e' || (i % 2))::UUID",
    "geometry": "'POINT (1 2)'::GEOMETRY",
    "interval": "to_microseconds(9223372036854775807 - i)",
    "months": "CASE WHEN i % 2 = 0 THEN INTERVAL '30 days' ELSE INTERVAL '1 month' END",
    "bignum": "99999999999999999999999999999999999999999999::BIGNUM",
    "decimal": "1.5::DECIMAL(38, 10)",
    "forever": "'infinity'::TIMESTAMPTZ",
    "never": "'-infinity'::DATE",
    "midnight": "'24:00:00'::TIME",
    "nanos": "'2020-01-01 00:00:00.123456789'::TIMESTAMP_NS",
    "nanos of a zone": "'2020-01-01 00:00:00.123456789+00'::TIMESTAMPTZ_NS",
    "time nanos": "'12:00:00.123456789'::TIME_NS",
    "real": "CASE WHEN i % 3 = 0 THEN 'nan' WHEN i % 3 = 1 THEN '-0.0' END::DOUBLE",
    "blob": "'\\x00'::BLOB",
    "nothing": "NULL",
    "list": "[('5d6023c6-a622-48b5-9fec-029d2b6ad2e' || (i % 2))::UUID]",
    "array": "[1::UHUGEINT, 2]::UHUGEINT[2]",
    "map": "MAP {'a': '10'::BIT}",
    "struct": """{'a b': 'x'::ENUM('x', 'y'), 'q"': ['10:00:00+01'::TIMETZ], 'size': 1, 'g': 'POINT (1 2)'::GEOMETRY}""",
    "union": "union_value(x := '101'::BIT)::UNION(x BIT, size HUGEINT)",
    'quo"ted': "'x'",
}


def _is_known(con: duckdb.DuckDBPyConnection, name: str, sql: str) -> bool:
    """Whether this version of DuckDB has the type of a literal, and reads its text."""
    kind = {"interval": "INTERVAL"}.get(name)
    read = f"CAST(CAST(({sql}) AS VARCHAR) AS {kind})" if kind else sql
    try:
        con.sql(f"SELECT {read} FROM range(1) AS t(i)").fetchall()
    except (duckdb.CatalogException, duckdb.ConversionException, duckdb.NotImplementedException):
        return False
    return True


def relation(con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyRelation:
    """A DuckDB relation with a column of every type."""
    con.register("people", pa.table({"i": range(ROWS), "Zip": ZIPS, "team": PEOPLE, "age": AGES}))
    known = {name: sql for name, sql in LITERALS.items() if _is_known(con, name, sql)}
    cells = ", ".join(f"{sql} AS {chr(34)}{name.replace(chr(34), chr(34) * 2)}{chr(34)}" for name, sql in known.items())
    return con.sql(f'SELECT i AS id, "Zip", team, age, {cells} FROM people')


KINDS: dict[str, Callable[[duckdb.DuckDBPyConnection], Any]] = {
    "table": lambda con: arrow_table(),
    "batch": lambda con: arrow_table().combine_chunks().to_batches()[0],
    "chunked": lambda con: pa.concat_tables([arrow_table().slice(0, 5), arrow_table().slice(5)]),
    "pandas": lambda con: pandas_frame(),
    "polars": lambda con: polars_frame(),
    "lazy": lambda con: polars_frame().lazy(),
    "relation": relation,
}


def told(table: Any) -> dict[Any, tuple[str, list[str]]]:
    """Return for each column its type and its cells, in the order of the ids, as texts that are equal for equal cells only."""
    if isinstance(table, pa.Table | pa.RecordBatch):
        types = dict(zip(table.schema.names, map(str, table.schema.types), strict=True))
        cells = {name: _stored(table.column(name)).to_pylist() for name in types}
    elif isinstance(table, pd.DataFrame):
        types = {name: repr(kind) for name, kind in table.dtypes.items()}
        cells = {name: list(table[name]) for name in types}
    elif isinstance(table, pl.DataFrame | pl.LazyFrame):
        frame = table.lazy().collect()
        types = {name: repr(kind) for name, kind in frame.schema.items()}
        cells = {name: _whole(frame.get_column(name)) for name in types}
    else:
        types = dict(zip(table.columns, map(str, table.types), strict=True))
        rows = table.project("CAST(COLUMNS(*) AS VARCHAR)").fetchall()
        cells = {name: [row[place] for row in rows] for place, name in enumerate(table.columns)}
    order = np.argsort([int(each) for each in cells["id"]])
    return {name: (types[name], [repr(cells[name][row]) for row in order]) for name in types}


def _stored(column: Any) -> Any:
    """Return moments as the numbers that Arrow stores: Python has no nanoseconds."""
    return column.cast(pa.int64()) if pa.types.is_timestamp(column.type) or pa.types.is_time64(column.type) else column


def _whole(series: pl.Series) -> list[Any]:
    """Return the cells; what Python has no type for, such as nanoseconds, as the numbers that polars stores."""
    return (series.cast(pl.Int64) if series.dtype.is_temporal() else series).to_list()
