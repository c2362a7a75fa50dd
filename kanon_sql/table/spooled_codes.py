"""Row types of plain columns coded as they arrive, in files: memory holds their numbers of rows and what sorts them.

The values of a column get codes in the order of their arrival, and in the end those in the order of the values. So the coded
table is the same as that of `encode`, whatever the order in which the row types come.
"""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Callable, Sequence
from typing import IO, TYPE_CHECKING

import numpy as np

from kanon_sql.model.policy import Policy
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.encode import alike_row_types, exact, joined_codes, ranks, weighted_units, whole_costs
from kanon_sql.table.keys import mixed_radix

if TYPE_CHECKING:
    import pyarrow as pa


class SpooledCodes:
    """Row types on their way into a coded table.

    Parameters
    ----------
    columns : int
        Columns of the source.
    folder : str or None
        Where the files are put, which have no names; None is the system's own folder for them.

    Notes
    -----
    The distinct values of each column stay in memory.
    """

    def __init__(self, columns: int, folder: str | None) -> None:
        self._folder = folder
        self._files = [self._file() for _ in range(columns)]
        self._known: list[pa.Array | None] = [None] * columns
        self._weight: list[Int64] = []

    def _file(self) -> IO[bytes]:
        return tempfile.TemporaryFile(dir=self._folder, buffering=0)  # so that a full disk shows when something is written

    def _stored(self, *shape: int) -> Int32:
        """Return codes in a file that is there as long as they are; the disk must have space for all of them before."""
        with self._file() as file:
            if hasattr(os, "posix_fallocate"):  # else the process is killed when it writes what the disk cannot hold
                os.posix_fallocate(file.fileno(), 0, max(1, math.prod(shape) * np.dtype(np.int32).itemsize))
            codes: Int32 = np.memmap(file, np.int32, "w+", shape=shape)
        return codes

    def close(self) -> None:
        """Let go of the files of what has arrived."""
        for file in self._files:
            file.close()

    def add(self, values: Sequence[pa.Array], count: Int64) -> None:
        """Code further row types.

        Parameters
        ----------
        values : sequence of Array
            One for each column.
        count : int64 array
            Rows of each row type.
        """
        self._weight.append(count)
        for column, part in enumerate(values):
            encoded = exact(part).dictionary_encode(null_encoding="encode")
            number = self._numbered(column, encoded.dictionary)
            _write(self._files[column], number[np.from_dlpack(encoded.indices)])

    def _numbered(self, column: int, distinct: pa.Array) -> Int32:
        """Return the codes of distinct values by their arrival; those that are new get the next ones."""
        import pyarrow as pa
        import pyarrow.compute as pc

        known = self._known[column]
        if known is None:
            self._known[column] = distinct
            return np.arange(len(distinct), dtype=np.int32)
        place = pc.index_in(distinct, value_set=known)
        fresh = place.is_null()
        number = np.array(np.from_dlpack(place.fill_null(-1)), np.int32)
        number[number < 0] = len(known) + np.arange(place.null_count, dtype=np.int32)
        if place.null_count:
            self._known[column] = pa.concat_arrays([known, distinct.filter(fresh)])
        return number

    def table(self, names: list[str], policy: Policy, coded: Callable[[float], None]) -> tuple[CodedTable, Policy]:
        """Return the coded table, its codes in a file, and the policy with the columns' own names.

        Parameters
        ----------
        names : list of str
            The columns of the source, in the order in which they were added.
        policy : Policy
            Without recodings.
        coded : callable
            Hears of the share that is done, 0 to 1; may raise to stop the work.

        Raises
        ------
        SourceError, PolicyError
            As `encode`.

        Notes
        -----
        O(t (m + log t)); 8 bytes of memory for the weight of each of t row types, about 24 more while they are sorted.
        """
        policy = policy.resolve_row_types(names)
        weighted = weighted_units(policy)
        weight = np.concatenate(self._weight)
        cost, unit = whole_costs([each for _, each in weighted], int(weight.sum()))
        parts = [self._unit([names.index(name) for name in linked], len(weight)) for linked, _ in weighted]
        word, stride, words = mixed_radix(np.array([int(part.max()) + 1 for part in parts], np.int64))
        keys = [np.zeros(len(weight), np.int64) for _ in range(words)]
        for column, part in enumerate(parts):
            coded(column / len(parts) / 2)
            keys[word[column]] += part * stride[column]
        order = np.lexsort(keys).astype(np.int64, copy=False)  # the first column counts least
        if np.logical_and.reduce([key[order[1:]] == key[order[:-1]] for key in keys]).any():
            raise alike_row_types()
        codes = self._stored(len(weight), len(parts))
        for column, part in enumerate(parts):
            coded((1 + column / len(parts)) / 2)
            codes[:, column] = part[order]
        table = CodedTable(
            columns=tuple(linked for linked, _ in weighted),
            codes=codes,
            weight=weight[order],
            origin=order,
            cost=cost,
            unit=unit,
        )
        return table, policy

    def _unit(self, places: list[int], row_types: int) -> Int32:
        """Return the codes of a column, or of linked ones, in a file."""
        plain = [self._ranked(place, row_types) for place in places]
        codes = self._stored(row_types)
        codes[:] = plain[0] if len(plain) == 1 else joined_codes(np.stack(plain, axis=1))
        return codes

    def _ranked(self, column: int, row_types: int) -> Int32:
        file, known = self._files[column], self._known[column]
        by_arrival: Int32 = np.memmap(file, np.int32, "r+", shape=(row_types,))
        codes: Int32 = ranks(known)[by_arrival]
        return codes


def _write(file: IO[bytes], codes: Int32) -> None:
    """Write all codes; a write of more than the disk takes writes a part of them before the next one fails."""
    rest = memoryview(codes.tobytes())
    while rest:
        rest = rest[file.write(rest) :]
