"""What cannot come back unchanged is refused with the name of its column, and no cell is left in the error."""

from __future__ import annotations

import datetime as dt
import traceback
import uuid
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.errors import KanonError, SourceError

CANARY = "CANARYflu"

REFUSED: dict[str, Callable[[], Any]] = {
    "decimal256": lambda: pa.table({"q": pa.array([Decimal(1)] * 2, pa.decimal256(60, 0))}),
    "dense union": lambda: pa.table(
        {"q": pa.UnionArray.from_dense(pa.array([0, 0], pa.int8()), pa.array([0, 1], pa.int32()), [pa.array([1, 1])])}
    ),
    "nanoseconds of an interval": lambda: pa.table({"q": pa.array([(0, 0, 1), (0, 0, 2)], pa.month_day_nano_interval())}),
    "seconds out of range": lambda: pa.table({"q": pa.array([2**62, 2**62], pa.timestamp("s", tz="UTC"))}),
    "durations in a list": lambda: pa.table({"q": pa.array([[1], [2]], pa.list_(pa.duration("ns")))}),
    "pandas mixed": lambda: pd.DataFrame({"q": pd.Series([1, CANARY], dtype=object)}),
    "pandas text and bytes": lambda: pd.DataFrame({"q": pd.Series([CANARY, b"x"], dtype=object)}),
    "pandas numbers of two types": lambda: pd.DataFrame({"q": pd.Series([1, 1.0], dtype=object)}),
    "pandas truth and number": lambda: pd.DataFrame({"q": pd.Series([True, 1], dtype=object)}),
    "pandas huge integers": lambda: pd.DataFrame({"q": pd.Series([2**70, 1], dtype=object)}),
    "pandas tuples": lambda: pd.DataFrame({"q": pd.Series([(CANARY, 1)] * 2, dtype=object)}),
    "pandas moments as objects": lambda: pd.DataFrame({"q": pd.Series([pd.Timestamp(1)] * 2, dtype=object)}),
    "pandas naive and aware": lambda: pd.DataFrame(
        {"q": pd.Series([dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, tzinfo=dt.UTC)], dtype=object)}
    ),
    "pandas surrogate": lambda: pd.DataFrame({"q": pd.Series(["\ud800", CANARY], dtype=object)}),
    "polars objects": lambda: pl.DataFrame({"q": pl.Series([{CANARY}, {1}], dtype=pl.Object)}),
    "polars Int128": lambda: pl.DataFrame({"q": pl.Series([1, 2], dtype=pl.Int128)}),
    "polars Int128 in a struct": lambda: pl.DataFrame({"q": pl.Series([{"a": 1}] * 2, dtype=pl.Struct({"a": pl.Int128}))}),
}


def clean(error: BaseException) -> None:
    """No cell is in the error, in what it is raised from, or in what was handled when it was raised."""
    assert CANARY not in "".join(traceback.format_exception(error))
    assert error.__cause__ is None
    assert error.__context__ is None


@pytest.mark.sweep
@pytest.mark.parametrize("use", ["quasi-identifier", "sensitive", "audit"])
@pytest.mark.parametrize("kind", REFUSED)
def test_a_column_that_would_be_altered_is_refused(kind: str, use: str) -> None:
    source = REFUSED[kind]()
    rows = range(2)
    match type(source).__module__.split(".")[0]:
        case "pandas":
            source["r"] = list(rows)
        case "polars":
            source = source.with_columns(r=pl.Series(rows))
        case _:
            source = source.append_column("r", pa.array(rows))
    calls: dict[str, Callable[[], object]] = {
        "quasi-identifier": lambda: kanon_sql.anonymize(source, k=2, quasi_identifiers=["q"]),
        "sensitive": lambda: kanon_sql.anonymize(source, k=2, quasi_identifiers=["r"], sensitive="q", l=1),
        "audit": lambda: kanon_sql.audit(source, quasi_identifiers=["q"]),
    }
    with pytest.raises(SourceError, match=r'column "q".*; hint: ') as caught:
        calls[use]()
    clean(caught.value)


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("kind", REFUSED)
def test_as_another_column_it_is_released(kind: str) -> None:
    source = REFUSED[kind]()
    before = source["q"].to_pylist() if isinstance(source, pa.Table) and kind[:4] not in ("nano", "seco", "dura") else None
    match type(source).__module__.split(".")[0]:
        case "pandas":
            source["r"] = [1, 1]
        case "polars":
            source = source.with_columns(r=pl.Series([1, 1]))
        case _:
            source = source.append_column("r", pa.array([1, 1]))
    released = kanon_sql.anonymize(source, k=2, quasi_identifiers=["r"], keep=["q"]).table
    assert kanon_sql.audit(released, quasi_identifiers=["r"]).k == 2
    if before is not None:
        assert sorted(map(repr, released["q"].to_pylist())) == sorted(map(repr, before))


RELATIONS = {
    "VARIANT": "1::UTINYINT::VARIANT",
    "nested VARIANT": "[1::VARIANT]",
}


