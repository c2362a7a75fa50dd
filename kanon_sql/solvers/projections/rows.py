"""The rows that the search hides cells of, their sets of known columns, and what they hide as a release."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from kanon_sql.kernels.projections import SetClasses
from kanon_sql.solvers.instances.repair import PartialRecoding
from kanon_sql.solvers.projections.set_requirements import Sets, people_word, values_of
from kanon_sql.table.arrays import Int32, Int64, Words
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.ladder import COST
from kanon_sql.table.recoding import Recoding, hidden_bits


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Rows of a table: of each row type some alone, which may hide cells each for itself, and the others together."""

    table: CodedTable
    row_type: Int64  # [n]: the row type of each
    weight: Int64  # [n]: rows of the table that each stands for

    @classmethod
    def of(cls, table: CodedTable, k: int) -> Rows:
        """Return the rows of a table: up to 2 k of a row type alone, more than that as one."""
        alone = np.minimum(table.weight, 2 * k)
        rest = np.flatnonzero(table.weight > alone)
        row_type = np.concatenate([np.repeat(np.arange(table.row_types), alone), rest])
        weight = np.concatenate([np.ones(int(alone.sum()), np.int64), (table.weight - alone)[rest]])
        return cls(table=table, row_type=row_type, weight=weight)

    def classes(self, sets: Sets, seed: int) -> SetClasses:
        """Return the classes of the rows by the sets, only hidden levels hidden and nothing counted."""
        columns = self.table.codes.shape[1]
        draw = np.random.default_rng(seed)
        word = np.empty((len(self.row_type), columns), np.uint64)
        for column, cardinality in enumerate(self.table.cardinality.tolist()):
            values = draw.integers(1, 1 << 63, cardinality, np.uint64)
            word[:, column] = values[self.table.codes[self.row_type, column]]
        members = [np.array(chosen, np.int32) for chosen in sets]
        start = np.cumsum([0, *map(len, members)])
        member = np.concatenate(members)
        owner = np.repeat(np.arange(len(members)), np.diff(start)).astype(np.int32)
        order = np.argsort(member, kind="stable")
        of_start = np.searchsorted(member[order], np.arange(columns + 1)).astype(np.int64)
        hidden_word = draw.integers(1, 1 << 63, columns, np.uint64)
        found = SetClasses(
            (word, hidden_word),
            self.weight,
            (start.astype(np.int64), member, np.array([each.rows for each in sets.values()], np.int64)),
            (of_start, owner[order]),
            _ladder(self.table),
            people_word(self.table, sets, self.row_type, draw),
            values_of(self.table, sets, self.row_type),
            rows_by_value(word),
        )
        if self.table.hidden_levels:
            gone = hidden_bits(~np.array([self.table.hidden_levels], np.uint64), columns)
            found.hide(np.tile(gone, (len(word), 1)).astype(np.uint8))
        return found

    def hidden(self, recoding: Recoding) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
        """Return which cells of the rows a recoding hides, uint8 [n, m]; rows of a row type take its pieces in their order."""
        ends = np.cumsum(recoding.count)
        first = np.searchsorted(recoding.row_type, self.row_type)
        before = np.append(0, ends)[first]
        taken = np.zeros(self.table.row_types, np.int64)
        place = np.empty(len(self.row_type), np.int64)
        for row, (row_type, weight) in enumerate(zip(self.row_type.tolist(), self.weight.tolist(), strict=True)):
            place[row] = taken[row_type]
            taken[row_type] += weight
        piece = np.searchsorted(ends, before + place, side="right")
        return hidden_bits(recoding.shown[piece], self.table.codes.shape[1]).astype(np.uint8)

    def recoding(self, hidden: np.ndarray[tuple[int, int], np.dtype[np.uint8]]) -> Recoding:
        """Return the release in which the rows hide these cells."""
        bits = np.uint64(1) << np.arange(hidden.shape[1], dtype=np.uint64)
        shown: Words = ((hidden == 0) * bits).sum(axis=1, dtype=np.uint64)
        order = np.lexsort((shown, self.row_type))
        return PartialRecoding(
            row_type=self.row_type[order].astype(np.int32),
            shown=shown[order],
            count=self.weight[order],
            placed=np.ones(len(order), np.bool_),
        ).recoding()


def _ladder(table: CodedTable) -> tuple[Int32, Int32]:
    """Return for each coded column the one that is hidden before it, and the one that is shown before it."""
    finer, coarser = np.full((2, len(table.columns)), -1, np.int32)
    for names, places in table.ladders.items():
        if names == COST:
            continue
        for fine, coarse in pairwise(places):
            finer[coarse], coarser[fine] = fine, coarse
    gone = [place for place in range(len(table.columns)) if table.hidden_levels >> place & 1]
    coarser[gone] = gone
    return finer, coarser


def rows_by_value(word: Words) -> tuple[Int32, Int32, Int32]:
    """Return for each column the rows by their value, int32 [m, n]; for each cell where these begin, and how many they are."""
    order = np.argsort(word, axis=0, kind="stable")
    start, size = np.empty((2, *order.shape), np.int32)
    for column in range(order.shape[1]):
        same = word[order[:, column], column]
        first = np.flatnonzero(np.append(True, same[1:] != same[:-1]))
        many = np.diff(first, append=len(order))
        start[order[:, column], column], size[order[:, column], column] = np.repeat(first, many), np.repeat(many, many)
    return np.ascontiguousarray(order.T.astype(np.int32)), start, size
