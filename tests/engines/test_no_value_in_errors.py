"""No cell of a table is in what is told of a failure: not in its message, nor in the errors behind it."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest
from failing_calls import BROKEN, CANARIES, PYTHON, READINGS, SETUP, STATEMENTS, anonymized

import kanon_sql
from kanon_sql.engines.duckdb.connect.connection import Connection
from kanon_sql.errors import KanonError


@pytest.fixture(scope="module")
def con() -> Iterator[Connection]:
    with kanon_sql.connect() as con:
        con.execute("SET threads = 1")
        con.raw.execute(SETUP)
        yield con


def behind(error: BaseException | None, seen: set[int]) -> Iterator[BaseException]:
    """Yield an error and every one that it leads to, shown or not."""
    if error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        yield from behind(error.__context__, seen)
        yield from behind(error.__cause__, seen)


def said(error: BaseException) -> str:
    parts: list[Any] = [*traceback.TracebackException.from_exception(error).format_exception_only()]
    for each in behind(error, set()):
        parts += [str(each), repr(each), each.args, {name: repr(value) for name, value in vars(each).items()}]
        parts += getattr(each, "__notes__", [])
    return "\n".join(map(str, parts))


def refused(con: Connection, ask: Any) -> str:
    with pytest.raises(KanonError) as caught:
        ask()
    text = said(caught.value)
    assert not [canary for canary in CANARIES if canary in text], text
    assert "kanon#" not in text, text
    assert "hint" in str(caught.value) or "fewer than" in str(caught.value), text
    con.raw.execute("DROP VIEW IF EXISTS behind; DROP VIEW IF EXISTS hidden; DROP VIEW IF EXISTS seen")
    return text


@pytest.mark.sweep
@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_statement_fails_without_values(con: Connection, statement: str) -> None:
    refused(con, lambda: con.execute(statement).fetchall())


@pytest.mark.sweep
@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_however_the_rows_are_read(con: Connection, reading: str) -> None:
    refused(con, lambda: READINGS[reading](con, BROKEN))
    if reading != "many":
        refused(con, lambda: READINGS[reading](con, "SELECT CAST(note AS INT) FROM k_anonymize('late', 2, qi := ['age'])"))


@pytest.mark.sweep
@pytest.mark.parametrize("arguments", PYTHON, ids=repr)
def test_a_release_in_python_fails_without_values(con: Connection, arguments: dict[str, Any]) -> None:
    refused(con, lambda: anonymized(con, arguments))


def test_the_place_is_told_in_the_words_of_the_user(con: Connection) -> None:
    text = "SELECT age,\n       CAST(note AS INT) AS n\nFROM p ANONYMIZE BY age GUARANTEE k >= 2"
    told = "a value does not fit the type of its column at line 2, column 8; hint: run its query without the release"
    assert told in refused(con, lambda: con.execute(text))


def test_other_statements_are_the_business_of_duckdb(con: Connection) -> None:
    for query in (
        "SELECT CAST(note AS INT) FROM p",
        "SELECT nothing FROM p",
        "SELCT 1",
        "FROM l_diversity('p', ['age'], 'd', l := 0)",
    ):
        with pytest.raises(duckdb.Error) as ours:
            con.sql(query).fetchall()
        with pytest.raises(duckdb.Error) as theirs:
            con.raw.sql(query).fetchall()
        assert (type(ours.value), str(ours.value)) == (type(theirs.value), str(theirs.value))
    assert type(con.sql("FROM p")) is duckdb.DuckDBPyRelation
    with pytest.raises(duckdb.ConversionException, match="CANARY"):
        con.execute("SELECT CAST(note AS INT) FROM p").fetchall()


@pytest.mark.everything
def test_a_relation_over_a_release_is_a_relation(con: Connection) -> None:
    found = con.sql("SELECT age, id FROM p ANONYMIZE BY age KEEP id GUARANTEE k >= 2")
    assert isinstance(found, duckdb.DuckDBPyRelation)
    assert found.columns == ["age", "id"]
    assert "age" in found
    assert len(found) == 24
    assert found.union(found).aggregate("count(*)").fetchall() == [(48,)]
    assert found["id"].order("id").limit(2).fetchall() == [(0,), (1,)]
    assert found.max("id").fetchall() == [(23,)]
    assert "age" in repr(found)
    assert kanon_sql.anonymize(found, k=2, quasi_identifiers=["age"], keep=["id"]).certificate.rows == 24
