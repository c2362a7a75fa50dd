"""Base cells by their coordinates, so that boxes of them are found by arithmetic.

A *dimension* here is one that tells base cells apart; keys that another key determines are levels of that one. Two base cells
that agree in all dimensions but one lie in the same *line*.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import full_int32, full_int64, zeros_uint8


@cython.final
@cython.cclass
class CellSpace:
    """The published system, and which of its rows are suppressed.

    Parameters
    ----------
    ancestors : int32 array [b, g]
        The row of each base cell in each grouping set.
    levels : int32 array [g, d]
        The level of each dimension in each grouping set.
    codes : int32 array [b, d]
        The coordinates of each base cell.
    places : int64 array [b]
        The coordinates as one number.
    weights : int64 array [d]
        What one step in a dimension adds to it.
    units : int32 array
        What each coordinate belongs to at each level, one level after the other.
    unit_first : int64 array [d, levels]
        Where a level begins.
    line_cells : int32 array [d b]
        The base cells of all lines.
    line_of, line_first : int32 array [d, b], int64 array
        The line of each base cell in each dimension, all lines numbered together, and where a line begins.
    block_of, block_first : int32 array [d, b], int64 array
        The same of blocks: parts of a line whose coordinates are in the same units at all levels but the finest.
    own_row : int32 array [b]
        The row that is this base cell alone, -1 where no grouping set has it.
    sure : uint8 array [d + 1, g]
        Whether a step in any dimension from this one on changes the row of every base cell in a grouping set.
    fine : uint8 array [d, g]
        Whether a grouping set has the finest level of a dimension.
    nodes : int64 array [d]
        Coordinates of each dimension.
    cost : int64 array [r]
        What it costs to suppress a row.

    Attributes
    ----------
    suppressed, shown : uint8 arrays [r]
        Rows that are suppressed, and rows that must not be.
    """

    def __init__(
        self,
        ancestors: NDArray[np.int32],
        levels: NDArray[np.int32],
        coordinates: tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]],
        units: tuple[NDArray[np.int32], NDArray[np.int64]],
        lines: tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]],
        own_row: NDArray[np.int32],
        sure: NDArray[np.uint8],
        fine: NDArray[np.uint8],
        nodes: NDArray[np.int64],
        cost: NDArray[np.int64],
    ) -> None:
        self.ancestors, self.levels = ancestors, levels
        self.codes, self.places, self.weights = coordinates
        self.units, self.unit_first = units
        self.line_cells, self.line_of, self.line_first, self.block_of, self.block_first = lines
        self.own_row, self.sure, self.cost = own_row, sure, cost
        self.fine, self.nodes = fine, nodes
        self.suppressed, self.shown = zeros_uint8(len(cost)), zeros_uint8(len(cost))
        size = 1 << max(4, int(2 * len(ancestors)).bit_length())
        self.mask = size - 1
        self.slot_place, self.slot_cell = full_int64(size, -1), full_int32(size, -1)
        _fill(self)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _slot(space: CellSpace, place: cython.longlong) -> cython.longlong:
    """Return where a place is in the hash table, or where it would be."""
    slot = (place ^ (place >> 21) ^ (place >> 42)) & space.mask
    while space.slot_cell[slot] >= 0 and space.slot_place[slot] != place:
        slot = (slot + 1) & space.mask
    return slot


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _fill(space: CellSpace) -> cython.void:
    """Put all base cells into the hash table; of those in one place, the first."""
    for cell in range(space.places.shape[0]):
        slot = _slot(space, space.places[cell])
        if space.slot_cell[slot] < 0:
            space.slot_place[slot] = space.places[cell]
            space.slot_cell[slot] = cell


def cell_at(space, place):
    """Return the base cell at a place, -1 where there is none."""
    return space.slot_cell[_slot(space, place)]
