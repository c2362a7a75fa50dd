"""`profile`, `unique_columns` and `suda_scores` against what brute force counts; no cell value is in what they tell."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import prod

import duckdb
import pytest

PEOPLE = """CREATE TABLE people AS SELECT i AS id, 'Name ' || i AS name, 'u' || i || '@x.org' AS contact,
    printf('%03d-%02d-%04d', i % 900 + 10, i % 90, i) AS n1, printf('+1 555 %07d', i * 7919 % 10000000) AS n2,
    DATE '1950-01-01' + (i * 37 % 20000)::INTEGER AS dob, printf('%05d', 98000 + i % 50) AS zip, uuid()::VARCHAR AS token,
    47.1 + i % 7 AS lat, 20 + i % 60 AS age, ['flu', 'hiv'][1 + i % 2] AS disease, 'DE' || printf('%020d', i) AS n3,
    CASE WHEN i % 4 > 0 THEN i % 3 END AS ward FROM range(400) t(i)"""

Row = tuple[int | None, ...]


def rows_of(draw: random.Random, count: int, columns: int) -> list[Row]:
    return [
        tuple(draw.choice([None, 0, 1, 2]) if draw.random() < 0.9 else draw.randrange(9) for _ in range(columns))
        for _ in range(count)
    ]


def drawn(con: duckdb.DuckDBPyConnection, rows: Sequence[Row]) -> list[str]:
    names = [f"c{place}" for place in range(len(rows[0]))]
    con.execute(f"CREATE TABLE t ({', '.join(f'{name} INTEGER' for name in names)})")
    con.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(names))})", rows)
    return names


def alone(rows: Sequence[Row], chosen: tuple[int, ...]) -> set[int]:
    keys = [tuple(row[place] for place in chosen) for row in rows]
    counts = Counter(keys)
    return {number for number, key in enumerate(keys) if counts[key] == 1}


def test_roles_and_reasons(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(PEOPLE)
    found = {name: role for name, *_, role, _ in con.execute("FROM profile('people')").fetchall()}
    assert found == {
        **dict.fromkeys(("id", "name", "contact", "n1", "n2", "n3", "token"), "identifier"),
        **dict.fromkeys(("dob", "zip", "lat", "age"), "quasi-identifier"),
        "disease": "sensitive",
        "ward": "kept",
    }


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(3))
def test_figures_are_those_of_plain_counting(con: duckdb.DuckDBPyConnection, seed: int) -> None:
    rows = rows_of(random.Random(seed), 60, 4)
    names = drawn(con, rows)
    found = {each[0]: each[1:6] for each in con.execute("FROM profile('t')").fetchall()}
    for place, name in enumerate(names):
        values = [row[place] for row in rows]
        nulls = values.count(None)
        assert found[name] == ("INTEGER", len(set(values) - {None}), nulls, len(alone(rows, (place,))), len(rows))


def test_no_label_of_an_enum_is_told(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE t AS SELECT 'secret'::ENUM('secret', 'hush') AS e, ['secret'::ENUM('secret')] AS l")
    assert "secret" not in repr(con.execute("FROM profile('t')").fetchall())


def test_an_empty_table_has_a_profile(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE t (a INTEGER, b VARCHAR)")
    assert sorted(row[:6] for row in con.execute("FROM profile('t')").fetchall()) == [
        ("a", "INTEGER", 0, 0, 0, 0),
        ("b", "VARCHAR", 0, 0, 0, 0),
    ]
    assert con.execute("FROM unique_columns('t', 1, qi := ['A'])").fetchall() == [(["a"], 0, None)]
    assert con.execute("FROM suda_scores('t')").fetchall() == []


@pytest.mark.parametrize("seed", range(3))
def test_sets_are_those_of_brute_force(con: duckdb.DuckDBPyConnection, seed: int) -> None:
    rows = rows_of(random.Random(seed), 50, 4)
    names = drawn(con, rows)
    found = {tuple(columns): count for columns, count, _ in con.execute("FROM unique_columns('t', 3)").fetchall()}
    expected = {
        tuple(names[place] for place in chosen): len(alone(rows, chosen))
        for size in (1, 2, 3)
        for chosen in combinations(range(4), size)
    }
    assert found == expected


def suda(rows: Sequence[Row], most: int) -> list[int]:
    columns = len(rows[0])
    most = min(most, max(columns - 1, 1))
    unique = {c: alone(rows, c) for size in range(1, most + 1) for c in combinations(range(columns), size)}
    scores = [0] * len(rows)
    for chosen, numbers in unique.items():
        for number in numbers:
            if not any(set(part) < set(chosen) and number in unique[part] for part in unique):
                scores[number] += prod(max(columns - i, 1) for i in range(len(chosen), most + 1))
    return scores


@pytest.mark.parametrize(("seed", "most"), [(1, 1), (2, 2), (3, 3), (4, 5)])
def test_suda_scores_are_those_of_brute_force(con: duckdb.DuckDBPyConnection, seed: int, most: int) -> None:
    rows = rows_of(random.Random(seed), 40, 5)
    drawn(con, rows)
    found = con.execute(f"FROM suda_scores('t', n := {most})").fetchall()
    expected = [(*row, float(score)) for row, score in zip(rows, suda(rows, most), strict=True)]
    assert Counter(found) == Counter(expected)


def test_suda_scores_weigh_as_those_of_sdcmicro(con: duckdb.DuckDBPyConnection) -> None:
    """sdcMicro's own example: of all that singles rows out, a has 50 %, b and c 37.5 % each."""
    con.execute("CREATE TABLE t AS FROM (VALUES (2, 0, 0), (1, 3, 6), (1, 0, 0)) AS t(a, b, c)")
    assert sorted(con.execute("FROM suda_scores('t')").fetchall()) == [(1, 0, 0, 2.0), (1, 3, 6, 4.0), (2, 0, 0, 2.0)]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("FROM unique_columns('t', 0)", "at least 1"),
        ("FROM unique_columns('t', 1, qi := [])", "empty list"),
        ("FROM profile('t; DROP TABLE t')", "not the name of a table"),
    ],
)
def test_bad_arguments(con: duckdb.DuckDBPyConnection, query: str, message: str) -> None:
    con.execute("CREATE TABLE t AS SELECT 1 AS a")
    with pytest.raises(duckdb.Error, match=message):
        con.execute(query)


