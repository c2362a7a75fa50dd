"""The exact algorithm for tables of counts, against every suppression of tiny tables."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from cell_tables import cheapest, cost_of, overlapping_tables, possible, tiny_tables

from kanon_sql.engines.cells.gate import check
from kanon_sql.errors import InfeasibleError
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.cells import suppress
from kanon_sql.table.cell_table import CellTable


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(170))
def test_it_finds_the_cheapest_suppression(seed: int) -> None:
    for table in tiny_tables(seed):
        found, greedy = suppress(table, Budget(), "optimal"), suppress(table, Budget(), "greedy")
        best = cheapest(table)
        assert cost_of(table, found.suppressed) == found.lower_bound == best
        assert greedy.lower_bound <= best <= cost_of(table, greedy.suppressed)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(75))
def test_it_finds_the_cheapest_suppression_of_tables_that_overlap(seed: int) -> None:
    for table in overlapping_tables(seed):
        best, found = cheapest(table), suppress(table, Budget(), "optimal")
        assert cost_of(table, found.suppressed) == found.lower_bound == best
        check(table, found.suppressed, found.witnesses)


def with_shown(table: CellTable, seed: int) -> CellTable:
    random = np.random.default_rng(seed)
    shown = (random.random(table.rows) < 0.3) & ~table.primary
    suppressed = (random.random(table.rows) < 0.15) & ~shown
    return replace(table, shown=shown, suppressed=suppressed, cost=np.where(suppressed, 0, table.cost))


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(60))
def test_it_knows_when_nothing_protects(seed: int) -> None:
    for table in (with_shown(table, seed) for table in tiny_tables(seed)):
        best = cheapest(table)
        if best > table.cost.sum():
            with pytest.raises(InfeasibleError, match="hint"):
                suppress(table, Budget())
            continue
        found = suppress(table, Budget(), "optimal")
        assert cost_of(table, found.suppressed) == found.lower_bound == best
        assert not (found.suppressed & table.shown).any()


@pytest.mark.everything
@pytest.mark.parametrize("seed", range(4))
def test_every_measure_is_protected(seed: int) -> None:
    for table in tiny_tables(seed):
        counts = table.measures[0]
        sums = replace(counts, value=counts.value * 3 + 1, least=np.zeros_like(counts.least))
        total = replace(table, measures=(counts, sums)).values(1)
        random = np.random.default_rng(seed)
        wanted = (random.random(table.rows) < 0.2) & (total < 12)
        both = replace(table, measures=(counts, replace(sums, required=np.where(wanted, total + 2, 0))))
        found = suppress(both, Budget(), "optimal")
        assert cost_of(both, found.suppressed) == found.lower_bound == cheapest(both)
        for number in range(2):
            for row in np.flatnonzero(both.measures[number].required > both.values(number)):
                assert possible(both, found.suppressed, int(row), number)


def test_the_same_table_gives_the_same_suppression() -> None:
    for table in tiny_tables(3):
        first, second = suppress(table, Budget()), suppress(table, Budget())
        assert np.array_equal(first.suppressed, second.suppressed)
        assert np.array_equal(first.witnesses.change, second.witnesses.change)


def test_without_time_the_table_is_protected_all_the_same() -> None:
    for table in tiny_tables(3):
        found = suppress(table, Budget(seconds=0.0))
        assert found.lower_bound <= cheapest(table) <= cost_of(table, found.suppressed)
