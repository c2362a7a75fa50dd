"""Spark and DuckDB release the same cases: equal cost, bound and classes, and nothing else changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from kanon_sql.model.requirements import AlphaAnonymity, BetaLikeness, DeltaDisclosure, KnownColumns, LDiversity, TCloseness

pytestmark = pytest.mark.everything

ROWS = 240


def visits() -> pa.Table:
    """A table whose row types are few and small, with NULL in every column, so that some are split."""
    with duckdb.connect() as con:
        return con.sql(f"""
            SELECT i AS id, nullif(concat('981', (i * 7 % 13) // 4, i * 5 % 3), '98101') AS zip,
                   nullif(20 + i * 11 % 17, 29) AS age, nullif(chr(97 + (i * i % 5)::INT), 'e') AS job,
                   nullif(['flu', 'gout', 'asthma', 'none'][1 + (i * 13 % 7) % 4], 'none') AS disease, i * 3 % 10 AS pay
            FROM range({ROWS}) t(i)
        """).to_arrow_table()


@pytest.fixture(scope="module")
def source(spark: Any) -> Any:
    frame = spark.createDataFrame(visits()).repartition(2).cache()
    frame.count()
    return frame


@pytest.fixture
def into(spark: Any, request: pytest.FixtureRequest) -> Iterator[str]:
    name = f"released_{abs(hash(request.node.name)):x}"
    yield name
    spark.sql(f"DROP TABLE IF EXISTS {name}")
    assert not [each.name for each in spark.catalog.listTables() if each.name.startswith("kanon_")]


QI = ["zip", "age", "job"]

CASES: dict[str, dict[str, Any]] = {
    "k": {"k": 5},
    "greedy, split": {"k": 7, "algorithm": "greedy", "weights": {"age": "1/3"}, "linked": [["zip", "job"]]},
    "masks, text": {"k": 4, "masks": [["zip", "age"], ["job"], []], "suppress": "*"},
    "generalized": {"k": 5, "recodings": {"zip": "DIGITS (4, 3)", "age": "INTERVALS (5, 10)", "job": "HIERARCHY jobs"}},
    "losses of the finest": {"k": 5, "recodings": {"job": "HIERARCHY jobs (1) LOSS (0.3)", "age": "INTERVALS (10) LOSS (0.2)"}},
    "ends": {"k": 5, "recodings": {"age": "INTERVALS (5, 10) TOP 60 BOTTOM 25", "zip": "DIGITS (4)"}},
    "chosen intervals": {"k": 5, "recodings": {"age": "INTERVALS"}},
    "frequency, equal": {"k": 3, "sensitive": "disease", "l": 2, "t": "0.3"},
    "ordered, recursive": {
        "k": 3,
        "requirements": [
            TCloseness(sensitive="pay", t="0.25", metric="ordered"),
            LDiversity(sensitive="disease", l=2, variant="recursive", c=3),
        ],
    },
    "beta, delta": {
        "requirements": [BetaLikeness(sensitive="disease", beta=2), DeltaDisclosure(sensitive="pay", delta="3/2")],
    },
    "any two columns": {"k": 5, "known": 2},
    "sets, text": {"k": 6, "known": [["zip", "age"], ["job"]], "suppress": "*"},
    "linked, masks": {"k": 4, "known": 1, "linked": [["zip", "job"]], "masks": [["zip", "age", "job"], ["age"], []]},
    "any two columns, generalized": {"k": 5, "known": 2, "recodings": {"zip": "DIGITS (4, 3)", "job": "HIERARCHY jobs"}},
    "values of any two columns": {"k": 4, "known": 2, "sensitive": "disease", "l": 2, "t": "0.6"},
    "other values of any two columns": {
        "requirements": [
            KnownColumns(k=3, columns=2),
            KnownColumns(of=AlphaAnonymity(sensitive="disease", value="flu", alpha="0.75"), columns=2),
            KnownColumns(of=LDiversity(sensitive="pay", l=2, variant="recursive", c=3), sets=[["zip"], ["job", "age"]]),
            KnownColumns(of=TCloseness(sensitive="pay", t="0.5", metric="ordered"), columns=1),
            KnownColumns(of=BetaLikeness(sensitive="disease", beta=4), columns=1),
            KnownColumns(of=DeltaDisclosure(sensitive="disease", delta=2), columns=1),
        ],
    },
    "alpha, distinct": {
        "requirements": [
            AlphaAnonymity(sensitive="disease", value="flu", alpha="0.5"),
            LDiversity(sensitive="pay", l=3, variant="distinct"),
        ],
    },
}


def jobs() -> pa.Table:
    return pa.table(
        {"value": ["a", "b", "c", "d", None, "x", "y"], "parent": ["x", "x", "y", "y", "y", "*", "*"]},
    )


@pytest.mark.parametrize("case", CASES)
def test_spark_releases_what_duckdb_releases(spark: Any, source: Any, into: str, case: str) -> None:
    import kanon_sql.spark

    options = {"quasi_identifiers": QI, "time_limit": None, "unlisted_limit": 1, **CASES[case]}
    beside = {"tables": {"jobs": jobs()}} if "jobs" in str(options.get("recodings")) else {}
    if beside:
        spark.createDataFrame(jobs()).createOrReplaceTempView("jobs")
    release = kanon_sql.spark.anonymize(source, into=into, **options)
    expected = kanon_sql.anonymize(visits(), **beside, **options)
    found, wanted = release.certificate, expected.certificate
    same = ("requirements", "cost", "lower_bound", "bound_method", "rows", "row_types", "suppressed_cells", "cells")
    assert {name: getattr(found, name) for name in same} == {name: getattr(wanted, name) for name in same}
    assert (found.classes, found.smallest_class) == (wanted.classes, wanted.smallest_class)
    assert found.policy == wanted.policy
    assert found.status == wanted.status
    by_known = ("known_columns", "sets_audited", "smallest_class_known", "warnings")
    assert {name: getattr(found, name) for name in by_known} == {name: getattr(wanted, name) for name in by_known}
    table = release.table.toArrow()
    assert table.column_names == visits().column_names
    assert shown(table) == shown(expected.table)
    assert_cells(table, options.get("suppress"), set(CASES[case].get("recodings", ())))


def shown(table: pa.Table) -> Counter[tuple[Any, ...]]:
    return Counter(zip(*(table.column(name).to_pylist() for name in QI), strict=True))


def assert_cells(table: pa.Table, hidden: str | None, coarsened: set[str]) -> None:
    """Each row is a row of the source, and shows its cells or hides them."""
    before = {row["id"]: row for row in visits().to_pylist()}
    rows = table.to_pylist()
    assert sorted(row["id"] for row in rows) == sorted(before)
    for row in rows:
        for name, value in before[row["id"]].items():
            if name not in QI:
                assert row[name] == value
            elif name not in coarsened and row[name] != hidden:
                assert row[name] == (value if hidden is None or value is None else str(value))
    assert [row["id"] for row in rows] != sorted(before)


@pytest.mark.parametrize(
    "options",
    [
        {"l": 2, "t": "0.9", "beta": 99, "delta": 99},
        {"variant": "recursive", "l": 2, "c": 4, "t": 1, "metric": "ordered"},
        {"known": 1, "quasi_identifiers": ["zip", "pay"], "t": "0.9"},
        {"known": 2, "quasi_identifiers": QI, "k": None},
        {"known": 9, "quasi_identifiers": QI, "k": 1},
    ],
)
def test_the_audit_counts_what_duckdb_counts(source: Any, options: dict[str, Any]) -> None:
    import kanon_sql.spark

    asked = {"quasi_identifiers": ["zip"], "k": 5, "sensitive": "disease", **options}
    assert kanon_sql.spark.audit(source, **asked) == replace(kanon_sql.audit(visits(), **asked), warnings=())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 100}, "smallest class has 6 rows"),
        ({"l": 4}, "does not hold"),
        ({"t": "0.01"}, "at a distance of 0."),
        ({"known": 1, "k": 40}, "smallest class by any 1 column has 6 rows, fewer than k = 40"),
        ({"known": 1, "l": 4}, r"l\(disease\) >= 4 FOR ANY 1 COLUMN does not hold: by some set in the worst"),
    ],
)
def test_the_audit_finds_what_does_not_hold(source: Any, options: dict[str, Any], message: str) -> None:
    import kanon_sql.spark
    from kanon_sql.errors import AuditError

    with pytest.raises(AuditError, match=message):
        kanon_sql.spark.audit(source, quasi_identifiers=["zip"], sensitive="disease", **options)
