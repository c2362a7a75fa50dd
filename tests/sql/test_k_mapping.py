"""`k_mapping` against a count by hand of who matches each row."""

from __future__ import annotations

import random
from typing import Any

import duckdb
import pytest

Row = tuple[str | None, ...]


def fewest(rows: list[Row], population: list[Row]) -> tuple[int | None, int]:
    """Return the fewest matches of a row, and how many classes match nobody; NULL and '*' show nothing."""
    classes = {tuple(None if cell == "*" else cell for cell in row) for row in rows}
    many = [
        sum(all(cell in (None, other) for cell, other in zip(row, one, strict=True)) for one in population) for row in classes
    ]
    return min(many, default=None), many.count(0)


def fill(con: Any, name: str, rows: list[Row]) -> None:
    con.execute(f"CREATE OR REPLACE TABLE {name} (a VARCHAR, b VARCHAR)")
    if rows:
        con.executemany(f"INSERT INTO {name} VALUES (?, ?)", [list(row) for row in rows])


@pytest.mark.everything
def test_it_counts_who_matches(shared: Any) -> None:
    for seed in range(25):
        rng = random.Random(seed)
        rows: list[Row] = [(rng.choice(("x", "X", None, "*")), rng.choice(("1", "2", None))) for _ in range(rng.randint(0, 5))]
        people: list[Row] = [(rng.choice(("x", "X", None)), rng.choice(("1", "3", None))) for _ in range(rng.randint(0, 9))]
        fill(shared, "release", rows)
        fill(shared, "census", people)
        found = shared.execute("FROM k_mapping('release', ['A', 'b'], 'census')").fetchall()[0]
        least, unmatched = fewest(rows, people)
        classes = len({tuple(None if cell == "*" else cell for cell in row) for row in rows})
        assert found == (least, classes, unmatched, len(rows), len(people))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("'release', population := 'census'", "qi is missing"),
        ("'release', []::VARCHAR[], 'census'", "qi is an empty list"),
        ("'release', ['a', 'A'], 'census'", "qi names a column twice"),
        ("'release', ['a']", "population is not the name of a table"),
        ("'release; DROP TABLE census', ['a'], 'census'", "tbl is not the name of a table"),
        ("'release', ['a', 'nobody'], 'census'", 'does not have a column named "nobody"'),
    ],
)
def test_wrong_arguments_are_named(shared: Any, arguments: str, told: str) -> None:
    fill(shared, "release", [("x", "1")])
    fill(shared, "census", [("x", "1")])
    with pytest.raises(duckdb.Error, match=told):
        shared.execute(f"FROM k_mapping({arguments})").fetchall()
