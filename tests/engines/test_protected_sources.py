"""Protected tables: which of them read the same people, however FROM says it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import kanon_sql
from kanon_sql.engines.duckdb.cells.ledger import ProtectedTables
from kanon_sql.errors import KanonError, SourceError

PEOPLE = "CREATE TABLE people AS SELECT range % 4 AS region, range * 37 % 5 AS age, range AS id FROM range(60)"
TABLE = "SELECT region, count(*) AS n FROM {} GROUP BY region PROTECT n >= 4 PER ROW"


@pytest.fixture
def con() -> kanon_sql.engines.duckdb.connect.connection.Connection:
    con = kanon_sql.connect()
    con.execute(PEOPLE)
    return con


def forget(con: Any) -> None:
    con.session._protected_tables = ProtectedTables(con.session.cursor, lambda: con.session.secret)


def refused(con: Any, first: str, second: str) -> bool:
    """Return whether a table of the second source is refused once one of the first was released."""
    forget(con)
    con.execute(TABLE.format(first)).fetchall()
    try:
        con.execute(TABLE.format(second)).fetchall()
    except SourceError:
        return True
    return False


@pytest.mark.sweep
@pytest.mark.parametrize(
    "source",
    [
        "adults()",
        "by_macro",
        "(TABLE people) WHERE age > 1",
        "(UNPIVOT people ON age)",
        "(PIVOT people ON age IN (1, 2) USING count(*) GROUP BY region, id)",
        "all_of: people",
        "range(60) AS r SEMI JOIN people ON r.range = people.id, range(4) AS t(region)",
        "(people CROSS JOIN range(1))",
        "query('FROM peo' || 'ple')",
        "range(60) AS t(region) WHERE region < most()",
        "(SELECT region FROM people AS p WHERE id < 50)",
        "(SELECT p.region FROM '{file}' AS f JOIN people AS p ON f.id = p.id)",
        "by_macro, '{file}'",
        "s1.all_people",
        "memory.main.people, range(1)",
    ],
)
def test_every_way_to_read_a_table_is_seen(con: Any, source: str, tmp_path: Path) -> None:
    con.execute("CREATE MACRO inner_adults(most) AS TABLE SELECT * FROM people WHERE age < most")
    con.execute("CREATE MACRO adults() AS TABLE FROM inner_adults(4); CREATE VIEW by_macro AS SELECT region FROM adults()")
    con.execute("CREATE MACRO most() AS (SELECT max(id) FROM people)")
    con.execute("CREATE SCHEMA s1; CREATE VIEW s1.all_people AS FROM main.people")
    con.execute(f"COPY (SELECT 1 AS one) TO '{tmp_path}/one.csv'; COPY people TO '{tmp_path}/people.csv'")
    file = f"{tmp_path}/one.csv" if source.startswith("by_macro") else f"{tmp_path}/people.csv"
    assert refused(con, "people", source.format(file=file))


@pytest.mark.sweep
@pytest.mark.parametrize(
    "query",
    [
        "WITH people AS (FROM people WHERE age > 1) SELECT region, count(*) AS n FROM people GROUP BY region PROTECT n >= 4",
        "WITH a AS (FROM people) FROM (SELECT region, count(*) AS n FROM a WHERE id <> 7 GROUP BY region PROTECT n >= 4)",
        "WITH a AS (FROM most()) SELECT region, count(*) AS n FROM a, '{file}' GROUP BY region PROTECT n >= 4",
    ],
)
def test_the_queries_of_a_with_are_read(con: Any, query: str, tmp_path: Path) -> None:
    con.execute("CREATE MACRO most() AS TABLE FROM people")
    con.execute(f"COPY (SELECT 1 AS one) TO '{tmp_path}/one.csv'")
    con.execute(TABLE.format("people")).fetchall()
    with pytest.raises(SourceError, match="with a different FROM"):
        con.execute(query.format(file=f"{tmp_path}/one.csv")).fetchall()


def test_a_renamed_table_and_a_copy_are_recognized(con: Any) -> None:
    con.execute(TABLE.format("people")).fetchall()
    con.execute("CREATE TABLE copied AS FROM people")
    with pytest.raises(SourceError, match="same columns and number of rows was protected under a different name"):
        con.execute(TABLE.format("copied")).fetchall()
    con.execute("ALTER TABLE people RENAME TO persons; INSERT INTO persons VALUES (1, 1, 60)")
    with pytest.raises(SourceError, match="under a different name"):
        con.execute(TABLE.format("persons")).fetchall()
    con.execute(f"{TABLE.format('persons')} USING auto (earlier = 'ignore')").fetchall()


@pytest.mark.everything
def test_a_table_renamed_between_sessions_is_recognized(tmp_path: Path) -> None:
    for setup, sql, fails in (
        (PEOPLE, TABLE.format("people"), False),
        ("ALTER TABLE people RENAME TO persons", TABLE.format("persons"), True),
        ("CREATE SCHEMA s2; CREATE TABLE s2.people AS SELECT 1 AS region FROM range(9)", TABLE.format("s2.people"), False),
    ):
        con = kanon_sql.connect(str(tmp_path / "clinic.duckdb"))
        con.execute(setup)
        if fails:
            with pytest.raises(KanonError, match="under a different name"):
                con.execute(sql).fetchall()
        else:
            con.execute(sql).fetchall()
        con.close()
    con = kanon_sql.connect()
    con.execute(f"ATTACH '{tmp_path}/clinic.duckdb' AS other; ALTER TABLE other.persons RENAME TO people")
    with pytest.raises(SourceError, match="with a different FROM"):
        con.execute(TABLE.format("other.people, range(1)")).fetchall()


@pytest.mark.everything
def test_schemas_are_told_apart(con: Any) -> None:
    for schema, rows in (("s1", 50), ("s2", 70)):
        con.execute(f"CREATE SCHEMA {schema}; CREATE TABLE {schema}.t AS SELECT range % 3 AS region FROM range({rows})")
        con.execute(f"CREATE VIEW {schema}.v AS FROM {schema}.t")
    assert not refused(con, "s1.v", "s2.v")
    assert not refused(con, "s1.t", "memory.s2.t")
    assert refused(con, "s1.v", "s1.t")
    con.execute("USE s1")
    assert refused(con, "t", "memory.s1.v")
    assert refused(con, "s1.v", "(TABLE t)")


def test_a_record_without_schemas_is_honoured(con: Any) -> None:
    con.execute(TABLE.format("people")).fetchall()
    [release] = con.session.protected_tables._released
    object.__setattr__(release.released.tabulation, "reads", ("people",))
    with pytest.raises(SourceError, match="with a different FROM"):
        con.execute(TABLE.format("main.people")).fetchall()
