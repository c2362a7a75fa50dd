"""Whom a row describes, on Spark: refused as on DuckDB, and each hint works."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

import kanon_sql
import kanon_sql.spark
from kanon_sql.errors import KanonError
from kanon_sql.model.refusals import IdentifierError, RepeatedPeopleError

pytestmark = [pytest.mark.process, pytest.mark.unlisted]

VISITS = """SELECT i AS visit, i % 300 AS patient,
    1940 + (hash(i % 300) % 60)::INT AS born, 'Z' || hash(i % 300 + 1000) % 30 AS zip,
    ['f', 'm'][1 + (hash(i % 300 + 2000) % 2)::INT] AS sex, i % 3 AS ward FROM range({}) t(i)"""

OPTIONS: dict[str, Any] = {"k": 5, "quasi_identifiers": ["zip", "sex"], "into": "released"}


@pytest.fixture
def visits(spark: Any) -> Iterator[Any]:
    with duckdb.connect() as con:
        source = spark.createDataFrame(con.sql(VISITS.format(1500)).to_arrow_table())
    source.createOrReplaceTempView("visits")
    yield source
    spark.sql("DROP TABLE IF EXISTS released")
    spark.catalog.dropTempView("visits")


def refused(release: Any) -> KanonError:
    with pytest.raises(KanonError) as refusal:
        release()
    return refusal.value


def test_repeated_people_are_refused_and_both_hints_work(spark: Any, visits: Any) -> None:
    error = refused(lambda: kanon_sql.spark.anonymize(visits, **OPTIONS))
    assert isinstance(error, RepeatedPeopleError)
    assert (error.column, error.people, error.rows) == ("patient", 300, 1500)
    assert str(error).endswith("hint: make one row of each person first, or per_row=True if each row is a person")
    assert not spark.catalog.tableExists("released")
    kanon_sql.spark.anonymize(visits, drop=["visit", "patient", "born"], per_row=True, **OPTIONS)
    spark.sql("DROP TABLE released")
    kanon_sql.spark.anonymize(visits.dropDuplicates(["patient"]), drop=["visit", "patient", "born"], **OPTIONS)
    assert spark.table("released").columns == ["zip", "sex", "ward"]


def test_columns_that_are_left_out_count(spark: Any, visits: Any) -> None:
    dropped = {"drop": ["visit", "patient", "born"]}
    assert isinstance(refused(lambda: kanon_sql.spark.anonymize(visits, **dropped, **OPTIONS)), RepeatedPeopleError)
    error = refused(lambda: kanon_sql.spark.sql("SELECT zip, sex, ward FROM visits ANONYMIZE BY zip, sex GUARANTEE k >= 5"))
    assert str(error).endswith("hint: make one row of each person first, or write k >= 5 PER ROW if each row is a person")
    kanon_sql.spark.sql("SELECT zip, sex, ward FROM visits ANONYMIZE BY zip, sex GUARANTEE k >= 5 PER ROW", into="released")


def test_identifiers_and_unknown_columns_are_refused(spark: Any, visits: Any) -> None:
    named = visits.withColumnRenamed("visit", "email")
    options = {**OPTIONS, "per_row": True, "quasi_identifiers": ["zip", "email"]}
    error = refused(lambda: kanon_sql.spark.anonymize(named, **options))
    assert isinstance(error, IdentifierError)
    assert str(error).endswith("hint: drop=['email'] (and not in quasi_identifiers)")
    assert "unknown column" in str(refused(lambda: kanon_sql.spark.anonymize(named, drop=["mail"], **options)))


def test_large_tables_are_judged_by_a_sample(spark: Any) -> None:
    with duckdb.connect() as con:
        large = spark.createDataFrame(con.sql(VISITS.format(60_000).replace("% 300", "% 9000")).to_arrow_table())
        single = spark.createDataFrame(con.sql(VISITS.format(60_000).replace("% 300", "% 60000")).to_arrow_table())
    error = refused(lambda: kanon_sql.spark.anonymize(large, **OPTIONS))
    assert isinstance(error, RepeatedPeopleError)
    assert error.column == "patient"
    assert error.people == pytest.approx(9000, rel=0.1)
    left = {"drop": ["visit", "patient"], **OPTIONS, "quasi_identifiers": ["zip", "sex", "born"]}
    assert kanon_sql.spark.anonymize(single, **left).certificate.rows == 60_000
    spark.sql("DROP TABLE released")
