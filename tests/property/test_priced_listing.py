"""Listing by price: all that gains is listed and nothing else; the bound lies below the optimum and is proven again."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from naive import optimum
from solving import check, coded

from kanon_sql import pipeline
from kanon_sql.solvers.budget import UNLIMITED, Budget
from kanon_sql.solvers.instances.listing import Instances, gaining, useful
from kanon_sql.solvers.k_anonymity import listed_greedy, priced_listing
from kanon_sql.table.patterns import permitted
from kanon_sql.verification import verify

SCALE = 8


def drawn(seed: int, rows: int, columns: int) -> list[tuple[str, ...]]:
    rng = random.Random(seed)
    return [tuple(rng.choices("abcd", (5, 3, 2, 1))[0] for _ in range(columns)) for _ in range(rows)]


def sets(listed: Instances) -> dict[tuple[int, frozenset[int]], int]:
    """Return the cost of each instance, by its pattern and its row types."""
    parts = np.split(listed.member, listed.start[1:-1])
    named = zip(listed.pattern.tolist(), parts, strict=True)
    return dict(zip(((pattern, frozenset(part.tolist())) for pattern, part in named), listed.cost.tolist(), strict=True))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.everything
@pytest.mark.parametrize("options", [{}, {"weights": {"c1": 3}}, {"masks": [(), ("c0",), ("c0", "c1"), ("c2", "c3")]}])
def test_what_gains_is_listed_and_nothing_else(seed: int, options: dict[str, Any]) -> None:
    k = 2 + seed % 3
    table, policy = coded(drawn(seed, 60, 4), k=k, **options)
    patterns = permitted(table, policy)
    most = np.random.default_rng(seed).integers(-SCALE, 4 * SCALE, table.row_types)
    every = useful(table, patterns, k, slack=None)
    found = gaining(table, patterns, k, most=most, scale=SCALE, limit=1 << 30, budget=UNLIMITED)
    assert every is not None
    assert found is not None
    expected = {}
    for key, cost in sets(every).items():
        paid = sorted((int(most[i]) for i in key[1] for _ in range(int(table.weight[i]))), reverse=True)
        if sum(paid[:k]) > k * cost * SCALE:
            expected[key] = cost
    assert sets(found) == expected
    assert len(found) == len(expected)


@pytest.mark.parametrize("seed", range(3))
def test_listing_ends_with_the_limit_and_the_time(seed: int) -> None:
    table, policy = coded(drawn(seed, 60, 4), k=3)
    most, patterns = np.full(table.row_types, 3 * SCALE), permitted(table, policy)
    assert gaining(table, patterns, 3, most=most, scale=SCALE, limit=5, budget=UNLIMITED) is None
    assert gaining(table, patterns, 3, most=-most, scale=SCALE, limit=5, budget=UNLIMITED) is not None


@pytest.fixture
def by_price(monkeypatch: pytest.MonkeyPatch) -> None:
    """List every table by price."""
    monkeypatch.setattr(priced_listing, "_FEW_PAIRS", 0)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(60))
@pytest.mark.usefixtures("by_price")
def test_bounds_lie_below_the_optimum_and_are_proven_again(seed: int) -> None:
    rows, k = drawn(seed, 4 + seed % 5, 3), 2 + seed % 2
    table, policy = coded(rows, k=k, algorithm="refine")
    recoding, certificate = pipeline.run(table, policy)
    check(table, recoding, k)
    assert certificate.lower_bound <= optimum(rows, k) <= certificate.cost
    assert verify(certificate, table.codes.tolist(), table.weight.tolist()) == certificate.lower_bound


@pytest.mark.everything
@pytest.mark.parametrize("options", [{}, {"weights": {"c1": 3}}, {"linked": [("c0", "c2")]}])
@pytest.mark.usefixtures("by_price")
def test_larger_tables_are_proven_again_and_come_out_the_same(options: dict[str, Any]) -> None:
    for k in (2, 5):
        table, policy = coded(drawn(k, 300, 6), k=k, algorithm="refine", **options)
        (recoding, certificate), (again, _) = pipeline.run(table, policy), pipeline.run(table, policy)
        assert certificate.bound_method == "Lagrangian relaxation"
        assert 0 < certificate.lower_bound <= certificate.cost
        assert verify(certificate, table.codes.tolist(), table.weight.tolist()) >= certificate.lower_bound
        assert np.array_equal(recoding.shown, again.shown)


@pytest.mark.everything
@pytest.mark.usefixtures("by_price")
def test_too_many_members_fall_back_to_a_slack(monkeypatch: pytest.MonkeyPatch) -> None:
    table, policy = coded(drawn(1, 200, 5), k=3, algorithm="refine")
    monkeypatch.setattr(priced_listing, "_MEMBERS", 5)
    certificate = pipeline.run(table, policy)[1]
    assert 0 < certificate.lower_bound <= certificate.cost
    assert certificate.prices is not None


def test_many_masks_and_short_time_limits_keep_the_slack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(priced_listing, "_FEW_PAIRS", 0)
    table, policy = coded(drawn(1, 100, 4), k=3)
    patterns = permitted(table, policy)
    assert priced_listing.pays_off(table, patterns, Budget())
    assert priced_listing.pays_off(table, patterns, Budget(seconds=10))
    assert not priced_listing.pays_off(table, patterns, Budget(seconds=9))
    monkeypatch.setattr(listed_greedy, "_MANY_PATTERNS", 0)
    monkeypatch.setattr(listed_greedy, "_FEW_ROW_TYPES", 0)
    assert not priced_listing.pays_off(table, patterns, Budget())
