"""The row types of one running statement: they arrive in chunks, and their pieces are handed back by number.

As long as they fit the memory they are kept as they came. Where there are more, and the policy can be solved by parts, only
their codes are kept, in files; DuckDB keeps the values, and moves them to the disk where it has to.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kanon_sql.engines.duckdb.gather.gathering import Gathering
from kanon_sql.engines.pieces import PiecesByNumber
from kanon_sql.errors import SourceError, raise_alone
from kanon_sql.model.policy import Policy
from kanon_sql.model.surfaces import Surface
from kanon_sql.solvers.problem_classes import ProblemClass
from kanon_sql.table.arrays import Int64
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.spooled_codes import SpooledCodes

if TYPE_CHECKING:
    import pyarrow as pa

_BYTES = 64
"""Bytes of memory that a value of a row type takes while all of them are solved at once: itself, its code, its pieces."""

_UNITS = {"byte": 1, "bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40, "PiB": 1 << 50}

_BLOCK = 1 << 17
"""Row types that are coded together: a chunk alone is too small for the look at all values of a column."""


class RowTypeGathering(Gathering):
    """The row types of one statement while it runs.

    Parameters
    ----------
    memory : str
        What DuckDB may use, in the form of its setting ``memory_limit``: ``'1.5 GiB'``.
    folder : str or None
        Where files may be put: the setting ``temp_directory``, or next to it while it is not there; else in the system's own.
    connection : int
        The connection that runs the statement, as DuckDB numbers them.
    warnings : iterable of str
        What its certificate says of whom a row describes.
    begun : float, optional
        When the statement began, as `time.monotonic`; by default now.

    Attributes
    ----------
    pieces : PiecesByNumber or None
        Once they are found.
    """

    def __init__(
        self,
        policy: Policy,
        memory: str,
        folder: str | None,
        connection: int,
        warnings: Iterable[str] = (),
        surface: Surface = "clause",
        begun: float | None = None,
    ) -> None:
        super().__init__(warnings)
        size, unit = memory.split()
        self.memory = int(float(size) * _UNITS[unit])
        self.connection = connection
        self.surface = surface
        self.pieces: PiecesByNumber | None = None
        self.begun = self.touched if begun is None else begun
        self.policy = policy
        self._folder = _writable(folder)
        self._waiting = self._bytes = self._handed = 0
        self._spooled: SpooledCodes | None = None

    @property
    def row_types(self) -> int:
        """Return how many have arrived."""
        return self._rows

    def _arrived(self, chunk: pa.StructArray) -> None:
        """Move the codes of row types that are too many for the memory to files.

        Raises
        ------
        SourceError
            When the policy cannot be solved by parts.
        """
        self._waiting += len(chunk)
        self._bytes += chunk.nbytes
        if self._spooled is None and self._rows > self.capacity:
            self._spill()
        if self._spooled is not None and self._waiting >= _BLOCK:
            self._code()

    @property
    def capacity(self) -> int:
        """Return how many row types the memory holds at once."""
        fields = self._chunks[0].type.num_fields if self._chunks else 1
        return max(1, self.memory // (_BYTES * fields))

    def _spill(self) -> None:
        fields = self._chunks[0].type.num_fields
        if ProblemClass.of(self.policy).divisible(self.policy):
            try:
                self._spooled = SpooledCodes(fields - 1, self._folder)
            except OSError as error:
                raise_alone(_unwritten(error))
        elif self._bytes > self.memory:
            raise SourceError(
                f"more than {self._rows} row types exceed memory_limit; hint: raise the limit, use fewer or "
                "more general quasi-identifiers, or, for k alone, use the algorithm 'greedy', which solves the table in parts"
            )

    def _code(self) -> None:
        """Move the chunks that wait to the files."""
        if self._spooled is not None and self._chunks:
            first = self._chunks[0]
            *values, count = self._joined().flatten()
            try:
                self._spooled.add(values, np.from_dlpack(count).astype(np.int64))
            except OSError as error:
                raise_alone(_unwritten(error))
            self._chunks, self._waiting = [first.slice(0, 0)], 0

    def whole(self) -> pa.StructArray | None:
        """Hand over all row types in the order of their numbers, once; None where they are in files."""
        if self._spooled is not None:
            return None
        return self._joined()

    def coded(self, report: Callable[[str, float], None]) -> tuple[CodedTable, Policy]:
        """Return the table of the row types that are in files, and the resolved policy."""
        self._code()
        if self._spooled is None:
            raise AssertionError("nothing was spooled")
        names = [field.name for field in self._chunks[0].type]
        try:
            return self._spooled.table(names[:-1], self.policy, lambda done: report("coding", done))
        except OSError as error:
            raise_alone(_unwritten(error))

    def found(self, pieces: PiecesByNumber) -> None:
        """Take the pieces; the row types are no longer needed."""
        self.close()
        self.pieces = pieces
        self.touched = time.monotonic()

    def close(self) -> None:
        """Let go of the row types and the pieces."""
        super().close()
        if self._spooled is not None:
            self._spooled.close()
        self.pieces, self._spooled = None, None

    def handed(self, number: Int64) -> tuple[pa.Array, bool]:
        """Return the pieces of some row types, and whether these were the last."""
        if self.pieces is None:
            raise AssertionError("pieces were requested before the solver made them")
        with self._lock:
            self.touched = time.monotonic()
            self._handed += len(number)
            return self.pieces.of(number), self._handed >= self._rows


def _writable(folder: str | None) -> str | None:
    """Return a folder for files: DuckDB makes that of the setting when it first needs it."""
    places = [Path(folder), Path(folder).parent] if folder else []
    return next((str(each) for each in places if each.is_dir() and os.access(each, os.W_OK)), None)


def _unwritten(error: OSError) -> SourceError:
    kind = error.strerror or type(error).__name__
    return SourceError(f"cannot store row types in a file: {kind}; hint: set temp_directory to a disk with free space")
