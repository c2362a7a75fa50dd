"""l_diversity and t_closeness against the same figures by their definitions, on random tables."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path

import duckdb
import pandas as pd
import pytest
import requirement_oracle as oracle
from hypothesis import given, settings
from hypothesis import strategies as st

SQL = Path(__file__).parents[2] / "sql"
NO_PYCANON = "pycanon is no dependency: it holds numpy and pandas at old versions"
VALUES = [None, *range(6)]
ROWS = st.lists(st.tuples(st.integers(0, 4), st.sampled_from(VALUES)), max_size=30)
FULL = st.lists(st.tuples(st.integers(0, 4), st.integers(-3, 6)), min_size=1, max_size=30)


@pytest.fixture(scope="module")
def shared() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as con:
        con.execute((SQL / "kanon.sql").read_text(encoding="utf-8"))
        yield con


def load(con: duckdb.DuckDBPyConnection, name: str, columns: str, rows: list[tuple[object, ...]]) -> None:
    con.execute(f"CREATE OR REPLACE TABLE {name} ({columns})")
    if rows:
        con.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(rows[0]))})", rows)


def row_of(con: duckdb.DuckDBPyConnection, query: str) -> dict[str, object]:
    con.execute(query)
    names = [column[0] for column in con.description]
    (row,) = con.fetchall()
    return dict(zip(names, row, strict=True))


def text(value: object) -> str | None:
    return None if value is None else str(value)


@settings(max_examples=80, deadline=None)
@given(rows=ROWS, l=st.integers(1, 6))
def test_l_diversity(shared: duckdb.DuckDBPyConnection, rows: list[oracle.Pair], l: int) -> None:  # noqa: E741
    load(shared, "t", "q INTEGER, s INTEGER", rows)
    assert row_of(shared, f"FROM l_diversity('t', ['q'], 's', l := {l})") == oracle.l_diversity(rows, l)


@pytest.mark.everything
@settings(max_examples=80, deadline=None)
@given(rows=ROWS)
def test_equal_and_ordered(shared: duckdb.DuckDBPyConnection, rows: list[oracle.Pair]) -> None:
    load(shared, "t", "q INTEGER, s INTEGER", rows)
    assert row_of(shared, "FROM t_closeness('t', ['q'], 's')") == oracle.t_closeness(rows, oracle.equal)
    found = {value for _, value in rows}
    values = [value for value in [*range(6), None] if value in found]
    expected = oracle.t_closeness(rows, oracle.ordered(values))
    assert row_of(shared, "FROM t_closeness('t', ['q'], 's', 'ordered')") == expected


@pytest.mark.everything
@settings(max_examples=80, deadline=None)
@given(rows=FULL, kind=st.sampled_from(["INTEGER", "DOUBLE", "DECIMAL(9, 3)", "VARCHAR", "DATE", "TIMESTAMPTZ"]))
def test_numeric(shared: duckdb.DuckDBPyConnection, rows: list[tuple[int, int]], kind: str) -> None:
    exact = [(q, Fraction(value**3, 1 if kind == "INTEGER" else 4)) for q, value in rows]
    load(shared, "u", "q INTEGER, s DOUBLE", [(q, float(value)) for q, value in exact])
    cell = {
        "DATE": "DATE '2000-01-01' + (4 * s)::INTEGER",
        "TIMESTAMPTZ": "TIMESTAMPTZ '1999-12-31 23:59:59.5+00' + INTERVAL 1 HOUR * s",
    }
    shared.execute(f"CREATE OR REPLACE TABLE t AS SELECT q, ({cell.get(kind, 's')})::{kind} AS s FROM u")
    values = [value for _, value in exact]
    expected = oracle.t_closeness(exact, oracle.numeric(values))
    assert row_of(shared, "FROM t_closeness('t', ['q'], 's', metric := 'numeric')") == expected


@st.composite
def trees(draw: st.DrawFn) -> dict[object, object]:
    """Draw the parents of a tree over the values, some of which are inner nodes, and some more nodes."""
    nodes: list[object] = [*(f"n{i}" for i in range(draw(st.integers(1, 5)))), *draw(st.permutations(VALUES))]
    return {
        node: draw(st.sampled_from([above for above in nodes[:i] if above is not None])) for i, node in enumerate(nodes) if i
    }


@pytest.mark.everything
@settings(max_examples=80, deadline=None)
@given(rows=ROWS, parents=trees(), root=st.sampled_from(["no row", "itself", "NULL"]))
def test_a_tree_of_parents(
    shared: duckdb.DuckDBPyConnection, rows: list[oracle.Pair], parents: dict[object, object], root: str
) -> None:
    load(shared, "t", "q INTEGER, s INTEGER", rows)
    (top,) = {*parents.values()} - {*parents}
    ends = {"no row": [], "itself": [(text(top), text(top))], "NULL": [(text(top), None)]}
    load(shared, "tree", "parent VARCHAR, value VARCHAR", [(text(b), text(a)) for a, b in parents.items()])
    for node, above in ends[root]:
        shared.execute("INSERT INTO tree VALUES (?, ?)", [above, node])
    metric = oracle.hierarchical(parents)
    found = row_of(shared, "FROM t_closeness('t', ['q'], 's', 'hierarchical', 'tree')")
    assert found == oracle.t_closeness(rows, metric)


@pytest.mark.everything
@settings(max_examples=60, deadline=None)
@given(rows=ROWS, data=st.data(), height=st.integers(1, 4))
def test_a_tree_of_levels(shared: duckdb.DuckDBPyConnection, rows: list[oracle.Pair], data: st.DataObject, height: int) -> None:
    load(shared, "t", "q INTEGER, s INTEGER", rows)
    ways: dict[object, list[object]] = {value: [value] for value in VALUES}
    for level in range(height):
        most = 0 if level == height - 1 else 3 - level
        up = {way[-1]: data.draw(st.integers(0, most)) for way in ways.values()}
        ways = {value: [*way, up[way[-1]]] for value, way in ways.items()}
    columns = ", ".join(f"level{level} VARCHAR" for level in reversed(range(height + 1)))
    load(shared, "tree", columns, [tuple(text(label) for label in reversed(way)) for way in ways.values()] * 2)

    def metric(a: object, b: object) -> Fraction:
        return Fraction(
            next(i for i, (x, y) in enumerate(zip(ways[a], ways[b], strict=True)) if x == y and (i or a == b)), height
        )

    found = row_of(shared, "FROM t_closeness('t', ['q'], 's', 'hierarchical', hierarchy := 'tree')")
    assert found == oracle.t_closeness(rows, metric)


@st.composite
def metrics(draw: st.DrawFn) -> dict[tuple[object, object], Fraction]:
    """Draw the shortest ways in a random graph, cut at a bound, which becomes the distance 1: a metric in tenths."""
    distance = dict.fromkeys(product(VALUES, repeat=2), 0)
    for a, b in combinations(VALUES, 2):
        distance[a, b] = distance[b, a] = draw(st.integers(0, 10))
    for over, a, b in product(VALUES, repeat=3):
        distance[a, b] = min(distance[a, b], distance[a, over] + distance[over, b])
    largest = max(distance.values())
    if not largest:
        return {(a, b): Fraction(a != b) for a, b in distance}
    bound = max(each for each in (1, 2, 5, 10) if each <= largest)
    return {pair: Fraction(min(each, bound), bound) for pair, each in distance.items()}


@pytest.mark.everything
@settings(max_examples=80, deadline=None)
@given(rows=ROWS, distance=metrics(), data=st.data(), kind=st.sampled_from(["DOUBLE", "DECIMAL(4, 3)", "VARCHAR"]))
def test_a_table_of_distances(
    shared: duckdb.DuckDBPyConnection,
    rows: list[oracle.Pair],
    distance: dict[tuple[object, object], Fraction],
    data: st.DataObject,
    kind: str,
) -> None:
    load(shared, "t", "q INTEGER, s INTEGER", rows)
    pairs = [pair if data.draw(st.booleans()) else pair[::-1] for pair in combinations(VALUES, 2)]
    pairs += data.draw(st.lists(st.sampled_from([*distance]), max_size=5))
    load(shared, "d", f"a VARCHAR, b INTEGER, distance {kind}", [(text(a), b, float(distance[a, b])) for a, b in pairs])
    found = row_of(shared, "FROM t_closeness('t', ['q'], 's', 'd')")
    assert found == oracle.t_closeness(rows, lambda a, b: distance[a, b])


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(8))
def test_transport_of_many_values(shared: duckdb.DuckDBPyConnection, seed: int) -> None:
    """Points in a grid, with the distances of walkers or of kings, and classes of all sizes."""
    rng = random.Random(seed)
    points = rng.sample([*product(range(8), repeat=2)], 25)
    far = (lambda x, y: x + y) if seed % 2 else max
    distance = {(i, j): far(abs(a[0] - b[0]), abs(a[1] - b[1])) for (i, a), (j, b) in product(enumerate(points), repeat=2)}
    largest = max(distance.values())
    weight = [rng.random() ** 3 for _ in points]
    rows = [(q, value) for q in range(40) for value in rng.choices(range(25), weight, k=rng.randint(3, 60))]
    load(shared, "t", "q INTEGER, s INTEGER", rows)
    load(shared, "whole", "a INTEGER, b INTEGER, d INTEGER", [(*pair, each) for pair, each in distance.items()])
    shared.execute(f"CREATE OR REPLACE TABLE d AS SELECT a, b, d::DECIMAL(38, 18) / {largest} AS distance FROM whole")
    found = row_of(shared, "FROM t_closeness('t', ['q'], 's', 'd')")
    expected = oracle.t_closeness(rows, lambda a, b: Fraction(distance[a, b], largest))
    if largest in (2, 4, 5, 8, 10):
        assert found == expected
    assert found["t"] == pytest.approx(expected["t"], abs=1e-15)


@pytest.mark.everything
def test_equal_is_a_table_of_ones_and_a_flat_tree(shared: duckdb.DuckDBPyConnection) -> None:
    shared.execute(
        "CREATE OR REPLACE TABLE t AS SELECT hash(i) % 50 AS q, (hash(3 * i) % 100)::INTEGER // 9 AS s FROM range(2000) r(i)"
    )
    shared.execute("CREATE OR REPLACE TABLE v AS SELECT DISTINCT s FROM t")
    shared.execute("CREATE OR REPLACE TABLE d AS SELECT x.s AS a, y.s AS b, (a <> b)::INTEGER AS distance FROM v AS x, v AS y")
    shared.execute("CREATE OR REPLACE TABLE tree AS SELECT s AS value, 'all' AS parent FROM v")
    expected = row_of(shared, "FROM t_closeness('t', ['q'], 's')")
    assert row_of(shared, "FROM t_closeness('t', ['q'], 's', 'd')") == expected
    assert row_of(shared, "FROM t_closeness('t', ['q'], 's', 'hierarchical', 'tree')") == expected
    shared.execute("CREATE OR REPLACE TABLE d AS SELECT x.s AS a, y.s AS b, abs(a - b) / 11 AS distance FROM v AS x, v AS y")
    ordered = row_of(shared, "FROM t_closeness('t', ['q'], 's', 'ordered')")
    assert row_of(shared, "FROM t_closeness('t', ['q'], 's', 'numeric')") == ordered
    assert row_of(shared, "FROM t_closeness('t', ['q'], 's', 'd')")["t"] == pytest.approx(ordered["t"], abs=1e-15)


def test_the_example_of_liang_and_yuan(shared: duckdb.DuckDBPyConnection) -> None:
    """Ten patients, three diseases: the class of two of them is at the distance 0.4 (Section 2.1)."""
    shared.execute("""
        CREATE OR REPLACE TABLE t AS
        SELECT CASE WHEN i IN (0, 3) THEN 'first' ELSE 'rest' END AS q, ['viral', 'heart', 'cancer'][i // 3 + 1] AS s
        FROM (SELECT least(i, 8) AS i FROM range(10) r(i))
    """)
    found = row_of(shared, "FROM t_closeness('t', sa := 's')")
    assert (found["t"], found["t_numerator"], found["t_denominator"]) == (0.4, 2, 5)


@pytest.mark.filterwarnings("ignore:In a future version")
@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(3))
def test_against_pycanon(shared: duckdb.DuckDBPyConnection, seed: int) -> None:
    anonymity = pytest.importorskip("pycanon.anonymity", reason=NO_PYCANON)
    rng = random.Random(seed)
    frame = pd.DataFrame(
        [(rng.choice("abcd"), rng.choice("vwxyz"), rng.randrange(9)) for _ in range(300)], columns=["q", "s", "n"]
    )
    shared.register("frame", frame)
    shared.execute("CREATE OR REPLACE TABLE t AS FROM frame")
    diversity = row_of(shared, "FROM l_diversity('t', ['q'], 's')")
    assert diversity["distinct_l"] == anonymity.l_diversity(frame, ["q"], ["s"])
    assert int(diversity["entropy_l"]) == anonymity.entropy_l_diversity(frame, ["q"], ["s"])
    assert row_of(shared, "FROM t_closeness('t', ['q'], 's')")["t"] == pytest.approx(anonymity.t_closeness(frame, ["q"], ["s"]))
    # pycanon calls its metric of numbers that of their ranks.
    ranks = row_of(shared, "FROM t_closeness('t', ['q'], 'n', 'ordered')")["t"]
    assert ranks == pytest.approx(anonymity.t_closeness(frame, ["q"], ["n"]))


@pytest.mark.filterwarnings("ignore:In a future version")
def test_where_pycanon_is_wrong(shared: duckdb.DuckDBPyConnection) -> None:
    """Rows with an empty quasi-identifier, and rows in another order than their index, are rows all the same."""
    anonymity = pytest.importorskip("pycanon.anonymity", reason=NO_PYCANON)
    frame = pd.DataFrame({"q": [None, None, *"bbccdd"], "s": [*"xxxyyzyz"]}, dtype="str")
    shared.register("frame", frame)
    shared.execute("CREATE OR REPLACE TABLE t AS FROM frame")
    rows = shared.execute("FROM t").fetchall()
    assert row_of(shared, "FROM t_closeness('t', ['q'], 's')") == oracle.t_closeness(rows, oracle.equal)
    assert row_of(shared, "FROM l_diversity('t', ['q'], 's')") == oracle.l_diversity(rows)
    assert row_of(shared, "FROM l_diversity('t', ['q'], 's')")["distinct_l"] == 1
    assert anonymity.l_diversity(frame, ["q"], ["s"]) == 2
    frame = pd.DataFrame({"q": [*"aabb"], "s": [*"xxyy"]}, index=[0, 2, 1, 3])
    shared.register("frame", frame)
    shared.execute("CREATE OR REPLACE TABLE t AS FROM frame")
    assert row_of(shared, "FROM t_closeness('t', ['q'], 's')")["t"] == 0.5
    assert anonymity.t_closeness(frame, ["q"], ["s"]) == 0.0


@pytest.mark.everything
def test_many_rows_in_a_class(shared: duckdb.DuckDBPyConnection) -> None:
    """Shares that differ in the eleventh place are told apart, and sums pass 2^64."""
    shared.execute("""
        CREATE OR REPLACE TABLE t AS
        SELECT 'a' AS q, i = 0 AS s FROM range(400000) r(i) UNION ALL SELECT 'b', i = 0 FROM range(400001) r(i)
    """)
    found = row_of(shared, "FROM l_diversity('t', ['q'], 's')")
    assert (found["worst_size"], found["worst_count"]) == (400001, 400000)
    assert (found["recursive_top"], found["recursive_rest"]) == (400000, 1)
    n = 800001
    expected = Fraction(1, 400000) - Fraction(2, n)
    closeness = row_of(shared, "FROM t_closeness('t', ['q'], 's')")
    assert Fraction(closeness["t_numerator"], closeness["t_denominator"]) == expected
    assert (closeness["worst_classes"], closeness["worst_rows"]) == (1, 400000)
    shared.execute("CREATE OR REPLACE TABLE u AS SELECT q, CASE WHEN s THEN 1e15 ELSE 0.001 END AS s FROM t")
    assert row_of(shared, "FROM t_closeness('u', ['q'], 's', 'numeric')") == closeness


def test_equally_frequent_values_have_their_number_as_entropy(shared: duckdb.DuckDBPyConnection) -> None:
    for values in (1, 2, 3, 7, 49, 1000):
        shared.execute(f"CREATE OR REPLACE TABLE t AS SELECT 1 AS q, i % {values} AS s FROM range({3 * values}) r(i)")
        found = row_of(shared, f"FROM l_diversity('t', ['q'], 's', l := {values})")
        assert (found["entropy_l"], found["entropy_below"], found["distinct_l"]) == (values, 0, values)


@pytest.mark.everything
def test_the_figures_do_not_depend_on_the_order_of_rows_or_threads(shared: duckdb.DuckDBPyConnection) -> None:
    shared.execute("CREATE OR REPLACE TABLE t AS SELECT hash(i) % 2000 AS q, hash(3 * i) % 12 AS s FROM range(20000) r(i)")
    shared.execute("CREATE OR REPLACE TABLE d AS SELECT a, b, abs(a - b) / 11 AS distance FROM range(12) x(a), range(12) y(b)")
    calls = [
        "l_diversity('t', ['q'], 's', l := 3)",
        *(f"t_closeness('t', ['q'], 's', '{metric}')" for metric in ("ordered", "d")),
    ]
    expected = [row_of(shared, f"FROM {call}") for call in calls]
    shared.execute("CREATE OR REPLACE TABLE t AS FROM t ORDER BY hash(q, s)")
    for threads in (1, 4):
        shared.execute(f"SET threads = {threads}")
        assert [row_of(shared, f"FROM {call}") for call in calls] == expected
    shared.execute("RESET threads")
