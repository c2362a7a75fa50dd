"""People counted in the source of a release: against all ways in which its rows can come from there."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from itertools import permutations

import numpy as np
import pytest

from kanon_sql.verification.class_people import fewest_people, people_text
from kanon_sql.verification.shown_cells import Cells, Rows

HIDDEN = 9

Row = tuple[int, ...]


def rows_of(rows: list[Row]) -> tuple[Rows, list[Row]]:
    """Return rows as codes, the last column the others as one; equal ones counted."""
    counted = Counter(rows)
    listed = np.array(list(counted), np.int64).reshape(len(counted), -1)
    codes = np.ascontiguousarray(listed[:, :2])
    return Rows(codes=codes, rest=listed[:, 2], count=np.array(list(counted.values()), np.int64)), list(counted)


def counted(source: list[Row], released: list[Row]) -> tuple[int, int] | None:
    """Count the people of a source (a, b, rest, person) in a release (a, b, rest)."""
    before, order = rows_of(source)
    cells = Cells(
        source=before, released=rows_of(released)[0], domains=[], person=np.array([row[3] for row in order], np.int64)
    )
    return fewest_people(cells, [lambda label: None if label == HIDDEN else np.array([label])] * 2)


def possible(source: list[Row], released: list[Row]) -> set[int]:
    """Return the people of the class with fewest, for all ways to match the rows."""
    found = set()
    for order in permutations(source):
        if all(
            own[2] == shown[2] and all(s in (o, HIDDEN) for o, s in zip(own, shown[:2], strict=False))
            for own, shown in zip(order, released, strict=True)
        ):
            people = defaultdict(set)
            for own, shown in zip(order, released, strict=True):
                people[shown[:2]].add(own[3])
            found.add(min(len(each - {-1}) for each in people.values()))
    return found


def drawn(seed: int) -> tuple[list[Row], list[Row]]:
    rng = random.Random(seed)
    rests = rng.choice([1, 2, 6])
    source = [
        (rng.randrange(2), rng.randrange(2), number if rests == 6 else rng.randrange(rests), rng.randint(-1, 3))
        for number in range(rng.randint(1, 6))
    ]
    return source, [(*(rng.choice([value, HIDDEN]) for value in row[:2]), row[2]) for row in source]


@pytest.mark.sweep
@pytest.mark.parametrize("start", range(0, 1000, 20))
def test_no_way_to_match_the_rows_is_outside(start: int) -> None:
    for seed in range(start, start + 20):
        source, released = drawn(seed)
        ways = possible(source, released)
        least, most = counted(source, released)
        assert least <= min(ways), seed
        assert max(ways) <= most, seed
        if len({row[2] for row in source}) == len(source):
            assert {least} == {most} == ways, seed


def test_rows_from_nowhere_are_not_counted() -> None:
    assert counted([(0, 0, 0, 1)], [(0, 1, 0)]) is None


def test_no_rows() -> None:
    nothing = Rows(codes=np.empty((0, 2), np.int64), rest=np.empty(0, np.int64), count=np.empty(0, np.int64))
    cells = Cells(source=nothing, released=nothing, domains=[], person=np.empty(0, np.int64))
    assert fewest_people(cells, [lambda _: None] * 2) is None


def test_the_words() -> None:
    assert people_text((5, 5)) == "the class with the fewest people has rows from 5 people, counted in the source"
    assert "rows from 3 to 1,000 people" in people_text((3, 1000))
