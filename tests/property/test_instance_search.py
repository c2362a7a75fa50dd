"""A search for instances in parts, one for each range of masks, finds what one over all masks finds."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from solving import coded

from kanon_sql.solvers.budget import UNLIMITED, Budget
from kanon_sql.solvers.instances import search
from kanon_sql.solvers.instances.listing import Instances, gaining, least_costs, useful
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import PatternSet, permitted

SCALE = 8

OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"weights": {"c1": 3}},
    {"linked": [("c0", "c2")]},
    {"masks": [(), ("c0",), ("c0", "c1"), ("c2", "c3")]},
)


def drawn(seed: int, **options: Any) -> tuple[CodedTable, PatternSet]:
    rng = random.Random(seed)
    rows = [tuple(rng.choices("abcd", (5, 3, 2, 1))[0] for _ in range(6)) for _ in range(120)]
    table, policy = coded(rows, k=3, **options)
    return table, permitted(table, policy)


@pytest.fixture
def in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Search every table in seven parts, which take turns often."""
    monkeypatch.setattr(search, "_FEW_PAIRS", 0)
    monkeypatch.setattr(search, "_MASKS_PER_PART", 1)
    monkeypatch.setattr(search, "_MOST_PARTS", 7)
    monkeypatch.setattr(search, "_WORK_PER_CALL", 50)


def members(listed: Instances | None) -> set[tuple[int, int, frozenset[int]]]:
    assert listed is not None
    parts = [listed.member[first:last] for first, last in pairwise(listed.start.tolist())]
    named = zip(listed.pattern.tolist(), listed.cost.tolist(), parts, strict=True)
    return {(pattern, cost, frozenset(part.tolist())) for pattern, cost, part in named}


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("slack", [1, 2, None])
def test_parts_find_the_same(seed: int, options: dict[str, Any], slack: int | None, request: pytest.FixtureRequest) -> None:
    table, patterns = drawn(seed, **options)
    whole, least = useful(table, patterns, 3, slack=slack), least_costs(table, patterns, 3)
    most = np.random.default_rng(seed).integers(-SCALE, 4 * SCALE, table.row_types)
    priced = gaining(table, patterns, 3, most=most, scale=SCALE, limit=1 << 30, budget=UNLIMITED)
    request.getfixturevalue("in_parts")
    found = useful(table, patterns, 3, slack=slack)
    known = useful(table, patterns, 3, slack=slack, cheapest=least)
    assert members(found) == members(known) == members(whole)
    assert found is not None
    assert whole is not None
    assert len(found) == len(whole)
    assert np.array_equal(found.price_limit, whole.price_limit)
    assert np.array_equal(least_costs(table, patterns, 3), least)
    again = gaining(table, patterns, 3, most=most, scale=SCALE, limit=1 << 30, budget=UNLIMITED)
    assert members(again) == members(priced)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.usefixtures("in_parts")
def test_the_order_is_the_same_on_any_number_of_threads(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    table, patterns = drawn(seed)
    found = []
    for threads in (1, 2, 5):
        monkeypatch.setattr(search, "WORKERS", threads)
        listed = useful(table, patterns, 3, slack=2)
        assert listed is not None
        found.append((listed.start.tolist(), listed.member.tolist(), listed.pattern.tolist()))
    assert found[0] == found[1] == found[2]


@pytest.mark.usefixtures("in_parts")
def test_parts_together_keep_to_the_limit_and_the_time() -> None:
    table, patterns = drawn(1)
    whole = useful(table, patterns, 3, slack=2)
    assert whole is not None
    alone = max(len(each) for each in np.split(whole.member, whole.start[1:-1]))
    assert useful(table, patterns, 3, slack=2, limit=len(whole.member) - 1) is None
    assert useful(table, patterns, 3, slack=2, limit=alone) is None
    assert useful(table, patterns, 3, slack=2, budget=Budget(ended=lambda: True)) is None
    steps: list[str] = []
    assert useful(table, patterns, 3, slack=2, budget=Budget(progress=lambda each: steps.append(each.step))) is not None
    assert len(steps) > 10
    assert set(steps) == {"listing"}


def test_few_pairs_are_searched_at_once() -> None:
    table, patterns = drawn(1)
    assert len(search.InstanceSearch(table, patterns, 3, 1, 1 << 20).parts) == 1