def test_an_empty_list_a_list_of_null_and_null_are_three_values(shared: duckdb.DuckDBPyConnection) -> None:
    shared.execute("CREATE OR REPLACE TABLE lists AS FROM (VALUES ([]::INT[]), (NULL), ([NULL]), ([1]), ([1])) AS t(items)")
    assert shared.execute("SELECT singled_out FROM unique_columns('lists', 1)").fetchall() == [(3,)]
    assert shared.execute("SELECT uniques FROM profile('lists')").fetchall() == [(3,)]
    assert shared.execute("SELECT count(*) FROM suda_scores('lists', 1) WHERE suda_score > 0").fetchall() == [(3,)]


@pytest.mark.parametrize("kind", ["HUGEINT", "DECIMAL(38, 0)", "DECIMAL(19, 0)"])
def test_zero_and_minus_one_are_two_numbers(shared: duckdb.DuckDBPyConnection, kind: str) -> None:
    shared.execute(f"CREATE OR REPLACE TABLE numbers AS SELECT v::{kind} AS v FROM (VALUES (0), (-1), (5), (5)) AS t(v)")
    assert shared.execute("SELECT singled_out FROM unique_columns('numbers', 1)").fetchall() == [(2,)]
    assert shared.execute("SELECT uniques FROM profile('numbers')").fetchall() == [(2,)]
    assert shared.execute("SELECT count(*) FROM suda_scores('numbers', 1) WHERE suda_score > 0").fetchall() == [(2,)]
