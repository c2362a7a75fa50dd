"""Whom a row describes, on Spark: refused as on DuckDB, and each hint works."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

import kanon_sql
import kanon_sql.spark
from kanon_sql.errors import AuditError, KanonError, PolicyError
from kanon_sql.model.how_many import how_many
from kanon_sql.model.refusals import IdentifierError
from kanon_sql.model.repetition import RepeatedPeopleError

pytestmark = pytest.mark.everything

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


LEFT = ["zip", "sex", "ward"]

GONE = ["visit", "born"]


def same_as_duckdb(release: Any, here: Any) -> None:
    """Compare a release of Spark with one of DuckDB: its columns, its people and its certificate."""
    assert release.table.columns == here.table.column_names
    told, other = release.certificate, here.certificate
    fields = {*told.__dataclass_fields__} - {"seconds", "number"}
    assert {name: getattr(told, name) for name in fields} == {name: getattr(other, name) for name in fields}


SCOPES: dict[str, tuple[dict[str, Any], str]] = {
    "k": ({}, "k >= 5"),
    "diversity": ({"sensitive": "ward", "l": 2}, "k >= 5"),
    "known columns": ({"known": 1}, "k >= 5 FOR ANY 1 COLUMN"),
}


@pytest.mark.parametrize("name", SCOPES)
def test_the_hints_of_dataframes_work(spark: Any, visits: Any, name: str) -> None:
    more, counted = SCOPES[name]
    error = refused(lambda: kanon_sql.spark.anonymize(visits, **more, **OPTIONS))
    assert isinstance(error, RepeatedPeopleError)
    assert (error.column, error.people, error.rows) == ("patient", 300, 1500)
    assert f"; {counted} would count rows" in str(error)
    assert str(error).endswith("hint: pass per='patient', or per_row=True if each row is a person")
    assert not spark.catalog.tableExists("released")
    here = {each: value for each, value in OPTIONS.items() if each != "into"}
    for options in ({"per": "patient", "drop": GONE}, {"per_row": True, "drop": [*GONE, "patient"]}):
        release = kanon_sql.spark.anonymize(visits, **more, **options, **OPTIONS)
        same_as_duckdb(release, kanon_sql.anonymize(visits.toArrow(), **more, **options, **here))
        spark.sql("DROP TABLE released")
    assert [table.name for table in spark.catalog.listTables() if not table.isTemporary] == []


def test_rows_of_nobody_count_for_nobody(spark: Any, visits: Any) -> None:
    options = {"k": 3, "per": "patient", "quasi_identifiers": ["zip", "sex"], "drop": GONE}
    some = visits.selectExpr("visit", "nullif(patient, patient DIV 7 * 7) AS patient", "born", "zip", "sex", "ward")
    here = kanon_sql.anonymize(some.toArrow(), **options)
    same_as_duckdb(kanon_sql.spark.anonymize(some, into="released", **options), here)


def test_people_are_counted_in_what_was_written(spark: Any, visits: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyspark.sql import functions as sf

    from kanon_sql.engines.spark.release import engine

    written = engine.released_rows
    one = sf.when(sf.col("sex") == "f", 1).otherwise(sf.col("patient"))
    monkeypatch.setattr(engine, "released_rows", lambda *given: written(*given).withColumn("patient", one))
    for more in ({}, {"known": 1}):
        error = refused(lambda more=more: kanon_sql.spark.anonymize(visits, per="patient", drop=GONE, **more, **OPTIONS))
        assert isinstance(error, AuditError)
        assert "k >= 5 PER patient" in str(error)
        assert str(error).endswith("the worst has rows of 1 person; nothing was released")
    assert [table.name for table in spark.catalog.listTables() if not table.isTemporary] == []


def test_columns_that_are_left_out_count_and_the_hints_of_the_clause_work(spark: Any, visits: Any) -> None:
    dropped = {"drop": [*GONE, "patient"]}
    assert isinstance(refused(lambda: kanon_sql.spark.anonymize(visits, **dropped, **OPTIONS)), RepeatedPeopleError)
    visits.withColumnRenamed("patient", "patient id").createOrReplaceTempView("visits")
    text = "SELECT zip, sex, CAST(ward AS STRING) AS ward{} FROM visits ANONYMIZE BY zip, sex GUARANTEE {}"
    error = refused(lambda: kanon_sql.spark.sql(text.format("", "k >= 5")))
    people, rows = "k >= 5 PER `patient id`", "k >= 5 PER ROW"
    hint = f"add `patient id` to the SELECT (PER does not release it) and write {people}, or {rows} if each row is a person"
    assert str(error).endswith(f"hint: {hint}")
    for added, guarantee in ((", `patient id`", people), ("", rows)):
        assert kanon_sql.spark.sql(text.format(added, guarantee), into="released").columns == LEFT
        spark.sql("DROP TABLE released")


def test_the_hints_of_policies_work(spark: Any, visits: Any, tmp_path: Path) -> None:
    def release(*requirements: dict[str, Any]) -> Any:
        roles = {"identifiers": [*GONE, "patient"], "kept": ["ward"], "requirements": requirements}
        data = {"name": "p", "table": "visits", "quasi_identifiers": [{"column": "zip"}, {"column": "sex"}], **roles}
        (tmp_path / "p.json").write_text(json.dumps({"policies": [data]}))
        text = "SELECT * FROM visits ANONYMIZE WITH POLICY p"
        return kanon_sql.spark.sql(text, policies=tmp_path / "p.json", into="released")

    people, rows = {"type": "people", "k": 5, "per": "patient"}, {"type": "k", "k": 5, "per_row": True}
    hint = f"add {json.dumps(people)} to the requirements, or write {json.dumps(rows)} if each row is a person"
    assert str(refused(lambda: release({"type": "k", "k": 5}))).endswith(f"hint: {hint}")
    for requirements in ([{"type": "k", "k": 5}, people], [rows]):
        assert release(*requirements).columns == LEFT
        spark.sql("DROP TABLE released")


FUNCTIONS = {
    "k_anonymize": "SELECT * FROM k_anonymize(TABLE(visits), 5, array('zip', 'sex'){})",
    "protect": "SELECT * FROM protect(TABLE(visits), 5, array('sex'){})",
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_hints_of_table_functions_work(spark: Any, visits: Any, name: str) -> None:
    from pyspark.errors import PySparkException

    kanon_sql.spark.register(spark)
    call = FUNCTIONS[name]

    def told(options: str) -> str:
        with pytest.raises(PySparkException) as failure:
            spark.sql(call.format(options)).collect()
        return str(failure.value)

    assert "hint: pass per => 'patient', or per_row => true if each row is a person" in told("")
    if name == "protect":
        found = [spark.sql(call.format(f", {option}")) for option in ("per_row => true", "per => 'patient'")]
        assert [max(row.n for row in rows.collect()) for rows in found] == [1500, 300]
        call = call.replace("'sex'", "'patient'")
        assert "a key looks like an identifier of people: patient" in told(", per_row => true")
        assert "hint: remove it from by" in told(", per_row => true")
        return
    gone = ", drop => array('visit', 'born'{})"
    options = "per => 'patient'", gone.format(""), "per_row => true", gone.format(", 'patient'")
    for option, left_out in ((options[0], options[1]), (options[2], options[3])):
        assert spark.sql(call.format(f", {option}{left_out}")).columns == LEFT
        assert spark.sql(call.format(f", {option}{left_out}")).count() == 1500
    keep = "pass keep => array('visit', 'born', 'ward') to release them on purpose"
    ways = f"pass drop => array('visit', 'born'), add them to qi, or {keep}"
    assert f"hint: {ways}" in told(", per => 'patient'")
    assert 'unknown column "names" in drop' in told(", drop => array('names')")
    assert "the column zip is dropped but has a role" in told(", drop => array('zip')")


def test_identifiers_and_unknown_columns_are_refused(spark: Any, visits: Any) -> None:
    named = visits.withColumnRenamed("visit", "email")
    options = {**OPTIONS, "per_row": True, "quasi_identifiers": ["zip", "email"]}
    error = refused(lambda: kanon_sql.spark.anonymize(named, **options))
    assert isinstance(error, IdentifierError)
    assert str(error).endswith("hint: pass drop=['email'] and remove it from quasi_identifiers")
    assert "unknown column" in str(refused(lambda: kanon_sql.spark.anonymize(named, drop=["mail"], **options)))


def test_audits_count_people_and_ask_whether_there_are_some(visits: Any) -> None:
    here = visits.toArrow()
    by = {"quasi_identifiers": ["zip", "sex"]}
    for options in ({}, {"per": "patient"}, {"per": "ward"}, {"per_row": True, "k": 5}):
        found = kanon_sql.spark.audit(visits, **options, **by)
        other = kanon_sql.audit(here, **options, **by)
        assert found.average_risk == pytest.approx(other.average_risk)
        assert found == replace(other, average_risk=found.average_risk, warnings=found.warnings)
        assert found.settled == bool(options)
        assert ("it is not clear whether a row is a person" in "".join(found.warnings)) == (not options)
    error = refused(lambda: kanon_sql.spark.audit(visits, k=5, **by))
    assert isinstance(error, RepeatedPeopleError)
    assert str(error).endswith("hint: pass per='patient', or per_row=True if each row is a person")
    # hashes of DuckDB make the table, and they differ by its version
    people = here.group_by(by["quasi_identifiers"]).aggregate([("patient", "count_distinct")])["patient_count_distinct"]
    told = how_many(min(people.to_pylist()), "person", "people")
    with pytest.raises(AuditError, match=f"the smallest class has rows of {told}, fewer than k = 9"):
        kanon_sql.spark.audit(visits, k=9, per="patient", **by)
    with pytest.raises(PolicyError, match="Spark cannot combine known with per"):
        kanon_sql.spark.audit(visits, k=5, known=1, per="patient", **by)


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
