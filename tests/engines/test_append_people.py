"""A release that grows, where people come again: those who were released before, by PER or by a pseudonym."""

from __future__ import annotations

from typing import Any

import duckdb
import pytest
from growing import state

import kanon_sql
from kanon_sql import errors
from kanon_sql.engines.duckdb.connect.connection import Connection

POLICY: dict[str, Any] = {"k": 3, "quasi_identifiers": ["zip"], "per": "patient"}


def come(con: Any, first: int, people: int, zips: int = 2) -> None:
    """Let people come, each once; the number of a visit is that of the person in thousands, and one more each time."""
    con.execute("CREATE TABLE IF NOT EXISTS visits (visit INTEGER, patient VARCHAR, zip INTEGER)")
    con.execute(
        f"""INSERT INTO visits SELECT 1000 * p + (SELECT count(*) FROM visits WHERE patient = 'P' || p), 'P' || p, p % {zips}
        FROM range({first}, {first + people}) AS t(p)"""
    )


def append(con: Any, **options: Any) -> kanon_sql.Batch:
    return kanon_sql.append("visits", "released", key="visit", con=con, **{**POLICY, **options})


@pytest.mark.everything
def test_people_who_come_again_are_refused_with_their_number(con: duckdb.DuckDBPyConnection) -> None:
    come(con, 0, 10)
    batch = append(con)
    assert str(batch) == "batch 1: 10 rows, 0 wait, 10 in all, people of the smallest class: 5"
    assert batch.figures()["smallest class"] == "5 people; no class has fewer than 5 rows"
    come(con, 8, 10)
    come(con, 8, 1)
    before = state(con)
    with pytest.raises(errors.SourceError, match="2 people of 3 new rows were released before") as refused:
        append(con)
    assert "P8" not in str(refused.value)
    assert state(con) == before


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("kind", "first", "again"),
    [
        ("VARCHAR COLLATE NOCASE", "'anna' || i", "'ANNA' || i"),
        ("INTERVAL", "to_months(1 + i::INT)", "to_days(30 * (1 + i::INT))"),
        ("DOUBLE", "CASE i WHEN 0 THEN 0.0 ELSE i END", "CASE i WHEN 0 THEN '-0.0' ELSE i::VARCHAR END"),
    ],
)
def test_people_who_come_again_spelled_otherwise_are_not_let_through(
    con: duckdb.DuckDBPyConnection, kind: str, first: str, again: str
) -> None:
    """One person for the guarantee, and two for the ledger: nobody could tell that they were released before."""
    con.execute(f"CREATE TABLE visits (visit INTEGER, patient {kind}, zip INTEGER)")
    con.execute(f"INSERT INTO visits SELECT i, {first}, 0 FROM range(3) AS t(i)")
    assert append(con).released == 3
    con.execute(f"INSERT INTO visits SELECT 10 + i, {again}, 0 FROM range(3) AS t(i)")
    before = state(con)
    for returning in ("refuse", "wait", "release"):
        with pytest.raises(errors.SourceError, match="patient treats different values as the same person") as refused:
            append(con, returning=returning)
        assert "anna" not in str(refused.value).lower()
    assert state(con) == before


@pytest.mark.everything
def test_people_who_come_again_may_wait_or_be_released(con: duckdb.DuckDBPyConnection) -> None:
    come(con, 0, 10)
    append(con)
    come(con, 8, 10)
    batch = append(con, returning="wait")
    assert (batch.released, batch.waiting, batch.returning) == (8, 2, 2)
    come(con, 20, 8)
    batch = append(con, returning="release")
    assert (batch.released, batch.waiting, batch.returning, batch.rows) == (10, 0, 2, 28)


