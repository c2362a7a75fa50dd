"""The exact solver of protected tables against every suppression of tiny tables."""

from __future__ import annotations

import pytest
from cell_tables import cheapest, tiny_tables

from kanon_sql.errors import InfeasibleError
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.cells import suppress
from kanon_sql.solvers.cells.suppress import cost_of


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("algorithm", ["auto", "optimal"])
def test_the_least_cost_is_that_of_brute_force(seed: int, algorithm: str) -> None:
    for table in tiny_tables(seed):
        try:
            found = suppress(table, Budget(), algorithm)
        except InfeasibleError:
            assert cheapest(table) > table.rows
            continue
        assert cost_of(table, found.suppressed) == found.lower_bound == cheapest(table)
