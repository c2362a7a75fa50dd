"""Rows by intervals, against counts in Python."""

from __future__ import annotations

import random

import duckdb
import pytest

from kanon_sql.studio.histogram import histogram

MOST, LEAST = 12, 3


def drawn(values: list[str | None]) -> list[tuple[str, int]]:
    with duckdb.connect() as con:
        con.execute('CREATE TABLE "the table" (x VARCHAR)')
        con.executemany('INSERT INTO "the table" VALUES (?)', [(each,) for each in [*values, None]])
        return histogram(con, "the table", "x", most=MOST, least=LEAST)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(8))
def test_every_number_is_in_its_interval(seed):
    draw = random.Random(seed)
    numbers = [round(draw.gauss(40, 10 ** draw.randrange(1, 5)), draw.randrange(3)) for _ in range(300)]
    found = drawn([f"{each:.2f}" for each in numbers])
    assert 0 < len(found) <= MOST + 1
    for label, rows in found:
        low, high = (float(each.replace(",", "")) for each in label.split(" to "))
        assert rows == sum(low <= each < high for each in numbers)
        assert rows >= LEAST
    left = len(numbers) - sum(rows for _, rows in found)
    assert left < LEAST * (MOST + 1)


@pytest.mark.parametrize(
    "values",
    [[], ["1"] * 9, [f"{each:05}" for each in range(99)], [*map(str, range(99)), "x"], ["1e400"], list("abc")],
    ids=["empty", "one number", "zip codes", "a text", "infinite", "texts"],
)
def test_what_is_no_column_of_many_numbers_has_none(values):
    assert drawn(values) == []


def test_dates_are_counted_by_their_years():
    years = [1940 + each % 40 for each in range(400)]
    found = drawn([f"{year}-02-03" for year in years])
    assert found[0] == ("1940 to 1944", 50)
    assert sum(rows for _, rows in found) == 400
    assert drawn([f"{year}-02-03" for year in years] + ["7"]) == []
