"""Sensitive values that their column calls equal: ``flu`` and ``FLU`` under a collation, one month and 30 days.

The source is read byte by byte, so that each row keeps its own spelling. For the solvers, row types that differ by nothing
else are one; what they decide of it is dealt out to the spellings in the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kanon_sql.model.distances import equal, ordered
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.coded_table import CodedTable

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True, kw_only=True)
class Spellings:
    """The row types of a source as they are spelled."""

    row_type: Int64  # [s]: for each spelled row type, in the order of the source, the row type of the coded table
    place: Int64  # [s]: its place among them by its values, whatever the order of the source
    weight: Int64  # [s]: its rows

    @classmethod
    def of(cls, table: CodedTable) -> Spellings:
        """Return those of a table in which no two values are equal."""
        back = np.empty(table.row_types, np.int64)
        back[table.origin] = np.arange(table.row_types)
        return cls(row_type=back, place=back, weight=table.weight[back])

    def dealt(self, row_type: Int64, count: Int64, seed: int) -> tuple[Int64, Int64, Int64]:
        """Deal the pieces of row types out to their spellings.

        Parameters
        ----------
        row_type, count : int64 arrays [q]
            The pieces, ascending by row type.
        seed : int
            Decides which rows of which spelling are in a piece: all ways to draw them are equally likely.

        Returns
        -------
        tuple of (spelled, piece, count)
            Int64 arrays, ascending by the spelled row type: which rows of it are in which piece.

        Notes
        -----
        O(s log s + q log q), and O(spellings) more for each piece of a row type that has several.
        """
        order = np.lexsort((self.place, self.row_type))
        types = int(self.row_type.max(initial=-1)) + 1
        first = np.searchsorted(self.row_type[order], np.arange(types + 1))
        several = np.diff(first) > 1
        plain = np.flatnonzero(~several[row_type])
        spelled, piece, dealt = [order[first[row_type[plain]]]], [plain], [count[plain]]
        chance = np.random.default_rng(seed)
        left = self.weight.copy()
        for each in np.flatnonzero(several[row_type]).tolist():
            members = order[first[row_type[each]] : first[row_type[each] + 1]]
            drawn = chance.multivariate_hypergeometric(left[members], count[each])
            left[members] -= drawn
            held = np.flatnonzero(drawn)
            spelled.append(members[held])
            piece.append(np.full(len(held), each))
            dealt.append(drawn[held])
        every = [np.concatenate(parts) for parts in (spelled, piece, dealt)]
        sequence = np.lexsort((every[1], every[0]))
        return every[0][sequence], every[1][sequence], every[2][sequence]


def together(table: CodedTable, keys: Mapping[str, Int32]) -> tuple[CodedTable, Spellings]:
    """Take row types for one that differ by equal sensitive values only, and put the values in the order of the source.

    Arrow has no order, or another one, for some types: the largest of DuckDB's unsigned numbers arrive there below zero.

    Parameters
    ----------
    table : CodedTable
        As `encode` returned it.
    keys : mapping of int32 array [s]
        For each sensitive attribute codes of its values in the order of the source, equal for those that its column calls
        equal, NULL last.

    Notes
    -----
    O(s m log s).
    """
    spelled = Spellings.of(table)
    ranks = [np.unique(keys[each.column][table.origin], return_inverse=True)[1] for each in table.sensitive]
    if all(np.array_equal(rank, each.codes) for rank, each in zip(ranks, table.sensitive, strict=True)):
        return table, spelled
    held = np.stack(ranks, axis=1).astype(np.int32)
    every = np.hstack([held, table.codes])
    order = np.lexsort(every.T)  # as `encode` has it: the first column counts least
    fresh = np.append(True, (every[order[1:]] != every[order[:-1]]).any(axis=1))
    first = order[fresh]
    alike = np.empty(len(order), np.int64)
    alike[order] = np.cumsum(fresh) - 1
    weight = np.zeros(len(first), np.int64)
    np.add.at(weight, alike, table.weight)
    sensitive = []
    for place, each in enumerate(table.sensitive):
        codes = held[:, place]
        count = np.zeros(int(codes.max()) + 1, np.int64)
        np.add.at(count, codes, table.weight)
        size = len(count)
        sensitive.append(
            replace(
                each,
                codes=np.ascontiguousarray(codes[first]),
                count=count,
                distances={name: (equal if name == "equal" else ordered)(size) for name in each.distances},
                empty=-1 if each.empty < 0 else size - 1,
            )
        )
    merged = replace(
        table,
        codes=np.ascontiguousarray(table.codes[first]),
        weight=weight,
        origin=table.origin[first],
        sensitive=tuple(sensitive),
    )
    return merged, replace(spelled, row_type=alike[spelled.row_type])


def key_codes(keys: pa.Array) -> Int32:
    """Return codes in the order of the keys, for `together`."""
    import pyarrow as pa
    import pyarrow.compute as pc

    # DuckDB hands over views under ``arrow_output_version``; they cannot be encoded
    encoded = (keys.cast(pa.large_binary()) if pa.types.is_binary_view(keys.type) else keys).dictionary_encode()
    rank = np.empty(len(encoded.dictionary), np.int32)
    rank[np.from_dlpack(pc.sort_indices(encoded.dictionary))] = np.arange(len(rank), dtype=np.int32)
    found: Int32 = rank[np.from_dlpack(encoded.indices)]
    return found
