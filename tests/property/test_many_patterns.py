"""Where patterns are many: instances are listed with what slack there is room for, and rows are placed round by round."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from naive import optimum
from solving import check, coded, plain

from kanon_sql import pipeline
from kanon_sql.certificate import Certificate
from kanon_sql.kernels.classes import take_listed
from kanon_sql.solvers.budget import UNLIMITED, Budget
from kanon_sql.solvers.feasibility import feasible_requirement
from kanon_sql.solvers.instances import listing, search
from kanon_sql.solvers.instances.listing import Instances, among, deepest, useful
from kanon_sql.solvers.instances.repair import PartialRecoding
from kanon_sql.solvers.instances.row_distance import row_prices
from kanon_sql.solvers.k_anonymity import greedy, listed_greedy
from kanon_sql.solvers.problem import Problem
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import permitted
from kanon_sql.table.recoding import Recoding
from kanon_sql.verification import verify


@pytest.fixture
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take every table for one of many patterns."""
    monkeypatch.setattr(listed_greedy, "_MANY_PATTERNS", 0)
    monkeypatch.setattr(listed_greedy, "_FEW_ROW_TYPES", 0)
    monkeypatch.setattr(listing, "_MANY_PAIRS", 0)


def drawn(seed: int, rows: int, columns: int) -> list[tuple[str, ...]]:
    rng = random.Random(seed)
    return [tuple(rng.choices("abcd", (5, 3, 2, 1))[0] for _ in range(columns)) for _ in range(rows)]


def solved(algorithm: str, rows: list[tuple[str, ...]], **options: Any) -> tuple[CodedTable, Recoding, Certificate]:
    table, policy = coded(rows, algorithm=algorithm, **options)
    recoding, certificate = pipeline.run(table, policy)
    check(table, recoding, policy.least_class_size)
    assert certificate.cost == table.exact_cost(recoding.cost(table))
    return table, recoding, certificate


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(200))
@pytest.mark.usefixtures("many")
def test_releases_lie_between_the_optimum_and_everything_and_bounds_below(seed: int) -> None:
    rows, k = drawn(seed, 4 + seed % 5, 3), 2 + seed % 2
    best = optimum(rows, k)
    for algorithm in ("greedy", "refine"):
        table, _, certificate = solved(algorithm, rows, k=k)
        assert certificate.lower_bound <= best <= certificate.cost
        assert verify(certificate, table.codes.tolist(), table.weight.tolist()) == certificate.lower_bound
        if best == 0:
            assert certificate.cost == 0


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    "options", [{}, {"weights": {"c1": 3}}, {"linked": [("c0", "c2")]}, {"masks": [(), ("c0",), ("c0", "c1")]}]
)
@pytest.mark.usefixtures("many")
def test_every_kind_of_policy(options: dict[str, Any]) -> None:
    rows = drawn(3, 100, 5)
    dearest = solved("greedy", rows, k=4, **options)[2]
    found = solved("refine", rows, k=4, **options)[2]
    assert dearest.lower_bound <= found.lower_bound <= found.cost <= dearest.cost


