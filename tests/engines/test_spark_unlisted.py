"""Columns without a role on Spark: the same refusals and the same warnings as those of DuckDB, from counts of its own."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

import kanon_sql
import kanon_sql.spark
from kanon_sql.engines.spark.release.joining import released_rows
from kanon_sql.errors import AuditError, KanonWarning, UnlistedColumnError

pytestmark = pytest.mark.everything

PEOPLE = (
    "SELECT i AS person_id, 'N' || i AS name, '0213' || i % 5 AS zip, 20 + i % 60 AS age, i % 2 AS sex FROM range(400) t(i)"
)

RARE = """SELECT i % 2 AS zip, CASE WHEN i < 380 THEN 'flu' WHEN i < 384 THEN NULL ELSE 'rare ' || i END AS illness
    FROM range(400) t(i)"""

COPY = "SELECT '0213' || i % 5 AS zip, i % 40 AS age, 1970 - i % 40 AS born, i % 3 AS ward FROM range(400) t(i)"

TOGETHER = "SELECT i % 2 AS zip, i % 30 AS a, i // 30 AS b FROM range(300) t(i)"

LONELY = """SELECT i % 2 AS zip, CASE WHEN i < 399 THEN 'x' END AS note, [i % 3, NULL] AS list, {'a': i % 7} AS pair
    FROM range(400) t(i)"""

ODD = """SELECT i % 4 AS zip, i AS "a.b", 'N' || i AS "back`tick", i % 2 AS "select",
        [['x, y'], ['x', 'y'], [NULL], []][1 + i % 4] AS "é list", i % 3 AS "${cells} {{ x }}"
    FROM range(200) t(i)"""

CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "names": (PEOPLE, {"quasi_identifiers": ["zip", "sex"]}),
    "names, kept": (PEOPLE, {"quasi_identifiers": ["zip", "sex"], "keep": ["person_id", "NAME", "age"]}),
    "names, a limit of 1": (PEOPLE, {"quasi_identifiers": ["zip", "sex"], "unlisted_limit": 1}),
    "names, generalized": (
        PEOPLE,
        {"quasi_identifiers": ["zip", "age"], "recodings": {"zip": "DIGITS", "age": "INTERVALS (20)"}},
    ),
    "rare diagnoses": (RARE, {"quasi_identifiers": ["zip"]}),
    "rare diagnoses, a limit of 0": (RARE, {"quasi_identifiers": ["zip"], "unlisted_limit": 0}),
    "rare diagnoses, sensitive": (RARE, {"quasi_identifiers": ["zip"], "sensitive": "illness", "t": 1}),
    "a copy": (COPY, {"quasi_identifiers": ["zip", "age"], "k": 30}),
    "a copy, kept": (COPY, {"quasi_identifiers": ["zip", "age"], "k": 30, "keep": ["born", "ward"]}),
    "a copy, generalized": (
        COPY,
        {"quasi_identifiers": ["age"], "k": 30, "recodings": {"age": "INTERVALS (10, 20)"}, "keep": ["born", "zip", "ward"]},
    ),
    "together": (TOGETHER, {"quasi_identifiers": ["zip"]}),
    "together, a text for suppressed cells": (
        TOGETHER,
        {"quasi_identifiers": ["zip", "a"], "suppress": "*", "unlisted_limit": 1},
    ),
    "NULL, lists": (LONELY, {"quasi_identifiers": ["zip"]}),
    "odd names": (ODD, {"quasi_identifiers": ["zip"]}),
    "odd names, kept": (
        ODD,
        {"quasi_identifiers": ["zip"], "keep": ["a.b", "back`tick", "select", "é list", "${cells} {{ x }}"]},
    ),
    "names of people with two rows": (
        "SELECT i // 2 AS person, 'N' || i // 2 AS name, i % 5 AS zip, i % 3 AS ward FROM range(400) t(i)",
        {"quasi_identifiers": ["zip"], "per": "person"},
    ),
    "everything has a role": ("SELECT i % 2 AS zip FROM range(20) t(i)", {"quasi_identifiers": ["zip"]}),
    "no rows": ("SELECT 1 AS zip, 'x' AS name LIMIT 0", {"quasi_identifiers": ["zip"]}),
}  # fmt: skip


@pytest.fixture(autouse=True)
def nothing_left(spark: Any) -> Iterator[None]:
    yield
    for table in spark.catalog.listTables():
        assert not table.name.startswith("kanon_")
        if not table.isTemporary:
            spark.sql(f"DROP TABLE {table.name}")


def said(release: Any) -> tuple[str, Any]:
    """Return a refusal, or what is warned of and what the certificate has."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always", KanonWarning)
        try:
            certificate = release().certificate
        except UnlistedColumnError as refusal:
            return str(refusal), refusal.columns
    assert {each.filename for each in seen} <= {__file__}
    return "released", ([str(each.message) for each in seen], certificate.warnings, certificate.unchanged, certificate.policy)


@pytest.mark.parametrize("case", CASES)
def test_spark_decides_as_duckdb_does(spark: Any, case: str) -> None:
    query, options = CASES[case]
    with duckdb.connect() as con:
        table = con.sql(query).to_arrow_table()
    source, options = spark.createDataFrame(table), {"k": 5, "algorithm": "greedy", **options}
    found = said(lambda: kanon_sql.spark.anonymize(source, into="released", **options))
    assert found == said(lambda: kanon_sql.anonymize(table, **options))
    assert spark.catalog.tableExists("released") == (found[0] == "released")


