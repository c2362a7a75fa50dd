"""What could put a wrong release on Spark: equal values that look different, sources that move, files that change."""

from __future__ import annotations

import datetime as dt
import sys
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import kanon_sql.spark
from kanon_sql.engines.spark.connect.scratch import Scratch
from kanon_sql.engines.spark.release.engine import SparkEngine, StagedTable
from kanon_sql.errors import AuditError, KanonError, PolicyError, SourceError
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import AlphaAnonymity
from kanon_sql.model.secret import secret_of
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.problem import Problem
from kanon_sql.table.recoding import Recoding

pytestmark = pytest.mark.everything

SECRET = "Schickelgruber-4711"


@pytest.fixture(autouse=True)
def nothing_left(spark: Any) -> Iterator[None]:
    yield
    for table in spark.catalog.listTables():
        assert not table.name.startswith("kanon_")
        if not table.isTemporary:
            spark.sql(f"DROP TABLE {table.name}")


def many_types(spark: Any) -> Any:
    """Two rows of each of six looks; the floats of each pair of rows look different, the collated texts of none is alone."""
    return spark.sql("""
        SELECT CAST(i AS INT) AS id,
               CAST(CASE WHEN i % 3 > 0 THEN 1.5 WHEN i < 6 THEN '-0.0' ELSE '0.0' END AS DOUBLE) AS f,
               CASE WHEN i % 2 = 0 THEN 'Ab' WHEN i % 4 = 1 THEN 'aB' END COLLATE UTF8_LCASE AS t,
               array(CAST(CASE WHEN i % 3 > 0 THEN 'NaN' WHEN i < 6 THEN '-0.0' ELSE '0.0' END AS FLOAT), NULL) AS fs,
               CAST(i % 2 AS DECIMAL(38, 10)) AS d, DATE'1582-10-01' + CAST(i % 2 AS INT) AS day,
               TIMESTAMP'2024-10-27 01:30:00.123456+00:00' + make_dt_interval(0, i % 2) AS moment,
               TIMESTAMP_NTZ'0001-01-01 00:00:00.000001' AS plain,
               CASE WHEN i % 2 = 0 THEN X'00FF' END AS bytes, struct(i % 2 AS a, 'x' AS b) AS pair,
               make_dt_interval(0, 0, 0, i % 2 / 1000) AS wait, CAST(i % 2 AS BYTE) AS small, i % 2 = 0 AS flag
        FROM range(0, 12) AS t(i)
    """)


def test_values_and_types_stay_and_the_rows_of_a_class_look_the_same(spark: Any) -> None:
    source = many_types(spark)
    names = source.columns[1:]
    release = kanon_sql.spark.anonymize(source, k=2, quasi_identifiers=names, keep=["id"], into="typed")
    assert release.table.dtypes == source.dtypes
    before = {row["id"]: row for row in source.collect()}
    rows = release.table.collect()
    assert sorted(row["id"] for row in rows) == sorted(before)
    for row in rows:
        for name in names:
            assert row[name] is None or same(row[name], before[row["id"]][name])
    shown = Counter(tuple(repr(row[name]) for name in names) for row in rows)
    assert min(shown.values()) >= 2
    assert release.certificate.classes == len(shown)
    assert any(row["t"] == "Ab" for row in rows)
    assert {type(row["d"]) for row in rows} >= {Decimal}
    assert {row["plain"] for row in rows} == {dt.datetime(1, 1, 1, 0, 0, 0, 1)}


def same(one: Any, other: Any) -> bool:
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other or (one != one and other != other)


