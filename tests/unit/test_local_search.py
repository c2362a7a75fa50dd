"""How long the local search of k-anonymity goes on."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace

import pytest
from solving import check, coded, plain

from kanon_sql.solvers.budget import Budget, Moment
from kanon_sql.solvers.instances.listing import SLACK, useful
from kanon_sql.solvers.k_anonymity import greedy, neighbourhoods, optimal, refine
from kanon_sql.solvers.k_anonymity.neighbourhoods import ROUNDS
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.summaries.suppression import improve
from kanon_sql.table.patterns import LISTED_COLUMNS, permitted

K = 3


def problem() -> Problem:
    draw = Random(3)
    rows = [tuple(draw.choice((0, 0, 0, 1, 1, 2, 3)) for _ in range(5)) for _ in range(80)]
    table, policy = coded(rows, k=K)
    return plain(table, permitted(table, policy), K)


def passes(moments: list[Moment]) -> int:
    """Return how often the local search began anew: each pass reports shares from 0 on."""
    return sum(each.done == 0 for each in moments if each.step == "local search")


@pytest.mark.everything
def test_a_time_limit_leaves_the_exact_solver_its_time() -> None:
    moments: list[Moment] = []
    limited = Budget(seconds=600, progress=moments.append)
    found = optimal.solve(problem(), limited)
    check(problem().table, found, K)
    assert passes(moments) == 1


@pytest.mark.parametrize(("rounds", "several"), [(None, True), (ROUNDS, False)])
def test_without_rounds_passes_follow_each_other_while_they_gain(monkeypatch, rounds: int | None, several: bool) -> None:
    monkeypatch.setattr(refine, "improve", lambda *_: None)
    asked = problem()
    start = refine.greedy.solve(asked, Budget())
    instances = useful(asked.table, asked.patterns, K, slack=SLACK)
    relaxed = refine.relax(asked.table, instances, K, start.cost(asked.table), Budget())
    moments: list[Moment] = []
    found = refine.searched(asked, start, relaxed, Budget(progress=moments.append), rounds)
    check(asked.table, found, K)
    assert found.cost(asked.table) <= start.cost(asked.table)
    assert (passes(moments) > 1) == several


@pytest.mark.parametrize(("effort", "all_of_them"), [("default", False), ("thorough", True)])
def test_neighbourhoods_end_when_they_gain_too_little(monkeypatch, effort: str, all_of_them: bool) -> None:
    monkeypatch.setattr(neighbourhoods, "_IDLE", ROUNDS)
    monkeypatch.setattr(neighbourhoods, "solve_program", lambda *_, **__: SimpleNamespace(assignment=None))
    asked = problem()
    start = refine.greedy.solve(asked, Budget())
    relaxed = refine.relax(
        asked.table, useful(asked.table, asked.patterns, K, slack=SLACK), K, start.cost(asked.table), Budget()
    )
    heard: list[Moment] = []
    refine.searched(asked, start, relaxed, Budget(effort=effort, progress=heard.append), ROUNDS)
    assert (max(each.done for each in heard if each.step == "neighbourhoods") > 0.5) == all_of_them


@pytest.mark.everything
def test_what_the_search_learns_leaves_the_prices_of_the_bound_as_they_are() -> None:
    asked = problem()
    start = refine.greedy.solve(asked, Budget())
    instances = useful(asked.table, asked.patterns, K, slack=SLACK)
    relaxed = refine.relax(asked.table, instances, K, start.cost(asked.table), Budget())
    proven = relaxed.prices.price.tolist()
    refine.searched(asked, start, relaxed, Budget(), ROUNDS)
    assert relaxed.prices.price.tolist() == proven


@pytest.mark.everything
@pytest.mark.parametrize("coarse_is_better", [True, False])
def test_a_wide_table_is_searched_from_the_start_that_soon_loses_less(coarse_is_better: bool) -> None:
    draw = Random(4)
    hidden = [draw.randrange(5) for _ in range(600)]
    rows = [tuple(each if draw.random() < 0.8 else draw.randrange(9) for _ in range(LISTED_COLUMNS + 2)) for each in hidden]
    table, policy = coded(rows, k=K)
    asked = plain(table, permitted(table, policy), K)
    starts = greedy.unlisted(asked, Budget())
    good = min(starts, key=lambda each: each.cost(table))
    good = improve(asked, good, good, Budget())
    bad = max(starts, key=lambda each: each.cost(table))
    moments: list[Moment] = []
    found = improve(asked, *((good, bad) if coarse_is_better else (bad, good)), Budget(progress=moments.append))
    check(table, found, K)
    assert found.cost(table) <= good.cost(table) < bad.cost(table)
    assert passes(moments) == (1 if coarse_is_better else 2)
