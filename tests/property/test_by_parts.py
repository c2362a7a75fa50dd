"""The greedy by parts against the whole greedy and brute force, and the bound by parts against the whole row distance."""

from __future__ import annotations

import random
import threading
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import optimum
from solving import check, coded, plain

from kanon_sql.errors import InfeasibleError, InterruptedReleaseError
from kanon_sql.pipeline import run_by_parts
from kanon_sql.solvers.budget import Budget, Moment
from kanon_sql.solvers.by_parts import greedy
from kanon_sql.solvers.by_parts.keys import KeyColumns, divided
from kanon_sql.solvers.by_parts.lower_bound import CHEAPEST, METHOD, lower_bound, row_distance
from kanon_sql.solvers.instances.row_distance import row_prices
from kanon_sql.solvers.k_anonymity import greedy as whole
from kanon_sql.table.patterns import PatternSet, permitted
from kanon_sql.table.recoding import Recoding

UNLISTED = PatternSet(shown=np.empty(0, np.uint64), cost=np.empty(0, np.int64))


def correlated(seed: int, rows: int, columns: int = 5) -> list[tuple[int, ...]]:
    """Rows whose columns follow one hidden number, each with noise of its own."""
    rng = random.Random(seed)
    found = []
    for _ in range(rows):
        hidden = rng.random()
        found.append(tuple(int((2 + 3 * c) * (0.7 * hidden + 0.3 * rng.random())) for c in range(columns)))
    return found


def case(seed: int) -> tuple[list[tuple[Any, ...]], int, dict[str, Any], list[set[int]] | None, list[Fraction]]:
    rng = random.Random(seed)
    m = rng.randint(1, 4)
    rows = [tuple(rng.choice(["a", "b", "c", None]) for _ in range(m)) for _ in range(rng.randint(3, 8))]
    masks = None
    if rng.random() < 0.5:
        masks = [{c for c in range(m) if rng.random() < 0.5} for _ in range(rng.randint(1, 4))] + [set()]
    weights = [rng.choice([Fraction(1), Fraction(3), Fraction(5, 2)]) for _ in range(m)]
    options: dict[str, Any] = {"weights": {f"c{c}": weight for c, weight in enumerate(weights)}}
    if masks is not None:
        options["masks"] = [[f"c{c}" for c in sorted(mask)] for mask in masks]
    return rows, rng.randint(1, min(3, len(rows))), options, masks, weights


def pieces(recoding: Recoding) -> list[tuple[int, int, int]]:
    return list(zip(recoding.row_type.tolist(), recoding.shown.tolist(), recoding.count.tolist(), strict=True))


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(600))
def test_small_tables_against_brute_force(seed: int) -> None:
    """Every row is placed once, every class has k rows, and no bound is above the optimum."""
    rows, k, options, masks, weights = case(seed)
    table, policy = coded(rows, k=k, **options)
    patterns = permitted(table, policy)
    best = optimum(rows, k, masks, weights)
    assert best is not None
    for most, parts in ((1, 1), (2, 1), (4, 2), (3, 1)):
        recoding = greedy.solve(plain(table, patterns, k), Budget(), most, threads=1, parts=parts)
        check(table, recoding, k)
        assert np.isin(recoding.shown, patterns.shown).all()
        assert table.exact_cost(recoding.cost(table)) >= best
    price = row_distance(table, patterns, k, Budget(), threads=1)
    assert price is not None
    assert price.tolist() == row_prices(table, patterns, k).price.tolist()
    for listed in (patterns, UNLISTED) if masks is None else (patterns,):
        assert table.exact_cost(lower_bound(table, listed, k, Budget(), threads=1)[0]) <= best


@pytest.mark.everything
@settings(max_examples=60)
@given(
    rows=st.lists(st.tuples(*[st.integers(0, 4)] * 5), min_size=6, max_size=80),
    k=st.integers(1, 6),
    linked=st.booleans(),
    cut=st.integers(0, 31),
)
def test_the_bound_by_parts_is_the_whole_row_distance(rows: list[tuple[int, ...]], k: int, linked: bool, cut: int) -> None:
    options: dict[str, Any] = {"linked": [["c1", "c3"]]} if linked else {}
    table, policy = coded(rows, k=k, **options)
    patterns = permitted(table, policy)
    kept = np.arange(len(patterns.shown)) % 32 != cut
    for asked in (patterns, PatternSet(shown=patterns.shown[kept], cost=patterns.cost[kept])):
        found = row_distance(table, asked, k, Budget())
        assert found is not None
        assert found.tolist() == row_prices(table, asked, k).price.tolist()


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(100))
def test_parts_lose_little_against_the_whole(seed: int) -> None:
    table, policy = coded(correlated(seed, 1500), k=3)
    problem = plain(table, permitted(table, policy), 3)
    best = whole.solve(problem, Budget()).cost(table)
    recoding = greedy.solve(problem, Budget(), table.row_types // 4, parts=2)
    check(table, recoding, 3)
    assert recoding.cost(table) <= 1.1 * best


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(50))
def test_the_recoding_does_not_depend_on_threads_or_the_order_of_rows(seed: int) -> None:
    rows = correlated(seed, 800)
    table, policy = coded(rows, k=4)
    patterns = permitted(table, policy)
    most = random.Random(seed).randint(20, 300)
    first = greedy.solve(plain(table, patterns, 4), Budget(), most, threads=1, parts=3)
    assert pieces(greedy.solve(plain(table, patterns, 4), Budget(), most, threads=4, parts=3)) == pieces(first)
    random.Random(seed).shuffle(rows)
    again, _ = coded(rows, k=4)
    assert (again.codes == table.codes).all()
    assert pieces(greedy.solve(plain(again, patterns, 4), Budget(), most, threads=2, parts=3)) == pieces(first)