@pytest.mark.everything
def test_all_rows_of_a_person_wait_together(con: duckdb.DuckDBPyConnection) -> None:
    """Else the person would have been released before, and the row that waits could never follow."""
    come(con, 0, 10)
    con.execute("INSERT INTO visits VALUES (1, 'P3', 77), (2, 'P5', 78), (3, NULL, 79), (4, NULL, 0)")
    assert append(con).waiting == 5  # both rows of P3 and of P5, and a row of nobody
    come(con, 20, 8)
    assert append(con).returning == 0
    con.execute("INSERT INTO visits SELECT 100 + i, 'Q' || i, 77 + i % 3 FROM range(9) AS t(i)")
    con.execute("INSERT INTO visits VALUES (5, 'P9', 1), (6, 'P11', 1)")
    assert append(con, returning="wait").waiting == 1  # P9
    assert con.execute("SELECT count(*) FROM released WHERE zip >= 77").fetchall() == [(12,)]


def test_the_column_of_people_is_not_released_and_not_told(con: duckdb.DuckDBPyConnection) -> None:
    come(con, 0, 10)
    append(con)
    assert [name for name, *_ in con.execute("DESCRIBE released").fetchall()] == ["zip"]
    people = [people for (people,) in con.execute("SELECT people FROM kanon_ledger_released").fetchall()]
    assert len({token for (token,) in people}) == 10
    assert all(len(token) == 32 for (token,) in people)


@pytest.mark.everything
def test_classes_count_people_within_the_batch(con: duckdb.DuckDBPyConnection) -> None:
    come(con, 0, 10)
    append(con)
    con.execute("INSERT INTO visits SELECT 100 + i, 'Z' || i % 2, 0 FROM range(8) AS t(i)")
    assert append(con).waiting == 8  # two people


@pytest.fixture
def stored(shared_clause: Connection) -> Connection:
    """A database with a stored policy under which patients have pseudonyms."""
    come(shared_clause, 0, 10)
    shared_clause.execute(
        "CREATE ANONYMIZATION POLICY research ON visits (IDENTIFIER visit, patient AS PSEUDONYM; BY zip; GUARANTEE k >= 3)"
    )
    return shared_clause


@pytest.mark.everything
def test_a_stored_policy_with_pseudonyms(stored: Connection) -> None:
    given: dict[str, Any] = {"key": "visit", "con": stored, "policy": "research"}
    assert kanon_sql.append("visits", "released", **given).released == 10
    assert [name for name, *_ in stored.execute("DESCRIBE released").fetchall()] == ["patient", "zip"]
    assert stored.execute("SELECT count(*) FROM released WHERE patient LIKE 'P%'").fetchall() == [(0,)]
    come(stored, 8, 10)
    with pytest.raises(errors.SourceError, match="2 people of 2 new rows were released before"):
        kanon_sql.append("visits", "released", **given)
    assert kanon_sql.append("visits", "released", returning="wait", **given).released == 8


def test_a_policy_without_that_name(stored: Connection) -> None:
    with pytest.raises(errors.PolicyError, match='there is no policy "researc"; hint: did you mean "research"'):
        kanon_sql.append("visits", "released", key="visit", con=stored, policy="researc")
    with pytest.raises(errors.PolicyError, match="policy cannot be combined with k"):
        kanon_sql.append("visits", "released", key="visit", con=stored, policy="research", k=4)


def test_a_column_without_a_role_in_the_stored_policy(stored: Connection) -> None:
    stored.execute("ALTER TABLE visits ADD COLUMN notes VARCHAR")
    with pytest.raises(errors.PolicyError, match='"notes" has no role'):
        kanon_sql.append("visits", "released", key="visit", con=stored, policy="research")


def test_a_policy_object(con: duckdb.DuckDBPyConnection) -> None:
    come(con, 0, 10)
    policy = kanon_sql.Policy.of(**POLICY)
    assert kanon_sql.append("visits", "released", key="visit", con=con, policy=policy).released == 10


def test_nobody_is_held_back_where_nothing_tells_people_apart(con: duckdb.DuckDBPyConnection) -> None:
    """It ended in the error of a table that was not there."""
    come(con, 0, 10)
    with pytest.raises(errors.PolicyError, match=r"returning='wait' needs a column that identifies people"):
        append(con, per=None, returning="wait")
    assert append(con, per=None, drop=["patient"], returning="release").released == 10
