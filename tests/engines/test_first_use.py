"""A new database in memory makes functions and macros when a statement first needs them; nobody can see that it does."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

import kanon_sql
from kanon_sql.engines.duckdb.connect.connection import Connection
from kanon_sql.engines.duckdb.connect.first_use import _names
from kanon_sql.engines.duckdb.connect.registration import RELEASING, macros
from kanon_sql.engines.duckdb.versions import BUSY

pytestmark = pytest.mark.skipif(not BUSY, reason="before DuckDB 2 everything is made at once")

LISTED = "SELECT database_name, schema_name, function_name, macro_definition FROM duckdb_functions() WHERE NOT internal"

CLAUSE = "SELECT a, count(*) FROM (SELECT a FROM t ANONYMIZE BY a GUARANTEE k >= 4) GROUP BY a"


@pytest.fixture
def con() -> Iterator[Connection]:
    with kanon_sql.connect() as con:
        con.execute("CREATE TABLE t AS SELECT i % 3 AS a, i % 2 AS b FROM range(12) AS r(i)")
        yield con


def made(con: Connection) -> set[str]:
    """Return the names of our functions and macros, without asking for them through us."""
    assert con._first_use is not None
    rows = con._first_use._raw.execute("SELECT DISTINCT function_name FROM duckdb_functions() WHERE NOT internal").fetchall()
    return {name for (name,) in rows}


def test_each_statement_makes_what_it_needs(con: Connection) -> None:
    assert con.execute("SELECT count(*) FROM t").fetchall() == [(12,)]
    assert not made(con)
    assert len(con.execute(CLAUSE).fetchall()) == 3
    assert not made(con) & {"k_anonymity", "k_anonymize", "profile"}
    assert con.execute("SELECT k FROM k_anonymity('t', ['a'])").fetchall() == [(4,)]
    con.execute("-- a comment; it calls nothing\nFROM marginals('t', 't')").fetchall()
    assert {"k_anonymity", "marginals", "joint_tables"} <= made(con)
    assert not made(con) & {"k_anonymize", "profile"}
    policy = kanon_sql.Policy.of(k=2, quasi_identifiers=["a", "b"]).to_json()
    assert len(con.execute(f"FROM anonymize('t', '{policy}')").fetchall()) == 12


@pytest.mark.parametrize(
    ("statement", "function"),
    [
        ("EXPLAIN ANONYMIZE FROM t ANONYMIZE BY a, b GUARANTEE k >= 4", "kanon_explain"),
        ("SELECT a, count(*) AS n FROM t GROUP BY CUBE (a) PROTECT n >= 5 PER ROW", "kanon_fit_cells"),
        ("CREATE ANONYMIZATION POLICY p ON t (BY a; KEEP b; GUARANTEE k >= 4 PER ROW)", "kanon_policy_checked"),
        ("FROM t ANONYMIZE BY a GUARANTEE k >= 4 AND l(b, 'entropy') >= 1", "kanon_entropy"),
    ],
)
def test_a_statement_has_the_functions_that_it_calls(con: Connection, statement: str, function: str) -> None:
    assert con._first_use is not None
    raw = con._first_use._raw

    def functions() -> set[str]:
        rows = raw.execute("SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_name LIKE 'kanon%'").fetchall()
        return {name for (name,) in rows}

    assert len(con.execute(CLAUSE).fetchall()) == 3
    assert functions() == RELEASING | {"kanon_session"}
    con.execute(statement).fetchall()
    assert function in functions()
    con.raw.execute("SELECT 1")
    assert {"kanon_explain", "kanon_certificates", "kanon_plan_anonymize"} <= functions()


@pytest.mark.parametrize(
    "statement",
    [LISTED, f"/* a comment */ {LISTED}", f"SELECT 1; {LISTED}", "BEGIN", "SELECT * FROM query('FROM k_anonymize(''t'', 2)')"],
)
def test_what_may_list_or_hide_a_call_finds_everything(con: Connection, statement: str) -> None:
    con.execute(statement)
    with kanon_sql.register(duckdb.connect()) as registered:
        assert set(con.execute(LISTED).fetchall()) == set(registered.execute(LISTED).fetchall())


def test_the_connection_behind_it_has_everything_and_its_rows(con: Connection) -> None:
    con.execute("FROM range(100_000)")
    assert con.raw.fetchone() == (0,)
    with con.raw.cursor() as cursor:
        assert len(cursor.execute("FROM k_anonymize('t', 2)").fetchall()) == 12
    assert len(con.fetchall()) == 99_999
    assert {row[0] for row in con.raw.execute(LISTED).fetchall()} == {"memory", "kanon", "temp"}


def test_views_cursors_and_relations(con: Connection) -> None:
    con.execute("CREATE VIEW v AS FROM k_anonymize('t', 4)")
    con.execute(f"CREATE VIEW w AS {CLAUSE}")
    for each in (con, con.cursor()):
        assert len(each.execute("FROM v").fetchall()) == 12
        assert len(each.execute("FROM w").fetchall()) == 3
    assert con.table("t").query("t2", "SELECT k FROM k_anonymity('t', ['a'])").fetchall() == [(4,)]


def test_a_closed_connection(con: Connection) -> None:
    con.close()
    assert kanon_sql.releases(con) == []
    with pytest.raises(kanon_sql.errors.SourceError, match="already closed"):
        con.execute(CLAUSE)


def test_a_relation_over_a_release(con: Connection) -> None:
    relation = con.sql("FROM t ANONYMIZE BY a, b GUARANTEE k >= 2")
    assert len(relation.limit(3).fetchall()) == 3
    assert "k_anonymity" not in made(con)
    assert con.sql("FROM t ANONYMIZE BY a, b GUARANTEE k >= 2").query("r", "SELECT k FROM k_anonymity('r', ['a'])").fetchall()


def test_macros_of_the_user_are_told_as_on_a_registered_connection(con: Connection) -> None:
    with kanon_sql.register(duckdb.connect()) as registered:
        registered.execute("CREATE TABLE t AS SELECT i % 3 AS a FROM range(12) AS r(i)")
        for statement in (
            "CREATE MACRO k_anonymity(a, b) AS TABLE SELECT 1 AS k",
            "CREATE OR REPLACE MACRO k_anonymity(a, b) AS TABLE SELECT 1 AS k",
            "SELECT k FROM k_anonymity('t', ['a'])",
            "CREATE OR REPLACE FUNCTION list_value(x) AS x",
        ):
            outcomes = []
            for each in (con, registered):
                try:
                    outcomes.append(str(each.execute(statement).fetchall()))
                except duckdb.Error as error:
                    outcomes.append(str(error))
            assert outcomes[0] == outcomes[1]
    with pytest.raises(kanon_sql.errors.KanonError, match="the macro list_value takes the place of a built-in function"):
        con.execute(CLAUSE)


def test_errors_before_anything_is_made(con: Connection) -> None:
    with pytest.raises(duckdb.CatalogException, match="no_table"):
        con.execute("FROM no_table")
    with pytest.raises(kanon_sql.errors.ClauseError, match="ANONYMIZE"):
        con.execute("SELECT a FROM t ANONIMIZE BY a GUARANTEE k >= 2")
    assert con.execute("SELECT count(*) FROM t").fetchall() == [(12,)]


@pytest.mark.parametrize("options", [{"database": ":memory:named"}, {"secret": "s" * 32}, {"allowed_files": ["."]}])
def test_what_others_reach_or_what_is_checked_is_made_at_once(options: dict[str, object]) -> None:
    with kanon_sql.connect(**options) as con:
        assert con._first_use is None


def test_every_macro_is_found_by_its_name() -> None:
    named = {name for text in macros() if "kanon" not in (name := text.partition("(")[0])}
    assert named == _names() - {"kanon", "greedy_release"}


def test_a_connection_loads_next_to_nothing(tmp_path: Path) -> None:
    script = """if True:
        import sys, kanon_sql
        con = kanon_sql.connect()
        con.execute("CREATE TABLE t AS SELECT i % 3 AS a FROM range(12) AS r(i)")
        print([name for name in ("numpy", "pyarrow", "sqlglot", "kanon_sql.model.policy") if name in sys.modules])
        con.execute("SET enable_progress_bar = false")
        con.execute("FROM t ANONYMIZE BY a GUARANTEE k >= 4").fetchall()
        print([name for name in ("pandas", "ortools", "scipy", "polars", "rich") if name in sys.modules])
    """
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "[]\n[]\n", "")


def test_nothing_is_looked_through_twice(con: Connection) -> None:
    assert con.raw.execute("SELECT 1").fetchall() == [(1,)]
    assert con._first_use is not None
    assert con._first_use.before("FROM t") is False
