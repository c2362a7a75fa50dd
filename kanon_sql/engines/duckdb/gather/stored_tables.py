"""The tables of DuckDB databases: a transaction holds them still, so a statement may read them twice."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import duckdb

from kanon_sql.engines.duckdb.names import name_parts
from kanon_sql.model.validation import same_name

_STORED = """SELECT database_name, schema_name, table_name, 'table' FROM system.main.duckdb_tables()
    WHERE database_name IN (SELECT database_name FROM system.main.duckdb_databases() WHERE type = 'duckdb')
    UNION ALL
    SELECT database_name, schema_name, view_name, 'view' FROM system.main.duckdb_views()"""


def is_stored(connect: Callable[[], Any], table: str) -> bool:
    """Return whether a name can only be that of a table of a DuckDB database.

    Parameters
    ----------
    connect : callable
        Opens a connection to the instance.
    table : str
        A possibly qualified name.
    """
    parts = [same_name(part) for part in name_parts(table)]
    with suppress(duckdb.Error), connect() as cursor:
        rows = cursor.execute(_STORED).fetchall()
        return {kind for *place, kind in rows if _names(parts, [same_name(part) for part in place])} == {"table"}
    return False


def _names(parts: list[str], place: list[str]) -> bool:
    """Return whether a name of one to three parts may stand for the table at a place: database, schema, name."""
    database, schema, table = place
    match parts:
        case [one]:
            return one == table
        case [one, other]:
            return other == table and one in (schema, database)
        case _:
            return parts == place
