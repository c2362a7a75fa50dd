"""What t_closeness refuses, without telling a value, and that it ends where only a part of its row is asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import duckdb
import pytest

One = Callable[..., dict[str, object]]


@pytest.fixture
def patients(con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    con.execute("""
        CREATE TABLE patients AS
        FROM (VALUES (1, 'secret-a'), (1, 'secret-b'), (2, 'secret-c'), (2, NULL)) AS t(zip, disease)
    """)
    return con


def refused(con: duckdb.DuckDBPyConnection, call: str, text: str) -> None:
    for columns in ("*", "t", "classes", "count(*)"):
        with pytest.raises(duckdb.InvalidInputException) as caught:
            con.execute(f"SELECT {columns} FROM t_closeness({call})").fetchall()
        assert f"kanon: {text}" in str(caught.value)
        assert "secret" not in str(caught.value)


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    ("columns", "rows", "text"),
    [
        ("value, parent", "('secret-a', 'x'), ('secret-b', 'x'), ('secret-c', 'x')", "the hierarchy lacks a value of sa"),
        (
            "value, parent",
            "('secret-a', 'x'), ('secret-b', 'x'), ('Secret-c', 'x'), (NULL, 'x')",
            "the hierarchy lacks a value",
        ),
        (
            "value, parent",
            "('secret-a', 'x'), ('secret-b', 'x'), ('secret-c', 'y'), (NULL, 'y')",
            "the hierarchy has several roots",
        ),
        ("value, parent", "('secret-a', 'x'), ('secret-a', 'y'), ('x', 'y')", "the hierarchy is no tree: two different rows"),
        ("value, parent", "('secret-a', 'x'), ('x', 'y'), ('y', 'x')", "the hierarchy is no tree: its parents lead round"),
        (
            "value, parent",
            "('secret-a', 'secret-b'), ('secret-b', 'secret-a')",
            "the hierarchy is no tree: its parents lead round",
        ),
        ("level0, level1", "('secret-a', 'x'), ('secret-b', 'y')", "the hierarchy has several roots"),
        ("level0, level1", "('secret-a', 'x'), ('secret-b', NULL)", "the hierarchy has an empty cell above level0"),
        (
            "level0, level1, level2",
            "('secret-a', 'x', '*'), ('secret-b', 'x', '+')",
            "the hierarchy is no tree: a node has two",
        ),
        ("level0, level1, level2", "('secret-a', 'x', '*'), ('secret-a', 'y', '*')", "the hierarchy is no tree: two different"),
        ("value, parent, more", "('secret-a', 'x', 'y')", "the columns of the hierarchy are not"),
        ("level0, level2", "('secret-a', 'x')", "the columns of the hierarchy are not"),
        ("level0, parent", "('secret-a', 'x')", "the columns of the hierarchy are not"),
        ("a, b", "('secret-a', 'x')", "the columns of the hierarchy are not"),
        ("level0, levels", "('secret-a', 'x')", "the columns of the hierarchy are not"),
        ("level0", "('secret-a')", "the columns of the hierarchy are not"),
        ("value", "('secret-a')", "the columns of the hierarchy are not"),
    ],
)
def test_what_is_no_hierarchy(patients: duckdb.DuckDBPyConnection, columns: str, rows: str, text: str) -> None:
    patients.execute(f"CREATE TABLE tree AS FROM (VALUES {rows}) AS t({columns})")
    refused(patients, "'patients', ['zip'], 'disease', 'hierarchical', 'tree'", text)


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    ("change", "text"),
    [
        ("DELETE FROM d WHERE a = 'secret-a' AND b = 'secret-b'", "the table of distances lacks a pair"),
        ("DELETE FROM d WHERE a IS NULL OR b IS NULL", "the table of distances lacks a pair"),
        ("DELETE FROM d", "the table of distances lacks a pair"),
        ("UPDATE d SET distance = NULL WHERE a = 'secret-a'", "the table of distances has one that is not a number"),
        ("UPDATE d SET distance = 'nan' WHERE a = 'secret-a'", "the table of distances has one that is not a number"),
        ("UPDATE d SET distance = -0.5 WHERE a = 'secret-a'", "the table of distances has one that is not a number"),
        ("UPDATE d SET distance = 0", "all distances in the table are 0"),
        ("INSERT INTO d VALUES ('secret-b', 'secret-a', 0.25)", "the table of distances has two distances for one pair"),
        (
            "INSERT INTO d VALUES ('secret-b', 'secret-b', 0.25)",
            "the table of distances puts a value at a distance from itself",
        ),
        ("UPDATE d SET distance = 0.25 WHERE a = 'secret-a' AND b IS NOT NULL", "the distances are no metric"),
    ],
)
def test_what_is_no_metric(patients: duckdb.DuckDBPyConnection, change: str, text: str) -> None:
    patients.execute("""
        CREATE TABLE d AS SELECT x.disease AS a, y.disease AS b, 1::DOUBLE AS distance
        FROM patients AS x, patients AS y WHERE coalesce(x.disease, 'z') < coalesce(y.disease, 'z')
    """)
    patients.execute("SELECT t FROM t_closeness('patients', ['zip'], 'disease', 'd')")
    assert patients.fetchall() == [(0.5,)]
    patients.execute(change)
    refused(patients, "'patients', ['zip'], 'disease', 'd'", text)


def test_the_triangle_inequality_bears_the_rounding_of_floats(con: duckdb.DuckDBPyConnection, one: One) -> None:
    assert 0.1 + 0.2 > 0.3
    con.execute("CREATE TABLE t AS SELECT i % 2 AS q, i AS s FROM range(4) r(i)")
    con.execute("CREATE TABLE d (a INTEGER, b INTEGER, distance DOUBLE)")
    pairs = [(0, 1, 0.1), (1, 2, 0.2), (0, 2, 0.1 + 0.2), (2, 3, 0.7), (1, 3, 0.9), (0, 3, 1.0)]
    con.executemany("INSERT INTO d VALUES (?, ?, ?)", pairs)
    assert one("FROM t_closeness('t', ['q'], 's', 'd')")["t"] == pytest.approx(0.2)


def test_columns_of_a_table_of_distances(patients: duckdb.DuckDBPyConnection) -> None:
    patients.execute("CREATE TABLE d AS SELECT 1 AS a, 2 AS b")
    with pytest.raises(duckdb.BinderException, match='"distance"'):
        patients.execute("FROM t_closeness('patients', ['zip'], 'disease', 'd')")
    for metric in ("nope", "Equal", "eqaul"):
        with pytest.raises(duckdb.CatalogException, match=f"Table with name {metric} does not exist"):
            patients.execute("FROM t_closeness('patients', ['zip'], 'disease', $1)", [metric])


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("values", "text"),
    [
        ("(1), (NULL)", "sa holds NULL"),
        ("('1'), ('secret')", "the values of sa are not all numbers below 10^20 or all dates"),
        ("('1'), ('2020-01-01')", "the values of sa are not all numbers below 10^20 or all dates"),
        ("(true), (false)", "the values of sa are not all numbers"),
        ("(1), ('inf'::DOUBLE)", "the values of sa are not all numbers"),
        ("(1), ('nan'::DOUBLE)", "the values of sa are not all numbers"),
        ("(DATE '2020-01-01'), (DATE 'infinity')", "the values of sa are not all numbers"),
        ("(TIME '10:00:00'), (TIME '11:00:00')", "the values of sa are not all numbers"),
        ("([1]), ([2])", "the values of sa are not all numbers"),
        ("(1), (1e20)", "the values of sa are not all numbers below 10^20"),
        ("(1e-18), (9e19)", "the numbers in sa have too many digits for exact sums"),
        ("(1e-18), (9e16)", "the numbers in sa have too many digits for exact sums"),
    ],
)
def test_what_is_no_number(con: duckdb.DuckDBPyConnection, values: str, text: str) -> None:
    con.execute(f"CREATE TABLE t AS SELECT i % 5 AS q, s FROM range(20) r(i), (VALUES {values}) AS v(s)")
    refused(con, "'t', ['q'], 's', 'numeric'", text)


def test_a_hierarchy_belongs_to_its_metric(patients: duckdb.DuckDBPyConnection) -> None:
    patients.execute("CREATE TABLE tree AS SELECT disease AS value, '*' AS parent FROM patients")
    for metric in ("equal", "ordered", "numeric", "tree"):
        with pytest.raises(duckdb.InvalidInputException, match="kanon: a hierarchy belongs to the metric hierarchical only"):
            patients.execute("FROM t_closeness('patients', ['zip'], 'disease', $1, 'tree')", [metric])
    with pytest.raises(duckdb.InvalidInputException, match="kanon: hierarchy is not the name of a table: NULL"):
        patients.execute("FROM t_closeness('patients', ['zip'], 'disease', 'hierarchical')")
    with pytest.raises(duckdb.InvalidInputException, match="kanon: metric is not the name of a table: NULL"):
        patients.execute("FROM t_closeness('patients', ['zip'], 'disease', NULL)")


@pytest.fixture
def ends(con: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
    """Give a connection that is interrupted after a minute."""
    timer = threading.Timer(60, con.interrupt)
    timer.start()
    yield con
    timer.cancel()


@pytest.mark.sweep
@pytest.mark.parametrize("metric", ["'equal'", "'ordered'", "'numeric'", "'hierarchical', 'tree'", "'d'"])
def test_it_ends_where_little_of_it_is_asked_for(ends: duckdb.DuckDBPyConnection, metric: str) -> None:
    ends.execute("CREATE TABLE t AS SELECT hash(i) % 500 AS q, hash(3 * i) % 12 AS s FROM range(50000) r(i)")
    ends.execute("CREATE TABLE tree AS SELECT i AS value, '*' AS parent FROM range(12) r(i)")
    ends.execute("CREATE TABLE d AS SELECT a, b, (a <> b)::INTEGER AS distance FROM range(12) x(a), range(12) y(b)")
    call = f"t_closeness('t', ['q'], 's', {metric})"
    for query in (
        f"FROM {call} LIMIT 1",
        f"FROM {call}, t LIMIT 5",
        f"SELECT EXISTS (FROM {call} WHERE t > 2)",
        f"(SELECT q FROM t UNION ALL SELECT classes FROM {call}) LIMIT 5",
        f"(SELECT classes FROM {call} UNION ALL SELECT q FROM t) LIMIT 5",
        f"SELECT count(*) FROM (FROM t WHERE q IN (SELECT classes - 7 FROM {call}) LIMIT 3)",
        f"WITH c AS (SELECT row_number() OVER () AS n, * FROM t) FROM c, t_closeness('c', ['q'], 's', {metric}) LIMIT 3",
    ):
        assert ends.execute(query).fetchall()
