"""One connection for many tests: each gets an empty database on it, and none leaves a trace."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import duckdb

TRACES = """
    SELECT 'setting', name, value FROM duckdb_settings() WHERE name NOT IN ('schema', 'search_path')
    UNION ALL SELECT 'database', database_name, path FROM duckdb_databases()
    UNION ALL SELECT 'table', table_name, sql FROM duckdb_tables()
    UNION ALL SELECT 'view', view_name, sql FROM duckdb_views() WHERE NOT internal
    UNION ALL SELECT 'function', function_name, macro_definition FROM duckdb_functions() WHERE NOT internal
"""


@dataclass(frozen=True)
class Kept:
    """A connection that all modules share, since to make one takes longer than most tests; none may leave a trace on it."""

    con: Any
    before: frozenset[tuple[Any, ...]]

    @classmethod
    def of(cls, con: Any) -> Kept:
        """Return a connection with what is there: settings, databases, tables, views and functions."""
        return cls(con, _traces(con))

    @contextmanager
    def untouched(self) -> Iterator[Any]:
        """Give the connection to a module; fail unless all is in the end what it was."""
        yield self.con
        left = _traces(self.con) ^ self.before
        assert not left, left


def _traces(con: Any) -> frozenset[tuple[Any, ...]]:
    return frozenset(con.execute(TRACES).fetchall())


@contextmanager
def scratch(con: Any, beside: str = "") -> Iterator[Any]:
    """Let a test make tables, views, types and macros on a shared connection, in a database that goes with the test.

    Parameters
    ----------
    con : DuckDBPyConnection or Connection
        A connection to memory.
    beside : str, optional
        Further entries of the search path.
    """
    con.execute("ATTACH ':memory:' AS scratch")
    con.execute(f"SET search_path = 'scratch.main{beside}'")
    try:
        yield con
    finally:
        with suppress(duckdb.Error):  # mostly there is no transaction
            con.execute("ROLLBACK")
        con.execute("USE memory.main")
        con.execute("DETACH scratch")