def people(spark: Any) -> Any:
    return spark.sql("SELECT i % 2 AS zip, concat('N', i) AS name FROM range(40) t(i)")


def test_a_refused_release_is_never_written(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyspark.sql.readwriter import DataFrameWriter

    monkeypatch.setattr(DataFrameWriter, "saveAsTable", lambda *_, **__: pytest.fail("something was written"))
    known = len(kanon_sql.spark.releases(spark))
    with pytest.raises(UnlistedColumnError, match=r"looks like an identifier of people: name"):
        kanon_sql.spark.anonymize(people(spark), k=5, quasi_identifiers=["zip"], into="r")
    people(spark).createOrReplaceTempView("people")
    for text in (
        "CREATE TABLE r AS FROM people ANONYMIZE BY zip GUARANTEE k >= 5",
        "FROM people ANONYMIZE BY zip GUARANTEE k >= 5",
    ):
        with pytest.raises(UnlistedColumnError, match=r"looks like an identifier of people: name"):
            kanon_sql.spark.sql(text, session=spark)
    spark.catalog.dropTempView("people")
    assert not spark.catalog.tableExists("r")
    assert len(kanon_sql.spark.releases(spark)) == known


def test_row_types_that_executors_solve_are_refused_too(spark: Any) -> None:
    source = spark.sql("SELECT i % 50 AS zip, i AS id FROM range(500) t(i)")
    with pytest.raises(UnlistedColumnError, match=r"id singles out 100.0% of the rows"):
        kanon_sql.spark.anonymize(source, k=5, quasi_identifiers=["zip"], into="r", driver_row_types=10)
    with pytest.warns(
        KanonWarning,
        match=r"^id is released unchanged and singles out 100.0% of the rows \(values shared by fewer than 5 rows\)$",
    ):
        kanon_sql.spark.anonymize(source, k=5, quasi_identifiers=["zip"], keep=["id"], into="r", driver_row_types=10)


def test_warnings_that_are_errors_leave_nothing(spark: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", KanonWarning)
        with pytest.raises(AuditError, match="warning treated as an error: name is released unchanged"):
            kanon_sql.spark.anonymize(people(spark), k=5, quasi_identifiers=["zip"], keep=["name"], into="r")
    assert not spark.catalog.tableExists("r")


ZERO = "concat(repeat('-', CAST(i = 0 AS INT)), '0.0')"

COLUMNS = {
    # a collation calls all of them equal, and a reader sees 32 texts
    "collated": ("translate(bin(32 + i), '01', 'aA') COLLATE UTF8_LCASE", "100.0%"),
    "zero": (f"CAST({ZERO} AS DOUBLE)", "3.1%"),
    "zeros": (f"array(CAST({ZERO} AS FLOAT))", "3.1%"),
    "nan": ("CAST(IF(i = 0, 'NaN', '1') AS FLOAT)", "3.1%"),
    "nothing": ("IF(i = 0, NULL, 1)", "3.1%"),
    "empty": ("IF(i = 0, array(), array(CAST(NULL AS INT)))", "3.1%"),
    "lists": ("IF(i = 0, array('x, y'), array('x', 'y'))", "3.1%"),
    "pairs": ("IF(i = 0, struct(NULL AS a, 1 AS b), struct(1 AS a, NULL AS b))", "3.1%"),
    "bytes": ("CAST(CAST(i AS STRING) AS BINARY)", "100.0%"),
    "wait": ("make_dt_interval(0, 0, 0, i / 1000000)", "100.0%"),
    "moment": ("TIMESTAMP_NTZ'2024-01-01 00:00:00' + make_dt_interval(0, 0, 0, i / 1000000)", "100.0%"),
    "amount": ("CAST(CAST(i AS DECIMAL(30, 0)) / 1000000 AS DECIMAL(38, 10))", "100.0%"),
    "same": ("IF(i < 16, 'x', 'y ')", None),
}


def test_values_are_told_apart_as_a_reader_sees_them(spark: Any) -> None:
    columns = ", ".join(f"{value} AS {name}" for name, (value, _) in COLUMNS.items())
    source = spark.sql(f"SELECT i % 2 AS zip, {columns} FROM range(32) t(i)")
    options = {"k": 5, "quasi_identifiers": ["zip"], "keep": list(COLUMNS)}
    with pytest.warns(KanonWarning) as seen:
        certificate = kanon_sql.spark.anonymize(source, into="r", **options).certificate
    told = [
        f"{name} is released unchanged and singles out {share} of the rows" for name, (_, share) in COLUMNS.items() if share
    ]
    assert certificate.warnings == tuple(told)
    assert [str(each.message) for each in seen] == ["; ".join(told)]


def test_a_column_that_is_another_when_it_is_written_is_refused(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    source = spark.sql("SELECT i % 2 AS zip, reflect('java.util.UUID', 'randomUUID') AS c FROM range(40) t(i)")
    with pytest.raises(AuditError, match="different rows when it was read again"):
        kanon_sql.spark.anonymize(source, k=5, quasi_identifiers=["zip"], keep=["c"], into="r")

    def written(_source: Any, *args: Any) -> Any:
        return released_rows(people(spark), *args)

    monkeypatch.setattr("kanon_sql.engines.spark.release.engine.released_rows", written)
    counted = people(spark).selectExpr("zip", "'N' AS name")  # it singles nobody out when it is counted
    with pytest.raises(AuditError, match="different rows when it was read again"):
        kanon_sql.spark.anonymize(counted, k=5, quasi_identifiers=["zip"], into="r")
    assert not spark.catalog.tableExists("r")
