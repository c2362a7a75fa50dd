"""The coordinates of base cells, from nothing but the rows that they are part of."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels.cells.search_space import CellSpace
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
    codes = np.stack([each[0] for each in units], axis=1) if units else np.zeros((table.base_cells, 0), np.int32)
    sizes = [int(each.max(initial=-1)) + 1 for each in codes.T]
    weights = np.array([int(np.prod([1, *sizes[:at]], dtype=object)) for at in range(len(sizes))], np.int64)
    places = codes.astype(np.int64) @ weights
    at_level, first = _unit_table(units, codes, sizes)
    finest = [np.array([int(each.max(initial=-1)) + 1 == sizes[d] for each in units[d]]) for d in range(len(units))]
    fine = np.array([finest[d][levels[:, d]] for d in range(len(units))], np.uint8).reshape(len(units), len(levels))
    sure = np.ones((len(units) + 1, len(levels)), np.uint8)
    for d in reversed(range(len(units))):
        sure[d] = sure[d + 1] & fine[d]
    space = CellSpace(
        np.ascontiguousarray(table.ancestors, np.int32),
        levels,
        (codes, places, weights),
        (at_level, first),
        _lines(table, codes, places, weights),
        own_rows(table),
        sure,
        (*_siblings(units, codes, sizes, finest), fine),
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
    # Fewest coordinates first: their boxes are few, and the search is bounded early.
    order = sorted(range(len(units)), key=lambda d: int(units[d][0].max()))
    stacked = [levels[d] for d in order]
    packed = np.stack(stacked, axis=1) if stacked else np.zeros((len(table.levels), 0))
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


def _siblings(units: list[list[Int32]], codes: Int32, sizes: list[int], finest: list[Bools]) -> tuple[Int32, Int64]:
    """Return the group of each coordinate by its units at all levels but the finest, one dimension after the other."""
    parts = [np.zeros(0, np.int32)]
    for d, each in enumerate(units):
        coarse = [unit for unit, fine in zip(each, finest[d], strict=True) if not fine]
        part = np.zeros(sizes[d], np.int32)
        part[codes[:, d]] = _refined(coarse) if coarse else 0
        parts.append(part)
    return np.concatenate(parts), np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.int64)[: len(sizes)]


def _lines(table: CellTable, codes: Int32, places: Int64, weights: Int64) -> tuple[Int32, Int64, Int32]:
    """Return the line of each base cell in each dimension, where each line begins, and its cells, the greatest first."""
    value = table.measures[0].value
    line_of, firsts, cells, lines = [], [np.zeros(0, np.int64)], [np.zeros(0, np.int32)], 0
    for d, weight in enumerate(weights):
        rest = places - codes[:, d] * weight
        order = np.lexsort((np.arange(len(rest)), -value, rest))
        begins = np.flatnonzero(np.r_[True, rest[order][1:] != rest[order][:-1]]) if len(rest) else np.zeros(0, np.int64)
        own = np.empty(len(rest), np.int32)
        own[order] = np.repeat(np.arange(len(begins)), np.diff(np.r_[begins, len(rest)])) + lines
        line_of.append(own)
        firsts.append(begins + d * len(rest))
        cells.append(order.astype(np.int32))
        lines += len(begins)
    first = np.concatenate([*firsts, [len(weights) * len(places)]])
    stacked = np.stack(line_of) if line_of else np.zeros((0, len(places)), np.int32)
    return np.ascontiguousarray(stacked, np.int32), first.astype(np.int64), np.concatenate(cells)
