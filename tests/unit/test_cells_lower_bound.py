"""What line cuts prove, against every suppression of small tables."""

from __future__ import annotations

import itertools

import pytest
from cell_tables import cell_table, cheapest, cost_of, tiny_tables

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.cells import suppress

CUBE = [*itertools.product((0, 1), repeat=2)]


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(8))
def test_no_suppression_costs_less(seed: int) -> None:
    for table in tiny_tables(seed):
        found = suppress(table, Budget())
        best = cheapest(table)
        assert found.lower_bound <= best <= cost_of(table, found.suppressed)


def test_one_cell_needs_three_others() -> None:
    table = cell_table({(i, j): 2 if i == j == 0 else 9 for i in range(3) for j in range(3)}, 5, CUBE)
    assert suppress(table, Budget(), "greedy").lower_bound == 3
