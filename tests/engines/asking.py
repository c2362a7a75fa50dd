"""Ask DuckDB with a limit of time: a statement that hangs is interrupted, and fails the test."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb

SECONDS = 30.0
"""Far more than any statement here takes; a hang is told from a slow machine."""


def nothing_copied(target: Path) -> bool:
    """Whether a refused COPY on a plain connection left no file; before DuckDB 2 it leaves an empty one."""
    return not target.exists() or (duckdb.__version__ < "2" and target.stat().st_size == 0)


def ask(con: Any, sql: str, parameters: Any = None, seconds: float = SECONDS) -> list[tuple[Any, ...]]:
    """Run a statement and return its rows."""
    hung = threading.Event()

    def stop() -> None:
        hung.set()
        con.interrupt()

    timer = threading.Timer(seconds, stop)
    timer.start()
    try:
        rows = con.execute(sql, parameters).fetchall()
    except duckdb.InterruptException:
        if hung.is_set():
            raise AssertionError(f"no answer within {seconds} s: {sql}") from None
        raise
    finally:
        timer.cancel()
    assert not hung.is_set()
    return rows


def tables(con: Any) -> set[str]:
    """Return the names of all tables and views of the user."""
    names = "SELECT table_name FROM duckdb_tables() UNION SELECT view_name FROM duckdb_views() WHERE NOT internal"
    return {row[0] for row in ask(con, names)}


def types(con: Any, query: str) -> list[tuple[str, str]]:
    """Return the names and types of the columns of a query."""
    return [(row[0], row[1]) for row in ask(con, f"DESCRIBE {query}")]


def class_sizes(rows: Sequence[tuple[Any, ...]], columns: Sequence[int]) -> Counter[tuple[str, ...]]:
    """Count the rows of each class, by the texts of their values."""
    return Counter(tuple(repr(row[c]) for c in columns) for row in rows)
