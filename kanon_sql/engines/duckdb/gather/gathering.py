"""What all running statements gather: row types, base cells or rows, by a number."""

from __future__ import annotations

import math
import secrets
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa

    from kanon_sql.engines.duckdb.connect.running_search import RunningSearch
    from kanon_sql.table.arrays import Int64

_IDLE = 3600.0
"""Seconds after which a gathering that nobody has used belongs to a statement that failed."""


class Gathering:
    """What one statement gathers while it runs: chunks arrive until a solver takes all of them.

    Parameters
    ----------
    warnings : iterable of str
        What the certificate says of whom a row describes.

    Attributes
    ----------
    touched : float
        When it was last used, as `time.monotonic`; infinity while a solver is at work.
    """

    def __init__(self, warnings: Iterable[str] = ()) -> None:
        self.warnings = tuple(warnings)
        self.touched = time.monotonic()
        self._lock = threading.Lock()
        self._chunks: list[pa.StructArray] = []
        self._rows = 0

    def add(self, chunk: pa.StructArray) -> Int64:
        """Take a chunk and return numbers for its entries, from 0 in the order of their arrival."""
        with self._lock:
            self.touched = time.monotonic()
            first, self._rows = self._rows, self._rows + len(chunk)
            self._chunks.append(chunk)
            self._arrived(chunk)
            return np.arange(first, self._rows)

    def _arrived(self, chunk: pa.StructArray) -> None:
        """Go on with a chunk that has come, under the lock."""

    def require(self, count: int) -> None:
        """Raise where another number of entries has arrived than there are."""
        if count != self._rows:
            raise AssertionError(f"{self._rows} of {count} entries were gathered")

    def _joined(self) -> pa.StructArray:
        """Hand over all chunks as one, once."""
        import pyarrow as pa

        chunks, self._chunks = self._chunks, []
        return chunks[0] if len(chunks) == 1 else pa.concat_arrays(chunks)

    def close(self) -> None:
        """Let go of everything."""
        self._chunks = []


class Gatherings:
    """The gatherings of one DuckDB instance."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[int, Gathering] = {}

    def __len__(self) -> int:
        return len(self._running)

    def begin(self, gathering: Gathering) -> int:
        """Keep a gathering while its statement runs and return its number; those of statements that failed are let go."""
        with self._lock:
            idle = time.monotonic() - _IDLE
            for key in [key for key, each in self._running.items() if each.touched < idle]:
                self._running.pop(key).close()
            key = secrets.randbits(62)  # no other statement can guess it
            self._running[key] = gathering
            return key

    def of(self, key: int) -> Any:
        """Return the gathering of a number."""
        with self._lock:
            return self._running[key]

    def end(self, key: int) -> None:
        """Let go of a gathering."""
        with self._lock:
            gathering = self._running.pop(key, None)
        if gathering is not None:
            gathering.close()

    @contextmanager
    def ending(self, key: int) -> Iterator[Any]:
        """Give a gathering for the last time."""
        try:
            yield self.of(key)
        finally:
            self.end(key)

    @contextmanager
    def solving(self, key: int, count: int, search: RunningSearch) -> Iterator[Any]:
        """Give a gathering of so many entries to a solver; if that fails, it is let go."""
        search.ready()
        gathering = self.of(key)
        gathering.touched = math.inf  # the solver may take its time
        try:
            gathering.require(count)
            yield gathering
        except BaseException:
            self.end(key)
            raise
        finally:
            search.rest()
        gathering.touched = time.monotonic()
