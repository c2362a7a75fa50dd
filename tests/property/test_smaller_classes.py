"""Smaller classes at the same cost: counted in plain Python, from the rows and what they show."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from solving import check, coded, plain

from kanon_sql import pipeline
from kanon_sql.certificate import Status
from kanon_sql.solvers.budget import UNLIMITED, Budget
from kanon_sql.solvers.k_anonymity import greedy, mondrian
from kanon_sql.solvers.k_anonymity.smaller_classes import with_smaller_classes
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import PatternSet, permitted
from kanon_sql.table.recoding import Recoding

NURSERY = list(product(*(map(str, range(values)) for values in (3, 5, 4, 4, 3, 2, 3, 3))))
"""All combinations of the values of eight columns: the table of that name."""


def look(table: CodedTable, row_type: int, shown: int) -> tuple[int | None, ...]:
    """What a row shows."""
    return tuple(int(code) if shown >> c & 1 else None for c, code in enumerate(table.codes[row_type]))


def classes_of(table: CodedTable, recoding: Recoding) -> Counter[tuple[int | None, ...]]:
    """Rows of each class."""
    rows: Counter[tuple[int | None, ...]] = Counter()
    for row_type, shown, count in zip(recoding.row_type, recoding.shown, recoding.count, strict=True):
        rows[look(table, int(row_type), int(shown))] += int(count)
    return rows


def cost_of(table: CodedTable, shown: int) -> int:
    """Cost of a row under a pattern."""
    return sum(int(cost) for c, cost in enumerate(table.cost) if not shown >> c & 1)


def paid(table: CodedTable, recoding: Recoding) -> Counter[tuple[int, int]]:
    """How many rows of each row type cost how much."""
    rows: Counter[tuple[int, int]] = Counter()
    for row_type, shown, count in zip(recoding.row_type, recoding.shown, recoding.count, strict=True):
        rows[int(row_type), cost_of(table, int(shown))] += int(count)
    return rows


def missing_classes(table: CodedTable, patterns: PatternSet, k: int, recoding: Recoding) -> list[tuple[int | None, ...]]:
    """Instances that are no class, although classes of the same cost have k surplus rows for them."""
    classes = classes_of(table, recoding)
    found = []
    for pattern in patterns.shown.tolist():
        donors_of: dict[tuple[int | None, ...], Counter[tuple[int | None, ...]]] = defaultdict(Counter)
        for row_type, shown, count in zip(recoding.row_type, recoding.shown, recoding.count, strict=True):
            if cost_of(table, int(shown)) == cost_of(table, pattern):
                donors_of[look(table, int(row_type), pattern)][look(table, int(row_type), int(shown))] += int(count)
        for shows, donors in donors_of.items():
            rows = sum(min(count, classes[donor] - k) for donor, count in donors.items())
            if shows not in classes and rows >= k:
                found.append(shows)
    return found


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 1), st.integers(0, 4)), min_size=6, max_size=40),
    st.integers(2, 4),
    st.sampled_from([None, [1, 1, 2, 1], [2, 1, 1, 1]]),
    st.sampled_from([None, [["c0", "c1"], ["c2", "c3"], ["c1", "c2"], ["c0"], ["c1"], ["c3"], []]]),
)
def test_rows_cost_the_same_and_no_class_more_can_be_made(
    rows: list[tuple[int, ...]], k: int, weights: list[int] | None, masks: list[list[str]] | None
) -> None:
    values = [tuple(map(str, row)) for row in rows]
    table, policy = coded(values, k=k, weights={f"c{c}": weight for c, weight in enumerate(weights or [])}, masks=masks)
    patterns = permitted(table, policy)
    before = greedy.solve(plain(table, patterns, k), UNLIMITED)
    after = with_smaller_classes(table, patterns, k, before, UNLIMITED)
    check(table, after, k)
    assert paid(table, after) == paid(table, before)
    assert set(after.shown.tolist()) <= set(patterns.shown.tolist())
    old, new = classes_of(table, before), classes_of(table, after)
    assert missing_classes(table, patterns, k, after) == []
    if missing_classes(table, patterns, k, before):
        assert len(new) > len(old)
        assert sum(size**2 for size in new.values()) < sum(size**2 for size in old.values())
    else:
        assert new == old
    assert max(new.values()) <= max(old.values())


@pytest.mark.parametrize(
    ("k", "cost", "classes"),
    [
        (2, 12_960, 6_480),
        pytest.param(4, 12_960, 3_240, marks=pytest.mark.everything),
        pytest.param(6, 25_920, 2_160, marks=pytest.mark.everything),
    ],
)
def test_a_full_factorial_table_is_divided_into_classes_of_k(k: int, cost: int, classes: int) -> None:
    table, policy = coded(NURSERY, k=k)
    recoding, certificate = pipeline.run(table, policy)
    sizes = classes_of(table, recoding)
    assert (len(sizes), set(sizes.values())) == (classes, {k})
    assert certificate.cost == cost
    assert certificate.status is Status.OPTIMAL


def test_columns_without_ties_stay() -> None:
    rows = [(a, b) for a in "xy" for b in "12345"]
    table, policy = coded(rows, k=2, weights={"c0": 3, "c1": 5})
    patterns = permitted(table, policy)
    before = greedy.solve(plain(table, patterns, 2), UNLIMITED)
    assert with_smaller_classes(table, patterns, 2, before, UNLIMITED) is before


def test_when_the_time_is_up_the_classes_stay() -> None:
    table, policy = coded(NURSERY[:400], k=2)
    patterns = permitted(table, policy)
    before = greedy.solve(plain(table, patterns, 2), UNLIMITED)
    assert with_smaller_classes(table, patterns, 2, before, Budget(seconds=0)) is before
    unlisted = replace(patterns, shown=patterns.shown[:0], cost=patterns.cost[:0])
    assert with_smaller_classes(table, unlisted, 2, before, UNLIMITED) is before


def test_median_cuts_keep_their_classes() -> None:
    table, policy = coded(NURSERY[:400], k=3)
    recoding, _ = pipeline.run(table, replace(policy, algorithm="mondrian"))
    found = mondrian.solve(plain(table, permitted(table, policy), 3), UNLIMITED)
    assert classes_of(table, recoding) == classes_of(table, found)
