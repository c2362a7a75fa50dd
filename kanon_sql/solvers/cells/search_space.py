"""The coordinates of base cells, from nothing but the rows that they are part of."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels.cells import CellSpace
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.cell_table import Bools, CellTable

_LARGEST = 1 << 61
"""Coordinates fit into one number below this."""


def cell_space(table: CellTable) -> CellSpace:
    """Return the search space of a table; its rows are shown or suppressed as the table says.

    Notes
    -----
    Two base cells are in one unit of a dimension at a level where they share a row of a grouping set with that level or a finer
    one, directly or through other cells. So cells whose units agree in all dimensions of a grouping set share its row, and
    cells that share a row are in the same units: a box changes what its coordinates say, whatever the grouping sets.
    """
    levels, units = _dimensions(table)
    codes = np.stack([each[0] for each in units], axis=1)
    sizes = [int(each.max(initial=-1)) + 1 for each in codes.T]
    weights = np.array([int(np.prod([1, *sizes[:at]], dtype=object)) for at in range(len(sizes))], np.int64)
    places = codes.astype(np.int64) @ weights
    at_level, first = _unit_table(units, codes, sizes)
    finest = [np.array([int(each.max(initial=-1)) + 1 == sizes[d] for each in units[d]]) for d in range(len(units))]
    coarse = [_coarse(*each) for each in zip(units, finest, strict=True)]
    fine = np.array([finest[d][levels[:, d]] for d in range(len(units))], np.uint8)
    sure = np.ones((len(units) + 1, len(levels)), np.uint8)
    for d in reversed(range(len(units))):
        sure[d] = sure[d + 1] & fine[d]
    space = CellSpace(
        np.ascontiguousarray(table.ancestors, np.int32),
        levels,
        (codes, places, weights),
        (at_level, first),
        _lines(table, [places - codes[:, d] * weight for d, weight in enumerate(weights)], coarse),
        own_rows(table),
        sure,
        fine,
        np.array(sizes, np.int64),
        np.array(table.cost, np.int64),
    )
    np.asarray(space.suppressed)[table.primary | table.suppressed] = 1
    np.asarray(space.shown)[table.shown] = 1
    return space


def own_rows(table: CellTable) -> Int32:
    """Return the row that is each base cell alone, -1 where there is none."""
    found = np.full(table.base_cells, -1, np.int32)
    for column in table.ancestors.T:
        alone = np.bincount(column, minlength=table.rows)[column] == 1
        found[alone] = column[alone]
    return found


def _dimensions(table: CellTable) -> tuple[Int32, list[list[Int32]]]:
    """Return the level of each grouping set in each dimension, and the unit of each base cell at each level.

    Level 0 of a dimension is the finest in use, the coordinates themselves.
    """
    given = [_units_at(table, d) for d in range(table.levels.shape[1])]
    groups = _merged([each[min(each)] for each in given])
    levels, units = [], []
    for group in groups:
        used, level = np.unique(table.levels[:, group], axis=0, return_inverse=True)
        each = [_refined([given[d][int(own)] for d, own in zip(group, tuple_, strict=True)]) for tuple_ in used]
        finest = _refined(each)
        if finest.max(initial=0) > 0:
            levels.append(level.ravel() + 1)
            units.append([finest, *each])
    if not units:  # one base cell: a box needs a dimension, if only one of a single coordinate
        levels, units = [np.ones(len(table.levels), np.int32)], [[np.zeros(table.base_cells, np.int32)] * 2]
    # Fewest coordinates first: their boxes are few, and the search is bounded early.
    order = sorted(range(len(units)), key=lambda d: int(units[d][0].max()))
    packed = np.stack([levels[d] for d in order], axis=1)
    return packed.astype(np.int32), [units[d] for d in order]


def _units_at(table: CellTable, dimension: int) -> dict[int, Int32]:
    """Return the unit of each base cell at each level in use."""
    own = table.levels[:, dimension]
    return {int(level): _numbered(_connected(table, own <= level)) for level in np.unique(own)}


def _connected(table: CellTable, sets: NDArray[np.bool_]) -> Int32:
    """Return a label of each base cell: cells that share a row of these sets, maybe through others, have the same."""
    label: Int32 = np.arange(table.base_cells, dtype=np.int32)
    columns = np.ascontiguousarray(table.ancestors[:, sets].T)
    before: Int32 | None = None
    while before is None or not np.array_equal(before, label):
        before = label
        for column in columns:
            first = np.full(table.rows, table.base_cells, np.int32)
            np.minimum.at(first, column, label)
            label = first[column]
    return label


def _numbered(labels: NDArray[np.integer]) -> Int32:
    """Return labels as numbers from 0 in the order of their first cell."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank: Int32 = np.empty(len(first), np.int32)
    rank[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    numbered: Int32 = rank[inverse.ravel()]
    return numbered


def _refined(units: list[Int32]) -> Int32:
    """Return the units that are the same in all of some partitions."""
    found = units[0]
    for each in units[1:]:
        found = _numbered(found.astype(np.int64) * (int(each.max(initial=0)) + 1) + each)
    return found


def _merged(finest: list[Int32]) -> list[list[int]]:
    """Return dimensions in groups: one that another determines is a level of that one."""
    groups: list[list[int]] = []
    for d in sorted(range(len(finest)), key=lambda d: (-int(finest[d].max(initial=0)), d)):
        for group in groups:
            together = finest[group[0]].astype(np.int64) * (int(finest[d].max(initial=0)) + 1) + finest[d]
            if len(np.unique(together)) == finest[group[0]].max(initial=-1) + 1:
                group.append(d)
                break
        else:
            groups.append([d])
    return groups


def _unit_table(units: list[list[Int32]], codes: Int32, sizes: list[int]) -> tuple[Int32, Int64]:
    """Return what each coordinate belongs to at each level, one level after the other, and where a level begins."""
    parts, first, at = [np.zeros(0, np.int32)], np.zeros((len(units), max(map(len, units), default=0)), np.int64), 0
    for d, each in enumerate(units):
        for level, unit in enumerate(each):
            part = np.zeros(sizes[d], np.int32)
            part[codes[:, d]] = unit
            first[d, level] = at
            at += sizes[d]
            parts.append(part)
    return np.concatenate(parts), first


def _coarse(units: list[Int32], finest: NDArray[np.bool_]) -> list[Int32]:
    """Return the unit of each base cell at each level of a dimension but the finest, the coarsest level first."""
    coarse = [unit for unit, fine in zip(units, finest, strict=True) if not fine]
    return sorted(coarse, key=lambda unit: int(unit.max(initial=0)))


def _lines(table: CellTable, rest: list[Int64], coarse: list[list[Int32]]) -> tuple[Int32, Int32, Int64, Int32, Int64]:
    """Return the cells of all lines, the greatest of each block first, and where the lines and the blocks begin.

    Parameters
    ----------
    rest : list of int64 array [b]
        For each dimension, where each base cell is in the others.
    coarse : list of list of int32 array [b]
        For each dimension, its units at all levels but the finest.
    """
    value, count = table.measures[0].value, table.base_cells
    orders, lines, blocks = list[Int64](), list[Bools](), list[Bools]()
    for others, units in zip(rest, coarse, strict=True):
        keys: list[NDArray[np.integer]] = [np.arange(count), -value, *reversed(units), others]
        order = np.lexsort(keys)
        orders.append(order)
        lines.append(_begins(others[order]))
        blocks.append(np.logical_or.reduce([lines[-1], *(_begins(unit[order]) for unit in units)]))
    return np.concatenate([np.zeros(0, np.int32), *orders]).astype(np.int32), *_parts(orders, lines), *_parts(orders, blocks)


def _begins(key: NDArray[np.integer]) -> Bools:
    """Return where a sorted key begins anew."""
    return np.append(True, key[1:] != key[:-1])[: len(key)]


def _parts(orders: list[Int64], begins: list[Bools]) -> tuple[Int32, Int64]:
    """Return the part of each base cell in each dimension, all parts numbered together, and where each part begins."""
    flat = np.concatenate([np.zeros(0, np.bool_), *begins])
    number = (np.cumsum(flat) - 1).astype(np.int32)
    of = np.zeros((len(orders), len(orders[0]) if orders else 0), np.int32)
    for d, order in enumerate(orders):
        of[d, order] = number[d * len(order) : (d + 1) * len(order)]
    return of, np.append(np.flatnonzero(flat), len(flat)).astype(np.int64)
