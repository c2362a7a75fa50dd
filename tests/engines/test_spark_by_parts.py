"""Spark solves more row types than the driver takes: sound classes, an honest bound, the same rows each time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import kanon_sql.spark
from kanon_sql.engines.spark.release.by_parts import Parts

QI = ["a", "b", "c", "d"]

pytestmark = pytest.mark.everything


@pytest.fixture(scope="module")
def table() -> pa.Table:
    with duckdb.connect() as con:
        return con.sql("""
            SELECT i AS id, CASE WHEN i % 31 > 0 THEN i * i % 23 END AS a, chr(97 + (i * 7 % 5)::INT) AS b,
                   (i * 13 % 11 + i % 3)::DOUBLE AS c, i % 2 = 0 AS d
            FROM range(900) t(i)
        """).to_arrow_table()


@pytest.fixture
def into(spark: Any, request: pytest.FixtureRequest) -> Iterator[str]:
    yield "parted"
    spark.sql("DROP TABLE IF EXISTS parted")
    assert not [each.name for each in spark.catalog.listTables() if each.name.startswith("kanon_")]


@pytest.mark.parametrize(
    "options",
    [
        {"k": 4, "quasi_identifiers": ["a", "b", "c"]},
        {"k": 3, "linked": [["b", "d"]], "weights": {"a": "1/2"}, "masks": [["a", "b", "d"], ["b", "c", "d"], ["c"], []]},
    ],
    ids=["every mask", "listed masks"],
)
def test_executors_place_row_types_in_rounds(
    spark: Any, table: pa.Table, into: str, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    left: list[int] = []
    rest = Parts._rest

    def seen(self: Parts, placed: Any, *args: Any) -> Any:
        left.append(len(placed))
        return rest(self, placed, *args)

    monkeypatch.setattr(Parts, "_rest", seen)
    source = spark.createDataFrame(table)
    asked = {"quasi_identifiers": QI, "unlisted_limit": 1, **options}
    columns = asked["quasi_identifiers"]
    release = kanon_sql.spark.anonymize(source, into=into, driver_row_types=200, **asked)
    whole = kanon_sql.anonymize(table, algorithm="greedy", **asked).certificate
    found = release.certificate
    assert left[0] > ("masks" not in options)  # a round took place, beside the row types of k rows
    assert found.algorithm == "greedy by parts"
    assert (found.rows, found.row_types, found.cells) == (whole.rows, whole.row_types, whole.cells)
    assert found.lower_bound == whole.lower_bound
    assert found.lower_bound <= kanon_sql.anonymize(table, **asked).certificate.cost <= found.cost <= whole.cost * 2
    rows = release.table.toArrow()
    assert sorted(rows.column("id").to_pylist()) == list(range(900))
    shown = Counter(zip(*(rows.column(name).to_pylist() for name in columns), strict=True))
    assert min(shown.values()) >= options["k"]
    hidden = sum(rows.column(name).null_count for name in columns) - table.column("a").null_count
    assert hidden <= found.suppressed_cells
    kanon_sql.audit(rows, k=options["k"], quasi_identifiers=columns)


def test_too_few_rows_that_are_left_go_to_the_nearest_class(spark: Any, into: str) -> None:
    """Ten rows of each of twelve looks, and one row that fits nothing: the class nearest to it loses the least."""
    source = spark.sql("SELECT CAST(i % 12 AS INT) AS a, i % 2 AS b FROM range(120) t(i) UNION ALL SELECT 99, 1")
    options = {"k": 10, "quasi_identifiers": ["a", "b"]}
    release = kanon_sql.spark.anonymize(source, into=into, driver_row_types=1, **options)
    assert release.certificate.cost == 11
    assert release.certificate.classes == 12
    assert Counter(row["a"] for row in release.table.collect())[None] == 11
