"""One connection for many tests: each gets an empty database on it, and none leaves a trace."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import duckdb

TRACES = """
    SELECT 'setting', name, value FROM duckdb_settings() WHERE name NOT IN ('schema', 'search_path')
    UNION ALL SELECT 'database', database_name, path FROM duckdb_databases()
    UNION ALL SELECT 'table', table_name, sql FROM duckdb_tables()
    UNION ALL SELECT 'view', view_name, sql FROM duckdb_views() WHERE NOT internal
    UNION ALL SELECT 'function', function_name, macro_definition FROM duckdb_functions() WHERE NOT internal
"""


@contextmanager
def untouched(con: Any) -> Iterator[Any]:
    """Fail unless settings, databases, tables, views and functions of a shared connection are in the end what they were."""
    before = set(con.execute(TRACES).fetchall())
    yield con
    left = set(con.execute(TRACES).fetchall()) ^ before
    assert not left, left


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
