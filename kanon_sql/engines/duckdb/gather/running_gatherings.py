"""What all running statements gather: row types, base cells or rows, by a number."""

from __future__ import annotations

import secrets
import threading
import time
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from kanon_sql.engines.duckdb.cells.gathered_cells import CellGathering
    from kanon_sql.engines.duckdb.gather.gathered_row_types import Gathering
    from kanon_sql.engines.duckdb.histories.gathered_rows import HistoryGathering

    AnyGathering: TypeAlias = Gathering | CellGathering | HistoryGathering

_IDLE = 3600.0
"""Seconds after which a gathering that nobody has used belongs to a statement that failed."""


class Gatherings:
    """The gatherings of one DuckDB instance."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[int, AnyGathering] = {}

    def __len__(self) -> int:
        return len(self._running)

    def begin(self, gathering: AnyGathering) -> int:
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
