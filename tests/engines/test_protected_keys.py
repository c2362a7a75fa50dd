"""Protected tables: their keys, and the tables that they read."""

from __future__ import annotations

from typing import Any

import pytest

import kanon_sql
from kanon_sql.engines.duckdb.cells.ledger import ProtectedTables
from kanon_sql.errors import KanonError


@pytest.fixture
def con() -> kanon_sql.engines.duckdb.connect.connection.Connection:
    con = kanon_sql.connect()
    con.execute("CREATE TABLE people AS SELECT range % 4 AS region, range * 37 % 5 AS age, range AS id FROM range(60)")
    return con


@pytest.mark.everything
def test_a_view_and_a_call_are_the_tables_that_they_read(con: Any, tmp_path: Any) -> None:
    con.execute("CREATE VIEW old AS FROM people WHERE age > 1; CREATE VIEW older AS SELECT * FROM Old WHERE age > 2")
    con.execute(f"COPY people TO '{tmp_path}/people.csv'")
    table = "SELECT region, count(*) AS n FROM {} GROUP BY region PROTECT n >= 4"
    for first, second in (
        ("people", "older"),
        ("older", "people"),
        ("people", "k_anonymize('main.people', 2, qi := ['region', 'age', 'id'])"),
        ("people", "query('FROM people WHERE age > 0')"),
        (f"read_csv('{tmp_path}/people.csv')", f"read_csv('{tmp_path}/people.csv'), range(1)"),
        (f"'{tmp_path}/people.csv'", f"read_csv('{tmp_path}/people.csv')"),
    ):
        con.session._protected_tables = ProtectedTables(con.session.cursor, lambda: con.session.secret)
        con.execute(table.format(first)).fetchall()
        with pytest.raises(KanonError, match="with a different FROM"):
            con.execute(table.format(second)).fetchall()
        con.execute(table.format(first)).fetchall()


@pytest.mark.everything
def test_keys_that_identify_people_are_refused_where_their_rows_would_show(con: Any) -> None:
    table = "SELECT {0}, count(*) AS n FROM people GROUP BY CUBE ({0}) PROTECT n >= 4"
    with pytest.raises(KanonError, match=r"the key id singles out 100.0% of the people.*ROWS ABSENT"):
        con.execute(table.format("region, id"))
    rows = con.execute(f"{table.format('region, id')} ROWS ABSENT").fetchall()
    assert {each[1] for each in rows} == {None}
    con.execute("CREATE TABLE few AS SELECT range % 8 AS a, range // 8 AS b FROM range(60) UNION ALL SELECT 0, 0")
    with pytest.warns(kanon_sql.KanonWarning, match=r"the keys a, b single out 96.7% of the people"):
        con.execute("SELECT a, b, count(*) AS n FROM few GROUP BY a, b PROTECT n >= 4").fetchall()
    assert "96.7%" in str(con.execute("SELECT * FROM kanon_protected_tables()").fetchall()[-1])
    with pytest.raises(KanonError, match=r"singles out 100.0% of the people"):
        con.execute("SELECT a, count(*) AS n FROM (SELECT 7 AS a) GROUP BY a PROTECT n >= 4")
    con.execute("SELECT id, count(*) AS n FROM people GROUP BY id PROTECT n >= 4 ROWS ABSENT USING auto (earlier = 'ignore')")


def test_a_key_of_two_people_each_is_refused(con: Any) -> None:
    con.execute("CREATE TABLE twice AS SELECT 'N' || range // 2 AS who FROM range(200)")
    told = r"the key who singles out 100\.0% of the people \(values shared by fewer than 3 people\), so rows without counts"
    with pytest.raises(KanonError, match=told):
        con.execute("SELECT who, count(*) AS n FROM twice GROUP BY who PROTECT n >= 10")


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("keys", "values"),
    [
        ("a", "(NULL), (NULL), (NULL), (1), (1), (1), (2)"),
        ("a", "('x'::ENUM ('x', 'never seen')), ('x'), ('x'), ('x')"),
        ('"select"', "(1), (1), (2)"),
        ('"a ""quoted"" name"', "(1), (1), (2), (2), (2)"),
        ("a", "(repeat('x', 100000)), (repeat('x', 100000)), (repeat('x', 100000))"),
        ("a", "({'b': [1, 2]}), ({'b': [1, 2]}), ({'b': []}), ({'b': []}), ({'b': NULL})"),
    ],
)
def test_unusual_keys(keys: str, values: str) -> None:
    con = kanon_sql.connect()
    con.execute(f"CREATE TABLE t AS FROM (VALUES {values}) AS t({keys})")
    sql = f"SELECT {keys}, count(*) AS n FROM t GROUP BY {keys}"
    rows = {repr(row[:-1]): row[-1] for row in con.execute(f"{sql} PROTECT n >= 3 USING auto (earlier = 'ignore')").fetchall()}
    truth = {repr(row[:-1]): row[-1] for row in con.execute(sql).fetchall()}
    assert rows.keys() == truth.keys()
    assert all(rows[key] in {None, n} and (n >= 3 or rows[key] is None) for key, n in truth.items())


