"""From classes of rows to a recoding: each class shows what its rows agree on, as far as the masks permit.

Two classes that show the same values under the same pattern are one class of the release; neither becomes smaller by that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.repair import PartialRecoding, repair
from kanon_sql.table.arrays import Int32, Int64, Words
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import PatternSet
from kanon_sql.table.recoding import Recoding


@dataclass(frozen=True, slots=True, kw_only=True)
class Classes:
    """A division of all rows into classes: ``q`` pieces, each some rows of one row type in one class."""

    row_type: Int32  # [q]: as in `Recoding`, in any order
    count: Int64  # [q]: as in `Recoding`
    number: Int64  # [q]: the class of each piece, any whole number

    def concatenated(self, *others: Classes) -> Classes:
        """Return the classes of all, none of one joined with one of another."""
        parts = [self, *others]
        low = [int(each.number.min(initial=0)) for each in parts]
        first = np.cumsum([0, *(int(each.number.max(initial=-1)) + 1 - least for each, least in zip(parts, low, strict=True))])
        return Classes(
            row_type=np.concatenate([each.row_type for each in parts]),
            count=np.concatenate([each.count for each in parts]),
            number=np.concatenate([each.number - least + start for each, least, start in zip(parts, low, first, strict=False)]),
        )


def released(table: CodedTable, patterns: PatternSet, k: int, classes: Classes, budget: Budget) -> Recoding:
    """Release each class under the cheapest permitted pattern that its rows agree on; repair the rows that have none.

    Raises
    ------
    InfeasibleError
        When some class agrees on no permitted pattern and the repair cannot place its rows.

    Notes
    -----
    O(q (m + log q)), and O(p) for each of the different sets of columns on which a class agrees.
    """
    agreed, number = _agreement(table, classes)
    shown, placed = _cheapest_within(patterns, agreed)
    partial = PartialRecoding(row_type=classes.row_type, shown=shown[number], count=classes.count, placed=placed[number])
    return repair(table, patterns, k, partial, budget).recoding()


def each_alone(table: CodedTable, row_types: Int64) -> Classes:
    """Return one class for each of the row types, of all its rows."""
    return Classes(row_type=row_types.astype(np.int32), count=table.weight[row_types], number=np.arange(len(row_types)))


def divided(table: CodedTable, row_types: Int64, count: Int64, k: int) -> Classes:
    """Divide ``count`` rows of some row types, k or more in all, among themselves into classes of k; O(m^2 t) time.

    From one class that shows nothing, the class is split top down by the column whose showing saves the most.
    """
    from kanon_sql.kernels.partitions import split_classes

    codes = np.ascontiguousarray(table.codes[row_types])
    shown = split_classes(codes, count, table.cost, table.cardinality, k)
    everyone = np.ones(len(row_types), np.bool_)
    partial = PartialRecoding(row_type=row_types.astype(np.int32), shown=shown, count=count, placed=everyone)
    return Classes(row_type=partial.row_type, count=count, number=partial.classes(table))


def _agreement(table: CodedTable, classes: Classes) -> tuple[Words, Int64]:
    """Return the columns on which each class agrees, as bits, and the class of each piece, dense from 0."""
    _, number = np.unique(classes.number, return_inverse=True)
    order = np.argsort(number, kind="stable")
    first = np.flatnonzero(np.diff(number[order], prepend=-1))
    codes = table.codes[classes.row_type[order]]
    agrees = np.minimum.reduceat(codes, first) == np.maximum.reduceat(codes, first)
    agreed: Words = agrees.astype(np.uint64) @ (np.uint64(1) << np.arange(codes.shape[1], dtype=np.uint64))
    return agreed, number.astype(np.int64)


def _cheapest_within(patterns: PatternSet, agreed: Words) -> tuple[Words, NDArray[np.bool_]]:
    """Return the cheapest permitted pattern inside each set of columns, and whether there is one."""
    if not patterns.listed:
        return agreed, np.ones(len(agreed), np.bool_)
    distinct, which = np.unique(agreed, return_inverse=True)
    shown, placed = distinct.copy(), np.isin(distinct, patterns.shown)
    for place in np.flatnonzero(~placed):  # a permitted set of columns is its own cheapest pattern: all others hide more
        inside = np.flatnonzero((patterns.shown & ~distinct[place]) == 0)
        if len(inside):
            shown[place], placed[place] = patterns.shown[inside[0]], True
    return shown[which], placed[which]
