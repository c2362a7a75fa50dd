"""Any change of suppressed cells that gives a primary row more: where no box and no cycle does, cells are balanced one by one.

A row that is shown and has changed is out of balance. The one with the fewest base cells is balanced by one of these, the one
that leaves the least imbalance first; a few of them are tried, and the search is bounded by its steps.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import full_int32, zeros_int32, zeros_int32_2d, zeros_int64_2d
from kanon_sql.kernels.cells.boxes import BoxSearch
from kanon_sql.kernels.cells.search_space import CellSpace

_DEPTH = cython.declare(cython.longlong, 40)
"""Base cells of one change, at most."""

_WIDTH = cython.declare(cython.longlong, 4)
"""Base cells that are tried to balance a row, at most."""

_LONGEST = cython.declare(cython.longlong, 4096)
"""Rows of more base cells are balanced by others of their cells, or not at all."""


@cython.final
@cython.cclass
class CircuitSearch:
    """A change in the making.

    Parameters
    ----------
    first : int64 array [r + 1]
        Where the base cells of each row begin.
    cells : int32 array [b g]
        Those cells.
    base_cells : int
        b.

    Attributes
    ----------
    changed, changes : int32 array, int
        The base cells of the change, each as often as it changes by the amount.
    """

    def __init__(self, first: NDArray[np.int64], cells: NDArray[np.int32], base_cells: int) -> None:
        self.first, self.cells = first, cells
        self.sign, self.place = zeros_int32(base_cells), full_int32(len(first) - 1, -1)
        self.open, self.opens = zeros_int32(len(first) - 1), 0
        self.changed, self.changes = zeros_int32(_DEPTH + 1), 0
        self.best, self.imbalance = zeros_int32_2d(_DEPTH + 1, _WIDTH), zeros_int64_2d(_DEPTH + 1, _WIDTH)
        self.steps, self.row, self.amount = 0, 0, 0


def search_circuit(space, work, circuits, cell, row, amount, steps):
    """Let a base cell of a primary row grow by an amount, and balance all shown rows; return whether that was possible.

    The change is added to the table in the making; if there is none, that is as before.
    """
    circuits.steps = steps
    circuits.row = row
    circuits.amount = amount
    circuits.changes = 0
    found: cython.bint = _movable(space, work, circuits, cell, 1)
    if found:
        _change(space, work, circuits, cell, 1)
        found = _balance(space, work, circuits)
        if not found:
            _change(space, work, circuits, cell, -1)
    circuits.sign[cell] = 0
    for k in range(circuits.changes):
        circuits.sign[circuits.changed[k]] = 0
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _movable(
    space: CellSpace, work: BoxSearch, circuits: CircuitSearch, cell: cython.longlong, sign: cython.longlong
) -> cython.bint:
    """Return whether a base cell can change in a direction, and has not changed in the other one."""
    row = space.own_row[cell]
    amount = circuits.amount
    if (row >= 0 and not space.suppressed[row]) or circuits.sign[cell] * sign < 0:
        return False
    if work.fixed[cell] > work.with_fixed:
        return False
    if sign > 0:
        return True
    if work.base_value[cell] + work.shift[cell] < amount:
        return False
    for g in range(space.levels.shape[0]):
        row = space.ancestors[cell, g]
        if row == circuits.row:
            return False
        if space.suppressed[row] and work.value[row] + work.moved[row] < amount:
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _change(
    space: CellSpace, work: BoxSearch, circuits: CircuitSearch, cell: cython.longlong, sign: cython.longlong
) -> cython.void:
    """Change a base cell, and list the rows that are out of balance."""
    work.shift[cell] += sign * circuits.amount
    for g in range(space.levels.shape[0]):
        row = space.ancestors[cell, g]
        work.moved[row] += sign * circuits.amount
        if space.suppressed[row]:
            continue
        if work.moved[row] != 0 and circuits.place[row] < 0:
            circuits.place[row] = circuits.opens
            circuits.open[circuits.opens] = row
            circuits.opens += 1
        elif work.moved[row] == 0 and circuits.place[row] >= 0:
            circuits.opens -= 1
            last = circuits.open[circuits.opens]
            circuits.open[circuits.place[row]] = last
            circuits.place[last] = circuits.place[row]
            circuits.place[row] = -1
    circuits.sign[cell] += sign


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _imbalance(space: CellSpace, work: BoxSearch, cell: cython.longlong, sign: cython.longlong) -> cython.longlong:
    """Return in how many grouping sets a change leaves more imbalance, less those where it leaves less."""
    total = 0
    for g in range(space.levels.shape[0]):
        row = space.ancestors[cell, g]
        if not space.suppressed[row]:
            total += -1 if work.moved[row] * sign < 0 else 1
    return total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _balance(space: CellSpace, work: BoxSearch, circuits: CircuitSearch) -> cython.bint:
    """Balance all rows; return whether that was possible, else nothing has changed."""
    depth = circuits.changes
    row = -1
    shortest = _LONGEST
    found = 0
    circuits.steps -= 1
    if circuits.opens == 0:
        return True
    if depth == _DEPTH or circuits.steps < 0:
        return False
    for k in range(circuits.opens):
        size = circuits.first[circuits.open[k] + 1] - circuits.first[circuits.open[k]]
        if size < shortest or (size == shortest and circuits.open[k] < row):
            shortest = size
            row = circuits.open[k]
    if row < 0:
        return False
    circuits.steps -= shortest >> 4
    sign = -1 if work.moved[row] > 0 else 1
    for at in range(circuits.first[row], circuits.first[row + 1]):
        if not _movable(space, work, circuits, circuits.cells[at], sign):
            continue
        imbalance = _imbalance(space, work, circuits.cells[at], sign)
        if found == _WIDTH and imbalance >= circuits.imbalance[depth, found - 1]:
            continue
        k = found if found < _WIDTH else found - 1
        while k > 0 and circuits.imbalance[depth, k - 1] > imbalance:
            circuits.imbalance[depth, k] = circuits.imbalance[depth, k - 1]
            circuits.best[depth, k] = circuits.best[depth, k - 1]
            k -= 1
        circuits.imbalance[depth, k] = imbalance
        circuits.best[depth, k] = circuits.cells[at]
        if found < _WIDTH:
            found += 1
    for k in range(found):
        _change(space, work, circuits, circuits.best[depth, k], sign)
        circuits.changed[depth] = circuits.best[depth, k]
        circuits.changes = depth + 1
        if _balance(space, work, circuits):
            return True
        circuits.changes = depth
        _change(space, work, circuits, circuits.best[depth, k], -sign)
        if circuits.steps < 0:
            break
    return False
