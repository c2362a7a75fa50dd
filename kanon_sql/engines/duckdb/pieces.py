"""The pieces of row types as DuckDB takes them: made at once where they have labels, else for each chunk that is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Protocol

import numpy as np

from kanon_sql.engines.duckdb.built_arrays import numbers, texts
from kanon_sql.table.arrays import Int64, Words
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.recoding import Recoding, hidden_bits

if TYPE_CHECKING:
    import pyarrow as pa


class PiecesByNumber(Protocol):
    """The pieces of the row types, by the numbers that they have got."""

    def of(self, number: Int64) -> pa.Array:
        """Return a list of pieces for each number."""


class ListedPieces:
    """Pieces that are in memory as one list of lists.

    Parameters
    ----------
    lists : ListArray [t]
        By the numbers of the row types.
    """

    def __init__(self, lists: pa.ListArray) -> None:
        self._lists = lists

    def of(self, number: Int64) -> pa.Array:
        """Return a list of pieces for each number; those that follow each other are not copied."""
        first = int(number[0]) if len(number) else 0
        if np.array_equal(number, np.arange(first, first + len(number))):
            return self._lists.slice(first, len(number))
        return self._lists.take(numbers(number))


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainPieces:
    """Pieces of row types without labels and sensitive values.

    Parameters
    ----------
    columns : tuple of str
        The columns that pieces show or hide.
    coded : int64 array
        The coded column of each.
    place : int64 array [t]
        For each number of a row type its place in the table.
    first : int64 array [t + 1]
        Where the pieces of each row type of the table begin.
    shown : uint64 array [q]
        What each piece shows.
    count : int64 array [q]
        Its rows.
    """

    columns: tuple[str, ...]
    coded: Int64
    place: Int64
    first: Int64
    shown: Words
    count: Int64

    @classmethod
    def of_recoding(cls, table: CodedTable, recoding: Recoding) -> PlainPieces:
        """Return the pieces of a recoding, which are in the order of the row types."""
        place = np.empty(table.row_types, np.int64)
        place[table.origin] = np.arange(table.row_types)
        first = np.searchsorted(recoding.row_type, np.arange(table.row_types + 1))
        return cls(
            columns=tuple(chain.from_iterable(table.columns)),
            coded=np.repeat(np.arange(len(table.columns)), table.width),
            place=place,
            first=first,
            shown=recoding.shown,
            count=recoding.count,
        )

    def of(self, number: Int64) -> pa.Array:
        """Return a list of pieces for each number."""
        import pyarrow as pa

        place = self.place[number]
        begin, size = self.first[place], self.first[place + 1] - self.first[place]
        start = np.append(0, np.cumsum(size))
        piece = np.repeat(begin - start[:-1], size) + np.arange(start[-1])
        upto = np.cumsum(self.count[piece])
        upto -= np.repeat(np.append(0, upto)[start[:-1]], size)
        hidden = hidden_bits(self.shown[piece], int(self.coded[-1]) + 1).astype(np.bool_)[:, self.coded]
        names = pa.DictionaryArray.from_arrays(numbers(np.nonzero(hidden)[1].astype(np.int32)), texts(self.columns))
        offsets = np.append(0, np.cumsum(hidden.sum(axis=1))).astype(np.int32)
        pieces = pa.StructArray.from_arrays(
            [
                numbers(piece.astype(np.int32)),
                numbers(upto - self.count[piece]),
                numbers(upto),
                pa.ListArray.from_arrays(numbers(offsets), names.dictionary_decode()),
                pa.nulls(len(piece), pa.list_(pa.string())),
            ],
            ["piece", "after", "upto", "hidden", "labels"],
        )
        return pa.ListArray.from_arrays(numbers(start.astype(np.int32)), pieces)