@pytest.mark.parametrize("seed", range(5))
def test_listing_in_small_steps_changes_nothing(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    table, policy = coded(drawn(seed, 120, 6), k=3)
    patterns = permitted(table, policy)
    whole = useful(table, patterns, 3, slack=2)
    monkeypatch.setattr(search, "_WORK_PER_CALL", 1)
    moments: list[str] = []
    stepwise = useful(table, patterns, 3, slack=2, budget=Budget(progress=lambda each: moments.append(each.step)))
    assert whole is not None
    assert stepwise is not None
    assert len(moments) > 100
    for name in ("start", "member", "pattern", "cost", "price_limit"):
        assert np.array_equal(getattr(whole, name), getattr(stepwise, name))


def instances_of(listed: Instances | None) -> set[tuple[int, frozenset[int]]]:
    assert listed is not None
    parts = np.split(listed.member, listed.start[1:-1])
    return {(pattern, frozenset(part.tolist())) for pattern, part in zip(listed.pattern.tolist(), parts, strict=True)}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("weights", [{}, {"c1": 3}])
def test_known_cheapest_costs_shorten_the_listing_and_change_nothing(seed: int, weights: dict[str, int]) -> None:
    table, policy = coded(drawn(seed, 120, 6), k=3, weights=weights)
    patterns = permitted(table, policy)
    first, whole = useful(table, patterns, 3, slack=1), useful(table, patterns, 3, slack=2)
    assert first is not None
    known = useful(table, patterns, 3, slack=2, cheapest=first.cheapest())
    assert instances_of(first) < instances_of(whole) == instances_of(known)
    assert known is not None
    assert whole is not None
    assert np.array_equal(known.price_limit, whole.price_limit)


def test_listing_ends_with_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "_WORK_PER_CALL", 1)
    table, policy = coded(drawn(1, 120, 6), k=3)
    assert useful(table, permitted(table, policy), 3, slack=2, budget=Budget(ended=lambda: True)) is None


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "options", [{}, {"weights": {"c1": 3}}, {"linked": [("c0", "c2")]}, {"masks": [(), ("c0",), ("c0", "c1")]}]
)
@pytest.mark.parametrize("listed", [True, False])
def test_what_time_leaves_is_split_top_down(
    seed: int, options: dict[str, Any], listed: bool, request: pytest.FixtureRequest
) -> None:
    if listed:
        request.getfixturevalue("many")
    table, policy = coded(drawn(seed, 150, 5), k=4, **options)
    problem = Problem(table=table, patterns=permitted(table, policy), requirement=feasible_requirement(table, policy))
    recoding = greedy.solve(problem, Budget(ended=lambda: True))
    check(table, recoding, 4)
    nothing = int(table.cost.sum()) * table.rows
    assert recoding.cost(table) < nothing
    prices = row_prices(table, problem.patterns, 4, Budget(ended=lambda: True)).price
    assert (prices <= row_prices(table, problem.patterns, 4).price).all()


@pytest.mark.sweep
@pytest.mark.parametrize("options", [{}, {"weights": {"c1": 3}}, {"linked": [("c0", "c2")]}, {"masks": [(), ("c0",)]}])
@pytest.mark.parametrize("algorithm", ["greedy", "refine"])
@pytest.mark.usefixtures("many")
def test_the_bound_of_a_release_without_time_is_proven_again(
    options: dict[str, Any], algorithm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "_WORK_PER_CALL", 1)
    monkeypatch.setattr(pipeline, "_FOR_A_BOUND", 0.0)
    table, policy = coded(drawn(1, 150, 5), k=4, algorithm=algorithm, time_limit=1e-6, **options)
    recoding, certificate = pipeline.run(table, policy)
    check(table, recoding, 4)
    bound = certificate.lower_bound
    assert 0 <= bound <= pipeline.run(table, replace(policy, time_limit=None))[1].cost
    assert verify(certificate, table.codes.tolist(), table.weight.tolist()) == bound


