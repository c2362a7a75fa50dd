"""A partition of the rows into classes, and what it loses: the normalized certainty penalty.

References
----------
Xu, Wang, Pei, Wang, Shi, Fu: Utility-Based Anonymization Using Local Recoding (KDD 2006), section 3 (the penalty).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from kanon_sql.model.recodings import Means, Medians, Ranges, Sets
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.recoding import Prices


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryPartition:
    """Which rows are in which class: ``q`` pieces, each some rows of one row type in one class."""

    row_type: Int32  # [q]: row type of the piece, ascending; a row type may be split over several classes
    number: Int64  # [q]: the class of the piece, dense from 0
    count: Int64  # [q]: number of rows of the piece, above 0
    lower_bound: Fraction = Fraction(0)  # a proven lower bound on the loss of every partition, in units of the coded table
    bound: str = "trivial"  # name of the argument that proves it
    prices: Prices | None = None  # what proves it, if prices do

    def cost(self, table: CodedTable, kinds: Sequence[str], null: Int32) -> Fraction:
        """Return the exact loss in units of the table: what each row loses in each column, times the column's cost.

        Parameters
        ----------
        table : CodedTable
            t row types, m columns.
        kinds : sequence of str
            What a class shows of each column. ``'plain'``: its value if all rows agree; else each row loses 1. ``'set'``: its
            values; a row loses (values of the class - 1) / (values of the column - 1). ``'range'``: its least and its highest
            value; a row loses (codes between them, + 1 if the class also has NULL) / (values of the column - 1). ``'mean'`` and
            ``'median'`` are not counted here.
        null : int32 array [m]
            Code of NULL, the highest of its column; -1 where there is none.

        Notes
        -----
        O(m q log q) time, O(q) memory.
        """
        rows = np.zeros(int(self.number.max()) + 1, np.int64)
        np.add.at(rows, self.number, self.count)
        total = Fraction(0)
        for c, (kind, values) in enumerate(zip(kinds, table.cardinality.tolist(), strict=True)):
            if values > 1 and kind not in ("mean", "median"):
                code = table.codes[self.row_type, c].astype(np.int64)
                steps = int(_steps(kind, code, self.number, len(rows), int(null[c])) @ rows)
                total += Fraction(int(table.cost[c]) * steps, 1 if kind == "plain" else values - 1)
        return total


def _steps(kind: str, code: Int64, number: Int64, classes: int, null: int) -> Int64:
    """Return the steps of one column that each class loses: values but one, codes between, or disagreement."""
    if kind == "range":
        known = code != null
        low, high = np.full(classes, np.iinfo(np.int64).max), np.full(classes, -1)
        np.minimum.at(low, number[known], code[known])
        np.maximum.at(high, number[known], code[known])
        hidden = np.zeros(classes, np.int64)
        hidden[number[~known]] = 1
        return np.where(high < 0, 0, high - low + hidden)
    codes = int(code.max()) + 1
    pairs = np.unique(number * codes + code)  # far faster than those of two rows
    others = np.bincount(pairs // codes, minlength=classes) - 1
    return others if kind == "set" else np.minimum(others, 1)


def joined(row_type: Int32, number: Int64, count: Int64) -> SummaryPartition:
    """Return pieces as a partition, of which each has all rows of its row type in its class."""
    classes = int(number.max()) + 1
    key, place = np.unique(row_type * np.int64(classes) + number, return_inverse=True)
    rows = np.zeros(len(key), np.int64)
    np.add.at(rows, place, count)
    return SummaryPartition(row_type=(key // classes).astype(np.int32), number=key % classes, count=rows)


def shown_columns(table: CodedTable, places: list[int]) -> CodedTable:
    """Return a table with some of the coded columns: those that classes may show."""
    return replace(
        table,
        columns=tuple(table.columns[c] for c in places),
        codes=np.ascontiguousarray(table.codes[:, places]),
        cost=table.cost[places],
        hidden_levels=0,
    )


def kind_of(recoding: object) -> str:
    """Return what a class shows of a column, as in `SummaryPartition.cost`; 'plain' where it is neither summary nor number."""
    kinds = {Ranges: "range", Sets: "set", Means: "mean", Medians: "median"}
    return next((name for kind, name in kinds.items() if isinstance(recoding, kind)), "plain")


def shown_bits(table: CodedTable, places: list[int], kinds: list[str], partition: SummaryPartition) -> np.ndarray:
    """Return what each piece shows: bits ``places`` of what its class agrees on, or summarizes by fewer than all values."""
    classes = int(partition.number.max()) + 1
    shown = np.zeros(classes, np.uint64)
    for column, (kind, values) in enumerate(zip(kinds, table.cardinality.tolist(), strict=True)):
        pairs = np.unique(partition.number * values + table.codes[partition.row_type, column])
        different = np.bincount(pairs // values, minlength=classes)
        is_shown = different == 1 if kind == "plain" else (different < values) | (values == 1) | (kind in ("mean", "median"))
        shown |= is_shown.astype(np.uint64) << np.uint64(places[column])
    return shown[partition.number]
