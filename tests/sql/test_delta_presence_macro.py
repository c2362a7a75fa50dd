"""`delta_presence` against shares that are added up by hand."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from typing import Any

import duckdb
import pytest

Row = tuple[str | None, ...]


def greatest(rows: list[Row], population: list[Row]) -> tuple[Fraction | None, int]:
    """Return the greatest sum of shares, None where a class matches nobody, and the classes with more rows than match."""
    sums, unmatched, missed = [Fraction(0)] * len(population), 0, False
    for looks, size in Counter(tuple(None if cell == "*" else cell for cell in row) for row in rows).items():
        match = [all(cell in (None, other) for cell, other in zip(looks, one, strict=True)) for one in population]
        unmatched += size > sum(match)
        missed |= not any(match)
        sums = [total + (Fraction(size, sum(match)) if found else 0) for total, found in zip(sums, match, strict=True)]
    return None if missed else max(sums, default=Fraction(0)), unmatched


def fill(con: Any, name: str, rows: list[Row]) -> None:
    con.execute(f"CREATE OR REPLACE TABLE {name} (a VARCHAR, b VARCHAR)")
    if rows:
        con.executemany(f"INSERT INTO {name} VALUES (?, ?)", [list(row) for row in rows])


@pytest.mark.everything
def test_it_adds_up_the_shares(shared: Any) -> None:
    for seed in range(25):
        rng = random.Random(seed)
        rows: list[Row] = [(rng.choice(("x", "X", None, "*")), rng.choice(("1", "2", None))) for _ in range(rng.randint(0, 5))]
        people: list[Row] = [(rng.choice(("x", "X", None)), rng.choice(("1", "2", "3"))) for _ in range(rng.randint(0, 30))]
        fill(shared, "release", rows)
        fill(shared, "census", people)
        told, parts, unit, *counts = shared.execute("FROM delta_presence('release', ['A', 'b'], 'census')").fetchall()[0]
        exact, unmatched = greatest(rows, people)
        classes = len({tuple(None if cell == "*" else cell for cell in row) for row in rows})
        assert counts == [classes, unmatched, len(rows), len(people)]
        assert unit % 40 == 0
        assert (None if parts is None else Fraction(parts, unit)) == exact
        assert told == (None if exact is None else pytest.approx(float(exact)))


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
        shared.execute(f"FROM delta_presence({arguments})").fetchall()
