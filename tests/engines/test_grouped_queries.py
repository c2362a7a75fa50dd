"""Releases of queries whose rows are groups: refused on every way into DuckDB, unless a row is what counts."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

import kanon_sql
from kanon_sql.engines.duckdb.connect.connection import Connection
from kanon_sql.errors import ClauseError

GROUPS = "SELECT region, count(*) AS people, max(name) AS name FROM inhabitants GROUP BY region"
CLAUSE = "ANONYMIZE BY region KEEP people, name GUARANTEE k >= 2"
POLICY = "CREATE ANONYMIZATION POLICY {} ON groups (BY region; KEEP people, name; GUARANTEE k >= 2{})"


@pytest.fixture
def con() -> Iterator[Connection]:
    with kanon_sql.connect() as con:
        con.execute("CREATE TABLE inhabitants AS SELECT 'name' || i AS name, i * i // 50 AS region FROM range(40) AS r(i)")
        con.execute(f"CREATE TABLE groups AS {GROUPS}")
        yield con


@pytest.mark.sweep
@pytest.mark.parametrize(
    "statement",
    [
        "{}",
        "CREATE TABLE released AS {}",
        "CREATE VIEW released AS {}",
        "EXPLAIN ANONYMIZE {}",
        "PREPARE released AS {}",
        "SELECT count(*) FROM ({})",
    ],
)
@pytest.mark.parametrize("asked", [CLAUSE, "ANONYMIZE WITH POLICY careless"])
def test_nothing_is_released(con: Connection, statement: str, asked: str) -> None:
    con.execute(POLICY.format("careless", ""))
    alone = con.execute(f"SELECT count(*) FROM ({GROUPS}) WHERE people = 1").fetchall()[0][0]
    assert alone > 10, "each of these rows names a person"
    with pytest.raises(ClauseError, match=r"GROUP BY can merge several people into one row.*PER ROW"):
        con.execute(statement.format(f"{GROUPS} {asked}"))
    assert kanon_sql.releases(con) == []
    assert con.execute("FROM duckdb_tables() WHERE table_name = 'released'").fetchall() == []


@pytest.mark.everything
def test_rows_are_released_that_are_what_counts(con: Connection) -> None:
    con.execute(POLICY.format("careful", " per row"))
    for asked in (f"{CLAUSE} PER ROW", "ANONYMIZE WITH POLICY careful"):
        released = con.execute(f"SELECT region, people FROM ({GROUPS} {asked})").fetchall()
        assert len(released) == con.execute("SELECT count(*) FROM groups").fetchall()[0][0]
    con.execute("FROM anonymize('groups', 'careful')").fetchall()
    policy = {"quasi_identifiers": [{"column": "region"}], "requirements": [{"type": "k", "k": 2, "per_row": True}]}
    con.execute("FROM anonymize('groups', ?)", [json.dumps(policy | {"keep": ["people", "name"]})]).fetchall()
    assert [each.requirements for each in kanon_sql.releases(con)] == [("k >= 2 PER ROW",)] * 4
    (stored,) = con.execute("SELECT policy FROM kanon_policies").fetchall()
    assert json.loads(stored[0])["requirements"] == [{"type": "k", "k": 2, "per_row": True}]
    explained = con.execute(f"EXPLAIN ANONYMIZE {GROUPS} ANONYMIZE WITH POLICY careful").fetchall()
    assert explained[0][:2] == ("guarantee", "k >= 2 PER ROW")


def test_released_rows_are_grouped(con: Connection) -> None:
    con.execute("CREATE TABLE released AS SELECT region FROM inhabitants ANONYMIZE BY region GUARANTEE k >= 5")
    assert con.execute("SELECT min(n) >= 5 FROM (SELECT count(*) AS n FROM released GROUP BY region)").fetchall() == [(True,)]


@pytest.mark.everything
def test_one_row_for_each_person_counts_people(con: Connection) -> None:
    con.execute("CREATE TABLE stays AS SELECT i % 20 AS patient, i % 3 AS zip, i AS days FROM range(60) AS r(i)")
    query = "SELECT patient, any_value(zip) AS zip, sum(days) AS days FROM stays GROUP BY patient"
    released = con.execute(f"{query} ANONYMIZE BY zip KEEP days GUARANTEE k >= 4 PER patient").fetchall()
    assert len(released) == 20
    assert kanon_sql.releases(con)[-1].requirements == ("k >= 4", "k >= 4 PER patient")


@pytest.mark.everything
def test_a_column_called_row_is_quoted(con: Connection) -> None:
    con.execute('CREATE TABLE stays AS SELECT i % 20 AS "row", i % 3 AS zip FROM range(60) AS r(i)')
    con.execute('FROM stays ANONYMIZE BY zip GUARANTEE k >= 4 PER "row"').fetchall()
    con.execute("FROM stays ANONYMIZE BY zip GUARANTEE k >= 4 PER row").fetchall()
    people, rows = kanon_sql.releases(con)
    assert people.requirements == ("k >= 4", 'k >= 4 PER "row"')
    assert rows.requirements == ("k >= 4 PER ROW",)


@pytest.mark.everything
def test_python_takes_the_requirement(con: Connection) -> None:
    rows = kanon_sql.KAnonymity(k=3, per_row=True)
    release = kanon_sql.anonymize(
        con.table("groups"), quasi_identifiers=["region"], keep=["people", "name"], requirements=[rows]
    )
    assert "k >= 3 PER ROW" in release.certificate.requirements
