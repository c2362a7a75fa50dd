"""Protected tables on Spark: the rows of DuckDB, from counts of Spark."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

import kanon_sql
import kanon_sql.spark
from kanon_sql.errors import ClauseError, InfeasibleError, KanonError, PolicyError, SourceError
from kanon_sql.model.refusals import IdentifierError
from kanon_sql.model.repetition import RepeatedPeopleError

pytestmark = pytest.mark.everything

SCHEMA = pa.schema(
    [
        ("region", pa.string()),
        ("Sex", pa.string()),
        ("age", pa.int32()),
        ("day", pa.date32()),
        ("paid", pa.decimal128(9, 2)),
        ("income", pa.int64()),
        ("person", pa.int32()),
    ]
)


def table(seed: int, rows: int = 160, *, each: int = 1) -> pa.Table:
    """Return rows of people, so many for each."""
    draw = random.Random(seed)
    people = [
        {
            "region": draw.choice(["n", "s", "ä", "Ost", "z'"]),
            "Sex": draw.choice("fm"),
            "age": draw.choice([20, 20, 30, 30, 40]),
            "day": date(2026, 1, 1 + draw.randrange(3)),
        }
        for _ in range(rows // each)
    ]
    filled = [
        {
            **people[number // each],
            "paid": draw.choice([None, Decimal(draw.randrange(9_000)) / 100]),
            "income": draw.choice([None, draw.randrange(500)]),
            "person": number // each,
        }
        for number in range(rows)
    ]
    return pa.Table.from_pylist(filled, SCHEMA)


def rows_of(found: Any) -> list[tuple[Any, ...]]:
    rows = found.to_pylist() if isinstance(found, pa.Table) else [row.asDict() for row in found.collect()]
    return sorted((tuple(row.values()) for row in rows), key=str)


def asked(draw: random.Random) -> dict[str, Any]:
    """Return the arguments of a random table."""
    sums = dict(zip(("s", "t"), draw.sample(["paid", "income"], draw.randrange(3)), strict=False))
    rules = {"p": {"s": 15}, "dominance": {"s": (1, 0.9)}} if sums and draw.random() < 0.6 else {}
    return {
        "by": draw.sample(["region", "sex", "AGE", "day"], draw.randrange(1, 4)),
        "measures": sums,
        "k": draw.randrange(2, 7),
        "grouping": draw.choice(["cube", "rollup", "plain"]),
        "rows": draw.choice(["null", "absent"]),
        "cost": draw.choice(["cells", "n"]),
        "suppressed": draw.random() < 0.5,
        "algorithm": "greedy",
        **({"per": "person"} if draw.random() < 0.4 else {}),
        **rules,
    }


@pytest.fixture(scope="module")
def people(spark: Any) -> Iterator[Any]:
    spark.createDataFrame(table(1)).createOrReplaceTempView("people")
    yield spark
    # a protected table stays a view until the session ends
    for view in spark.catalog.listTables():
        if view.name == "people" or view.name.startswith("kanon_protected"):
            spark.catalog.dropTempView(view.name)


@pytest.mark.parametrize("seed", range(8))
def test_the_rows_and_the_certificate_are_those_of_duckdb(people: Any, seed: int) -> None:
    options = asked(random.Random(seed))
    source = table(seed, each=2 if "per" in options else 1)
    try:
        here = kanon_sql.protect(source, **options)
    except (InfeasibleError, SourceError) as refused:
        with pytest.raises(type(refused)):
            kanon_sql.spark.protect(people.createDataFrame(source), **options)
        return
    there = kanon_sql.spark.protect(people.createDataFrame(source).repartition(3), **options)
    assert isinstance(there, kanon_sql.ProtectedTable)
    assert there.table.columns == here.table.column_names
    assert rows_of(there.table) == rows_of(here.table)
    assert there.certificate.evidence == here.certificate.evidence
    assert there.certificate.cost == here.certificate.cost
    assert kanon_sql.spark.protected_tables(people)[-1] == there.certificate


def test_a_policy_of_a_file(people: Any, tmp_path: Any) -> None:
    file = tmp_path / "policies.json"
    file.write_text('{"policies": [{"name": "weekly", "table": "people", "protect": {"k": 9}}]}')
    here = kanon_sql.protect(table(1), ["region", "sex"], policy=str(file))
    assert rows_of(kanon_sql.spark.protect(people.table("people"), ["region", "sex"], policy=str(file)).table) == rows_of(
        here.table
    )


NAMED: dict[str, Any] = {
    "show": [[], {"sex": "f"}],
    "hide": [{"region": "z'", "sex": ["f", "m"]}, {"day": "2026-01-02"}],
    "impossible": [{"region": "ä", "sex": "x"}],
}


def test_rows_are_named_by_their_values(people: Any, tmp_path: Any) -> None:
    """Spark counts by the keys alone; which values they show is compared where the rows are chosen."""
    here = kanon_sql.protect(table(1), ["region", "sex", "day"], contributors=2, **NAMED)
    there = kanon_sql.spark.protect(people.table("people"), ["region", "sex", "day"], contributors=2, **NAMED)
    assert rows_of(there.table) == rows_of(here.table)
    assert there.certificate.evidence == here.certificate.evidence
    clause = (
        "SHOW GROUPING SETS (()), (sex = 'f') HIDE (region = 'z''', sex IN ('f', 'm')), (day = '2026-01-02') "
        "IMPOSSIBLE (region = 'ä', sex = 'x') AGAINST CONTRIBUTORS 2"
    )
    query = f"SELECT region, sex, day, count(*) AS n FROM people GROUP BY CUBE (region, sex, day) PROTECT n >= 5 {clause}"
    assert rows_of(kanon_sql.spark.sql(query)) == rows_of(here.table)
    for wrong, text in (({"hide": [{"sex": "q"}]}, "no row of HIDE"), ({"hide": "sex"}, "hide must be a list")):
        with pytest.raises(PolicyError, match=text):
            kanon_sql.spark.protect(people.table("people"), ["sex"], **wrong)
    with pytest.raises(ClauseError, match="PROTECT WITH POLICY is not supported on Spark; hint: "):
        kanon_sql.spark.sql("SELECT sex, count(*) AS n FROM people GROUP BY sex PROTECT WITH POLICY weekly")


def test_a_second_table_of_the_session_warns(people: Any) -> None:
    """Nothing compares tables on Spark: without a word, two of the same people might give counts away together."""
    people.sql("SELECT * FROM people").createOrReplaceTempView("twice")
    first = "SELECT region, count(*) AS n FROM twice GROUP BY CUBE (region) PROTECT n >= 5"
    with warnings.catch_warnings():
        warnings.simplefilter("error", kanon_sql.KanonWarning)
        kanon_sql.spark.sql(first)
        kanon_sql.spark.sql(first)  # the same table tells nothing new
    with pytest.warns(kanon_sql.KanonWarning, match="did not compare this table with an earlier one"):
        kanon_sql.spark.sql(first.replace("region", "sex"))
    assert "did not compare" in kanon_sql.spark.protected_tables(people)[-1].warnings[-1]
    with warnings.catch_warnings():
        warnings.simplefilter("error", kanon_sql.KanonWarning)
        with pytest.raises(kanon_sql.KanonWarning):
            kanon_sql.spark.sql(first.replace("region", "age"))


def test_null_keys_are_told_apart_or_refused(people: Any) -> None:
    holed = people.sql("SELECT CASE WHEN region = 'n' THEN NULL ELSE region END AS region, sex FROM people")
    with pytest.raises(SourceError, match="has NULLs"):
        kanon_sql.spark.protect(holed, ["region", "sex"], k=3)
    found = kanon_sql.spark.protect(holed, ["region", "sex"], k=3, grouping="plain")
    assert any(row.region is None for row in found.table.collect())


def test_the_clause_takes_the_place_of_its_query(people: Any) -> None:
    here = kanon_sql.connect()
    here.register("people", table(1))
    query = (
        "SELECT region, sex, count(*) AS n, sum(income) AS s FROM people WHERE age > 20 GROUP BY CUBE (region, sex) "
        "PROTECT n >= 5 AND p(s) >= 10"
    )
    found = kanon_sql.spark.sql(f"{query} ORDER BY region, sex")
    assert rows_of(found) == sorted(here.execute(query).fetchall(), key=str)
    kanon_sql.spark.sql(f"CREATE TABLE counts USING parquet AS {query}")
    try:
        assert rows_of(people.table("counts")) == rows_of(found)
    finally:
        people.sql("DROP TABLE counts")
    inner = kanon_sql.spark.sql(f"SELECT count(n) AS shown FROM ({query}) AS t WHERE sex IS NULL")
    assert inner.collect()[0].shown == sum(row[3] is not None for row in rows_of(found) if row[1] is None)


@pytest.fixture
def visits(people: Any) -> Iterator[Any]:
    """The visits of 100 patients, three of each, with what describes a patient."""
    people.sql(
        "SELECT id div 3 AS patient, hash(id div 3) % 40 AS zip, hash(id div 3, 1) % 60 AS born, "
        "IF(hash(id div 3, 2) % 2 = 0, 'f', 'm') AS sex, id % 7 AS ward FROM range(300)"
    ).createOrReplaceTempView("visits")
    yield people
    people.catalog.dropTempView("visits")


def test_people_are_counted_where_a_column_repeats_them(visits: Any) -> None:
    for count in ("count(DISTINCT patient)", "count(*)"):
        text = f"SELECT sex, {count} AS n FROM visits GROUP BY sex PROTECT n >= 5 PER patient"
        assert sum(row.n for row in kanon_sql.spark.sql(text).collect()) == 100
    text = "SELECT sex, count(*) AS n FROM visits GROUP BY sex PROTECT n >= 5"
    with pytest.raises(RepeatedPeopleError, match=r"100 people have 300.*n >= 5 PER patient, or n >= 5 PER ROW") as error:
        kanon_sql.spark.sql(text)
    assert (error.value.column, error.value.people, error.value.rows) == ("patient", 100, 300)
    assert sum(row.n for row in kanon_sql.spark.sql(f"{text} PER ROW").collect()) == 300
    frame = visits.table("visits")
    with pytest.raises(RepeatedPeopleError, match="pass per='patient', or per_row=True"):
        kanon_sql.spark.protect(frame, ["sex"])
    told = kanon_sql.spark.protect(frame, ["sex"], per_row=True, grouping="plain")
    assert sum(row.n for row in told.table.collect()) == 300
    assert told.certificate.requirements == ("n >= 5 PER ROW",)
    single = frame.dropDuplicates(["patient"])
    assert sum(row.n for row in kanon_sql.spark.protect(single, ["sex"], grouping="plain").table.collect()) == 100
    with pytest.raises(IdentifierError, match="a key looks like an identifier of people: surname"):
        kanon_sql.spark.protect(single.withColumnRenamed("sex", "surname"), ["surname"])


def test_a_join_that_repeats_people_is_refused(visits: Any) -> None:
    visits.table("visits").dropDuplicates(["patient"]).createOrReplaceTempView("patients")
    text = "SELECT p.sex, count(*) AS n FROM patients AS p {} GROUP BY p.sex PROTECT n >= 5"
    assert sum(row.n for row in kanon_sql.spark.sql(text.format("")).collect()) == 100
    for join in ("CROSS JOIN range(6)", "JOIN visits AS v ON v.patient = p.patient"):
        with pytest.raises(RepeatedPeopleError, match="patient repeats people"):
            kanon_sql.spark.sql(text.format(join))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("WITH p AS (SELECT * FROM people) SELECT sex, count(*) AS n FROM p GROUP BY sex PROTECT n >= 5", "not WITH queries"),
        (
            "EXPLAIN PROTECT SELECT sex, count(*) AS n FROM people GROUP BY sex PROTECT n >= 5",
            "is not supported on Spark",
        ),
        ("SELECT sex, min(age) AS n FROM people GROUP BY sex PROTECT n >= 5", "cannot be protected"),
        ("SELECT sex, count(*) AS n FROM peple GROUP BY sex PROTECT n >= 5", "TABLE_OR_VIEW_NOT_FOUND"),
        ("SELECT sex, count(*) AS n, sum(region) AS s FROM people GROUP BY sex PROTECT n >= 5", "whole or decimal numbers"),
        (
            "SELECT * FROM (SELECT sex, count(*) AS n FROM people GROUP BY sex PROTECT n >= 5) CROSS JOIN "
            "(SELECT age, count(*) AS m FROM people GROUP BY age PROTECT m >= 5)",
            "one PROTECT",
        ),
        ("SELECT 1; SELECT sex, count(*) AS n FROM people GROUP BY sex PROTECT n >= 5", "must be the only one"),
        ("SELECT id, count(*) AS n FROM range(50) GROUP BY id PROTECT n >= 5", "singles out"),
        ("SELECT sex, count(*) AS n, sum(-income) AS s FROM people GROUP BY sex PROTECT n >= 5", "negative"),
        (
            "SELECT sex, count(*) AS n FROM people GROUP BY CUBE (sex IN DIGITS (1)) PROTECT n >= 5",
            "Spark does not support levels",
        ),
        ("SELECT sex, count(*) AS n FROM people GROUP BY sex PROTECT WITH POLICY weekly", "polic"),
    ],
)
def test_what_spark_does_not_count_is_refused(people: Any, text: str, message: str) -> None:
    before = len(kanon_sql.spark.protected_tables(people))
    with pytest.raises(KanonError, match=message):
        kanon_sql.spark.sql(text)
    assert len(kanon_sql.spark.protected_tables(people)) == before


def test_what_cannot_be_counted_exactly_is_refused(people: Any) -> None:
    frame = people.table("people")
    for options, error, message in (
        ({"by": ["regio"]}, PolicyError, "did you mean"),
        ({"by": ["sex"], "row": "absent"}, TypeError, "no option"),
        ({"by": ["region"], "per": "person", "k": 3, "measures": {"s": "region"}}, SourceError, "whole or decimal"),
        ({"by": ["sex"], "per": "region"}, SourceError, "rows with different keys"),
        ({"by": ["sex"], "k": 1}, PolicyError, "at least 2"),
        ({"by": ["region"], "recodings": {"region": "DIGITS (2, 1)"}}, PolicyError, "Spark does not support levels"),
    ):
        with pytest.raises(error, match=message):
            kanon_sql.spark.protect(frame, **options)
    for kind in ("double", "timestamp"):
        with pytest.raises(SourceError, match=f"the key a has the type {kind}"):
            kanon_sql.spark.protect(frame.selectExpr(f"CAST(age AS {kind}) AS a"), ["a"])
    with pytest.raises(SourceError, match="no rows"):
        kanon_sql.spark.protect(frame.limit(0), ["sex"])
    with pytest.raises(SourceError, match="is not a Spark DataFrame"):
        kanon_sql.spark.protect(table(1), ["sex"])


@pytest.mark.parametrize("ansi", ["true", "false"])
@pytest.mark.parametrize(
    ("value", "kind"), [(2**62, "bigint"), ("9" * 38, "decimal(38, 0)"), ("9" * 36 + ".99", "decimal(38, 2)")]
)
@pytest.mark.parametrize("per", [None, "person"])
def test_sums_that_are_too_long_never_wrap_around(people: Any, ansi: str, value: Any, kind: str, per: str | None) -> None:
    people.conf.set("spark.sql.ansi.enabled", ansi)
    try:
        long = people.sql(f"SELECT sex, person, CAST('{value}' AS {kind}) AS v FROM people")
        with pytest.raises(SourceError, match=r"18 digits|ARITHMETIC_OVERFLOW|NUMERIC_VALUE_OUT_OF_RANGE"):
            kanon_sql.spark.protect(long, ["sex"], measures={"s": "v"}, **({} if per is None else {"per": per}))
    finally:
        people.conf.unset("spark.sql.ansi.enabled")


def test_a_table_function_counts_small_tables_inside_a_query(people: Any) -> None:
    from pyspark.errors import PySparkException

    kanon_sql.spark.register(people)
    call = "protect(TABLE(people), 6, array('region', 'sex'){})"
    here = kanon_sql.protect(table(1), ["region", "sex"], k=6, measures={"s": "income"})
    with_sum = call.format(", map('s', 'income')")
    found = people.sql(f"SELECT * FROM {with_sum}")
    assert found.columns == ["region", "sex", "n", "s"]
    assert rows_of(found) == rows_of(here.table)
    assert people.sql(f"SELECT count(*) FROM {call.format('')}").collect()[0][0] == here.table.num_rows
    for wrong in ("array('regio')", "array('paid')", "array('region'), map('s', 'paid')", "array(region)"):
        with pytest.raises(PySparkException):
            people.sql(f"SELECT * FROM protect(TABLE(people), 6, {wrong})").collect()


def test_a_word_of_ours_that_is_no_clause_goes_to_spark(people: Any) -> None:
    assert kanon_sql.spark.sql("SELECT 1 AS protect").collect()[0].protect == 1
    with pytest.raises(ClauseError):
        kanon_sql.spark.sql("SELECT sex, count(*) AS n FROM people GROUP BY sex PROTECT k >= 5")
