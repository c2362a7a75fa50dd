"""`refine` with large neighbourhoods: the optimum of small tables, the same every time, and never more than before."""

from __future__ import annotations

import numpy as np
import pytest
from sensitive_cases import solved
from test_sensitive_exact import larger

from kanon_sql.requirements import LDiversity, Requirement
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.sensitive import greedy, optimal, refine

REQUIREMENTS = [
    LDiversity(sensitive="s", l=2),
    LDiversity(sensitive="s", l="2.5", variant="entropy"),
    LDiversity(sensitive="s", l=3, variant="distinct"),
]


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=lambda each: each.variant)
@pytest.mark.parametrize("seed", range(4))
def test_small_tables_are_released_at_the_least_cost(seed: int, requirement: Requirement) -> None:
    drawn = larger(seed, 24, requirement)
    table, best = solved(optimal.solve, drawn)
    assert best.cost(table) == best.lower_bound
    assert solved(refine.solve, drawn)[1].cost(table) == best.cost(table)


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=lambda each: each.variant)
def test_larger_tables(requirement: Requirement) -> None:
    drawn = larger(11, 150, requirement)
    table, found = solved(refine.solve, drawn)
    again = solved(refine.solve, drawn)[1]
    assert all(np.array_equal(getattr(found, name), getattr(again, name)) for name in ("row_type", "shown", "count"))
    assert found.cost(table) < solved(greedy.solve, drawn)[1].cost(table)
    longer = solved(refine.solve, drawn, Budget(seconds=1.5))[1]
    assert longer.cost(table) <= solved(greedy.solve, drawn)[1].cost(table)
