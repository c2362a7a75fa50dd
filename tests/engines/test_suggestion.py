"""`kanon_sql.suggest`: the statement runs as it stands, a release under it keeps its guarantees, and no cell value is told."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from itertools import combinations

import people_tables
import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.engines.duckdb.connect.connection import Connection
from kanon_sql.engines.duckdb.names import quoted
from kanon_sql.errors import PolicyError, SourceError
from kanon_sql.model.policy_file import read, written

PATIENTS = """CREATE TABLE patients AS SELECT 'Name ' || i AS name, 'u' || i || '@x.org' AS email,
    printf('%03d-%02d-%04d', i % 900 + 10, i % 90, i) AS ssn, printf('+1 555 %07d', i * 7919 % 10000000) AS phone,
    DATE '1950-01-01' + (i * 37 % 20000)::INTEGER AS "date of birth", printf('%05d', 98000 + i % 50) AS zip, i % 50 AS office,
    ['flu', 'hiv'][1 + i % 2] AS disease, i % 3 AS ward FROM range(300) t(i)"""


@pytest.fixture
def con(shared_clause: Connection) -> Connection:
    shared_clause.execute(PATIENTS)
    return shared_clause


@pytest.mark.everything
def test_its_statement_runs_as_it_stands_and_releases(con: Connection) -> None:
    found = kanon_sql.suggest(con.raw.table("patients"))
    assert {each.column: (each.role, each.recoding) for each in found.roles} == {
        **dict.fromkeys(("name", "email", "ssn", "phone"), ("identifier", None)),
        "date of birth": ("quasi-identifier", "INTERVALS (month, year)"),
        "zip": ("quasi-identifier", "DIGITS"),
        "office": ("quasi-identifier", "INTERVALS (2, 10)"),
        "disease": ("sensitive", None),
        "ward": ("kept", None),
    }
    assert next(each.reason for each in found.roles if each.column == "office") == "it reveals 100.0% of the cells of zip"
    assert found.unique_columns[0] == (("date of birth",), 1.0)
    con.execute(str(found))
    rows = con.execute("SELECT * FROM patients ANONYMIZE WITH POLICY suggested").fetchall()
    assert len(rows) == 300
    certificate = kanon_sql.releases(con)[-1]
    assert certificate.requirements == ("k >= 5", "l(disease) >= 2")
    assert con.execute("SELECT policy FROM kanon_policies").fetchall() == [(found.policy.to_json(),)]


WIDE = (
    "age",
    "sex",
    "race",
    "education",
    "occupation",
    "city",
    "state",
    "county",
    "language",
    "height",
    "weight",
    "job",
    "zip",
)


def wide(columns: int) -> pa.Table:
    draw = random.Random(columns)
    return pa.table(
        {name: [str(draw.randrange(2 + place) ** 2) for _ in range(90)] for place, name in enumerate(WIDE[:columns])}
    )


@pytest.mark.everything
def test_of_many_quasi_identifiers_any_three_are_known(con: Connection) -> None:
    assert [each.describe() for each in kanon_sql.suggest(wide(12)).policy.policy.requirements] == ["k >= 5"]
    source = wide(13).append_column("disease", [["a", "b", "c"] * 30])
    found = kanon_sql.suggest(source)
    guarantees = ["k >= 5 FOR ANY 3 COLUMNS", "l(disease) >= 2 FOR ANY 3 COLUMNS"]
    assert [each.describe() for each in found.policy.policy.requirements] == guarantees

    def below(columns: Iterable[str]) -> int:
        values = list(zip(*(source.column(name).to_pylist() for name in columns), strict=True))
        return sum(number for number in Counter(values).values() if number < 5)

    worst = [max(below(chosen) for chosen in combinations(WIDE, size)) / 90 for size in (2, 3)]
    two = f"For the worst set of 2 columns, {worst[0]:.1%} of the rows are in classes of fewer than 5 rows"
    assert found.notes[1] == f"{two}; for the worst set of 3, {worst[1]:.1%}."
    rare = sorted(((below([name]) / 90, name) for name in WIDE), reverse=True)[:5]
    expected = [f"{name}: {share:.1%} of the rows have a value" for share, name in rare if share >= 0.01]
    assert sorted(each.partition(" that")[0] for each in found.notes[2:]) == sorted(expected)
    con.register("arrow", source)
    con.execute(f"CREATE OR REPLACE TABLE patients AS FROM arrow; {found.sql}")
    con.unregister("arrow")
    con.execute("SELECT * FROM patients ANONYMIZE WITH POLICY suggested").fetchall()
    assert list(kanon_sql.releases(con)[-1].requirements) == guarantees


def test_no_value_is_told(con: Connection) -> None:
    told = str(kanon_sql.suggest(con.raw.table("patients")))
    for value in ("Name 1", "u1@", "010-", "555", "1950", "98000", "flu", "hiv"):
        assert value not in told


@pytest.mark.everything
def test_a_table_whose_names_say_nothing_still_has_a_policy(con: Connection) -> None:
    table = pa.table({"a": [1, 1, 2, 3] * 10, "b": ["x", "y"] * 20})
    found = kanon_sql.suggest(table, k=3, name="Odd name", table_as='"t"')
    assert [(each.column, each.role) for each in found.roles] == [("a", "quasi-identifier"), ("b", "kept")]
    con.raw.execute("CREATE TABLE t (a INTEGER, b VARCHAR)")
    con.execute(found.sql)
    with pytest.raises(SourceError, match="no column can be a quasi-identifier"):
        kanon_sql.suggest(pa.table({"name": ["Ann", "Bob"]}))


@pytest.mark.everything
def test_a_sensitive_column_of_one_value_is_kept(con: Connection) -> None:
    table = pa.table({"zip": ["98101"] * 9, "income": [1] * 9, "grade": [1] * 8 + [2]})
    found = {each.column: each.role for each in kanon_sql.suggest(table).roles}
    assert found == {"zip": "quasi-identifier", "income": "kept", "grade": "sensitive"}
    told = kanon_sql.suggest(table).policy.policy.requirements[1].describe()
    assert told == "l(grade, 'distinct') >= 2"


@pytest.mark.sweep
@pytest.mark.parametrize("name", ["Guarantee", "zip\n; DROP TABLE t; --", 'zip"; --', "zip\x85code", "- zip: &a {{ 1 }} # *"])
def test_a_strange_name_is_written_as_it_is(con: Connection, name: str) -> None:
    found = kanon_sql.suggest(pa.table({name: ["98101", "98102"] * 20, "b": ["x", "y"] * 20}), k=3, table_as="t")
    for ending in (".yaml", ".json"):
        assert read(written([found.policy], ending), f"policy{ending}") == [found.policy]
    con.raw.execute(f"CREATE TABLE t ({quoted(name)} VARCHAR, b VARCHAR)")
    con.execute(found.sql)
    assert con.execute("SELECT policy FROM kanon_policies").fetchall() == [(found.policy.to_json(),)]
    assert con.execute("FROM t").fetchall() == []


@pytest.mark.everything
def test_queries_set_weights_and_levels(con: Connection) -> None:
    queries = """SELECT office, count(*) FROM p WHERE "date of birth" > DATE '1980-01-01' GROUP BY office;
        SELECT left(zip, 3), year("date of birth"), count(*) FROM p GROUP BY ALL"""
    found = kanon_sql.suggest(con.raw.table("patients"), queries=queries)
    assert {each.column: (each.weight, each.recoding) for each in found.roles if each.role == "quasi-identifier"} == {
        "date of birth": (5, "INTERVALS (year)"),
        "zip": (4, "DIGITS (3)"),
        "office": (4, "INTERVALS (2, 10)"),
    }
    con.execute(found.sql)
    assert con.execute("SELECT policy FROM kanon_policies").fetchall() == [(found.policy.to_json(),)]
    with pytest.raises(PolicyError, match="query 1 uses offce, which the table does not have; hint: did you mean office"):
        kanon_sql.suggest(con.raw.table("patients"), queries="SELECT offce, count(*) FROM p GROUP BY 1")


@pytest.mark.everything
@pytest.mark.parametrize("columns", [32, 33, 60])
def test_very_wide_tables_have_a_suggestion(columns: int) -> None:
    found = kanon_sql.suggest(pa.table({f"age_{place}": [1, 2, 2, None] * 10 for place in range(columns)}))
    known = 3 if columns == 32 else 2
    assert [each.describe() for each in found.policy.policy.requirements] == [f"k >= 5 FOR ANY {known} COLUMNS"]
    assert any("for the worst set of 3" in each for each in found.notes) == (columns == 32)


def test_a_lost_key_is_said() -> None:
    columns = people_tables.visits(1)
    visits = pa.table(
        {name: columns[name] for name in ("zip", "sex", "job")} | {"age": [int(each[:4]) for each in columns["born"]]}
    )
    assert any("than chance explains" in each for each in kanon_sql.suggest(visits).notes)