def test_rows_that_fit_no_mask_among_themselves_join_others(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [("a", "x")] * 3 + [("a", "y")] + [("b", "w")] * 3 + [("b", "z")] * 2
    table, policy = coded(rows, k=3, masks=[("c0",), ("c0", "c1")])
    everything = PartialRecoding.of_row_types(table, table.weight == 3, np.full(table.row_types, 3, np.uint64))
    monkeypatch.setattr(greedy, "cheapest_first", lambda *_: everything)
    problem = Problem(table=table, patterns=permitted(table, policy), requirement=feasible_requirement(table, policy))
    recoding = greedy.solve(problem, Budget(ended=lambda: True))
    check(table, recoding, 3)
    assert recoding.cost(table) == table.rows


@pytest.mark.usefixtures("many")
def test_the_slack_is_what_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    table, policy = coded(drawn(1, 150, 6), k=3)
    patterns = permitted(table, policy)
    listed = [useful(table, patterns, 3, slack=slack) for slack in (1, 2, 3)]
    sizes = [len(each.member) for each in listed if each is not None]
    assert sizes[0] < sizes[1] < sizes[2]
    monkeypatch.setattr(listing, "_EVERYTHING", 1)
    for room, slack in ((sizes[0], 1), (sizes[0] * 12, 2), (sizes[1] * 12, 3)):
        monkeypatch.setattr(listing, "_DEEPER", room)
        found = deepest(table, patterns, 3, UNLIMITED)
        assert found is not None
        assert len(found.member) == sizes[slack - 1]


@pytest.mark.parametrize("seed", range(20))
def test_the_greedy_over_listed_instances_against_a_plain_loop(seed: int) -> None:
    table, policy = coded(drawn(seed, 60, 5), k=3)
    instances = among(table, permitted(table, policy), 3, slack=1)
    assert instances is not None
    order = np.argsort(instances.cost, kind="stable")
    left, taken = set(range(table.row_types)), np.full(table.row_types, -1, np.int32)
    rows = take_listed(instances.start, instances.member, order, table.weight, 3, taken)
    expected = np.full(table.row_types, -1)
    for j in order.tolist():
        fits = left & set(instances.member[instances.start[j] : instances.start[j + 1]].tolist())
        if sum(int(table.weight[i]) for i in fits) >= 3:
            expected[list(fits)] = j
            left -= fits
    assert taken.tolist() == expected.tolist()
    assert rows == table.weight[taken >= 0].sum()


@pytest.mark.usefixtures("many")
@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(
    "options", [{}, {"weights": {"c1": 3}}, {"linked": [("c0", "c2")]}, {"masks": [(), ("c0",), ("c0", "c1")]}]
)
def test_the_greedy_over_listed_instances_proves_the_bound_by_row_distances(seed: int, options: dict[str, Any]) -> None:
    table, policy = coded(drawn(seed, 60 + 20 * seed, 5), k=4, **options)
    problem = plain(table, permitted(table, policy), 4)
    found = greedy.solve(problem, UNLIMITED)
    assert found.prices is not None
    assert found.prices.price.tolist() == row_prices(table, problem.patterns, 4).price.tolist()
    assert found.prices.scale == 1
    assert found.lower_bound == int(found.prices.price @ table.weight) <= found.cost(table)


@pytest.mark.usefixtures("many")
def test_what_fits_no_mask_is_left_over_and_told() -> None:
    rows = [("a", "x"), ("a", "x"), ("b", "y"), ("c", "z")]
    table, policy = coded(rows, k=2, masks=[("c0",), ("c0", "c1")])
    problem = plain(table, permitted(table, policy), 2)
    placed = greedy.cheapest_first(table, problem.patterns, 2, UNLIMITED)
    assert placed.placed.tolist() == [True, False, False]


@pytest.mark.usefixtures("many")
def test_sampled_masks_prove_no_bound() -> None:
    table, policy = coded(drawn(1, 90, 18), k=3)
    problem = plain(table, permitted(table, policy), 3)
    assert not problem.patterns.listed
    for found in greedy.unlisted(problem, UNLIMITED):
        assert (found.lower_bound, found.prices) == (0, None)
    assert pipeline.run(table, policy)[1].bound_method == "row distance"


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(4))
def test_too_many_masks_to_list(seed: int) -> None:
    """Classes show what their rows agree on; the search never costs more than the greedy, and distances prove its bound."""
    rows = drawn(seed, 90, 18)
    dearest = solved("greedy", rows, k=3)[2]
    table, recoding, found = solved("auto", rows, k=3)
    assert dearest.lower_bound == found.lower_bound <= found.cost <= dearest.cost
    assert verify(found, table.codes.tolist(), table.weight.tolist()) == found.lower_bound
    assert solved("auto", rows, k=3)[1].shown.tolist() == recoding.shown.tolist()
    shown: dict[tuple[int, ...], set[int]] = {}
    for i, bits in zip(recoding.row_type.tolist(), recoding.shown.tolist(), strict=True):
        look = tuple(int(code) if bits >> c & 1 else -1 for c, code in enumerate(table.codes[i]))
        shown.setdefault(look, set()).add(i)
    for look, members in shown.items():
        codes = table.codes[sorted(members)]
        assert all((codes[:, c] == codes[0, c]).all() == (look[c] >= 0) for c in range(18))
