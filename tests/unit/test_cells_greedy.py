"""Suppressed tables of counts against an attacker who tries every table of whole numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from cell_tables import cell_table, possible, random_tables

from kanon_sql.errors import InfeasibleError, PolicyError
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.cells import suppress
from kanon_sql.table.cell_table import CellTable

CUBE = [(0, 0), (0, 1), (1, 0), (1, 1)]


def undisclosed(table: CellTable) -> np.ndarray:
    found = suppress(table, Budget())
    for row in np.flatnonzero(table.primary):
        assert possible(table, found.suppressed, int(row))
    return found.suppressed


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(12))
def test_the_attacker_proves_nothing(seed: int) -> None:
    for table in random_tables(seed):
        undisclosed(table)


def test_the_attacker_finds_what_primary_suppression_leaves() -> None:
    table = cell_table({(0, 0): 2, (0, 1): 9, (1, 0): 9, (1, 1): 9}, 5, CUBE)
    assert not possible(table, table.primary, int(np.flatnonzero(table.primary)[0]))


def test_a_box_protects_one_cell() -> None:
    table = cell_table({(i, j): 2 if i == j == 0 else 9 for i in range(3) for j in range(3)}, 5, CUBE)
    assert undisclosed(table).sum() == 4


def test_a_part_with_enough_people_is_a_witness_of_the_whole_but_for_a_coalition() -> None:
    """All people of the cell know that no others are in its row."""
    table = cell_table({(0, 0): 2} | {(1 + i // 3, i % 3): 9 for i in range(6)}, 5, CUBE)
    small = np.flatnonzero(table.primary)
    assert len(small) == 2
    assert set(suppress(table, Budget()).witnesses.row) == {small[0]}
    known = cell_table({(0, 0): 2} | {(1 + i // 3, i % 3): 9 for i in range(6)}, 5, CUBE, insiders=True)
    assert set(suppress(replace(known, coalition=2), Budget()).witnesses.row) == set(small)


def test_small_cells_share_the_load() -> None:
    """Each of the others can give one person only."""
    table = cell_table({(0, j): 2 for j in range(5)}, 5, [(0, 0), (0, 1)])
    assert undisclosed(table).tolist() == [True] * 5 + [False]


def test_what_is_known_does_not_move() -> None:
    cells, row_totals = {(0, 0): 3, (0, 1): 1, (0, 2): 9}, [(0, 0), (0, 1)]
    assert undisclosed(cell_table(cells, 4, row_totals, least=0)).tolist() == [True, True, False, False]
    known = undisclosed(cell_table(cells, 4, row_totals, least=0, insiders=True))
    assert known[2:].any()


def test_rows_that_must_be_shown_are_shown() -> None:
    table = cell_table({(i, j): 2 if i == j == 0 else 9 for i in range(3) for j in range(3)}, 5, CUBE)
    table = replace(table, shown=np.arange(table.rows) >= 9)
    assert not undisclosed(table)[9:].any()


def test_nothing_protects_a_cell_whose_totals_are_shown() -> None:
    table = cell_table({(0, 0): 2, (0, 1): 9, (1, 1): 9}, 5, CUBE)
    table = replace(table, shown=np.arange(table.rows) >= 3)
    with pytest.raises(InfeasibleError, match="hint: show fewer"):
        suppress(table, Budget())


def test_no_primary_row_needs_no_secondary() -> None:
    found = suppress(cell_table({(0, 0): 9, (0, 1): 9}, 5, CUBE), Budget())
    assert not found.suppressed.any()
    assert not len(found.witnesses.row)


def test_an_unknown_algorithm_is_named() -> None:
    with pytest.raises(PolicyError, match="'hypercube'"):
        suppress(cell_table({(0, 0): 2}, 5, CUBE), Budget(), "hypercube")
