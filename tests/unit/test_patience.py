"""A search that no longer pays ends, unless the user asked for all of it."""

from __future__ import annotations

import pytest

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.patience import Patience


def taken(budget: Budget, costs: list[int], bound: int = 0) -> int:
    """Return the steps that a search takes whose costs these are."""
    patience = Patience(budget)
    for step, cost in enumerate(costs):
        if patience.ends(step / len(costs), cost, bound):
            return step
    return len(costs)


def test_a_search_that_gains_nothing_takes_a_tenth_of_its_steps() -> None:
    assert taken(Budget(), [100] * 100) == 10


def test_a_search_that_gains_goes_on() -> None:
    assert taken(Budget(), [int(1000 * 0.97**step) for step in range(100)]) == 100


def test_the_gap_counts_not_the_cost() -> None:
    costs = [1000 - step // 2 for step in range(100)]
    assert taken(Budget(), costs) < 20
    assert taken(Budget(), costs, bound=949) == 100


@pytest.mark.parametrize("budget", [Budget(effort="thorough"), Budget(seconds=60)])
def test_who_asks_for_more_gets_more(budget: Budget) -> None:
    assert taken(budget, [100] * 100) == 100