@pytest.mark.everything
def test_many_keys_are_refused(con: Any) -> None:
    names = [f"c{number}" for number in range(31)]
    con.execute(f"CREATE TABLE wide AS SELECT {', '.join(f'0 AS {name}' for name in names)} FROM range(9)")
    with pytest.raises(KanonError, match="at most 30 keys"):
        con.execute(f"SELECT {', '.join(names)}, count(*) AS n FROM wide GROUP BY ALL PROTECT n >= 4")
    few = ", ".join(names[:30])
    assert len(con.execute(f"SELECT {few}, count(*) AS n FROM wide GROUP BY ALL PROTECT n >= 4").fetchall()) == 1


@pytest.mark.everything
@pytest.mark.parametrize(
    "statement",
    [
        "SELECT a, b, count(*) AS n FROM moods GROUP BY CUBE (a, b) PROTECT n >= 4 ROWS ABSENT",
        "SELECT a, b, count(*) AS n FROM moods GROUP BY a, b PROTECT n >= 4 ROWS ABSENT",
        "FROM protect('moods', by := ['a', 'b'], k := 4, rows := 'absent')",
    ],
)
def test_the_type_of_a_key_lists_no_value(con: Any, statement: str) -> None:
    kind = "ENUM ('hidden name', 'x', 'y')"
    con.execute(f"CREATE TABLE moods AS SELECT ['x', 'y'][1 + range % 2]::{kind} AS a, [a] AS b FROM range(40)")
    con.execute(f"INSERT INTO moods SELECT 'hidden name'::{kind}, ['hidden name'::{kind}]")
    con.execute(f"CREATE TABLE released AS {statement}")
    assert [row[1] for row in con.execute("DESCRIBE released").fetchall()] == ["VARCHAR", "VARCHAR[]", "BIGINT"]
    assert con.execute("SELECT count(*) FROM released WHERE a IN ('x', 'y')").fetchall()[0][0] > 0
    table = kanon_sql.protect(con.raw.table("moods"), ["a", "b"], k=4, rows="absent").table
    assert "hidden name" not in str(table.types)


@pytest.mark.parametrize("grouped", ["region", "CUBE (region, sex)"])
def test_a_table_of_one_group_of_too_few_people_is_suppressed(grouped: str) -> None:
    con = kanon_sql.connect()  # no dimension has two values
    con.execute("CREATE TABLE few AS SELECT 'north' AS region, 'f' AS sex FROM range(3)")
    rows = con.execute(f"SELECT region, count(*) AS n FROM few GROUP BY {grouped} PROTECT n >= 4 PER ROW").fetchall()
    assert {n for *_, n in rows} == {None}
    absent = con.execute(f"SELECT region, count(*) AS n FROM few GROUP BY {grouped} PROTECT n >= 4 PER ROW ROWS ABSENT")
    assert absent.fetchall() == []


@pytest.mark.parametrize("first", [0, 1])
def test_tables_under_conditions_are_solved_together_in_any_order(con: Any, first: int) -> None:
    old = "CREATE TABLE old AS SELECT age // 2 AS twos, count(*) AS n FROM people WHERE age > 0 GROUP BY twos PROTECT n >= 4"
    every = "CREATE TABLE every AS SELECT region, count(*) AS n FROM people GROUP BY region PROTECT n >= 4"
    con.execute("; ".join(["BEGIN PROTECTED", *((old, every) if first else (every, old)), "COMMIT"]))
    assert con.execute("FROM old ORDER BY ALL").fetchall() == [(0, 12), (1, 24), (2, 12)]
    assert con.execute("FROM every ORDER BY ALL").fetchall() == [(region, 15) for region in range(4)]


@pytest.mark.everything
def test_a_count_under_a_condition_of_where_and_of_tables_before(con: Any) -> None:
    first = con.execute(
        "SELECT region, count(*) AS n, count_if(age > 0) AS c FROM people WHERE age > 0 GROUP BY region PROTECT n >= 4"
    )
    assert all(n == c == 12 for _, n, c in first.fetchall())
    second = (
        "SELECT age // 2 AS twos, count(*) AS n, count_if(age > 0) AS c FROM people WHERE age < 4 GROUP BY twos PROTECT n >= 4"
    )
    assert con.execute(second).fetchall() == [(0, 24, 12), (1, 24, 24)]
    # every row of the second one meets a condition of its own, and it is counted again
    con.execute("SELECT region, count(*) AS n, count_if(age < 9) AS c FROM people WHERE age < 4 GROUP BY region PROTECT n >= 4")
    assert con.execute("SELECT region, count(*) AS n FROM people GROUP BY region PROTECT n >= 4").fetchall()
