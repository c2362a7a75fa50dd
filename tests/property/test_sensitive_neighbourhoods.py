"""`refine` with large neighbourhoods releases small tables at the least cost."""

from __future__ import annotations

import pytest
from sensitive_cases import solved
from test_sensitive_exact import larger

from kanon_sql.model.requirements import LDiversity, Requirement
from kanon_sql.solvers.sensitive import optimal, refine

REQUIREMENTS = [
    LDiversity(sensitive="s", l=2),
    LDiversity(sensitive="s", l="2.5", variant="entropy"),
    LDiversity(sensitive="s", l=3, variant="distinct"),
]


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=lambda each: each.variant)
@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(4))
def test_small_tables_are_released_at_the_least_cost(seed: int, requirement: Requirement) -> None:
    drawn = larger(seed, 24, requirement)
    table, best = solved(optimal.solve, drawn)
    assert best.cost(table) == best.lower_bound
    assert solved(refine.solve, drawn)[1].cost(table) == best.cost(table)
