"""A solver's own check of its witnesses: a wrong one is a bug, and nothing is returned."""

from __future__ import annotations

import numpy as np

from kanon_sql.table.arrays import Int64
from kanon_sql.table.cell_table import CellTable, Suppression

_CHUNK = 1 << 16
"""Witnesses that are checked at once."""


def checked(table: CellTable, found: Suppression) -> Suppression:
    """Return a suppression whose witnesses all hold.

    Raises
    ------
    AssertionError
        When a row is suppressed that has to be shown, or a primary row has no witness, or a wrong one.
    """
    if (found.suppressed & table.shown).any() or ((table.primary | table.suppressed) & ~found.suppressed).any():
        raise AssertionError("rows are suppressed that have to be shown, or the other way round")
    for number, measure in enumerate(table.measures):
        value = table.values(number)
        of = np.flatnonzero(found.witnesses.measure == number)
        if not np.array_equal(np.sort(found.witnesses.row[of]), np.flatnonzero(measure.required > value)):
            raise AssertionError("a primary row has no witness")
        insider = table.values(0) == 1
        for at in range(0, len(of), _CHUNK):
            part = of[at : at + _CHUNK]
            witness, base, change = _entries(found, part)
            row = found.witnesses.row[part]
            if (measure.fixed[base] & ~insider[row[witness]]).any() or (measure.value[base] + change < 0).any():
                raise AssertionError("a witness moves what it must not")
            gained = np.zeros(len(part), np.int64)
            for column in table.ancestors.T:
                key = witness * table.rows + column[base]
                keys, inverse = np.unique(key, return_inverse=True)
                moved = np.zeros(len(keys), np.int64)
                np.add.at(moved, inverse, change)
                to = keys % table.rows
                open_ = found.suppressed[to] & (value[to] + moved >= measure.least)
                if ((moved != 0) & ~open_).any():
                    raise AssertionError("a witness changes a row that is shown, or takes too much from one")
                own_moves = to == row[keys // table.rows]
                gained[(keys // table.rows)[own_moves]] = moved[own_moves]
            if (value[row] + gained < measure.required[row]).any():
                raise AssertionError("a witness differs too little from the count of its row")
    return found


def _entries(found: Suppression, part: Int64) -> tuple[Int64, Int64, Int64]:
    """Return the changes of some witnesses: which of them, the base cell, and by how much."""
    counts = found.witnesses.start[part + 1] - found.witnesses.start[part]
    witness = np.repeat(np.arange(len(part)), counts)
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    entry = np.repeat(found.witnesses.start[part], counts) + within
    return witness, found.witnesses.base[entry].astype(np.int64), found.witnesses.change[entry]
