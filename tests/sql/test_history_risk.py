"""`history_risk` against a plain count of the people who have the rows that an attacker knows."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from itertools import combinations

import duckdb
import pytest

import kanon_sql
from kanon_sql.errors import AuditError, PolicyError

Row = tuple[int | None, ...]
"""The person, and the cells of the quasi-identifiers."""


def candidates(rows: list[Row], m: int) -> tuple[dict[int, int], list[int]]:
    """Return for each person the fewest people by any m rows, and the places of the columns that are the person's own."""
    histories: dict[int, list[Row]] = defaultdict(list)
    for person, *cells in rows:
        if person is not None:
            histories[person].append(tuple(cells))
    width = len(rows[0]) - 1
    own = [c for c in range(width) if all(len({row[c] for row in each}) == 1 for each in histories.values())]
    others = [c for c in range(width) if c not in own]
    shown = {
        person: (tuple(each[0][c] for c in own), [tuple(row[c] for c in others) for row in each])
        for person, each in histories.items()
    }
    found = {}
    for person, (mine, facts) in shown.items():
        counts = [
            sum(theirs == mine and not Counter(known) - Counter(other) for theirs, other in shown.values())
            for size in range(1, min(m, len(facts)) + 1)
            for known in combinations(facts, size)
        ]
        found[person] = min(counts)
    return found, own


@pytest.fixture
def table(con: duckdb.DuckDBPyConnection, request: pytest.FixtureRequest) -> list[Row]:
    draw = random.Random(request.param)
    own = {person: draw.randint(0, 1) for person in range(12)}
    rows: list[Row] = []
    for _ in range(draw.randint(1, 40)):
        person = draw.choice([None, *own])
        rows.append((person, own.get(person or 0), draw.choice([None, 1]), draw.choice([None, 1, 2])))  # equal rows, too
    con.execute("CREATE TABLE t (person INTEGER, zip INTEGER, ward INTEGER, month INTEGER)")
    con.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
    return rows


@pytest.mark.everything
@pytest.mark.parametrize("table", range(15), indirect=True)
def test_figures_are_those_of_plain_counting(con: duckdb.DuckDBPyConnection, table: list[Row]) -> None:
    names = ["ZIP", "ward", "month"]
    for m, k in ((1, 2), (2, 3), (3, 5)):
        found, own = candidates(table, m)
        more, _ = candidates(table, m + 1)
        below, below_next = (sum(each < k for each in counts.values()) for counts in (found, more))
        expected = (len(found), min(found.values(), default=None), below, below_next, [names[place] for place in own])
        assert con.execute("FROM history_risk('t', 'person', $1, $2, k := $3)", [names, m, k]).fetchall() == [expected]
        audited = kanon_sql.audit(con.table("t"), quasi_identifiers=["zip", "ward", "month"], per="person", known_rows=m)
        assert (audited.people, audited.history_candidates) == expected[:2]


def test_known_rows_are_different_rows_of_a_candidate(con: duckdb.DuckDBPyConnection) -> None:
    """A person with the same row twice is not found among people who have it once."""
    con.execute(
        "CREATE TABLE t AS SELECT * FROM (VALUES (1, 'a'), (1, 'a'), (1, 'b'), (2, 'a'), (2, 'b'), (2, 'b')) AS v(p, x)"
    )
    assert con.execute("SELECT fewest_candidates FROM history_risk('t', 'p', ['x'], 1)").fetchall() == [(2,)]
    assert con.execute("SELECT fewest_candidates FROM history_risk('t', 'p', ['x'], 2)").fetchall() == [(1,)]


def test_people_who_show_nothing_hide_nobody(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE t AS SELECT i AS p, CASE WHEN i < 3 THEN i END AS x, i % 2 AS y FROM range(20) AS t(i)")
    found = con.execute("SELECT people, fewest_candidates, people_below FROM history_risk('t', 'p', ['x', 'y'], 1)").fetchall()
    assert found == [(20, 1, 3)]


def test_nobody_has_no_candidates(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE t (p INTEGER, x INTEGER)")
    assert con.execute("FROM history_risk('t', 'p', ['x'], 2)").fetchall() == [(0, None, 0, 0, ["x"])]
    con.execute("INSERT INTO t VALUES (NULL, 1)")
    assert con.execute("FROM history_risk('t', 'p', ['x'], 2)").fetchall() == [(0, None, 0, 0, ["x"])]


def test_long_histories_are_refused_before_they_are_counted(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE t AS SELECT i // 700 AS p, i % 7 AS x FROM range(1400) AS t(i)")
    found = con.execute("SELECT people, people_below_next FROM history_risk('t', 'p', ['x'], 2)").fetchall()
    assert found == [(2, None)]
    with pytest.raises(duckdb.Error, match="more than 20 million sets of 3 rows"):
        con.execute("FROM history_risk('t', 'p', ['x'], 3)").fetchall()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("'p', NULL, 1", "qi is missing"),
        ("'p', [], 1", "empty list"),
        ("'', ['a'], 1", "person is not a column name"),
        ("NULL, ['a'], 1", "person is not a column name"),
        ("'p', ['a'], 0", "m is the number of rows that are known: 1, 2 or 3"),
        ("'p', ['a'], 4", "m is the number of rows that are known: 1, 2 or 3"),
        ("'p', ['a'], NULL", "m is the number of rows that are known: 1, 2 or 3"),
        ("'p', ['a'], 1, k := 0", "k is a number of people"),
        (f"'p', {[f'c{place}' for place in range(61)]}, 1", "more than 60 columns"),
    ],
)
def test_bad_arguments(con: duckdb.DuckDBPyConnection, arguments: str, message: str) -> None:
    con.execute("CREATE TABLE t AS SELECT 1 AS p, 1 AS a")
    with pytest.raises(duckdb.Error, match=message):
        con.execute(f"FROM history_risk('t', {arguments})")


@pytest.mark.everything
def test_python_refuses_what_has_too_few_candidates() -> None:
    import pyarrow as pa

    table = pa.table({"p": [1, 1, 2, 2], "x": [1, 2, 1, 3]})
    options = {"quasi_identifiers": ["x"], "per": "p"}
    assert kanon_sql.audit(table, known_rows=1, **options).history_candidates == 1
    with pytest.raises(AuditError, match="any 1 row of a person matches only 1 person, fewer than k = 2"):
        kanon_sql.audit(table, k=2, known_rows=1, **options)
    with pytest.raises(PolicyError, match="known_rows must be 1, 2 or 3"):
        kanon_sql.audit(table, known_rows=4, **options)
    with pytest.raises(PolicyError, match="known_rows needs the column that links the rows of a person"):
        kanon_sql.audit(table, known_rows=1, quasi_identifiers=["x"])
    assert kanon_sql.audit(table, **options).people == 2
    with pytest.raises(PolicyError, match="known and known_rows cannot be combined"):
        kanon_sql.audit(table, known=1, known_rows=1, **options)
