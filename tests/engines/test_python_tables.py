"""Releases of tables in Python: the kind that came in goes out, with its types, its names and its other columns."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pytest
from naive import smallest_class

import kanon_sql
from kanon_sql.certificate import Release, Status
from kanon_sql.errors import AuditError, InfeasibleError, KanonError, PolicyError, SourceError, UnknownColumnError
from kanon_sql.solvers.budget import Moment

pl = pytest.importorskip("polars")

SECRET = "Schickelgruber-4711"
ROWS = {
    "id": [1, 2, 3, 4, 5],
    "Zip": ["98101", "98101", "98109", "98109", None],
    "age": [34, 34, 51, 28, 28],
    "disease": ["flu", "asthma", None, "gout", "flu"],
}
QI = ["Zip", "age"]


def test_arrow_in_arrow_out() -> None:
    source = pa.table(ROWS)
    release = kanon_sql.anonymize(source, k=2, quasi_identifiers=QI, unlisted_limit=1)
    assert isinstance(release, Release)
    assert isinstance(release.table, pa.Table)
    assert release.table.schema.types == source.schema.types
    assert release.table.column_names == list(ROWS)
    assert smallest_class(release.table, QI) >= 2
    assert sorted(zip(*(release.table.column(name).to_pylist() for name in ("id", "disease")), strict=True)) == sorted(
        zip(ROWS["id"], ROWS["disease"], strict=True)
    )
    assert release.certificate.audited
    assert release.certificate.smallest_class >= 2
    assert release.certificate.status in Status
    assert "98101" not in repr(release)


@pytest.mark.everything
def test_a_record_batch_and_a_chunked_table() -> None:
    table = pa.table(ROWS)
    for source in (table.to_batches()[0], pa.concat_tables([table.slice(0, 2), table.slice(2)])):
        assert kanon_sql.anonymize(source, k=2, quasi_identifiers=QI, unlisted_limit=1).table.num_rows == 5


ARROW: list[tuple[pa.DataType, list[Any]]] = [
    *((kind, [1, 2, 3]) for kind in (pa.int8(), pa.int16(), pa.int32(), pa.int64())),
    *((kind, [1, 2, 3]) for kind in (pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())),
    (pa.float32(), [0.5, 1.5, 2.5]),
    (pa.float64(), [0.5, float("nan"), float("inf")]),
    (pa.decimal128(38, 3), [Decimal("1.001"), Decimal("1.002"), Decimal("1.003")]),
    (pa.bool_(), [True, False, None]),
    (pa.string(), ["a", "b", ""]),
    (pa.large_string(), ["a", "b", ""]),
    (pa.string_view(), ["a", "b", "longer than twelve bytes"]),
    (pa.binary(), [b"a", b"\x00", b""]),
    (pa.large_binary(), [b"a", b"\x00", b""]),
    (pa.binary(2), [b"ab", b"cd", b"ef"]),
    (pa.date32(), [dt.date(2020, 1, 1), dt.date(2020, 1, 2), dt.date(2020, 1, 3)]),
    (pa.date64(), [dt.date(2020, 1, 1), dt.date(2020, 1, 2), dt.date(2020, 1, 3)]),
    (pa.time32("s"), [dt.time(1), dt.time(2), dt.time(3)]),
    (pa.time64("us"), [dt.time(1, 2, 3, 4), dt.time(2), dt.time(3)]),
    (pa.time64("ns"), [1, 2, 3]),
    *((pa.timestamp(unit), [1, 2, 3]) for unit in ("s", "ms", "us", "ns")),
    (pa.timestamp("us", tz="UTC"), [1, 2, 3]),
    (pa.timestamp("ms", tz="Europe/Vienna"), [1, 2, 3]),
    (pa.duration("s"), [1, 2, 3]),
    (pa.duration("us"), [1, 2, 3]),
    (pa.month_day_nano_interval(), [(1, 0, 0), (0, 1, 0), (0, 0, 1000)]),
    (pa.list_(pa.int32()), [[1], [], [2, None]]),
    (pa.large_list(pa.string()), [["a"], [], ["b"]]),
    (pa.list_(pa.int32(), 2), [[1, 2], [3, 4], [5, 6]]),
    (
        pa.struct([("x", pa.int32()), ("y", pa.large_string())]),
        [{"x": 1, "y": "a"}, {"x": None, "y": "b"}, {"x": 2, "y": None}],
    ),
    (pa.map_(pa.string(), pa.int32()), [[("a", 1)], [], [("b", 2)]]),
    (pa.dictionary(pa.int8(), pa.string()), ["a", "b", "c"]),
    (pa.dictionary(pa.int32(), pa.large_string()), ["a", "b", "c"]),
    (pa.dictionary(pa.int16(), pa.int64()), [1, 2, 3]),
    (pa.dictionary(pa.int8(), pa.string(), ordered=True), ["a", "b", "c"]),
    (pa.null(), [None, None, None]),
]


@pytest.mark.sweep
@pytest.mark.parametrize(("kind", "values"), ARROW, ids=[str(kind) for kind, _ in ARROW])
def test_arrow_types_are_kept(kind: pa.DataType, values: list[Any]) -> None:
    column = values[:1] * 3 + values[1:]
    if pa.types.is_dictionary(kind):
        typed = pa.array(column, kind.value_type).dictionary_encode().cast(kind)
    else:
        typed = pa.array(column, kind)
    source = pa.table({"id": [1, 2, 3, 4, 5], "q": typed, "r": [1, 1, 1, 2, 2], "plain": typed})
    release = kanon_sql.anonymize(source, k=2, quasi_identifiers=["q", "r"], keep=["id", "plain"])
    assert release.table.schema.types == source.schema.types
    assert release.table.column_names == source.column_names
    before = {row["id"]: row for row in source.to_pylist()}
    for row in release.table.to_pylist():
        assert repr(row["plain"]) == repr(before[row["id"]]["plain"])
        assert row["q"] is None or repr(row["q"]) == repr(before[row["id"]]["q"])
    assert smallest_class(release.table, ["q", "r"]) >= 2


def test_a_type_that_duckdb_does_not_have_is_an_error() -> None:
    with pytest.raises(SourceError, match='column "a" of type decimal256'):
        kanon_sql.anonymize(pa.table({"a": pa.array([Decimal(1), Decimal(2)], pa.decimal256(60, 2))}), k=2)


def test_arrow_metadata_does_not_disturb() -> None:
    schema = pa.schema([pa.field("a", pa.int32(), nullable=False, metadata={"x": "y"})], metadata={"k": "v"})
    table = kanon_sql.anonymize(pa.table({"a": [1, 2]}, schema=schema), k=2).table
    assert table.column("a").to_pylist() == [None, None]
    table.validate(full=True)


def test_an_arrow_extension_type() -> None:
    uuid = pa.array([b"0" * 16, b"0" * 16, b"1" * 16], pa.binary(16)).cast(pa.uuid())
    release = kanon_sql.anonymize(pa.table({"u": uuid, "r": [1, 1, 1]}), k=3)
    assert release.table.column("u").null_count == 3
    assert release.table.schema.field("u").type == pa.uuid()


def test_pandas_in_pandas_out() -> None:
    frame = pd.DataFrame(
        {
            "id": [1, 2, 3, 4, 5],
            "text": ["a", "a", "b", "b", None],
            "number": [1, 1, 2, 3, 3],
            "flag": [True, True, False, False, True],
            "real": [0.5, 0.5, float("nan"), 1.5, 1.5],
            "kind": pd.Categorical(["x", "x", "y", "y", "y"], categories=["z", "y", "x"], ordered=True),
            "day": pd.to_datetime(["2020-01-01", "2020-01-01", "2020-01-02", "2020-01-02", "2020-01-02"]),
            "zone": pd.to_datetime(["2020-01-01"] * 5).tz_localize("Europe/Vienna"),
            "whole": pd.array([1, 1, 2, None, 2], dtype="Int16"),
        },
        index=[10, 20, 30, 40, 50],
    )
    release = kanon_sql.anonymize(
        frame, k=5, quasi_identifiers=["text", "number", "flag", "real", "kind", "day"], keep=["id", "zone", "whole"]
    )
    table = release.table
    assert isinstance(table, pd.DataFrame)
    assert list(table.columns) == list(frame.columns)
    for name in ("id", "text", "real", "day", "zone", "whole"):
        assert table[name].dtype == frame[name].dtype, name
    assert table["kind"].dtype == pd.CategoricalDtype(pd.Index([], dtype="str"), ordered=True)
    assert str(table["number"].dtype) == "Int64"
    assert str(table["flag"].dtype) == "boolean"
    assert table[["text", "number", "flag", "real", "kind", "day"]].isna().all(axis=None)
    again = table.set_index("id").sort_index()
    pd.testing.assert_series_equal(again["zone"], frame.set_index("id")["zone"])
    pd.testing.assert_series_equal(again["whole"], frame.set_index("id")["whole"])


def test_pandas_without_suppressed_cells_is_unchanged() -> None:
    frame = pd.DataFrame(
        {"a": [1, 1, 2, 2], "b": [True, True, False, False], "c": ["x", "x", "y", "y"], "d": [0.5, 1.5, 2.5, None]}
    )
    release = kanon_sql.anonymize(frame, k=2, quasi_identifiers=["a", "b", "c"], keep=["d"])
    table = release.table.sort_values(["a", "d"]).reset_index(drop=True)
    pd.testing.assert_frame_equal(table, frame)
    assert release.certificate.status is Status.OPTIMAL


def test_pandas_objects_of_mixed_types_are_a_clear_error() -> None:
    frame = pd.DataFrame({"a": [1, SECRET, 2.5]})
    with pytest.raises(KanonError) as caught:
        kanon_sql.anonymize(frame, k=2)
    assert SECRET not in str(caught.value)


def test_pandas_names_that_are_no_texts() -> None:
    frame = pd.DataFrame({0: [1, 1, 2], 1: ["a", "a", "b"]})
    try:
        table = kanon_sql.anonymize(frame, k=3).table
    except KanonError:
        return
    assert list(table.columns) == [0, 1]


def test_polars_in_polars_out() -> None:
    frame = pl.DataFrame(
        {
            "id": [1, 2, 3, 4],
            "text": ["a", "a", "b", None],
            "number": pl.Series([1, 1, 2, 3], dtype=pl.UInt8),
            "kind": pl.Series(["x", "x", "y", "y"], dtype=pl.Categorical),
            "level": pl.Series(["low", "low", "high", "high"], dtype=pl.Enum(["low", "mid", "high"])),
            "time": pl.Series([dt.datetime(2020, 1, 1)] * 4, dtype=pl.Datetime("ms", "UTC")),
            "span": pl.Series([dt.timedelta(1)] * 4, dtype=pl.Duration("us")),
            "many": pl.Series([[1], [1], [2], []], dtype=pl.List(pl.Int16)),
        }
    )
    release = kanon_sql.anonymize(
        frame, k=4, quasi_identifiers=["text", "number", "kind", "level", "time", "many"], keep=["id", "span"]
    )
    assert isinstance(release.table, pl.DataFrame)
    assert release.table.drop("kind", "level").schema == frame.drop("kind", "level").schema
    assert release.table.schema["level"] == pl.Enum([])
    assert isinstance(release.table.schema["kind"], pl.Categorical)
    assert sorted(release.table["id"].to_list()) == [1, 2, 3, 4]
    assert release.table["span"].to_list() == frame["span"].to_list()
    assert release.table["level"].null_count() == 4


def test_a_duckdb_relation_in_and_out() -> None:
    with duckdb.connect() as con:
        con.register("rows", pa.table(ROWS))
        source = con.sql("SELECT *, age::DECIMAL(5,2) AS d, {'x': age} AS s FROM rows")
        release = kanon_sql.anonymize(source, k=2, quasi_identifiers=QI, unlisted_limit=1)
        assert isinstance(release.table, duckdb.DuckDBPyRelation)
        assert release.table.columns == source.columns
        assert list(map(str, release.table.types)) == list(map(str, source.types))
        assert len(release.table.fetchall()) == 5


def test_a_value_whose_text_does_not_lead_back_is_told_to_nobody() -> None:
    """DuckDB 1.4 writes an interval of 292,471 years, and does not read it."""
    with duckdb.connect() as con:
        source = con.sql("SELECT i AS a, to_microseconds(9223372036854775807) AS t FROM range(3) AS r(i)")
        if con.sql("SELECT TRY_CAST(CAST(t AS VARCHAR) AS INTERVAL) IS NULL FROM source").fetchall()[0][0]:
            with pytest.raises(SourceError, match=r"^a value of the relation cannot be restored from its text") as caught:
                kanon_sql.anonymize(source, k=3, quasi_identifiers=["a"])
            assert caught.value.__context__ is None
            return
        released = kanon_sql.anonymize(source, k=3, quasi_identifiers=["a"]).table
        assert released.fetchall() == con.sql("SELECT NULL, t FROM source").fetchall()


@pytest.mark.everything
def test_options_reach_the_policy() -> None:
    source = pa.table({"a": ["x", "x", "y", "y"], "b": [1, 2, 1, 2]})
    release = kanon_sql.anonymize(source, k=2, weights={"A": 3}, algorithm="greedy", time_limit=5.0, seed=4)
    assert release.table.column("a").null_count == 0
    assert release.certificate.algorithm == "greedy"
    release = kanon_sql.anonymize(source, k=2, masks=[["a"], []], suppress="*")
    assert release.table.column("b").to_pylist() == ["*"] * 4


def test_progress_is_told() -> None:
    seen: list[Moment] = []
    kanon_sql.anonymize(pa.table(ROWS), k=2, quasi_identifiers=QI, unlisted_limit=1, progress=seen.append)
    assert seen
    assert all(moment.step and 0 <= moment.done <= 1 for moment in seen)


WRONG: list[tuple[dict[str, Any], type[KanonError]]] = [
    ({"k": 6}, InfeasibleError),
    ({"k": 0}, PolicyError),
    ({"quasi_identifiers": ["zap"]}, UnknownColumnError),
    ({"quasi_identifiers": []}, PolicyError),
    ({"quasi_identifiers": ["zip", "Zip"]}, PolicyError),
    ({"masks": []}, PolicyError),
    ({"masks": [["zap"]]}, UnknownColumnError),
    ({"masks": [["zap"]], "quasi_identifiers": None}, UnknownColumnError),
    ({"weights": {"zap": 1}, "quasi_identifiers": None}, UnknownColumnError),
    ({"algorithm": "magic"}, PolicyError),
]


@pytest.mark.sweep
@pytest.mark.parametrize(("options", "kind"), WRONG, ids=[str(options) for options, _ in WRONG])
def test_wrong_options_are_our_errors(options: dict[str, Any], kind: type[KanonError]) -> None:
    with pytest.raises(kind):
        kanon_sql.anonymize(pa.table(ROWS), **{"k": 2, "quasi_identifiers": QI, "unlisted_limit": 1, **options})


@pytest.mark.parametrize(
    "source",
    [
        [1, 2],
        {"a": [1]},
        None,
        "people",
        pa.table([[1], [2]], names=["a", "a"]),
        pa.table([[1], [2]], names=["a", "A"]),
        pa.table({}),
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        pd.DataFrame(),
        pd.Series([1, 2]),
        pl.Series([1, 2]),
        pa.array([1, 2]),
    ],
    ids=[
        "list",
        "dict",
        "None",
        "text",
        "twice",
        "case",
        "no columns",
        "pandas twice",
        "no frame",
        "series",
        "polars",
        "array",
    ],
)
def test_what_is_no_table_is_a_source_error(source: Any) -> None:
    with pytest.raises(SourceError) as caught:
        kanon_sql.anonymize(source, k=1)
    assert "hint" in str(caught.value) or "no columns" in str(caught.value)


def test_an_empty_table() -> None:
    source = pa.table({"a": pa.array([], pa.int32()), "b": pa.array([], pa.string())})
    release = kanon_sql.anonymize(source, k=5)
    assert release.table.equals(source)
    assert (release.certificate.cost, release.certificate.status) == (0, Status.OPTIMAL)


def test_audit_counts() -> None:
    found = kanon_sql.audit(pa.table(ROWS), quasi_identifiers=QI)
    assert (found.k, found.rows, found.classes, found.uniques) == (1, 5, 4, 3)
    assert found.highest_risk == 1
    assert found.average_risk == pytest.approx(4 / 5)
    assert kanon_sql.audit(pa.table({"a": ["x", "x", None, None]})).k == 2


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("kind", ["arrow", "pandas", "polars", "relation"])
def test_audit_takes_every_kind(kind: str) -> None:
    table = pa.table(ROWS)
    with duckdb.connect() as con:
        source = {
            "arrow": lambda: table,
            "pandas": table.to_pandas,
            "polars": lambda: pl.from_arrow(table),
            "relation": lambda: con.from_arrow(table),
        }[kind]()
        assert kanon_sql.audit(source, quasi_identifiers=["zip"]).classes == 3
        release = kanon_sql.anonymize(source, k=2, quasi_identifiers=QI, unlisted_limit=1)
        assert kanon_sql.audit(release.table, quasi_identifiers=QI, k=2).k >= 2
        with pytest.raises(AuditError, match="smallest class has 1 row, fewer than k = 2; hint: anonymize the table first"):
            kanon_sql.audit(source, quasi_identifiers=QI, k=2)


def test_audit_of_an_empty_table() -> None:
    found = kanon_sql.audit(pa.table({"a": pa.array([], pa.int32())}), k=5)
    assert (found.k, found.rows, found.classes, found.highest_risk) == (None, 0, 0, None)


def test_audit_refuses_what_it_cannot_measure() -> None:
    with pytest.raises(UnknownColumnError):
        kanon_sql.audit(pa.table(ROWS), quasi_identifiers=["zap"])
    with pytest.raises(SourceError):
        kanon_sql.audit([1, 2])


@pytest.mark.everything
def test_the_connection_is_duckdbs_own(tmp_path: Any) -> None:
    path = tmp_path / "clinic.duckdb"
    with kanon_sql.connect(str(path)) as con:
        assert con.execute("CREATE TABLE people AS SELECT i % 2 AS a, i AS b FROM range(6) r(i)") is con
        assert con.execute("SELECT count(*) FROM people").fetchone() == (6,)
        assert con.fetchone() is None
        assert con.sql("FROM people LIMIT 2").fetchall() == [(0, 0), (1, 1)]
        assert con.query("SELECT 1").fetchall() == [(1,)]
        con.executemany("INSERT INTO people VALUES (?, ?)", [(1, 7), (0, 8)])
        assert con.table("people").count("*").fetchall() == [(8,)]
        assert len(con.sql("FROM k_anonymize('people', 4, qi := ['a', 'b'])").fetchall()) == 8
        with con.cursor() as cursor:
            assert len(cursor.execute("FROM k_anonymize('people', 4)").fetchall()) == 8
        assert [each.number for each in kanon_sql.releases(con)] == [1, 2]
        assert kanon_sql.register(con) is con
        assert "clinic" not in repr(con)
    with pytest.raises(duckdb.Error):
        con.execute("SELECT 1")


def test_the_connection_reraises_our_errors() -> None:
    with kanon_sql.connect() as con:
        con.execute("CREATE TABLE people AS SELECT i AS a FROM range(6) r(i)")
        with pytest.raises(InfeasibleError, match="6 rows, fewer than k = 7"):
            con.execute("FROM k_anonymize('people', 7)")
        with pytest.raises(PolicyError, match="k must be"):
            con.sql("FROM k_anonymize('people', 0)")
        with pytest.raises((InfeasibleError, duckdb.Error), match="6 rows, fewer than k = 7"):  # the relation is DuckDB's own
            con.sql("FROM k_anonymize('people', 7)").fetchall()
        with pytest.raises(duckdb.CatalogException):
            con.execute("FROM nowhere")
        assert con.execute("SELECT 1").fetchall() == [(1,)]


@pytest.mark.everything
def test_two_connections_do_not_share_their_releases() -> None:
    with kanon_sql.connect() as one, kanon_sql.connect() as other:
        one.execute("CREATE TABLE t AS SELECT 1 AS a")
        one.execute("FROM k_anonymize('t', 1)").fetchall()
        assert len(kanon_sql.releases(one)) == 1
        assert kanon_sql.releases(other) == []