def test_rows_below_k_take_back_the_nearest_class() -> None:
    """Two classes of frequent row types; the last row differs from one of them in one cell."""
    rows = [("a", "x", "p")] * 4 + [("b", "y", "q")] * 5 + [("b", "y", "r")]
    table, policy = coded(rows, k=3)
    recoding = greedy.solve(plain(table, permitted(table, policy), 3), Budget(), 1)
    check(table, recoding, 3)
    assert recoding.cost(table) == 3  # it and two rows of that class hide a cell; the other three stay


def test_rows_that_fit_no_mask_are_refused() -> None:
    table, policy = coded([("a", "x")] * 3 + [("b", "y")] * 2, k=3, masks=[["c0"], ["c1"], ["c0", "c1"]])
    with pytest.raises(InfeasibleError, match="permit masks that show less"):
        greedy.solve(plain(table, permitted(table, policy), 3), Budget(), 1)


@pytest.mark.everything
def test_too_many_masks_to_list() -> None:
    table, policy = coded(correlated(1, 300, columns=18), k=3)
    patterns = permitted(table, policy)
    assert not patterns.listed
    check(table, greedy.solve(plain(table, patterns, 3), Budget(), 60), 3)
    bound, method = lower_bound(table, patterns, 3, Budget())
    assert method == CHEAPEST
    assert bound == int(table.weight[table.weight < 3].sum())


def test_the_certificate_tells_of_parts() -> None:
    table, policy = coded(correlated(2, 1000), k=3)
    recoding, certificate = run_by_parts(table, policy, 100)
    check(table, recoding, 3)
    assert certificate.algorithm == "greedy by parts"
    assert f"{table.row_types:,} row types are more than the memory limit allows" in certificate.reason
    assert certificate.bound_method == METHOD
    assert certificate.prices is None
    assert 0 < certificate.lower_bound <= certificate.cost


def test_progress_is_heard_in_the_calling_thread_and_may_stop_the_work() -> None:
    table, policy = coded(correlated(3, 1000), k=3)
    heard: list[tuple[str, int]] = []

    def hear(moment: Moment) -> None:
        heard.append((moment.step, threading.get_ident()))
        if moment.step == METHOD or len(heard) > 20:
            raise InterruptedReleaseError("enough")

    with pytest.raises(InterruptedReleaseError, match="enough"):
        run_by_parts(table, policy, 100, Budget.of(policy, hear))
    assert {step for step, _ in heard} >= {"greedy by parts"}
    assert {thread for step, thread in heard if "parts" in step} == {threading.get_ident()}


@pytest.mark.parametrize("calls", [0, 1, 3, 10, 30])
def test_a_search_that_ends_early_still_gives_a_release(calls: int) -> None:
    table, policy = coded(correlated(4, 1000), k=3)
    asked = iter(range(10**9))
    recoding, certificate = run_by_parts(table, policy, 100, Budget.of(policy, ended=lambda: next(asked) >= calls))
    check(table, recoding, 3)
    assert certificate.lower_bound <= certificate.cost
    assert certificate.bound_method == CHEAPEST


@settings(max_examples=100)
@given(
    codes=st.lists(st.tuples(*[st.integers(0, 5)] * 3), min_size=1, max_size=60),
    most=st.integers(1, 20),
    columns=st.sets(st.integers(0, 2), max_size=3),
)
def test_parts_divide_the_rows(codes: list[tuple[int, ...]], most: int, columns: set[int]) -> None:
    """No part is too large, each row type is in one, and groups that fit are not torn."""
    array = np.array(codes, np.int32)
    keys = tuple(sorted(columns))
    parts = divided(array, np.arange(len(array)), keys, most)
    assert sorted(np.concatenate(parts).tolist()) == list(range(len(array)))
    assert max(map(len, parts)) <= most
    if keys and len(array) > most:
        inside: dict[tuple[int, ...], set[int]] = {}
        size: dict[tuple[int, ...], int] = {}
        for number, part in enumerate(parts):
            for row in part.tolist():
                key = tuple(codes[row][c] for c in keys)
                inside.setdefault(key, set()).add(number)
                size[key] = size.get(key, 0) + 1
        assert all(len(inside[key]) == 1 for key in inside if size[key] <= most)


def test_keys_are_columns_that_are_shown_and_divide_evenly() -> None:
    rng = random.Random(5)
    # c0: always needed and even; c1: nearly unique, so it is hidden; c2: shown, but nearly constant
    rows = [(rng.randrange(8), rng.randrange(10_000), int(rng.random() < 0.01), rng.randrange(3)) for _ in range(2000)]
    table, policy = coded(rows, k=5)
    keys = KeyColumns.of(table, permitted(table, policy), Budget())
    chosen = keys.choose(table.row_types, table.row_types // 6)
    assert 1 not in chosen
    assert 0 in chosen
    assert not {0, 1} & set(keys.choose(table.row_types, table.row_types, avoided={0, 1}))


@pytest.mark.everything
def test_codes_in_a_file_give_the_same_recoding(tmp_path: Any) -> None:
    table, policy = coded(correlated(6, 600), k=3)
    file = np.memmap(tmp_path / "codes", np.int32, "w+", shape=table.codes.shape)
    file[:] = table.codes
    patterns = permitted(table, policy)
    stored = replace(table, codes=file)
    found = greedy.solve(plain(stored, patterns, 3), Budget(), 50)
    assert pieces(found) == pieces(greedy.solve(plain(table, patterns, 3), Budget(), 50))
