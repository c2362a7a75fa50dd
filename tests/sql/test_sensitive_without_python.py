"""`l_diversify` and `t_close` in plain SQL: audited by exact fractions in Python, on random tables."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import Any

import duckdb
import pytest
import shadows

from kanon_sql.engines.duckdb.connect.shadowing import REFUSED

ROOT = Path(__file__).parents[2]

Counts = Sequence[int]
Keeps = Callable[[Counts, Counts], bool]
"""Whether a class keeps the guarantee, by its rows with each value in order, and those of the table."""


def frequency(share: Fraction) -> Keeps:
    return lambda own, _: max(own) * share <= sum(own)


def distinct(values: Fraction) -> Keeps:
    return lambda own, _: sum(map(bool, own)) >= values


def entropy(values: Fraction) -> Keeps:
    """Compare by whole numbers: n^n >= l^n * product of r_i^r_i."""
    return lambda own, _: sum(own) ** sum(own) >= values ** sum(own) * prod(count**count for count in own)


def recursive(first: int, factor: Fraction) -> Keeps:
    return lambda own, _: max(own) < factor * sum(sorted(own, reverse=True)[first - 1 :])


def equal(distance: Fraction) -> Keeps:
    def keeps(own: Counts, every: Counts) -> bool:
        return (
            sum(abs(Fraction(a, sum(own)) - Fraction(b, sum(every))) for a, b in zip(own, every, strict=True)) <= 2 * distance
        )

    return keeps


def ordered(distance: Fraction) -> Keeps:
    def keeps(own: Counts, every: Counts) -> bool:
        moved = carried = Fraction(0)
        for a, b in zip(own, every, strict=True):
            carried += Fraction(a, sum(own)) - Fraction(b, sum(every))
            moved += abs(carried)
        return moved <= distance * max(1, len(every) - 1)

    return keeps


CASES: list[tuple[str, Keeps]] = [
    ("l_diversify('t', 's', 2", frequency(Fraction(2))),
    ("l_diversify('t', 's', 1.5", frequency(Fraction(3, 2))),
    ("l_diversify('t', 's', 3", frequency(Fraction(3))),
    ("l_diversify('t', 's', 2, 'distinct'", distinct(Fraction(2))),
    ("l_diversify('t', 's', 2.5, variant := 'distinct'", distinct(Fraction(5, 2))),
    ("l_diversify('t', 's', 2, 'entropy'", entropy(Fraction(2))),
    ("l_diversify('t', 's', 2.2, 'entropy'", entropy(Fraction(22, 10))),
    ("l_diversify('t', 's', 2, 'recursive', 1.5", recursive(2, Fraction(3, 2))),
    ("l_diversify('t', 's', 3, 'recursive', c := 3", recursive(3, Fraction(3))),
    ("l_diversify('t', 's', 1, 'recursive', c := 1", recursive(1, Fraction(1))),
    ("t_close('t', 's', 0.3", equal(Fraction(3, 10))),
    ("t_close('t', 's', 0.25, metric := 'equal'", equal(Fraction(1, 4))),
    ("t_close('t', 's', 0", equal(Fraction(0))),
    ("t_close('t', 's', 0.2, 'ordered'", ordered(Fraction(1, 5))),
    ("t_close('t', 's', 0.125, 'ordered'", ordered(Fraction(1, 8))),
]


def table(con: duckdb.DuckDBPyConnection, draw: random.Random) -> list[tuple[Any, ...]]:
    """Make a random table t of the quasi-identifiers x, y, the sensitive s, and the number of the row; return its rows."""
    sizes = [draw.randint(1, 4) for _ in range(3)]
    values = ["flu", "gout", None, "ulcer", "acne"][: sizes[2] + 1]
    rows = [
        (f"x{draw.randint(0, sizes[0])}", draw.randint(0, sizes[1]), draw.choice(values), number)
        for number in range(draw.randint(2, 40))
    ]
    con.execute("CREATE OR REPLACE TABLE t (x VARCHAR, y INTEGER, s VARCHAR, number INTEGER)")
    con.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
    return rows


def counts(values: Sequence[Any], order: Sequence[Any]) -> list[int]:
    found = Counter(values)
    return [found[value] for value in order]


def check(released: list[tuple[Any, ...]], rows: list[tuple[Any, ...]], k: int, keeps: Keeps) -> None:
    assert sorted(row[3] for row in released) == list(range(len(rows)))
    order = sorted({row[2] for row in rows}, key=lambda value: (value is None, value))
    every = counts([row[2] for row in rows], order)
    classes = defaultdict(list)
    for *shown, value, number in released:
        assert value == rows[number][2]
        assert all(cell is None or cell == was for cell, was in zip(shown, rows[number], strict=False))
        classes[tuple(shown)].append(value)
    for values in classes.values():
        assert len(values) >= k
        assert keeps(counts(values, order), every)


def trial(con: duckdb.DuckDBPyConnection, call: str, keeps: Keeps, seed: int) -> bool:
    """Release a random table; return whether there was a release. There is one whenever the whole table keeps the guarantee."""
    draw = random.Random(seed)
    rows, k = table(con, draw), draw.randint(1, 4)
    asked = f"FROM {call}, k := {k}, qi := ['x', 'y'], keep := ['number'])"
    order = sorted({row[2] for row in rows}, key=lambda value: (value is None, value))
    every = counts([row[2] for row in rows], order)
    if len(rows) < k or not keeps(every, every):
        with pytest.raises(duckdb.InvalidInputException, match=r"rows are left over .* that keeps the guarantee; nothing was"):
            con.execute(asked).fetchall()
        return False
    released = con.execute(asked).fetchall()
    check(released, rows, k, keeps)
    return True


@pytest.mark.everything
@pytest.mark.parametrize(("call", "keeps"), CASES)
def test_every_class_keeps_the_guarantee(con: duckdb.DuckDBPyConnection, call: str, keeps: Keeps) -> None:
    assert sum(trial(con, call, keeps, seed) for seed in range(4)) > 0


@pytest.mark.everything
@pytest.mark.parametrize(("call", "keeps"), CASES)
def test_every_class_of_many_tables(con: duckdb.DuckDBPyConnection, call: str, keeps: Keeps) -> None:
    assert sum(trial(con, call, keeps, seed) for seed in range(100, 140)) > 10


@pytest.mark.everything
def test_rows_are_suppressed_for_the_guarantee_and_not_for_more(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("""CREATE TABLE t AS SELECT unnest(['a', 'a', 'a', 'a', 'b', 'b', 'c', 'c']) AS x,
        unnest(['flu', 'gout', 'flu', 'gout', 'flu', 'flu', 'gout', 'gout']) AS s""")
    released = Counter(con.execute("FROM l_diversify('t', 's', 2)").fetchall())
    assert released == {("a", "flu"): 2, ("a", "gout"): 2, (None, "flu"): 2, (None, "gout"): 2}
    assert Counter(con.execute("SELECT x FROM l_diversify('t', 's', 1)").fetchall()) == {("a",): 4, ("b",): 2, ("c",): 2}


def test_row_types_that_fit_no_class_share_one(con: duckdb.DuckDBPyConnection) -> None:
    """Neither b nor c keeps the guarantee with a alone, or with one another: a class that shows nothing takes a, too."""
    con.execute("""CREATE TABLE t AS SELECT unnest(['a', 'a', 'b', 'b', 'b', 'c']) AS x, unnest([1, 2, 1, 1, 2, 2]) AS s
        UNION ALL SELECT 'd', unnest([1, 1, 1, 2, 2, 2])""")
    assert Counter(con.execute("SELECT x FROM l_diversify('t', 's', 2)").fetchall()) == {("a",): 2, ("d",): 6, (None,): 4}


@pytest.mark.everything
def test_masks_levels_and_the_audit_macros(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("""CREATE TABLE t AS SELECT (98100 + i * 7 % 40)::VARCHAR AS zip, 20 + i * 3 % 30 AS age,
        ['flu', 'gout', 'ulcer'][1 + i * i % 3] AS s FROM range(240) AS r(i)""")
    masks = "[['zip IN DIGITS (4, 3)', 'age IN INTERVALS (10)'], ['zip', 'age'], []]"
    con.execute(f"CREATE TABLE r AS FROM l_diversify('t', 's', 1.4, k := 3, masks := {masks})")
    found = con.execute("SELECT frequency_l >= 1.4, classes > 5 FROM l_diversity('r', ['zip', 'age'], 's')").fetchall()
    assert found == [(True, True)]
    con.execute(f"CREATE OR REPLACE TABLE r AS FROM t_close('t', 's', 0.2, 'ordered', k := 3, masks := {masks})")
    assert con.execute("SELECT t <= 0.2 FROM t_closeness('r', ['zip', 'age'], 's', metric := 'ordered')").fetchall() == [
        (True,)
    ]


def test_values_are_one_where_the_column_calls_them_equal(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE t (x INTEGER, s VARCHAR COLLATE NOCASE)")
    con.execute("INSERT INTO t VALUES (1, 'flu'), (1, 'FLU'), (2, 'flu'), (2, 'gout'), (2, 'Gout'), (2, 'Flu')")
    assert Counter(con.execute("SELECT x FROM l_diversify('t', 's', 1.5)").fetchall()) == {(None,): 6}


@pytest.mark.parametrize("call", ["l_diversify('t', 's', 1.5)", "t_close('t', 's', 0.5)"])
def test_an_enum_does_not_list_what_is_suppressed(con: duckdb.DuckDBPyConnection, call: str) -> None:
    con.execute(
        "CREATE TABLE t AS SELECT ['x', 'y', 'z'][1 + (i // 7)]::ENUM ('x', 'y', 'z') AS a, i % 3 AS s FROM range(15) AS r(i)"
    )
    con.execute(f"CREATE TABLE r AS FROM {call}")
    assert [row[:2] for row in con.execute("DESCRIBE r").fetchall()] == [("a", "VARCHAR"), ("s", "BIGINT")]


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("l_diversify('t', NULL, 2)", "sa is missing"),
        ("l_diversify('t', 's', NULL)", "l is not a number from 1"),
        ("l_diversify('t', 's', 0.5)", "l is not a number from 1"),
        ("l_diversify('t', 's', 2, 'other')", "variant is not one of"),
        ("l_diversify('t', 's', 2, NULL)", "variant is not one of"),
        ("l_diversify('t', 's', 2, c := 2)", "c belongs to the variant recursive"),
        ("l_diversify('t', 's', 2, 'recursive')", "needs c, a number above 0"),
        ("l_diversify('t', 's', 2, 'recursive', 0)", "needs c, a number above 0"),
        ("l_diversify('t', 's', 2.5, 'recursive', 2)", "needs a whole l"),
        ("l_diversify('t', 's', 3)", "rows are left over that fit no class of at least 2 rows that keeps the guarantee"),
        ("l_diversify('t', 's', 2, masks := [['y']], qi := ['y'], keep := ['x'])", "rows are left over"),
        ("l_diversify('t', 's', 2, qi := ['S'])", "sa is one of the columns of qi, keep or drop"),
        ("l_diversify('t', 's', 2, keep := ['s'])", "sa is one of the columns of qi, keep or drop"),
        ("l_diversify('t', 'nope', 2)", "nope"),
        ("t_close('t', '', 0.2)", "sa is missing"),
        ("t_close('t', 's', 1.1)", "t is not a number from 0 to 1"),
        ("t_close('t', 's', 'x')", "t is not a number from 0 to 1"),
        ("t_close('t', 's', 0.2, 'hierarchical')", "without Python, metric is equal or ordered"),
        ("t_close('t', 's', 0.2, NULL)", "without Python, metric is equal or ordered"),
    ],
)
def test_errors(con: duckdb.DuckDBPyConnection, call: str, told: str) -> None:
    con.execute("CREATE TABLE t AS SELECT i % 3 AS x, i AS y, i % 2 AS s FROM range(6) AS r(i)")
    with pytest.raises(duckdb.Error) as raised:
        con.execute(f"FROM {call}").fetchall()
    assert told in str(raised.value)


@pytest.mark.everything
def test_an_empty_table_and_a_column_without_a_role(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE t (x INTEGER, s INTEGER)")
    assert con.execute("FROM l_diversify('t', 's', 2)").fetchall() == []
    assert con.execute("FROM t_close('t', 's', 0.2, 'ordered')").fetchall() == []
    con.execute("CREATE TABLE u AS SELECT i % 3 AS x, i % 2 AS s, i AS y FROM range(60) AS r(i)")
    with pytest.raises(duckdb.InvalidInputException, match=r"y singles out 100\.0% of the rows"):
        con.execute("FROM l_diversify('u', 's', 2, qi := ['x'])").fetchall()


@pytest.fixture
def unguarded() -> Iterator[Callable[[str, str], duckdb.DuckDBPyConnection]]:
    """Give connections whose macro takes classes that break the guarantee."""
    with duckdb.connect() as con:

        def changed(guard: str, instead: str) -> duckdb.DuckDBPyConnection:
            text = (ROOT / "sql" / "kanon.sql").read_text(encoding="utf-8")
            assert text.count(guard) == 1
            con.execute(text.replace(guard, instead))
            return con

        yield changed


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("call", ["l_diversify('t', 's', 2)", "t_close('t', 's', 0.2)", "t_close('t', 's', 0.2, 'ordered')"])
@pytest.mark.parametrize("shape", ["FROM {}", "SELECT count(*) FROM {}", "FROM {} LIMIT 1", "CREATE TABLE r AS FROM {}"])
def test_the_audit_lets_no_class_through(
    unguarded: Callable[[str, str], duckdb.DuckDBPyConnection], call: str, shape: str
) -> None:
    con = unguarded("HAVING system.main.sum(size) >= {0}{2}", "HAVING system.main.sum(size) >= {0}")
    con.execute("CREATE TABLE t AS SELECT i % 30 AS x, i % 2 AS s FROM range(300) AS r(i)")
    with pytest.raises(duckdb.InvalidInputException, match="kanon: the audit found a class that breaks the guarantee; nothing"):
        con.execute(shape.format(call)).fetchall()


@pytest.mark.everything
@pytest.mark.own_connection
@pytest.mark.parametrize("body", ["true", "NULL"])
def test_no_macro_takes_the_place_of_a_function(con: duckdb.DuckDBPyConnection, body: str) -> None:
    con.execute("CREATE TABLE t AS SELECT i * 7 % 11 % 3 AS a, i * i % 5 % 2 AS b, i % 4 AS s FROM range(60) AS r(i)")
    calls = [f"FROM {call}, qi := $1)" for call, _ in CASES]
    right = [con.execute(call, [["a", "b"]]).fetchall() for call in calls]
    shadows.shadow_all(con, body, leave=REFUSED)  # DuckDB itself refuses these
    assert [con.execute(call, [["a", "b"]]).fetchall() for call in calls] == right


@pytest.mark.everything
def test_register_puts_the_full_functions_in_their_place() -> None:
    import kanon_sql

    with kanon_sql.register(duckdb.connect()) as con:
        con.execute("CREATE TABLE t AS SELECT i % 3 AS x, i % 2 AS s FROM range(12) AS r(i)")
        assert len(con.execute("FROM l_diversify('t', 's', 2, algorithm := 'optimal')").fetchall()) == 12
        assert len(con.execute("FROM t_close('t', 's', 0.2, metric := 'numeric')").fetchall()) == 12
