"""The golden pairs of PROTECT: whom its counts are about, and which sources are refused."""

from __future__ import annotations

import duckdb
import pytest
from clause_golden import GOLDEN, Pair, read

from kanon_sql.clause import rewrite
from kanon_sql.clause.cells.table_query import TableQuery
from kanon_sql.errors import ClauseError
from kanon_sql.model.protection import Protection

PAIRS = read(GOLDEN / "protect_people.sql", "becomes")
FAILURES = read(GOLDEN / "protect_fail.sql", "error")


def name(pair: Pair) -> str:
    return pair.name


def written(query: TableQuery, protection: Protection, _explained: bool) -> str:
    where = f" WHERE {query.where}" if query.where else ""
    return f"SELECT '{' AND '.join(protection.requirements)}' AS asked {query.source}{where}"


def becomes(statement: str) -> str:
    return rewrite(statement, lambda body, *_: body, protect=written)


def test_golden_files_are_read_whole() -> None:
    for file, pairs in ((GOLDEN / "protect_people.sql", PAIRS), (GOLDEN / "protect_fail.sql", FAILURES)):
        assert len(pairs) == len({pair.name for pair in pairs}) == file.read_text(encoding="utf-8").count("-- name: ")


@pytest.mark.parametrize("pair", PAIRS, ids=name)
def test_becomes(pair: Pair) -> None:
    assert becomes(pair.statement) == pair.outcome
    with duckdb.connect() as con:
        con.execute("CREATE TABLE patients (zip VARCHAR, age INTEGER, disease VARCHAR); CREATE TABLE target AS FROM patients")
        con.execute(pair.outcome)
    with pytest.raises(duckdb.ParserException):
        duckdb.extract_statements(pair.statement)


@pytest.mark.parametrize("pair", FAILURES, ids=name)
def test_refused(pair: Pair) -> None:
    with pytest.raises(ClauseError) as caught:
        becomes(pair.statement)
    assert pair.outcome in str(caught.value)
    assert caught.value.text in pair.statement
