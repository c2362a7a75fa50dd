"""How long the local search of k-anonymity goes on."""

from __future__ import annotations

from random import Random

import pytest
from solving import check, coded, plain

from kanon_sql.solvers.budget import Budget, Moment
from kanon_sql.solvers.instances.listing import SLACK, useful
from kanon_sql.solvers.k_anonymity import optimal, refine
from kanon_sql.solvers.k_anonymity.neighbourhoods import ROUNDS
from kanon_sql.solvers.problem import Problem
from kanon_sql.table.patterns import permitted

K = 3


def problem() -> Problem:
    draw = Random(3)
    rows = [tuple(draw.choice((0, 0, 0, 1, 1, 2, 3)) for _ in range(5)) for _ in range(80)]
    table, policy = coded(rows, k=K)
    return plain(table, permitted(table, policy), K)


def passes(moments: list[Moment]) -> int:
    """Return how often the local search began anew: each pass reports shares from 0 on."""
    return sum(each.done == 0 for each in moments if each.step == "local search")


@pytest.mark.exhaustive
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
    found = refine.searched(asked, start, instances, relaxed, Budget(progress=moments.append), rounds)
    check(asked.table, found, K)
    assert found.cost(asked.table) <= start.cost(asked.table)
    assert (passes(moments) > 1) == several
