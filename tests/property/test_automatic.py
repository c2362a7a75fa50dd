"""What `auto` makes of tables that exact solvers can solve: the optimum, against brute force and the solvers themselves."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from importlib import import_module

import numpy as np
import pytest
from naive import optimum
from sensitive_cases import Case
from sensitive_cases import solved as solved_for_values
from solving import check, coded, plain
from test_sensitive_exact import attribute
from test_sensitive_exact import case as sensitive_case
from test_small_exact import Row, case

from kanon_sql import pipeline
from kanon_sql.certificate import Status
from kanon_sql.errors import InfeasibleError
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import LDiversity
from kanon_sql.solvers import automatic
from kanon_sql.solvers.budget import UNLIMITED, Budget
from kanon_sql.solvers.k_anonymity import greedy, matching, refine
from kanon_sql.solvers.matching.simplex_matching import pairs_and_triples
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.problem_classes import Masks, _exact
from kanon_sql.solvers.registry import SENSITIVE_SOLVERS, SOLVERS
from kanon_sql.table.patterns import permitted
from kanon_sql.table.recoding import Recoding

PLAIN = Masks.of(Policy.of(k=2, quasi_identifiers=["a"]))
SENSITIVE = Masks.of(Policy.of(k=2, quasi_identifiers=["a"], sensitive="s", l=2))


def drawn(seed: int, rows: int, columns: int) -> list[Row]:
    """Rows whose values are rarer the higher they are."""
    rng = random.Random(seed)
    return [tuple(min(6, int(rng.expovariate(0.43))) for _ in range(columns)) for _ in range(rows)]


@pytest.mark.everything
def test_tiny_tables_under_k_are_optimal() -> None:
    proven: Counter[bool] = Counter()
    for seed in range(280, 640):
        rows, k, masks, weights = case(seed)
        names = None if masks is None else [[f"c{c}" for c in sorted(mask)] for mask in masks]
        table, policy = coded(rows, k=k, weights={f"c{c}": weight for c, weight in enumerate(weights)}, masks=names)
        best = optimum(rows, k, masks, weights)
        proven[best is not None] += 1
        if best is None:
            with pytest.raises(InfeasibleError):
                pipeline.run(table, policy)
            continue
        recoding, certificate = pipeline.run(table, policy)
        check(table, recoding, k)
        assert certificate.cost == certificate.lower_bound == best
        assert certificate.status is Status.OPTIMAL
    assert min(proven.values()) >= 20


@pytest.mark.everything
def test_tiny_tables_with_sensitive_values_are_optimal() -> None:
    def solve(problem: Problem, budget: Budget) -> Recoding:
        return automatic.solved(SENSITIVE, problem, budget, SENSITIVE_SOLVERS["refine"])[0]

    proven: Counter[bool] = Counter()
    for seed in range(300):
        tiny = sensitive_case(seed)
        best = tiny.optimum()
        proven[best is not None] += 1
        if best is None:
            with pytest.raises(InfeasibleError):
                solved_for_values(solve, tiny)
            continue
        table, recoding = solved_for_values(solve, tiny)
        assert table.exact_cost(recoding.cost(table)) == best == table.exact_cost(recoding.lower_bound)
    assert min(proven.values()) >= 20


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.everything) for seed in range(1, 60))])
def test_two_anonymity_of_some_hundred_rows_is_optimal(seed: int) -> None:
    table, policy = coded(drawn(seed, 100 + 20 * (seed % 11), 3 + seed % 6), k=2)
    recoding, certificate = pipeline.run(table, policy)
    check(table, recoding, 2)
    assert certificate.status is Status.OPTIMAL
    assert certificate.prices is not None


def test_who_proved_it_is_named() -> None:
    table, policy = coded(drawn(1, 30, 6), k=2)
    _, certificate = pipeline.run(table, policy)
    assert (certificate.algorithm, certificate.reason) == ("matching", "chosen automatically: k = 2 takes polynomial time")
    _, certificate = pipeline.run(table, replace(policy, algorithm="refine"))
    assert certificate.algorithm == "refine"


@pytest.mark.everything
@pytest.mark.parametrize(
    ("drawing", "cheaper"), [((3, 30, 4), False), pytest.param((2, 40, 6), True, marks=pytest.mark.everything)]
)
def test_the_integer_program_of_a_small_table_is_solved_while_it_is_quick(drawing: tuple[int, int, int], cheaper: bool) -> None:
    table, policy = coded(drawn(*drawing), k=3)
    start = refine.solve(plain(table, permitted(table, policy), 3), UNLIMITED)
    recoding, certificate = pipeline.run(table, policy)
    check(table, recoding, 3)
    assert start.lower_bound < recoding.cost(table)
    assert (recoding.cost(table) < start.cost(table)) == cheaper
    assert (certificate.status, certificate.algorithm) == (Status.OPTIMAL, "optimal")
    again, _ = pipeline.run(table, policy)
    assert (again.shown == recoding.shown).all()


@pytest.mark.everything
def test_a_larger_table_is_matched_in_the_time_that_is_left() -> None:
    larger = replace(
        PLAIN, exact=tuple(replace(each, most_row_types=9, seconds_per_pair=1e-9) for each in PLAIN.exact if each.start)
    )
    table, policy = coded(drawn(1, 30, 6), k=2)
    problem = plain(table, permitted(table, policy), 2)
    recoding, by = automatic.solved(larger, problem, Budget(seconds=100), SOLVERS["refine"])
    assert by is not None
    assert by.solver == "matching"
    assert recoding.optimal(table)
    for seconds in (None, 1e-9):  # without a limit, or too short a one, the first solver takes it alone
        _, by = automatic.solved(larger, problem, Budget(seconds=seconds), SOLVERS["refine"])
        assert by is None


def test_when_the_time_is_up_there_is_a_release() -> None:
    table, policy = coded(drawn(6, 150, 6), k=2)
    recoding, by = automatic.solved(PLAIN, plain(table, permitted(table, policy), 2), Budget(seconds=0), SOLVERS["refine"])
    check(table, recoding, 2)
    assert by is None


@pytest.mark.parametrize("values", [0, 5])
def test_classes_are_divided_at_no_cost(values: int) -> None:
    rng = random.Random(values)
    rows = drawn(7, 90, 5)
    table, policy = coded(rows, k=4)
    patterns = permitted(table, policy)
    release = greedy.solve(plain(table, patterns, 4), UNLIMITED)
    apart = np.full(table.row_types, -1, np.int64)
    if values:  # each value of half of a class at most: two of each
        number = np.zeros(table.row_types, np.int64)
        table = replace(table, weight=np.ones_like(table.weight))
        order = rng.sample(range(table.row_types), table.row_types)
        number[order] = np.arange(table.row_types) // 2
        apart, release = number, replace(release, count=np.ones_like(release.count))
        keep = np.unique(release.row_type, return_index=True)[1]
        release = replace(
            release, row_type=release.row_type[keep], shown=np.zeros_like(release.shown[keep]), count=release.count[keep]
        )
    member, count = pairs_and_triples(table, release, apart)
    held = np.zeros(table.row_types + 1, np.int64)
    np.add.at(held, member, count[:, None])
    assert (held[:-1] == table.weight).all()
    for each in member[count > 0].tolist():
        together = [apart[row] for row in each if row >= 0 and apart[row] >= 0]
        assert len(set(together)) == len(together)
    if not values:
        found = matching.close_gap(plain(table, patterns, 2), release, Budget(seconds=0))
        assert found.cost(table) <= release.cost(table)


def test_the_better_of_two_recodings_has_the_higher_bound() -> None:
    table, policy = coded([("a", "b"), ("a", "c"), ("d", "b"), ("d", "c")], k=2)
    good = refine.solve(plain(table, permitted(table, policy), 2), UNLIMITED)
    poor = replace(good, shown=np.zeros_like(good.shown), lower_bound=good.lower_bound + 1, bound="other", prices=None)
    for found in (good.combined(poor, table), poor.combined(good, table)):
        assert found.cost(table) == good.cost(table)
        assert (found.lower_bound, found.bound) == (poor.lower_bound, "other")
        assert found.prices is good.prices
    assert good.at_least(good.lower_bound, "other") is good
    assert poor.at_least(99, "more").bound == "more"


@pytest.mark.parametrize("room", ["k_anonymity", "sensitive"])
def test_a_matching_is_asked_up_to_its_most_row_types_only(room: str, monkeypatch: pytest.MonkeyPatch) -> None:
    exact = next(each for each in _exact(room, "quick") if each.solver == "matching")
    rows = drawn(3, 40, 4)
    if room == "k_anonymity":
        table, policy = coded(rows, k=2)
        problem = plain(table, permitted(table, policy), 2)
    else:
        diversity = LDiversity(sensitive="s", l=Fraction(2))
        values = {"s": attribute(random.Random(3), len(rows))}
        weights, texts = [Fraction(1)] * 4, [tuple(map(str, row)) for row in rows]
        problem = Case(rows=texts, k=2, masks=None, weights=weights, attributes=values, requirements=[diversity]).coded()
    for most, asked in ((problem.table.row_types, True), (problem.table.row_types - 1, False)):
        monkeypatch.setattr(import_module(f"kanon_sql.solvers.{room}.matching"), "MOST_ROW_TYPES", most)
        assert exact.fits(problem, math.inf) is asked
        assert exact.fits(problem, 1_000.0) is asked
