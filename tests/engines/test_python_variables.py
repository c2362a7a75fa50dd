"""A connection of `connect` sees the variables of the program that calls it, as DuckDB's own connection does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.errors import SourceError

COLUMNS = {"zip": [1, 1, 1, 1, 1, 2, 2], "age": [30, 30, 30, 30, 30, 40, 41]}
RELEASED = sorted([(1, 30)] * 5 + [(2, None)] * 2, key=str)
SMALL = [(None,)] * 3
CLAUSE = "ANONYMIZE BY zip, age GUARANTEE k >= 2"

everybody = pa.table(COLUMNS)


@pytest.fixture
def con() -> Iterator[kanon_sql.Connection]:
    with kanon_sql.connect() as con:
        yield con


@pytest.mark.everything
@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, lambda data: pl.DataFrame(data).lazy(), pa.table])
@pytest.mark.parametrize("query", [f"SELECT zip, age FROM df {CLAUSE}", "FROM k_anonymize('df', 2)"])
def test_local_variables_of_every_kind(con: kanon_sql.Connection, kind: Callable[[Any], Any], query: str) -> None:
    df = kind(COLUMNS)
    assert sorted(con.sql(query).fetchall(), key=str) == RELEASED
    assert sorted(con.execute(query).fetchall(), key=str) == RELEASED
    del df


def test_global_variables(con: kanon_sql.Connection) -> None:
    assert sorted(con.sql(f"SELECT * FROM everybody {CLAUSE}").fetchall(), key=str) == RELEASED
    assert len(con.sql("FROM everybody").fetchall()) == 7
    assert len(con.table("everybody").fetchall()) == 7


def test_a_local_variable_comes_before_a_global_one(con: kanon_sql.Connection) -> None:
    everybody = pa.table({"zip": ["a", "b", "b"]})
    assert con.sql("FROM k_anonymize('everybody', 3)").fetchall() == SMALL
    assert everybody.num_rows == 3


@pytest.mark.everything
def test_a_relation_outlives_the_function_that_had_the_variable(con: kanon_sql.Connection) -> None:
    def made() -> Any:
        inner = pa.table(COLUMNS)
        assert inner.num_rows == 7
        return con.sql(f'SELECT * FROM "inner" {CLAUSE}')

    relation = made()
    assert sorted(relation.fetchall(), key=str) == RELEASED
    assert relation.aggregate("count(*)").fetchall() == [(7,)]


@pytest.mark.everything
def test_a_table_of_the_database_comes_first(con: kanon_sql.Connection) -> None:
    con.execute("CREATE TABLE everybody AS SELECT i AS zip FROM range(3) r(i)")
    assert con.sql("FROM k_anonymize('everybody', 3)").fetchall() == SMALL
    assert con.sql("SELECT * FROM everybody ANONYMIZE BY zip GUARANTEE k >= 3").fetchall() == SMALL


def test_the_setting_of_duckdb_holds(con: kanon_sql.Connection) -> None:
    con.execute("SET python_enable_replacements = false")
    for query in ("FROM everybody", f"SELECT * FROM everybody {CLAUSE}", "FROM k_anonymize('everybody', 2)"):
        with pytest.raises((duckdb.CatalogException, SourceError), match="everybody does not exist"):
            con.sql(query).fetchall()


@pytest.mark.sweep
@pytest.mark.parametrize("name", ["query", "parameters", "text", "raw", "call", "arguments", "names", "frame", "self"])
def test_our_own_variables_hide_nothing_and_are_never_read(con: kanon_sql.Connection, name: str) -> None:
    """Every one of these is a variable of ours while the statement runs."""
    for run in (con.sql, con.execute):
        with pytest.raises(duckdb.CatalogException, match=f"{name} does not exist"):
            run(f"FROM {name}", **{"params" if run == con.sql else "parameters": []}).fetchall()
    seen: dict[str, Any] = {name: everybody, "con": con}
    exec(f"rows = con.sql('SELECT * FROM \"{name}\" {CLAUSE}').fetchall()", seen)
    assert sorted(seen["rows"], key=str) == RELEASED


@pytest.mark.everything
def test_what_runs_later_sees_the_caller_too(con: kanon_sql.Connection) -> None:
    more = pa.table({"zip": [1, None], "place": ["here", "nowhere"]})
    relation = con.sql(f"SELECT * FROM everybody {CLAUSE}")
    assert relation.query("seen", "SELECT count(*) FROM seen JOIN more USING (zip)").fetchall() == [(5,)]
    assert more.num_rows == 2


@pytest.mark.everything
def test_copies_and_several_statements_see_them(con: kanon_sql.Connection, tmp_path: Path) -> None:
    df = pd.DataFrame(COLUMNS)
    path = tmp_path / "released.parquet"
    con.execute(f"CREATE TABLE held AS FROM df; COPY (SELECT * FROM df {CLAUSE}) TO '{path}'; CREATE TABLE more AS FROM df")
    assert sorted(con.execute(f"FROM '{path}'").fetchall(), key=str) == RELEASED
    assert con.execute("SELECT (SELECT count(*) FROM held), (SELECT count(*) FROM more)").fetchall() == [(7, len(df))]
    con.executemany("INSERT INTO held SELECT zip + $1, age FROM df", [[1], [2]])
    assert con.execute("SELECT count(*) FROM held").fetchall() == [(21,)]


def test_a_stored_policy_reads_no_variable(con: kanon_sql.Connection) -> None:
    levels = pa.table({"level0": ["30", "40", "41"], "level1": ["*", "*", "*"]})
    policy = "(BY zip, age IN HIERARCHY levels; GUARANTEE k >= 2)"
    con.execute("CREATE TABLE people AS FROM everybody")
    con.execute(f"CREATE ANONYMIZATION POLICY research ON people {policy}")
    query = "SELECT * FROM people ANONYMIZE WITH POLICY research"
    with pytest.raises(SourceError, match="levels"):
        con.sql(query).fetchall()
    con.execute("CREATE TABLE levels AS FROM levels")
    assert len(con.sql(query).fetchall()) == 7
    assert levels.num_rows == 3
