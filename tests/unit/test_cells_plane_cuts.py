"""Plane cuts against every suppression of small tables that protects them."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from cell_tables import cell_table, supports, tiny_tables

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.cells.line_cuts import line_cuts
from kanon_sql.solvers.cells.plane_cuts import PlaneCuts
from kanon_sql.table.cell_table import CellTable

CUBE = [*itertools.product((0, 1), repeat=2)]


def protecting(table: CellTable) -> np.ndarray:
    """Return suppressions that protect a table, all or those of a sample, bool array [n, r]."""
    always = table.primary | table.suppressed
    open_ = np.flatnonzero(~always & ~table.shown)
    if len(open_) <= 10:
        chosen = np.array([*itertools.product((False, True), repeat=len(open_))], np.bool_).reshape(-1, len(open_))
    else:
        random = np.random.default_rng(0)
        chosen = random.random((2000, len(open_))) < random.random((2000, 1))
    found = np.tile(always, (len(chosen), 1))
    found[:, open_] = chosen
    bits = found @ (1 << np.arange(table.rows))
    for measure, each in enumerate(table.measures):
        for row in np.flatnonzero(each.required > table.values(measure)):
            for wanted in supports(table, int(row), measure):
                kept = np.zeros(len(bits), np.bool_)
                for support in sorted(wanted):
                    kept |= (bits & support) == support
                found, bits = found[kept], bits[kept]
    return found


def assert_satisfied(table: CellTable, shares: list[np.ndarray]) -> int:
    safe, planes, count = protecting(table), PlaneCuts(table), 0
    for share in shares:
        cuts = planes.separate(np.where(table.primary | table.suppressed | table.shown, 0.0, share), Budget()).cuts
        count += len(cuts.left)
        for number, left in enumerate(cuts.left.tolist()):
            entry = cuts.cut == number
            weight = safe[:, cuts.variable[entry]] @ cuts.coefficient[entry]
            assert (weight >= left).all()
            assert share[cuts.variable[entry]] @ cuts.coefficient[entry] < left
    return count


@pytest.mark.parametrize("seed", range(5))
def test_every_suppression_that_protects_satisfies_them(seed: int) -> None:
    random, found = np.random.default_rng(seed), 0
    for table in tiny_tables(seed):
        shares = [np.zeros(table.rows), *(random.random((3, table.rows)) * random.integers(2, size=(3, table.rows)))]
        found += assert_satisfied(table, shares)
        value = table.measures[0].value
        known = replace(table.measures[0], known=np.minimum(value, 1), fixed=(value == 1).astype(np.uint8))
        assert_satisfied(replace(table, measures=(known,), coalition=1), shares)
    assert found


def test_a_plane_proves_more_than_its_lines() -> None:
    """A cell, two totals or another cell of its row and its column, and the cell where these meet."""
    table = cell_table({(i, j): 2 if i == j == 0 else 9 for i in range(3) for j in range(3)}, 5, CUBE)
    lines = line_cuts(table).cuts
    share = np.zeros(table.rows)
    share[[1, 3]] = 1
    assert (lines.weight(share) >= lines.left).all()
    cuts = PlaneCuts(table).separate(share, Budget()).cuts
    assert len(cuts.left) == 1
    assert cuts.weight(share)[0] < cuts.left[0]
    share[4] = 1
    assert not len(PlaneCuts(table).separate(share, Budget()))


def test_nothing_is_separated_without_time() -> None:
    table = cell_table({(i, j): 2 if i == j == 0 else 9 for i in range(3) for j in range(3)}, 5, CUBE)
    assert not len(PlaneCuts(table).separate(np.zeros(table.rows), Budget(seconds=0.0)))
