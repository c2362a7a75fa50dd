"""Macros of the database in the place of DuckDB's functions: the release is the right one, or there is none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import every_statement
import pytest
import shadows

import kanon_sql
from kanon_sql.engines.duckdb.connect.shadowing import GATED, REFUSED
from kanon_sql.errors import AuditError, KanonError, SourceError

BODIES = ("true", "false", "1", "NULL")

SOME = [every_statement.RELEASES[place] for place in (0, 1, 5, 9, 14, 15, -3, -2, -1)]
"""Named columns, every column, l, t, recodings with and without a hierarchy, a stored policy in both ways, the clause."""


@pytest.fixture(scope="module")
def shared() -> Iterator[tuple[Any, dict[str, Counter[str]]]]:
    """A connection, and what some statements give on it; who makes a macro there drops it."""
    with kanon_sql.connect() as con:
        con.execute(every_statement.SETUP)
        con.execute(every_statement.POLICY)
        yield con, {statement: rows(con, statement) for statement in (*SOME[::4], every_statement.RELEASES[17])}


@pytest.fixture
def clinic() -> Iterator[kanon_sql.engines.duckdb.connect.connection.Connection]:
    with kanon_sql.connect() as con:
        con.execute(every_statement.SETUP)
        con.execute(every_statement.POLICY)
        yield con


def rows(con: Any, statement: str) -> Counter[str]:
    return Counter(map(repr, con.execute(statement).fetchall()))


def classes(con: Any, statement: str, *columns: int) -> int:
    """Return the size of the smallest class of a release, counted here."""
    sizes = Counter(tuple(row[column] for column in columns) for row in con.execute(statement).fetchall())
    return min(sizes.values())


@pytest.mark.everything
def test_a_macro_in_the_place_of_every_function_changes_nothing(clinic: Any) -> None:
    asked = [*SOME, *every_statement.EXPLANATIONS, *every_statement.AUDITS]
    right = [rows(clinic, statement) for statement in asked]
    for body in BODIES:
        shadows.shadow_all(clinic.raw, body, leave={*GATED, *REFUSED})
        assert [rows(clinic, statement) for statement in asked] == right
        assert classes(clinic, SOME[0], 0, 1) >= 3
        assert classes(clinic, SOME[-1], 0, 1) >= 3
        assert classes(clinic, SOME[1], *range(7)) >= 2


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("name", [*GATED, "array_extract", "struct_extract"])  # no release takes a slice
def test_a_macro_behind_the_syntax_is_refused_by_its_name(shared: Any, name: str) -> None:
    clinic, right = shared
    told: list[str] = []
    for body, kind in zip(BODIES, ("", "TEMP", "", "TEMP"), strict=True):
        clinic.execute(shadows.scalar(name, body, kind))
        for statement in right:
            try:
                assert rows(clinic, statement) == right[statement]
            except KanonError as error:
                told.append(str(error))
            else:
                assert name in REFUSED  # a statement without that syntax
        clinic.execute(f'DROP MACRO "{name}"')
    refusal = f"the macro {name} takes the place of a built-in function; nothing was released; hint: drop or rename it"
    assert refusal in told


@pytest.mark.everything
@pytest.mark.parametrize("name", ["-", "||"])
def test_an_uncommitted_macro_counts_and_a_rolled_back_one_does_not(clinic: Any, name: str) -> None:
    clinic.execute("BEGIN")
    clinic.execute(shadows.scalar(name, "NULL"))
    with pytest.raises(KanonError, match="takes the place of a built-in function"):
        clinic.execute(SOME[0]).fetchall()
    clinic.execute("ROLLBACK")
    assert classes(clinic, SOME[0], 0, 1) >= 3


def test_a_macro_that_does_as_the_function_does_is_refused_too(clinic: Any) -> None:
    """It may do otherwise for other types: whoever looks at a sample is not safe."""
    clinic.execute('CREATE MACRO "-"(a, b) AS system.main.subtract(a, b)')
    with pytest.raises(AuditError, match="the macro - takes the place of a built-in function"):
        clinic.execute(SOME[0]).fetchall()
    with pytest.raises(AuditError, match="the macro - takes the place of a built-in function"):
        clinic.execute(every_statement.EXPLANATIONS[0]).fetchall()


def test_a_macro_that_is_not_on_the_search_path_is_nobodys_business(clinic: Any) -> None:
    clinic.execute('CREATE SCHEMA own; CREATE MACRO own."-"(a, b) AS 0')
    assert classes(clinic, SOME[0], 0, 1) >= 3
    clinic.execute("USE own")
    with pytest.raises(AuditError, match="the macro - takes the place"):
        clinic.execute(SOME[0].replace("'p'", "'main.p'")).fetchall()


def test_the_attack_that_was_found() -> None:
    with kanon_sql.connect() as con:
        con.execute("CREATE TABLE p AS SELECT i AS zip FROM range(12) AS t(i)")
        con.execute("CREATE MACRO list_contains(a, b) AS false")
        con.execute("CREATE MACRO create_sort_key(a, b) AS 1")
        con.execute("CREATE MACRO error(a) AS true")
        assert con.execute("SELECT count(DISTINCT zip) FROM k_anonymize('p', 4, qi := ['zip'])").fetchall() == [(0,)]


@pytest.mark.everything
def test_types_of_other_schemas_do_not_win(clinic: Any) -> None:
    right = rows(clinic, every_statement.RELEASES[9].replace("'p'", "'main.p'"))
    names = (
        "VARCHAR",
        "HUGEINT",
        "BIGINT",
        "INTEGER",
        "DOUBLE",
        "BLOB",
        "DATE",
        "TIMESTAMP",
        "TIMESTAMPTZ",
        "BOOLEAN",
        "DECIMAL",
    )
    clinic.execute("CREATE SCHEMA own")
    for name in names:
        with pytest.raises(duckdb.CatalogException):
            clinic.execute(f"CREATE TYPE {name} AS ENUM ('x')")
        clinic.execute(f"CREATE TYPE own.{name} AS ENUM ('x')")
    clinic.execute("USE own")
    assert rows(clinic, every_statement.RELEASES[9].replace("'p'", "'main.p'")) == right


HOSTILE = """
CREATE TABLE p AS SELECT i % 3 AS zip FROM range(12) AS t(i);
CREATE SCHEMA "system"; CREATE SCHEMA kanon; CREATE SCHEMA own;
CREATE TABLE theirs."system".p AS SELECT 1 AS zip;
CREATE VIEW duckdb_functions AS SELECT 1 AS function_name;
CREATE VIEW duckdb_databases AS SELECT 1 AS database_name;
CREATE MACRO query(a) AS TABLE SELECT 0 AS zip FROM range(12);
CREATE MACRO duckdb_functions() AS TABLE SELECT 1 AS function_name;
CREATE MACRO duckdb_tables() AS TABLE SELECT 1 AS table_name;
CREATE MACRO current_database() AS 'elsewhere';
CREATE MACRO list_contains(a, b) AS false;
CREATE MACRO error(a) AS true;
CREATE TYPE own.VARCHAR AS ENUM ('x');
CREATE TABLE kanon_policies AS SELECT 1 AS name;
"""


def file_with(tmp_path: Path, *statements: str) -> str:
    path = str(tmp_path / "theirs.duckdb")
    with duckdb.connect(path) as con:
        for statement in statements:
            con.execute(statement)
    return path


@pytest.mark.everything
def test_a_file_full_of_traps(tmp_path: Path) -> None:
    # DuckDB 1.4 binds views of its own with such macros, and then fails whatever is looked up
    hostile = HOSTILE.replace("MACRO duckdb_", "MACRO own_duckdb_") if duckdb.__version__ < "1.5" else HOSTILE
    with kanon_sql.connect(file_with(tmp_path, hostile)) as con:
        for statement in ("FROM k_anonymize('p', 4)", "FROM p ANONYMIZE BY zip GUARANTEE k >= 5"):
            assert set(con.execute(statement).fetchall()) in ({(0,), (1,), (2,)}, {(None,)})
        assert con.execute("SELECT k FROM k_anonymity('p')").fetchall() == [(4,)]
        with con.cursor() as cursor:
            assert len(cursor.execute("FROM k_anonymize('p', 4)").fetchall()) == 12
        with pytest.raises(KanonError, match="does not have the columns of a policy table; hint"):
            con.execute("FROM p ANONYMIZE WITH POLICY stored")
        with pytest.raises(duckdb.Error, match="does not have the columns of a policy table; hint"):
            con.raw.execute("FROM anonymize('p', 'stored')").fetchall()


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    "macro",
    [
        "k_anonymize(tbl, k) AS TABLE SELECT 1 AS zip",
        "main.K_Anonymity(tbl) AS TABLE SELECT 99 AS k",
        "own.anonymize(tbl, policy) AS TABLE FROM query_table(tbl)",
        "kanon.l_diversify(tbl, sa, l) AS TABLE FROM query_table(tbl)",
        "kanon_releases() AS TABLE SELECT 'OPTIMAL' AS status",
        "interval_ends(label) AS 1",
        "kanon_session() AS 1",
        "kanon_fit(a, b) AS 1",
    ],
)
@pytest.mark.parametrize("open_it", [kanon_sql.connect, lambda path: kanon_sql.register(duckdb.connect(path))])
def test_a_file_with_a_namesake_of_ours_is_refused(tmp_path: Path, macro: str, open_it: Any) -> None:
    path = file_with(tmp_path, "CREATE SCHEMA own", "CREATE SCHEMA kanon", f"CREATE MACRO {macro}")
    with pytest.raises(
        SourceError, match="(?i)the macro .*" + macro.split("(")[0].rpartition(".")[2] + ".*hint: drop (it|the macro)"
    ):
        open_it(path)


@pytest.mark.everything
def test_a_file_with_our_own_macros_is_not(tmp_path: Path, root: Path) -> None:
    kanon = (root / "sql" / "kanon.sql").read_text(encoding="utf-8")
    path = file_with(tmp_path, kanon, "CREATE TABLE p AS SELECT 1 AS a FROM range(3)")
    with kanon_sql.connect(path) as con:
        kanon_sql.register(con)
        with con.cursor() as cursor, con.raw.cursor() as bare:
            for each in (con, cursor, bare):
                assert each.execute("SELECT k FROM k_anonymity('p')").fetchall() == [(3,)]
                assert each.execute("FROM k_anonymize('p', 2, qi := ['a'])").fetchall() == [(1,)] * 3
        assert con.execute("FROM kanon_releases()").fetchall()  # by the function of the package, not by that of the file
    older = file_with(tmp_path, "CREATE OR REPLACE MACRO k_anonymity(tbl, qi := NULL) AS TABLE SELECT 1 AS k")
    with pytest.raises(SourceError, match=r"load the new kanon\.sql"):
        kanon_sql.connect(older)


@pytest.mark.everything
def test_our_own_macros_do_not_trip_it(tmp_path: Path) -> None:
    for database in (":memory:", str(tmp_path / "clean.duckdb")):
        with kanon_sql.connect(database) as con:
            kanon_sql.register(con)
            kanon_sql.register(con.raw.cursor())
            con.cursor().close()
            con.execute("CREATE MACRO twice(x) AS 2 * x")
            kanon_sql.register(con)


@pytest.mark.everything
def test_ours_win_over_what_is_attached_or_made_later(tmp_path: Path) -> None:
    path = file_with(tmp_path, "CREATE TABLE p AS SELECT i AS zip FROM range(8) AS t(i)", *(
        f"CREATE MACRO {name} AS TABLE FROM p" for name in ("k_anonymize(tbl, k)", "anonymize(tbl, policy)")
    ))  # fmt: skip
    with kanon_sql.connect() as con:
        con.execute(f"ATTACH '{path}' AS theirs; USE theirs")
        assert set(con.execute("FROM k_anonymize('p', 4)").fetchall()) == {(None,)}
        con.execute("CREATE MACRO main.pattern_guided(tbl, masks) AS TABLE FROM p")
        assert set(con.execute("FROM pattern_guided('p', [[]])").fetchall()) == {(None,)}
        with pytest.raises(SourceError, match="has the same name as a kanon-sql function"):
            con.cursor()