@pytest.mark.parametrize(
    ("column", "error", "message"),
    [
        ("map('a', 1)", SourceError, "type map"),
        ("parse_json('1')", SourceError, "type variant"),
        ("make_ym_interval(1)", SourceError, "year-month|interval"),
        ("array(map('a', 1))", SourceError, "type map"),
        ("array('a' COLLATE UTF8_LCASE)", PolicyError, "collation"),
        ("NULL", SourceError, "type void"),
    ],
)
def test_what_cannot_be_carried_exactly_is_refused(spark: Any, column: str, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        kanon_sql.spark.anonymize(spark.sql(f"SELECT {column} AS c, 1 AS d"), k=1, quasi_identifiers=["c"], into="r")


def test_diseases_that_a_collation_calls_equal_are_no_diversity(spark: Any) -> None:
    disease = "CASE i % 4 WHEN 0 THEN 'flu' ELSE 'FLU' END COLLATE UTF8_LCASE"
    source = spark.sql(f"SELECT i % 2 AS a, {disease} AS s FROM range(8) t(i)")
    with pytest.raises(PolicyError, match="s has a collation"):
        kanon_sql.spark.anonymize(source, quasi_identifiers=["a"], sensitive="s", l=2, into="r")


def test_a_source_that_gives_other_rows_each_time_is_refused(spark: Any) -> None:
    source = spark.sql("SELECT hash(reflect('java.util.UUID', 'randomUUID')) % 3 AS a FROM range(40)")
    with pytest.raises(AuditError, match="different rows when it was read again"):
        kanon_sql.spark.anonymize(source, k=2, quasi_identifiers=["a"], into="r")
    assert not spark.catalog.tableExists("r")


@pytest.mark.parametrize("change", ["INSERT INTO {} VALUES (1, 7)", "INSERT INTO {} SELECT * FROM {} LIMIT 1"])
def test_files_that_change_before_the_audit_are_refused(spark: Any, monkeypatch: pytest.MonkeyPatch, change: str) -> None:
    staged = SparkEngine.stage_mapped

    def tampered(engine: SparkEngine, *args: Any) -> StagedTable:
        found = staged(engine, *args)
        spark.sql(change.format(found.name, found.name))
        return found

    monkeypatch.setattr(SparkEngine, "stage_mapped", tampered)
    source = spark.sql("SELECT i % 3 AS a, i AS b FROM range(9) t(i)")
    with pytest.raises(AuditError, match="the written rows have changed"):
        kanon_sql.spark.anonymize(source, k=3, quasi_identifiers=["a"], keep=["b"], into="r")
    assert not spark.catalog.tableExists("r")


def test_a_solver_that_shows_too_much_is_found_out(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def everything_shown(problem: Problem, budget: Budget) -> Recoding:
        types = np.arange(problem.table.row_types, dtype=np.int32)
        return Recoding(row_type=types, shown=np.full(len(types), 1, np.uint64), count=problem.table.weight.copy())

    stand_in = SimpleNamespace(solve=everything_shown)
    monkeypatch.setitem(sys.modules, "kanon_sql.solvers.k_anonymity.greedy", stand_in)
    source = spark.sql("SELECT i % 4 AS a FROM range(9) t(i)")
    with pytest.raises(AuditError, match="3 classes have fewer than 3 rows, and the smallest has 2"):
        kanon_sql.spark.anonymize(source, k=3, quasi_identifiers=["a"], algorithm="greedy", into="r")
    assert not spark.catalog.tableExists("r")


def test_an_error_of_spark_quotes_no_value(spark: Any) -> None:
    source = spark.sql(f"SELECT CAST(concat('{SECRET}', i) AS INT) AS a FROM range(3) t(i)")
    with pytest.raises(SourceError, match="CAST_INVALID_INPUT") as caught:
        kanon_sql.spark.anonymize(source, k=2, quasi_identifiers=["a"], into="r")
    error: BaseException | None = caught.value
    while error is not None:
        assert SECRET not in str(error)
        error = error.__context__ or error.__cause__


def test_which_rows_are_suppressed_follows_the_secret_and_no_plan_tells_it(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    plans: list[str] = []
    monkeypatch.setattr("kanon_sql.engines.spark.release.engine.released_rows", explained(plans))
    source = spark.sql("SELECT CASE WHEN i < 9 THEN 'x' ELSE 'y' END AS a, i AS b FROM range(11) t(i)")

    def hidden(secret: str, into: str) -> list[int]:
        options = {"k": 3, "quasi_identifiers": ["a"], "keep": ["b"], "algorithm": "greedy", "secret": secret}
        release = kanon_sql.spark.anonymize(source, into=into, **options)
        assert release.certificate.cost == 3
        return sorted(row["b"] for row in release.table.collect() if row["a"] is None)

    first = hidden(SECRET, "r1")
    assert len(first) == 3
    assert hidden(SECRET, "r2") == first
    assert any(hidden(f"another {number}", f"o{number}") != first for number in range(2))
    assert plans
    assert not any(SECRET in plan or "kanon#key#" not in plan for plan in plans)


def explained(plans: list[str]) -> Any:
    from kanon_sql.engines.spark.release.joining import released_rows

    def told(*args: Any) -> Any:
        rows = released_rows(*args)
        plans.append(rows._jdf.queryExecution().toString())
        assert args[-1].hex() not in plans[-1].lower()
        return rows

    return told


def test_a_table_that_is_there_stays(spark: Any) -> None:
    spark.sql("CREATE TABLE r USING parquet AS SELECT 1 AS a")
    with pytest.raises(SourceError, match="already exists"):
        kanon_sql.spark.anonymize(spark.table("r"), k=1, quasi_identifiers=["a"], into="R")
    assert spark.table("r").collect() == [(1,)]


def test_what_is_no_table_is_refused(spark: Any) -> None:
    for source in (None, spark.readStream.format("rate").load(), spark.sql("SELECT 1 AS a, 2 AS A")):
        with pytest.raises(KanonError):
            kanon_sql.spark.anonymize(source, k=1, into="r")


def test_an_empty_table_is_released_empty(spark: Any) -> None:
    source = spark.sql("SELECT i AS a, CAST(i AS STRING) AS b FROM range(0) t(i)")
    release = kanon_sql.spark.anonymize(source, k=5, quasi_identifiers=["a"], into="empty")
    assert release.table.dtypes == source.dtypes
    assert (release.table.count(), release.certificate.rows, release.certificate.classes) == (0, 0, 0)


def test_settings_of_the_session_do_not_change_what_a_named_value_means(spark: Any) -> None:
    spark.conf.set("spark.sql.parser.escapedStringLiterals", "true")
    try:
        source = spark.sql("SELECT i % 2 AS a, CASE WHEN i % 4 < 2 THEN 'état' ELSE 'b' END AS s FROM range(16) t(i)")
        policy = {"requirements": [AlphaAnonymity(sensitive="s", value="état", alpha="1/4")], "quasi_identifiers": ["a"]}
        scratch = Scratch(spark=spark, schema=("default",))
        engine = SparkEngine(source, "r", "parquet", secret_of(SECRET), surface="dataframe", scratch=scratch)
        source.createOrReplaceTempView("seen")
        staged = StagedTable(name="seen", expected="", histogram=None, pieces=None)
        (requirement,) = policy["requirements"]
        answer = engine.ask(Policy.of(**policy).resolve(["a", "s"]), requirement, staged)
        assert (answer.failing, answer.worst) == (2, "in the worst, 4 of 8 rows")
    finally:
        spark.conf.unset("spark.sql.parser.escapedStringLiterals")
        spark.catalog.dropTempView("seen")


def test_metadata_that_lists_values_does_not_stay_and_lengths_do(spark: Any) -> None:
    from pyspark.sql import functions as sf

    spark.sql("CREATE TABLE r (a VARCHAR(9), b CHAR(3), c INT) USING parquet")
    spark.sql("INSERT INTO r VALUES ('x', 'abc', 1), ('x', 'abc', 2), ('y', 'abc', 3)")
    source = spark.table("r")
    listing = {"ml_attr": {"vals": [SECRET]}}
    source = source.select("a", "b", sf.col("c").alias("c", metadata=listing), sf.col("c").alias("d", metadata=listing))
    kanon_sql.spark.anonymize(source, k=2, quasi_identifiers=["a", "b", "c"], keep=["d"], into="lengths")
    told = dict(row[:2] for row in spark.sql("DESCRIBE lengths").collect())
    assert told == {"a": "varchar(9)", "b": "char(3)", "c": "int", "d": "int"}
    assert SECRET not in spark.table("lengths").schema.json()
