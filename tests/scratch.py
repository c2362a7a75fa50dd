"""One connection for many tests: each gets an empty database on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def scratch(con: Any, beside: str = "") -> Iterator[Any]:
    """Let a test make tables, views, types and macros on a shared connection, in a database that goes with the test.

    Parameters
    ----------
    con : DuckDBPyConnection or Connection
        A connection to memory. The test leaves its settings, temporary objects and attached databases as they are.
    beside : str, optional
        Further entries of the search path.
    """
    con.execute("ATTACH ':memory:' AS scratch")
    con.execute(f"SET search_path = 'scratch.main{beside}'")
    try:
        yield con
    finally:
        con.execute("USE memory.main")
        con.execute("DETACH scratch")
