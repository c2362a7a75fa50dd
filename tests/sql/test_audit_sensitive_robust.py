"""Names, types, empty tables, collations, settings and errors of l_diversity and t_closeness."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
import requirement_oracle as oracle

One = Callable[..., dict[str, object]]

NAMES = [
    "select",
    'a"b',
    "it's",
    "x;y",
    "größe",
    "a b",
    "{0}",
    "source",
    "class",
    "value",
    "size",
    "id",
    "held",
    "place",
    "rows",
    "t",
    "l",
    "alike",
    "each",
    "equivalence class",
]
CALLS = [
    "l_diversity('t', qi := $1, sa := $2)",
    "t_closeness('t', qi := $1, sa := $2)",
    "t_closeness('t', $1, $2, 'ordered')",
    "t_closeness('t', $1, $2, 'numeric')",
    "t_closeness('t', $1, $2, 'hierarchical', 'tree')",
    "t_closeness('t', $1, $2, 'distances')",
]


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def tables_about(con: duckdb.DuckDBPyConnection, values: str) -> None:
    """Make a flat tree and a table of distances of 1 for the values of a query."""
    con.execute(f"CREATE OR REPLACE TABLE v AS SELECT DISTINCT v FROM ({values}) AS t(v)")
    con.execute("CREATE OR REPLACE TABLE tree AS SELECT v AS level0, '*' AS level1 FROM v")
    con.execute("""
        CREATE OR REPLACE TABLE distances AS
        SELECT x.v AS a, y.v AS b, (x.v IS DISTINCT FROM y.v)::INTEGER AS distance FROM v AS x, v AS y
    """)


@pytest.mark.sweep
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("call", CALLS[:4])
def test_any_column_name(con: duckdb.DuckDBPyConnection, one: One, name: str, call: str) -> None:
    con.execute(f"CREATE TABLE t AS SELECT (i % 3)::VARCHAR AS {quoted(name)}, i // 3 AS other FROM range(9) r(i)")
    expected = one(f"FROM {call}", [["other"], name])
    assert expected["classes"] == 3
    assert expected.get("distinct_l", 3) == 3
    assert expected.get("t", 0.0) == 0.0
    assert one(f"FROM {call}", [None, name.upper() if name.isascii() else name]) == expected
    swapped = one(f"FROM {call}", [[name], "other"])
    assert (swapped["classes"], swapped["rows"]) == (3, 9)
    assert one(f"FROM {call}", [None, "other"]) == swapped


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    "name", ["t", "main.T", '"odd ""name"', '"a.b"', "größe", '"select"', "select", "tt", "v", '"out.parquet"']
)
@pytest.mark.own_connection
def test_any_table_name(
    con: duckdb.DuckDBPyConnection, one: One, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for table in ("t", '"odd ""name"', '"a.b"', "größe", '"select"'):
        con.execute(f"CREATE TABLE {table} AS SELECT i // 2 AS q, i AS s FROM range(4) r(i)")
    con.execute("CREATE TEMP TABLE tt AS FROM t; CREATE VIEW v AS FROM t; COPY t TO 'out.parquet'")
    assert one("FROM l_diversity($1, ['q'], 's')", [name])["distinct_l"] == 2
    assert one("FROM t_closeness($1, ['q'], 's')", [name])["t"] == 0.5
    for table in ("m", '"odd ""metric"', '"equal"', "main.equal"):
        con.execute(
            f"CREATE OR REPLACE TABLE {table} AS SELECT a, b, (a <> b)::INT AS distance FROM range(4) x(a), range(4) y(b)"
        )
        assert one("FROM t_closeness($1, ['q'], 's', $2)", [name, table])["t"] == 0.5
        con.execute(f"CREATE OR REPLACE TABLE {table} AS SELECT s AS value, '*' AS parent FROM t")
        assert one("FROM t_closeness($1, ['q'], 's', 'hierarchical', $2)", [name, table])["t"] == 0.5


def test_tables_of_the_same_query(con: duckdb.DuckDBPyConnection, one: One) -> None:
    found = one("""
        WITH c AS (SELECT i // 2 AS q, i AS s FROM range(4) r(i)),
             m AS (SELECT a, b, 1 AS distance FROM range(4) x(a), range(4) y(b) WHERE a < b),
             h AS (SELECT i AS value, 'all' AS parent FROM range(4) r(i))
        SELECT (SELECT t FROM t_closeness('c', ['q'], 's')) AS e,
               (SELECT t FROM t_closeness('c', ['q'], 's', 'm')) AS m,
               (SELECT t FROM t_closeness('c', ['q'], 's', 'hierarchical', 'h')) AS h,
               (SELECT distinct_l FROM l_diversity('c', ['q'], 's')) AS l
    """)
    assert found == {"e": 0.5, "m": 0.5, "h": 0.5, "l": 2}


@pytest.mark.parametrize("text", ["t; DROP TABLE t", "(SELECT 1)", "t t2", "", "a..t", "a.b.c.t", '"t', "'t'", "t\n", "t\x00"])
def test_what_is_not_a_table_name_is_refused(con: duckdb.DuckDBPyConnection, text: str) -> None:
    con.execute("CREATE TABLE t AS SELECT 1 AS q, 1 AS s")
    for call, name in (
        ("l_diversity($1, ['q'], 's')", "tbl"),
        ("t_closeness($1, ['q'], 's')", "tbl"),
        ("t_closeness('t', ['q'], 's', $1)", "metric"),
        ("t_closeness('t', ['q'], 's', 'hierarchical', $1)", "hierarchy"),
    ):
        with pytest.raises(duckdb.InvalidInputException, match=f"kanon: {name} is not the name of a table"):
            con.execute(f"FROM {call}", [text])
    assert con.execute("SELECT count(*) FROM t").fetchall() == [(1,)]


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ("[], 's'", duckdb.InvalidInputException, "kanon: qi is an empty list"),
        ("['q', NULL], 's'", duckdb.InvalidInputException, "kanon: qi holds NULL"),
        ("['q', 'Q'], 's'", duckdb.InvalidInputException, "kanon: qi names a column twice"),
        ("['q', 's'], 'S'", duckdb.InvalidInputException, "kanon: sa is one of the columns of qi"),
        ("['q']", duckdb.InvalidInputException, "kanon: sa is missing"),
        ("['q'], ''", duckdb.InvalidInputException, "kanon: sa is missing"),
        ("sa := NULL", duckdb.InvalidInputException, "kanon: sa is missing"),
        ("['nope'], 's'", duckdb.BinderException, '"nope"'),
        ("['q'], 'nope'", duckdb.BinderException, '"nope"'),
        ("sa := 'nope'", duckdb.BinderException, '"nope"'),
        ("['q'], 's\") FROM t; DROP TABLE t; --'", duckdb.BinderException, "does not have a column"),
        ("'q', 's'", duckdb.ConversionException, "VARCHAR\\[\\]"),
    ],
)
def test_wrong_columns(con: duckdb.DuckDBPyConnection, arguments: str, error: type[Exception], text: str) -> None:
    con.execute("CREATE TABLE t AS SELECT 1 AS q, 2 AS s")
    for macro in ("l_diversity", "t_closeness"):
        with pytest.raises(error, match=text):
            con.execute(f"FROM {macro}('t', {arguments})")


@pytest.mark.parametrize("l", ["0", "-1", "1.5", "NULL", "'two'", "1000001", "'inf'::DOUBLE", "'nan'::DOUBLE"])
def test_l_is_a_whole_number(con: duckdb.DuckDBPyConnection, l: str) -> None:  # noqa: E741
    con.execute("CREATE TABLE t AS SELECT 1 AS q, 2 AS s")
    with pytest.raises(duckdb.InvalidInputException, match="kanon: l is not a whole number from 1 to 1000000"):
        con.execute(f"FROM l_diversity('t', ['q'], 's', l := {l})")
    assert con.execute("SELECT distinct_below FROM l_diversity('t', ['q'], 's', l := 1000000)").fetchall() == [(1,)]


@pytest.mark.sweep
@pytest.mark.parametrize("call", CALLS)
def test_empty_tables_and_single_rows(con: duckdb.DuckDBPyConnection, one: One, call: str) -> None:
    con.execute("CREATE TABLE t (q INTEGER, s INTEGER)")
    tables_about(con, "SELECT 7")
    for qi in (["q"], None):
        assert one(f"FROM {call}", [qi, "s"]) == (
            oracle.l_diversity([]) if call.startswith("l_") else oracle.t_closeness([], oracle.equal)
        )
    con.execute("INSERT INTO t VALUES (NULL, 7)")
    found = one(f"FROM {call}", [["q"], "s"])
    assert (found["classes"], found["rows"]) == (1, 1)
    if call.startswith("l_"):
        assert (found["distinct_l"], found["frequency_l"], found["entropy_l"], found["distinct_below"]) == (1, 1.0, 1.0, 1)
        assert (found["recursive_c"], found["recursive_top"], found["recursive_rest"]) == (float("inf"), 1, 0)
    else:
        assert (found["t"], found["t_numerator"], found["t_denominator"], found["worst_rows"]) == (0.0, 0, 1, 1)


@pytest.mark.sweep
@pytest.mark.parametrize("value", ["NULL", "5"])
@pytest.mark.parametrize("call", CALLS)
def test_one_value(con: duckdb.DuckDBPyConnection, one: One, call: str, value: str) -> None:
    con.execute(f"CREATE TABLE t AS SELECT i % 4 AS q, {value}::INTEGER AS s FROM range(12) r(i)")
    tables_about(con, f"SELECT {value}::INTEGER")
    if value == "NULL" and "numeric" in call:
        with pytest.raises(duckdb.InvalidInputException, match="kanon: sa holds NULL"):
            one(f"FROM {call}", [["q"], "s"])
        return
    found = one(f"FROM {call}", [["q"], "s"])
    assert (found["classes"], found.get("t", 0.0), found.get("distinct_l", 1)) == (4, 0.0, 1)


def test_a_table_of_the_sensitive_attribute_alone_is_one_class(con: duckdb.DuckDBPyConnection, one: One) -> None:
    con.execute("CREATE TABLE t AS SELECT i % 3 AS s FROM range(9) r(i)")
    assert one("FROM l_diversity('t', sa := 's')")["entropy_l"] == 3.0
    assert one("FROM t_closeness('t', sa := 's')")["t"] == 0.0


@pytest.mark.everything
def test_all_types(con: duckdb.DuckDBPyConnection, one: One) -> None:
    con.execute("CREATE TABLE t AS SELECT i // 2 AS q, * EXCLUDE (i) FROM range(2) r(i), test_all_types()")
    con.execute("INSERT INTO t SELECT 1, * EXCLUDE (q) FROM t LIMIT 1")
    for (column,) in con.execute("SELECT column_name FROM (DESCRIBE t) WHERE column_name <> 'q'").fetchall():
        assert one("FROM l_diversity('t', ['q'], $1)", [column])["distinct_l"] == 1, column
        assert one("FROM t_closeness('t', ['q'], $1, 'ordered')", [column])["rows"] == 7, column


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("DECIMAL(9, 2)", "(-1.5), (2), (10)"),
        ("ENUM ('z', 'b', 'a')", "('z'), ('b'), ('a')"),
        ("TIMESTAMP", "('1969-12-31 23:59:59.999999'), ('1970-01-01'), ('2000-01-01')"),
        ("INTEGER[]", "([1]), ([1, 0]), ([2])"),
        ("BOOLEAN", "(false), (true), (NULL)"),
        ("VARCHAR COLLATE NOCASE", "('B'), ('C'), ('a')"),
        ("DOUBLE", "('-inf'), (0), ('nan')"),
        ("STRUCT(a INTEGER)", "({'a': 1}), ({'a': 2}), (NULL)"),
    ],
)
def test_the_order_of_values(con: duckdb.DuckDBPyConnection, one: One, kind: str, values: str) -> None:
    """Three values in their order: a class of the first is at the distance 0 + 2/3 + 1/3 over 2, one of the second at 1/3."""
    con.execute(f"CREATE TABLE v (s {kind}); INSERT INTO v VALUES {values}")
    con.execute("CREATE TABLE t AS SELECT 'all' AS q, s FROM v UNION ALL SELECT 'all', s FROM v")
    for place, distance in enumerate((1 / 2, 1 / 3, 1 / 2)):
        con.execute(
            f"CREATE OR REPLACE TABLE u AS SELECT CASE WHEN rowid % 3 = {place} THEN 'one' ELSE 'rest' END AS q, s FROM t"
        )
        assert one("FROM t_closeness('u', ['q'], 's', 'ordered')")["t"] == pytest.approx(distance)
        flat = one("FROM t_closeness('u', ['q'], 's')")
        assert flat["t"] == pytest.approx(2 / 3)
        con.execute("CREATE OR REPLACE VIEW h AS SELECT s AS value, '*' AS parent FROM v")
        assert one("FROM t_closeness('u', ['q'], 's', 'hierarchical', 'h')") == flat


@pytest.mark.sweep
@pytest.mark.parametrize(("collation", "most", "named"), [("NOCASE", 2, 5), ("NOACCENT", 2, 3), ("NOCASE.NOACCENT", 3, 7)])
def test_texts_that_are_equal_are_two_quasi_identifiers_and_one_sensitive_value(
    con: duckdb.DuckDBPyConnection, one: One, collation: str, most: int, named: int
) -> None:
    con.execute(f"CREATE TABLE t (q VARCHAR COLLATE {collation}, s VARCHAR COLLATE {collation})")
    con.execute("INSERT INTO t SELECT q, s FROM (VALUES ('e'), ('E')) AS x(q), (VALUES ('e'), ('E'), ('é'), (NULL)) AS y(s)")
    tables_about(con, "SELECT encode(s) FROM t")
    con.execute("""
        CREATE TABLE d AS SELECT decode(a) COLLATE NOCASE AS a, decode(b) COLLATE NOCASE AS b, distance FROM distances;
        CREATE TABLE h AS SELECT decode(level0) COLLATE NOCASE AS value, 'e' COLLATE NOCASE AS parent FROM tree;
        UPDATE h SET parent = 'root'
    """)
    found = one("FROM l_diversity('t', ['q'], 's', l := 2)")
    figures = (2, 5 - most, 4 / most, most / (4 - most))
    assert (found["classes"], found["distinct_l"], found["frequency_l"], found["recursive_c"]) == figures
    con.execute("INSERT INTO t SELECT 'x', 'E'")
    for metric in ("'equal'", "'d'", "'hierarchical', 'h'"):
        assert one(f"FROM t_closeness('t', ['q'], 's', {metric})")["t"] == pytest.approx(1 - named / 9)


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    "setting",
    [
        "default_collation = 'NOCASE'",
        "default_order = 'DESC'",
        "default_null_order = 'NULLS_FIRST'",
        "preserve_insertion_order = false",
    ],
)
@pytest.mark.own_connection
def test_settings_change_nothing(con: duckdb.DuckDBPyConnection, one: One, setting: str) -> None:
    con.execute("""
        CREATE TABLE t AS
        SELECT hash(i) % 9 AS q, hash(3 * i) % 12 AS s, chr((65 + s + 26 * (s % 2))::INT) AS x FROM range(99) r(i);
        INSERT INTO t VALUES (3, 4, NULL), (NULL, 4, NULL);
        CREATE TABLE tree AS SELECT s AS level0, s // 2 AS level1, s // 6 AS level2, '*' AS level3 FROM range(12) r(s);
        CREATE TABLE distances AS
        SELECT a, b, abs(a - b) / 11 AS distance FROM range(12) x(a), range(12) y(b)
    """)
    calls = [*CALLS, "t_closeness('t', $1, $2, 'ordered')"]
    columns = [[["q"], "s"]] * len(CALLS) + [[["q"], "x"]]
    before = [one(f"FROM {call}", values) for call, values in zip(calls, columns, strict=True)]
    con.execute(f"SET {setting}")
    assert [one(f"FROM {call}", values) for call, values in zip(calls, columns, strict=True)] == before


def test_sixty_columns(con: duckdb.DuckDBPyConnection, one: One) -> None:
    columns = ", ".join(f"i % {j % 3 + 1} AS c{j}" for j in range(60))
    con.execute(f"CREATE TABLE t AS SELECT {columns}, i // 6 % 5 AS s FROM range(60) r(i)")
    for qi in (None, [f"c{j}" for j in range(60)]):
        assert one("FROM l_diversity('t', $1, 's')", [qi])["distinct_l"] == 5
        assert one("FROM t_closeness('t', $1, 's', 'ordered')", [qi])["classes"] == 6


def test_the_types_of_the_result(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE t AS SELECT 1 AS q, 1 AS s")
    tables_about(con, "SELECT 1")
    shapes = set()
    for call in CALLS[1:]:
        literal = call.replace("$1", "['q']").replace("$2", "'s'")
        described = con.execute(f"DESCRIBE FROM {literal}").fetchall()
        shapes.add(tuple((str(row[0]), str(row[1])) for row in described))
    (shape,) = shapes
    assert [kind for _, kind in shape] == ["DOUBLE", "HUGEINT", "HUGEINT", "BIGINT", "BIGINT", "BIGINT", "BIGINT"]
    described = con.execute("DESCRIBE FROM l_diversity('t', ['q'], 's')").fetchall()
    assert {str(row[1]) for row in described} == {"BIGINT", "DOUBLE"}


@pytest.mark.everything
@pytest.mark.own_connection
def test_with_external_access_off(con: duckdb.DuckDBPyConnection, one: One) -> None:
    con.execute("CREATE TABLE t AS SELECT 1 AS q, 1 AS s")
    tables_about(con, "SELECT 1")
    con.execute("SET enable_external_access = false; SET lock_configuration = true")
    for call in CALLS:
        assert one(f"FROM {call}", [["q"], "s"])["rows"] == 1
