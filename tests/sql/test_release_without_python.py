"""`k_anonymize` and `pattern_guided` in plain SQL: checked by counting in Python, and against every way to divide few rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import duckdb
import hypothesis.strategies as st
import naive
import pytest
import shadows
from hypothesis import given, settings

from kanon_sql.engines.duckdb.connect.shadowing import REFUSED

ROOT = Path(__file__).parents[2]

VALUES = ["NULL", "'a'", "'A'", "'b'", "''"]


def release(
    con: duckdb.DuckDBPyConnection, rows: Sequence[tuple[str, ...]], k: int, masks: list[list[str]] | None
) -> list[tuple[object, ...]]:
    """Release rows of SQL values with their number behind them; the columns are q0, q1, ..."""
    names = [f"q{place}" for place in range(len(rows[0]))]
    con.execute(f"CREATE OR REPLACE TABLE t ({', '.join(f'{name} VARCHAR COLLATE NOCASE' for name in names)}, number INTEGER)")
    con.execute("INSERT INTO t VALUES " + ", ".join(f"({', '.join(row)}, {number})" for number, row in enumerate(rows)))
    return con.execute("FROM k_anonymize('t', $1, qi := $2, masks := $3, keep := ['number'])", [k, names, masks]).fetchall()


def source(con: duckdb.DuckDBPyConnection) -> dict[object, tuple[object, ...]]:
    return {row[-1]: row[:-1] for row in con.execute("FROM t").fetchall()}


def check(released: list[tuple[object, ...]], rows: dict[object, tuple[object, ...]], k: int) -> int:
    """Assert what a release guarantees; return the cells that it hides."""
    assert sorted(row[-1] for row in released) == sorted(rows)
    assert min(Counter(row[:-1] for row in released).values()) >= k
    hidden = 0
    for *cells, number in released:
        for shown, was in zip(cells, rows[number], strict=True):
            assert shown is None or shown == was
            hidden += shown is None and was is not None
    return hidden


tables = st.integers(1, 3).flatmap(
    lambda columns: st.lists(st.tuples(*[st.sampled_from(VALUES[: columns + 2])] * columns), min_size=2, max_size=8)
)


@pytest.mark.everything
@given(tables, st.integers(1, 4), st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_few_rows(con: duckdb.DuckDBPyConnection, rows: list[tuple[str, ...]], k: int, random: object) -> None:
    if len(rows) < k:
        with pytest.raises(duckdb.InvalidInputException, match="kanon: rows are left over"):
            release(con, rows, k, None)
        return
    released = release(con, rows, k, None)
    values = source(con)
    check(released, values, k)
    # a NULL of the source may be hidden or shown, and costs nothing here: masks tell, not cells
    least = naive.optimum([tuple("" if value is None else f"={value}" for value in row) for row in values.values()], k)
    nulls = sum(value is None for row in values.values() for value in row)
    assert sum(cell is None for row in released for cell in row[:-1]) >= least - nulls
    order = list(values)
    random.shuffle(order)  # type: ignore[attr-defined]
    con.execute("CREATE OR REPLACE TABLE t AS SELECT t.* FROM t JOIN (SELECT unnest($1) AS number, generate_subscripts($1, 1)"
                " AS place) AS places USING (number) ORDER BY place", [order])  # fmt: skip
    names = [f"q{place}" for place in range(len(rows[0]))]
    assert con.execute("FROM k_anonymize('t', $1, qi := $2, keep := ['number'])", [k, names]).fetchall() == released


@pytest.mark.everything
@given(tables, st.integers(1, 4), st.data())
@settings(max_examples=60)
def test_every_row_shows_one_of_the_masks(
    con: duckdb.DuckDBPyConnection, rows: list[tuple[str, ...]], k: int, data: st.DataObject
) -> None:
    rows = [tuple("'c'" if cell == "NULL" else cell for cell in row) for row in rows]
    places = range(len(rows[0]))
    masks = data.draw(st.lists(st.sets(st.sampled_from(places)), min_size=1, max_size=4))
    try:
        released = release(con, rows, k, [[f"Q{place}" for place in mask] for mask in masks])
    except duckdb.InvalidInputException as error:
        if "kanon: rows are left over" not in str(error) or (set() in masks and len(rows) >= k):
            raise
        return
    check(released, source(con), k)
    assert all({place for place in places if row[place] is not None} in masks for row in released)
    least = naive.optimum(list(source(con).values()), k, [list(mask) for mask in masks])
    assert least is not None
    assert sum(cell is None for row in released for cell in row[:-1]) >= least


def test_rows_that_are_left_over_take_the_class_that_costs_least(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE t AS SELECT unnest(['a', 'a', 'b', 'b', 'b', 'b', 'c']) AS x, unnest([1, 1, 2, 2, 2, 2, 1]) AS y")
    released = con.execute("FROM k_anonymize('t', 2, qi := ['x', 'y'])").fetchall()
    assert Counter(released) == {("b", 2): 4, (None, 1): 3}


@pytest.mark.everything
def test_what_a_row_shows_depends_on_its_quasi_identifiers_alone(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(
        "CREATE TABLE t AS SELECT hash(i) % 7 AS a, hash(i * 3) % 5 AS b, hash(i * 7) % 90 AS other FROM range(300) AS r(i)"
    )
    con.execute("CREATE TABLE u AS SELECT * REPLACE (other * 0 AS other) FROM t ORDER BY other")
    asked = "SELECT a, b FROM k_anonymize('{}', 9, qi := ['a', 'b'], keep := ['other'])"
    first, second = (con.execute(asked.format(name)).fetchall() for name in "tu")
    assert first == second
    assert sum(None in row for row in first) > 0


@pytest.mark.everything
def test_names_types_and_other_columns_stay(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("""CREATE TABLE t AS SELECT i % 2 AS "Zip", ['x', 'y'][1 + i % 2]::ENUM ('x', 'y') AS e, i AS source,
        ['x', 'y'][1 + i % 2]::ENUM ('x', 'y') AS other, {'a': i} AS "odd ""name", DATE '2026-01-01' + (i % 3)::INTEGER AS class
        FROM range(12) AS r(i)""")
    found = con.execute("DESCRIBE FROM k_anonymize('t', 3, qi := ['zIP', 'E', 'CLASS', 'source'])").fetchall()
    expected = [row[:2] for row in con.execute("DESCRIBE t").fetchall()]
    expected[1] = ("e", "VARCHAR")
    assert [row[:2] for row in found] == expected
    rows = con.execute("""SELECT "odd ""name".a, other
        FROM k_anonymize('t', 3, qi := ['zip', 'odd "name'], keep := ['Source', 'class', 'e', 'other'])""").fetchall()
    assert len(rows) == 12
    con.execute("CREATE VIEW inside AS SELECT [e] AS e FROM t")
    with pytest.raises(duckdb.InvalidInputException, match="kanon: a quasi-identifier is an ENUM inside"):
        con.execute("FROM k_anonymize('inside', 3, qi := ['e'])").fetchall()


@pytest.mark.everything
def test_values_of_one_text_are_different(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("""CREATE TABLE t AS SELECT unnest([['a, b'], ['a', 'b'], ['a, b'], [], []]) AS l,
        [1::UNION (n INTEGER, s VARCHAR), '1'::UNION (n INTEGER, s VARCHAR)][unnest([1, 1, 2, 2, 2])] AS u""")
    released = con.execute("SELECT l::VARCHAR FROM k_anonymize('t', 2, qi := ['l'], keep := ['u'])").fetchall()
    assert sorted(Counter(released).values()) == [2, 3]
    released = con.execute("SELECT u::VARCHAR FROM k_anonymize('t', 3, qi := ['u'], keep := ['l'])").fetchall()
    assert Counter(released) == {(None,): 5}


@pytest.mark.everything
def test_all_types(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE t AS FROM test_all_types() UNION ALL FROM test_all_types()")
    con.execute("ALTER TABLE t RENAME uuid TO sixteen_bytes")  # by its name it would identify people
    columns = [row[:2] for row in con.execute("DESCRIBE t").fetchall()]
    for column, kind in columns:
        released = f"k_anonymize('t', 2, qi := ['{column}'], keep := {[name for name, _ in columns if name != column]})"
        if "ENUM(" in kind and not kind.startswith("ENUM"):
            with pytest.raises(duckdb.InvalidInputException, match="ENUM inside"):
                con.execute(f"FROM {released}").fetchall()
        else:
            assert con.execute(f"SELECT count(*) FROM {released}").fetchall() == [(6,)], column
            lost = f'SELECT "{column}"::VARCHAR FROM t EXCEPT ALL SELECT "{column}"::VARCHAR FROM {released}'
            assert con.execute(lost).fetchall() == [], column


@pytest.mark.everything
@pytest.mark.parametrize("named", ["t", "v", "file", "main.t"])
def test_without_qi_every_column_is_one(con: duckdb.DuckDBPyConnection, tmp_path: Path, named: str) -> None:
    con.execute("""CREATE TABLE t AS SELECT i % 3 AS "odd ""name", i % 2 AS "Ünï", i % 4 AS c FROM range(20) AS r(i)""")
    con.execute(f"COPY t TO '{tmp_path / 't.parquet'}'; CREATE VIEW v AS FROM '{tmp_path / 't.parquet'}'")
    tbl = f'"{tmp_path / "t.parquet"}"' if named == "file" else named
    names = ['odd "name', "Ünï", "c"]
    told = con.execute("FROM k_anonymize($1, 3, qi := $2)", [tbl, names]).fetchall()
    assert con.execute("FROM k_anonymize($1, 3)", [tbl]).fetchall() == told != []
    told = con.execute("FROM k_anonymize($1, 3, qi := $2, keep := ['C'])", [tbl, names[:2]]).fetchall()
    assert con.execute("FROM k_anonymize($1, 3, keep := ['C'])", [tbl]).fetchall() == told
    masks = [["c"], []]
    told = con.execute("FROM pattern_guided($1, $2, qi := $3)", [tbl, masks, names]).fetchall()
    assert con.execute("FROM pattern_guided($1, $2)", [tbl, masks]).fetchall() == told


def test_a_cte_that_hides_a_table_releases_no_column_of_its_own(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE t AS SELECT i % 2 AS a FROM range(9) AS r(i)")
    for columns in ("a, a AS b", "*, 1 AS b"):
        with pytest.raises(duckdb.InvalidInputException, match="kanon: the column b has no role; nothing was released"):
            con.execute(f"WITH t AS (SELECT {columns} FROM t) FROM k_anonymize('t', 2)").fetchall()


@pytest.mark.everything
def test_a_view_of_a_release_takes_the_columns_that_come_later(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE t AS SELECT i % 2 AS a FROM range(9) AS r(i)")
    con.execute("CREATE VIEW released AS SELECT count(*) FROM k_anonymize('t', 4)")
    con.execute("ALTER TABLE t ADD COLUMN b INTEGER; UPDATE t SET b = a")
    assert con.execute("FROM released").fetchall() == [(9,)]
    assert con.execute("FROM k_anonymize('t', 4) WHERE b IS NULL").fetchall() == []


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("k_anonymize('nope', 2)", "qi is missing, and the columns of tbl cannot be listed"),
        ("k_anonymize('t', 2, keep := ['a', 'B'])", "or all are in keep"),
        ("k_anonymize('t', 2, qi := [])", "qi is an empty list"),
        ("k_anonymize('t', 2, qi := ['a', 'A'])", "qi names a column twice"),
        ("k_anonymize('t', 2, qi := ['a', NULL])", "qi holds NULL"),
        ("k_anonymize('t', 2, qi := ['nope'])", "nope"),
        ("k_anonymize('t; DROP TABLE t', 2, qi := ['a'])", "tbl is not the name of a table"),
        ("k_anonymize(NULL, 2, qi := ['a'])", "tbl is not the name of a table: NULL"),
        *(
            (f"k_anonymize('t', {k}, qi := ['a'])", "k must be a whole number of at least 1")
            for k in ("0", "-1", "2.5", "NULL", "'x'")
        ),
        ("k_anonymize('t', 5, qi := ['a'], keep := ['b'])", "rows are left over that fit no class of at least 5 rows"),
        ("pattern_guided('t', NULL, qi := ['a'])", "masks is missing"),
        ("pattern_guided('t', [], qi := ['a'])", "masks is an empty list"),
        ("pattern_guided('t', [NULL], qi := ['a'])", "masks holds NULL"),
        ("pattern_guided('t', [['b']], qi := ['a'])", "a mask names a column that is not in qi"),
        ("pattern_guided('t', [['a']], k := 3, qi := ['a'], keep := ['b'])", "permit the mask []"),
    ],
)
def test_errors(con: duckdb.DuckDBPyConnection, call: str, told: str) -> None:
    con.execute("CREATE TABLE t AS SELECT i AS a, i AS b FROM range(4) AS r(i)")
    with pytest.raises(duckdb.Error) as raised:
        con.execute(f"FROM {call}").fetchall()
    assert told in str(raised.value)


def test_more_than_twelve_columns_are_refused(con: duckdb.DuckDBPyConnection) -> None:
    names = [f"c{place}" for place in range(13)]
    con.execute(f"CREATE TABLE t AS SELECT {', '.join(f'i % 2 AS {name}' for name in names)} FROM range(9) AS r(i)")
    assert len(con.execute("FROM k_anonymize('t', 4, qi := $1)", [names[:12]]).fetchall()) == 9
    with pytest.raises(
        duckdb.InvalidInputException,
        match=r"13 quasi-identifiers, but without Python at most 12 are possible .*package kanon-sql",
    ):
        con.execute("FROM k_anonymize('t', 2, qi := $1)", [names])


def test_an_empty_table_gives_an_empty_release(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE t (a INTEGER, b INTEGER)")
    assert con.execute("FROM k_anonymize('t', 3, qi := ['a'])").fetchall() == []


@pytest.mark.everything
@pytest.mark.own_connection
def test_views_parameters_and_settings(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("SET default_null_order = 'nulls_first'; SET default_order = 'DESC'; SET enable_external_access = false")
    con.execute("CREATE TABLE t AS SELECT i % 3 AS a, i AS b FROM range(20) AS r(i)")
    con.execute("CREATE VIEW released AS FROM k_anonymize('t', 4, qi := ['a', 'b'])")
    assert sorted(Counter(con.execute("SELECT a FROM released").fetchall()).values()) == [6, 7, 7]
    assert (
        len(con.execute("FROM k_anonymize($1, $2, qi := $3, keep := $4) LIMIT 2", ["main.t", 4, ["a"], ["b"]]).fetchall()) == 2
    )
    call = "WITH c AS (FROM t USING SAMPLE 12 ROWS) SELECT * FROM k_anonymize('c', 2, qi := ['a'], keep := ['b'])"
    assert min(Counter(row[0] for row in con.execute(call).fetchall()).values()) >= 2
    con.execute("PREPARE p AS FROM k_anonymize('t', $k, qi := ['a'], keep := ['b'])")
    assert len(con.execute("EXECUTE p(k := 3)").fetchall()) == 20


SHAPES = [
    "FROM {}",
    "SELECT count(*) FROM {}",
    "FROM {} LIMIT 1",
    "SELECT exists (FROM {})",
    "SELECT c FROM {} WHERE a = 7",
    "FROM t WHERE c IN (SELECT c FROM {}) LIMIT 1",
    "CREATE TABLE r AS FROM {}",
]


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.own_connection
@pytest.mark.parametrize("shape", SHAPES)
def test_the_audit_lets_no_small_class_through(con: duckdb.DuckDBPyConnection, shape: str) -> None:
    text = (ROOT / "sql" / "greedy_release.sql").read_text(encoding="utf-8")
    guard = "HAVING system.main.sum(size) >= {0}"
    assert text.count(guard) == 1
    con.execute(text.replace(guard, "HAVING system.main.sum(size) >= 1"))
    con.execute("CREATE TABLE t AS SELECT i // 10 AS a, i AS c FROM range(9000) AS r(i) UNION ALL SELECT 7000, 1")
    with pytest.raises(duckdb.InvalidInputException, match="kanon: the audit found a class of fewer than 5 rows; nothing was"):
        con.execute(shape.format("k_anonymize('t', 5, qi := ['a'], keep := ['c'])")).fetchall()


@pytest.mark.everything
@pytest.mark.own_connection
@pytest.mark.parametrize("body", ["true", pytest.param("NULL", marks=pytest.mark.everything)])
def test_no_macro_takes_the_place_of_a_function(con: duckdb.DuckDBPyConnection, body: str) -> None:
    con.execute("CREATE TABLE t AS SELECT i * 7 % 11 AS a, i * i % 5 AS b, i AS c FROM range(60) AS r(i)")
    calls = {
        "FROM k_anonymize('t', 4, qi := $1, keep := $2)": [["a", "b"], ["c"]],
        "FROM pattern_guided('t', $1, qi := $2, unlisted_limit := 1)": [[["a"], []], ["a", "b"]],
    }
    right = [con.execute(call, values).fetchall() for call, values in calls.items()]
    shadows.shadow_all(con, body, leave=REFUSED)  # DuckDB itself refuses these
    assert [con.execute(call, values).fetchall() for call, values in calls.items()] == right


@pytest.mark.everything
def test_twelve_columns_of_ten_thousand_rows(con: duckdb.DuckDBPyConnection) -> None:
    sizes = [80, 50, 30, 20, 12, 9, 7, 5, 4, 3, 3, 2]
    columns = ", ".join(f"hash(i * 31 + {place}) % {size} AS c{place}" for place, size in enumerate(sizes))
    con.execute(f"CREATE TABLE t AS SELECT {columns} FROM range(10000) AS r(i)")
    names = [f"c{place}" for place in range(len(sizes))]
    released = con.execute("FROM k_anonymize('t', 5, qi := $1)", [names]).fetchall()
    assert len(released) == 10_000
    assert min(Counter(released).values()) >= 5
