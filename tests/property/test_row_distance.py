"""The row distance: what each row costs at least, against brute force and against the optimum."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from naive import optimum
from solving import check, coded

from kanon_sql.errors import CertificateError
from kanon_sql.pipeline import run
from kanon_sql.solvers.budget import UNLIMITED, Budget
from kanon_sql.solvers.instances import row_distance
from kanon_sql.solvers.instances.row_distance import near_row_types, proves, row_prices
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import PatternSet, permitted
from kanon_sql.verification.claims import verify
from kanon_sql.verification.dual_bound import none_is_cheaper

UNLISTED = PatternSet(shown=np.empty(0, np.uint64), cost=np.empty(0, np.int64))


def case(seed: int) -> tuple[list[tuple[str, ...]], int, dict[str, Any], list[set[int]] | None, list[Fraction]]:
    rng = random.Random(seed)
    m = rng.randint(1, 4)
    rows = [tuple(rng.choice("abc") for _ in range(m)) for _ in range(rng.randint(3, 7))]
    masks = [{c for c in range(m) if rng.random() < 0.5} for _ in range(rng.randint(1, 4))] if rng.random() < 0.5 else None
    weights = [rng.choice([Fraction(1), Fraction(3), Fraction(5, 2)]) for _ in range(m)]
    options: dict[str, Any] = {"weights": {f"c{c}": weight for c, weight in enumerate(weights)}}
    if masks is not None:
        options["masks"] = [[f"c{c}" for c in sorted(mask)] for mask in masks]
    return rows, rng.randint(1, min(3, len(rows))), options, masks, weights


def cheapest_by_hand(table: CodedTable, patterns: PatternSet, k: int) -> list[int]:
    found = []
    for codes in table.codes:
        costs = [0]
        for shown, cost in zip(patterns.shown.tolist(), patterns.cost.tolist(), strict=True):
            columns = [c for c in range(len(table.columns)) if shown >> c & 1]
            if table.weight[(table.codes[:, columns] == codes[columns]).all(axis=1)].sum() >= k:
                costs = [cost]
                break  # the patterns are in the order of their cost
        found.append(costs[0])
    return found


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(60))
def test_each_row_pays_its_cheapest_instance(seed: int) -> None:
    rows, k, options, masks, weights = case(seed)
    table, policy = coded(rows, k=k, **options)
    patterns = permitted(table, policy)
    prices = row_prices(table, patterns, k)
    assert prices.price.tolist() == cheapest_by_hand(table, patterns, k)
    best = optimum(rows, k, masks, weights)
    assert best is None or table.exact_cost(int(prices.price @ table.weight)) <= best


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("quick", [1 << 27, 0])
def test_what_rows_pay_proves_as_much_and_no_more(seed: int, quick: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_distance, "_QUICK", quick)
    monkeypatch.setattr(row_distance, "_COMPARISONS_PER_CALL", 1)  # a row type at a time
    rows, k, options, masks, weights = case(seed)
    table, policy = coded(rows, k=k, **options)
    patterns = permitted(table, policy)
    paid = sum(price * int(weight) for price, weight in zip(cheapest_by_hand(table, patterns, k), table.weight, strict=True))
    assert proves(table, patterns, k, Fraction(paid), UNLIMITED)
    if optimum(rows, k, masks, weights) is not None:  # else some row has no class, and any cost may be proven
        assert not proves(table, patterns, k, paid + Fraction(1, 2), UNLIMITED)


def cheapest_class(table: CodedTable, i: int, k: int) -> int:
    """Return the least cost of the columns in which any of k rows differ, one of them of row type i, by trying all sets."""
    rows = np.repeat(np.arange(table.row_types), table.weight)
    others = np.delete(rows, np.flatnonzero(rows == i)[0])
    return min(
        int((table.codes[list(each)] != table.codes[i]).any(axis=0) @ table.cost) for each in combinations(others, k - 1)
    )


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(200))
def test_classes_where_the_masks_are_not_listed(seed: int) -> None:
    rng = random.Random(seed)
    m, k = rng.choice([2, 3, 5, 8, 9, 17]), rng.randint(1, 5)
    rows = [tuple(rng.choice("abc"[: rng.randint(1, 3)]) for _ in range(m)) for _ in range(rng.randint(k, 10))]
    table, _ = coded(rows, k=k, weights={f"c{c}": rng.choice([1, 1, 3, Fraction(5, 2)]) for c in range(m)})
    found = row_prices(table, UNLISTED, k).price.tolist()
    assert found == [cheapest_class(table, i, k) for i in range(table.row_types)]
    codes, counts, cost = table.codes.T.tolist(), table.weight.tolist(), table.cost.tolist()
    assert none_is_cheaper(codes, counts, found, cost, k)
    for i in range(table.row_types):
        assert not none_is_cheaper(codes, counts, [*found[:i], found[i] + 1, *found[i + 1 :]], cost, k)


@pytest.mark.everything
def test_what_is_proven_before_the_work_ends_stays() -> None:
    """More near rows than are looked at, and sets of rows than are tried: the bound is at least the distance, and is proven."""
    rng = random.Random(1)
    table, policy = coded([tuple(rng.choice("ab") for _ in range(17)) for _ in range(1_000)], k=30, algorithm="mondrian")
    price = row_prices(table, UNLISTED, 30).price
    for i in range(0, table.row_types, 37):
        distance = np.repeat((table.codes != table.codes[i]) @ table.cost, table.weight)
        assert price[i] >= np.sort(distance)[29]
    certificate = run(table, policy)[1]
    assert price @ table.weight == certificate.lower_bound <= certificate.cost
    assert none_is_cheaper(table.codes.T.tolist(), table.weight.tolist(), price.tolist(), table.cost.tolist(), 30)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(60))
def test_distances_where_the_masks_are_not_listed(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_distance, "_MOST_COLUMNS", 0)
    rows, k, options, _, weights = case(seed)
    options.pop("masks", None)
    table, _ = coded(rows, k=k, **options)
    prices = row_prices(table, UNLISTED, k)
    for codes, price in zip(table.codes, prices.price, strict=True):
        distance = np.repeat((table.codes != codes) @ table.cost, table.weight)
        assert price == np.sort(distance)[k - 1]
    best = optimum(rows, k, None, weights)
    assert best is not None
    assert table.exact_cost(int(prices.price @ table.weight)) <= best


def test_what_is_too_much_work_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    table, _ = coded([("a", "b"), ("a", "c"), ("d", "c")], k=2)
    assert row_prices(table, UNLISTED, 2).price.tolist() == [1, 1, 1]
    monkeypatch.setattr(row_distance, "_COMPARISONS", 12)
    assert row_prices(table, UNLISTED, 2).price.tolist() == [1, 1, 0]


@pytest.mark.everything
def test_large_costs_and_many_values_never_raise_the_distance(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(5)
    rows = [tuple(str(rng.randint(0, 10**6)) if c == 0 else rng.choice("ab") for c in range(4)) for _ in range(70_000)]
    table, _ = coded(rows, k=2, weights={"c0": Fraction(40_001), "c1": Fraction(39_999), "c2": 7})
    monkeypatch.setattr(row_distance, "_COMPARISONS", 50 * table.row_types * 4)
    price = row_prices(table, UNLISTED, 2).price[:50]
    true = [np.sort((table.codes != codes) @ table.cost)[1] for codes in table.codes[:50]]
    assert int(table.codes.max()) >= 1 << 16
    assert (price <= true).all()
    assert price.sum() > 0


def test_blocks_of_row_types_are_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_distance, "_MOST_COLUMNS", 0)
    rng = random.Random(6)
    table, _ = coded([tuple(rng.choice("abc") for _ in range(9)) for _ in range(9_000)], k=4)
    assert table.row_types > 4096
    price = row_prices(table, UNLISTED, 4).price
    for i in range(0, table.row_types, 97):
        distance = np.repeat((table.codes != table.codes[i]) @ table.cost, table.weight)
        assert price[i] == np.sort(distance)[3]


def test_the_distance_ends_with_the_time() -> None:
    table, _ = coded([("a", "b"), ("a", "c"), ("d", "c")], k=2)
    assert row_prices(table, UNLISTED, 2, Budget(ended=lambda: True)).price.tolist() == [1, 1, 1]


@pytest.mark.parametrize("algorithm", ["greedy", "mondrian", "merge_small"])
def test_a_heuristic_states_the_row_distance_and_its_prices_prove_it(algorithm: str) -> None:
    rng = random.Random(7)
    rows = [tuple(rng.choice("abcd") for _ in range(5)) for _ in range(60)]
    table, policy = coded(rows, k=3, algorithm=algorithm)
    certificate = run(table, policy)[1]
    assert certificate.bound_method == "row distance"
    assert 0 < certificate.lower_bound <= certificate.cost
    assert verify(certificate, table.codes.tolist(), table.weight.tolist()) == certificate.lower_bound


def test_a_wide_table_is_proven_by_distances_and_only_by_true_ones() -> None:
    rng = random.Random(3)
    table, policy = coded([tuple(rng.choice("abc") for _ in range(18)) for _ in range(30)], k=3)
    certificate = run(table, policy)[1]
    codes, counts = table.codes.tolist(), table.weight.tolist()
    assert certificate.bound_method == "row distance"
    assert verify(certificate, codes, counts) == certificate.lower_bound > 0
    assert certificate.prices is not None
    dearer = tuple(price + 4 for price in certificate.prices)
    with pytest.raises(CertificateError, match="lower_bound"):
        verify(replace(certificate, prices=dearer, lower_bound=certificate.cost - 1), codes, counts)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(60))
def test_the_nearest_row_types_are_listed_nearest_first(seed: int) -> None:
    """Frequent and rare values, equal and different costs, and tables of less and of more than a word of row types."""
    rng = random.Random(seed)
    m, rows = rng.choice([1, 3, 9]), rng.choice([2, 30, 64, 65, 300])
    domain = [rng.choice([1, 2, 5, 200]) for _ in range(m)]
    drawn = [tuple(str(rng.randrange(values)) for values in domain) for _ in range(rows)]
    table, _ = coded(drawn, k=1, weights={f"c{c}": rng.choice([1, 1, 3, Fraction(5, 2)]) for c in range(m)})
    near = near_row_types(table, 7, UNLIMITED)
    assert near is not None
    for i, found in enumerate(near.tolist()):
        away = (table.codes != table.codes[i]) @ table.cost
        others = [each for each in found if each >= 0]
        assert i not in others
        assert len(set(others)) == len(others) == min(7, table.row_types - 1)
        assert found[len(others) :] == [-1] * (7 - len(others))
        assert away[others].tolist() == sorted(np.delete(away, i).tolist())[: len(others)]


def test_near_row_types_end_with_the_work_and_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    table, _ = coded([("a", "b"), ("a", "c"), ("d", "c")], k=2)
    near = near_row_types(table, 2, Budget(ended=lambda: True))
    assert near is not None
    assert (near == -1).all()
    monkeypatch.setattr(row_distance, "_COMPARISONS", 17)
    assert near_row_types(table, 2, UNLIMITED) is None


@pytest.mark.everything
@pytest.mark.parametrize("k", [3, 20])
def test_a_wide_release_costs_what_its_classes_hide(k: int) -> None:
    """Classes are grown by what they share, from 16 rows on also by gain; a search never makes a release dearer."""
    rng = random.Random(k)
    rows = [tuple(rng.choices("abc", (8, 1, 1))[0] for _ in range(18)) for _ in range(200)]
    costs = []
    for algorithm in ("greedy", "refine"):
        table, policy = coded(rows, k=k, algorithm=algorithm, weights={"c1": 3})
        recoding, certificate = run(table, policy)
        check(table, recoding, k)
        assert certificate.cost == table.exact_cost(recoding.cost(table))
        costs.append(certificate.cost)
    assert certificate.lower_bound <= costs[1] < costs[0]