@pytest.mark.parametrize("kind", RELATIONS)
def test_a_relation_of_a_type_without_a_way_is_refused(kind: str) -> None:
    with duckdb.connect() as con:
        source = con.sql(f"SELECT 1 AS r, {RELATIONS[kind]} AS q FROM range(3)")
        with pytest.raises(SourceError, match=r'column "q" of type (VARIANT|LIST).*hint: cast it') as caught:
            kanon_sql.anonymize(source, k=2, quasi_identifiers=["r"])
        clean(caught.value)


def test_an_error_of_the_source_is_not_quoted() -> None:
    with duckdb.connect() as con:
        broken = con.sql(f"SELECT CAST(x AS INTEGER) AS a FROM (VALUES ('1'), ('{CANARY}')) AS t(x)")
        for call in (kanon_sql.anonymize, kanon_sql.audit):
            with pytest.raises(SourceError, match="relation cannot be read") as caught:
                call(broken, k=1, quasi_identifiers=["a"])
            clean(caught.value)
    with pytest.raises(SourceError) as caught:
        kanon_sql.anonymize(broken, k=1)
    clean(caught.value)
    lazy = pl.LazyFrame({"a": ["1", CANARY]}).select(pl.col("a").cast(pl.Int64))
    with pytest.raises(SourceError, match="LazyFrame cannot be collected") as caught:
        kanon_sql.anonymize(lazy, k=1)
    clean(caught.value)


@pytest.mark.everything
def test_an_error_of_the_policy_has_no_context() -> None:
    for table in (pa.table({"a": [CANARY]}), pd.DataFrame({"a": [CANARY]}), pl.DataFrame({"a": [CANARY]})):
        with pytest.raises(KanonError) as caught:
            kanon_sql.anonymize(table, k=2)
        clean(caught.value)


def test_a_name_of_the_program_is_refused() -> None:
    with pytest.raises(SourceError, match="cannot begin with"):
        kanon_sql.anonymize(pa.table({"a": [1], "KANON#row": [1]}), k=1, quasi_identifiers=["a"])


KEPT: dict[str, pd.Series[Any]] = {
    "uuid": pd.Series([uuid.UUID(int=i // 3) for i in range(7)]),
    "integers": pd.Series([2**60 + 1] * 3 + [5] * 3 + [None], dtype=object),
    "truth": pd.Series([True] * 3 + [False] * 3 + [None], dtype=object),
    "sparse": pd.Series(pd.arrays.SparseArray([0, 0, 0, 1.5, 1.5, 1.5, 2])),
    "sparse integers": pd.Series(pd.arrays.SparseArray([0, 0, 0, 2**60 + 1, 2**60 + 1, 2**60 + 1, 2])),
    "complex": pd.Series([1 + 2j] * 3 + [2 - 1j] * 3 + [5]),
    "period": pd.Series(pd.PeriodIndex(["2020-01"] * 3 + ["2021-07"] * 3 + ["1999-01"], freq="M")),
    "interval": pd.Series(pd.arrays.IntervalArray.from_tuples([(0, 1)] * 3 + [(1, 2.5)] * 3 + [(7, 8)])),
    "cut": pd.Series(pd.cut([1, 1, 1, 5, 5, 5, 9], 3)),
    "categories of integers": pd.Series(pd.Categorical([2**60 + 1] * 3 + [3] * 3 + [1])),
    "dates": pd.Series([dt.date(2020, 1, 1)] * 3 + [dt.date(1066, 10, 14)] * 3 + [dt.date(1, 1, 1)], dtype=object),
    "decimals": pd.Series([Decimal("1.0")] * 3 + [Decimal("2.25")] * 3 + [Decimal(7)], dtype=object),
    "unsigned": pd.Series([2**64 - 1] * 3 + [1] * 3 + [2], dtype="uint64"),
    "half": pd.Series([0.5] * 3 + [1.5] * 3 + [2], dtype="float16"),
    "span": pd.Series(np.array([1] * 3 + [2**61] * 3 + [5], "timedelta64[ns]")),
    "moment": pd.Series(pd.to_datetime(["2020-01-01"] * 3 + ["2021-01-01"] * 3 + ["1999-01-01"]).tz_localize("Europe/Vienna")),
}


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("kind", KEPT)
def test_shown_cells_of_a_quasi_identifier_are_those_of_the_source(kind: str) -> None:
    frame = pd.DataFrame({"q": KEPT[kind], "id": range(7)})
    released = kanon_sql.anonymize(frame, k=3, quasi_identifiers=["q"], keep=["id"]).table.set_index("id")["q"]
    shown = released.notna()
    assert shown.sum() in (3, 6)
    for row in released.index[shown]:
        assert released[row] == frame["q"][row]
        assert type(released[row]) is type(frame["q"][row])
    if released.dtype != frame["q"].dtype:
        assert kind in ("cut", "categories of integers", "sparse integers", "unsigned")


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("rows", [0, 1, 3])
def test_few_rows_and_none(rows: int) -> None:
    for kind, column in KEPT.items():
        frame = pd.DataFrame({"q": column, "id": range(7)})[:rows]
        for table in (frame, frame.drop(columns="q")):
            first, *others = table.columns
            released = kanon_sql.anonymize(table, k=1, quasi_identifiers=[first], keep=others).table
            assert len(released) == rows, kind
            if kind not in ("cut", "categories of integers"):
                assert (released.dtypes == table.dtypes).all(), kind
