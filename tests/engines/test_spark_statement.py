"""The clause and named policies on Spark."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import kanon_sql.spark
from kanon_sql.errors import ClauseError, PolicyError, SourceError, UnknownColumnError

pytestmark = pytest.mark.everything

CLAUSE = "ANONYMIZE BY zip, `a ge` GUARANTEE k >= 3 USING greedy"


@pytest.fixture(scope="module")
def people(spark: Any) -> Iterator[Any]:
    rows = [(n, f"9810{n % 4}", 30 + n % 3, "flu") for n in range(24)]
    spark.createDataFrame(rows, "id int, zip string, `a ge` int, disease string").createOrReplaceTempView("people")
    yield spark
    spark.catalog.dropTempView("people")


@pytest.fixture
def dropped(people: Any) -> Iterator[Any]:
    yield people
    for table in people.catalog.listTables():
        if not table.isTemporary:
            people.sql(f"DROP TABLE `{table.name}`")


def test_a_query_with_the_clause_is_released(dropped: Any) -> None:
    text = f"WITH old AS (SELECT * FROM people WHERE id < 20) SELECT zip, `a ge` FROM old {CLAUSE} ORDER BY zip DESC LIMIT 7"
    found = kanon_sql.spark.sql(text, into="default.shown")
    assert found.columns == ["zip", "a ge"]
    assert found.count() == 7
    assert dropped.table("shown").count() == 20
    certificate = kanon_sql.spark.releases(dropped)[-1]
    assert (certificate.rows, certificate.algorithm) == (20, "greedy")
    assert certificate.smallest_class is not None
    assert certificate.smallest_class >= 3


def test_a_policy_of_a_file_drops_identifiers(dropped: Any, tmp_path: Path) -> None:
    policy = {
        "name": "research",
        "table": "people",
        "quasi_identifiers": [{"column": "zip"}, {"column": "a ge"}],
        "requirements": [{"type": "k", "k": 4}],
        "identifiers": ["id"],
        "kept": ["disease"],
    }
    file = tmp_path / "policies.json"
    file.write_text(json.dumps({"policies": [policy]}))
    kanon_sql.spark.sql("CREATE TABLE r USING parquet AS FROM people ANONYMIZE WITH POLICY research", policies=file)
    assert dropped.table("r").columns == ["zip", "a ge", "disease"]
    wrong = 'there is no policy "reserch"; hint: did you mean'
    with pytest.raises(PolicyError, match=wrong):
        kanon_sql.spark.anonymize(dropped.table("people"), policy="reserch", policies=file, into="s")


GROUPS = "SELECT zip, `a ge`, count(*) AS n FROM people GROUP BY zip, `a ge`"


def test_rows_that_are_groups_need_to_be_what_counts(dropped: Any, tmp_path: Path) -> None:
    policies = [
        {
            "name": f"per_row_{per_row}",
            "table": "people",
            "quasi_identifiers": [{"column": "zip"}, {"column": "a ge"}],
            "requirements": [{"type": "k", "k": 3, "per_row": per_row}],
            "kept": ["n"],
        }
        for per_row in (False, True)
    ]
    file = tmp_path / "policies.json"
    file.write_text(json.dumps({"policies": policies}))
    message = "several people .*line 1, column"
    for text in (
        f"CREATE TABLE r AS {GROUPS} {CLAUSE}",
        f"WITH g AS ({GROUPS}) SELECT * FROM g {CLAUSE}",
        f"SELECT * FROM people MINUS SELECT * FROM people WHERE id = 3 {CLAUSE}",
        f"CREATE TABLE r AS {GROUPS} ANONYMIZE WITH POLICY per_row_false",
    ):
        with pytest.raises(ClauseError, match=message):
            kanon_sql.spark.sql(text, policies=file)
        assert not dropped.catalog.tableExists("r")
    kanon_sql.spark.sql(f"CREATE TABLE r AS {GROUPS} {CLAUSE.replace('3', '3 PER ROW')}")
    assert dropped.table("r").count() == 12
    assert kanon_sql.spark.releases(dropped)[-1].requirements == ("k >= 3 PER ROW",)
    kanon_sql.spark.sql(f"CREATE TABLE s AS {GROUPS} ANONYMIZE WITH POLICY per_row_true", policies=file)
    assert dropped.table("s").count() == 12


def test_a_statement_without_the_clause_is_sparks(people: Any) -> None:
    assert kanon_sql.spark.sql("SELECT count(*) AS n FROM people").collect() == [(24,)]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"presence": 0.2, "population": "census"},
            PolicyError,
            r"does not audit presence\(census\) <= 1/5; hint: use k >= 5",
        ),
        ({"k_map": 5, "population": "census"}, PolicyError, "does not audit k >= 5 IN census; hint: use k >= 5, which"),
        (
            {"sensitive": "disease", "l": 2, "variant": "entropy"},
            PolicyError,
            "the variant frequency, distinct or recursive, or",
        ),
        ({"sensitive": "id", "t": 1, "metric": "numeric"}, PolicyError, "use the metric equal or ordered, or"),
        ({"recodings": {"zip": "BINS"}}, PolicyError, "DIGITS, INTERVALS, CUTS or HIERARCHY"),
        ({"recodings": {"zip": "MEANS"}}, PolicyError, "hint: use DIGITS, INTERVALS, CUTS or HIERARCHY"),
        ({"row_order": "source"}, PolicyError, "no order"),
        ({"quasi_identifiers": ["zap"]}, UnknownColumnError, "zap"),
        ({"policy": "{}", "k": 3}, PolicyError, "pass only one of them"),
        ({"into": "a.b.c.d"}, SourceError, "cannot be read"),
    ],
)
def test_what_spark_does_not_release_is_refused(people: Any, options: dict[str, Any], error: type, message: str) -> None:
    defaults = {"into": "r"} if "policy" in options else {"into": "r", "quasi_identifiers": ["zip"]}
    with pytest.raises(error, match=message):
        kanon_sql.spark.anonymize(people.table("people"), **defaults | options)
    assert not people.catalog.tableExists("r")


def test_a_table_function_releases_small_tables_inside_a_query(people: Any) -> None:
    from pyspark.errors import PySparkException

    kanon_sql.spark.register(people)
    source, columns = "TABLE(SELECT * FROM people WHERE id < 21)", "array('zip', 'a ge')"
    query = f"SELECT {{}} FROM k_anonymize({source}, 4, {columns}, array('id', 'disease'))"
    ((smallest, rows),) = people.sql(
        f"SELECT min(n), sum(n) FROM (SELECT count(*) AS n FROM ({query.format('*')}) GROUP BY zip, `a ge`)"
    ).collect()
    assert (smallest >= 4, rows) == (True, 21)
    with pytest.raises(PySparkException, match=r"id singles out 100\.0% of the rows"):
        people.sql(f"SELECT * FROM k_anonymize({source}, 4, {columns})").collect()
    for wrong, k in (("SELECT map(1, 2) AS m, 1 AS zip", 2), ("SELECT 1 AS zip", 2)):
        with pytest.raises(PySparkException):
            people.sql(f"SELECT * FROM k_anonymize(TABLE({wrong}), {k}, array('zip'))").collect()


def test_a_word_that_spark_cannot_read_shows_the_clause_that_was_meant(people: Any) -> None:
    with pytest.raises(ClauseError, match=r"hint: write ANONYMIZE BY zip GUARANTEE k >= 3 \(line 1"):
        kanon_sql.spark.sql("SELECT zip FROM people ANONYMISE BY zip GUARANTEE k = 3")
    from pyspark.errors import ParseException

    with pytest.raises(ParseException):
        kanon_sql.spark.sql("SELEC 1")


def test_k_is_the_second_argument(dropped: Any) -> None:
    release = kanon_sql.spark.anonymize(dropped.table("people").select("zip", "a ge"), 3, into="default.second")
    assert release.certificate.requirements == ("k >= 3",)
    assert (
        release.certificate.policy
        == kanon_sql.Policy.of(k=3, quasi_identifiers=["zip", "a ge"]).resolve(["zip", "a ge"]).to_json()
    )
    with pytest.raises(TypeError, match="multiple values for argument 'k'"):
        kanon_sql.spark.anonymize(dropped.table("people"), 3, k=3, into="default.second")
    with pytest.raises(PolicyError, match="pass only one of them"):
        kanon_sql.spark.anonymize(dropped.table("people"), 3, policy="{}", into="default.second")
