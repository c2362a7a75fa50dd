"""The pieces of row types as DuckDB takes them: made at once where they have labels, else for each chunk that is read."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Protocol

import numpy as np

from kanon_sql.engines.built_arrays import numbers, texts
from kanon_sql.engines.tokens import Tokens
from kanon_sql.table.arrays import Int32, Int64, Words
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.recoding import Recoding, hidden_bits

if TYPE_CHECKING:
    import pyarrow as pa


class PiecesByNumber(Protocol):
    """The pieces of the row types, by the numbers that they have got, and what their labels stand for."""

    @property
    def tokens(self) -> Tokens | None:
        """Return what tokens among the labels stand for; None if all labels are texts."""

    def of(self, number: Int64) -> pa.Array:
        """Return a list of pieces for each number."""


class ListedPieces:
    """Pieces that are in memory as one list of lists.

    Parameters
    ----------
    lists : ListArray [t]
        By the numbers of the row types.
    tokens : Tokens, optional
        What labels stand for.
    """

    def __init__(self, lists: pa.ListArray, tokens: Tokens | None) -> None:
        self._lists, self._tokens = lists, tokens

    @property
    def tokens(self) -> Tokens | None:
        """Return what tokens among the labels stand for."""
        return self._tokens

    def of(self, number: Int64) -> pa.Array:
        """Return a list of pieces for each number; those that follow each other are not copied."""
        first = int(number[0]) if len(number) else 0
        if np.array_equal(number, np.arange(first, first + len(number))):
            return self._lists.slice(first, len(number))
        return self._lists.take(numbers(number))


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainPieces:
    """Pieces of row types without labels and sensitive values."""

    hidden: pa.ListArray  # for each kind of piece the names of the columns that it hides
    place: Int64  # [t]: for each number of a row type its place in the table
    first: Int64  # [t + 1]: where the pieces of each row type of the table begin
    kind: Int32  # [q]: the kind of each piece: what it shows
    count: Int64  # [q]: its rows

    @classmethod
    def of_recoding(cls, table: CodedTable, recoding: Recoding) -> PlainPieces:
        """Return the pieces of a recoding, which are in the order of the row types."""
        place = np.empty(table.row_types, np.int64)
        place[table.origin] = np.arange(table.row_types)
        first = np.searchsorted(recoding.row_type, np.arange(table.row_types + 1))
        kinds, kind = np.unique(recoding.shown, return_inverse=True)
        return cls(
            hidden=hidden_columns(kinds, table), place=place, first=first, kind=kind.astype(np.int32), count=recoding.count
        )

    @property
    def tokens(self) -> None:
        """There are no labels."""

    def of(self, number: Int64) -> pa.Array:
        """Return a list of pieces for each number."""
        import pyarrow as pa

        place = self.place[number]
        begin, size = self.first[place], self.first[place + 1] - self.first[place]
        start = np.append(0, np.cumsum(size))
        piece = np.repeat(begin - start[:-1], size) + np.arange(start[-1])
        upto = np.cumsum(self.count[piece])
        upto -= np.repeat(np.append(0, upto)[start[:-1]], size)
        pieces = pa.StructArray.from_arrays(
            [
                numbers(piece.astype(np.int32)),
                numbers(upto - self.count[piece]),
                numbers(upto),
                self.hidden.take(numbers(self.kind[piece])),
                pa.nulls(len(piece), pa.list_(pa.string())),
            ],
            ["piece", "after", "upto", "hidden", "labels"],
        )
        return pa.ListArray.from_arrays(numbers(start.astype(np.int32)), pieces)


def hidden_columns(shown: Words, table: CodedTable) -> pa.ListArray:
    """Return for each pattern a list of the names of the columns that it hides."""
    import pyarrow as pa

    bits = hidden_bits(shown, len(table.columns)).astype(np.bool_).repeat(table.width, axis=1)
    every = texts(chain.from_iterable(table.ladders))
    names = pa.DictionaryArray.from_arrays(numbers(np.nonzero(bits)[1].astype(np.int32)), every)
    offsets = np.append(0, np.cumsum(bits.sum(axis=1))).astype(np.int32)
    return pa.ListArray.from_arrays(numbers(offsets), names.dictionary_decode())
