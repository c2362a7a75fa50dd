"""The tables of DuckDB databases: a transaction holds them still, so a statement may read them twice."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import duckdb

from kanon_sql.engines.duckdb.names import name_parts
from kanon_sql.model.validation import same_name

_COLUMNS = """SELECT column_name FROM system.main.duckdb_columns()
    WHERE database_name = $1 AND schema_name = $2 AND table_name = $3"""

_STORED = """SELECT database_name, schema_name, table_name, 'table' FROM system.main.duckdb_tables()
    WHERE database_name IN (SELECT database_name FROM system.main.duckdb_databases() WHERE type = 'duckdb')
    UNION ALL
    SELECT database_name, schema_name, view_name, 'view' FROM system.main.duckdb_views()"""


def stored_columns(connect: Callable[[], Any], table: str) -> list[str] | None:
    """Return the columns of a name that can only be that of a table of a DuckDB database, else None.

    Parameters
    ----------
    connect : callable
        Opens a connection to the instance.
    table : str
        A possibly qualified name.

    Notes
    -----
    A transaction holds such a table still. It may have changed the columns; then the statement finds other ones.
    """
    parts = [same_name(part) for part in name_parts(table)]
    with suppress(duckdb.Error), connect() as cursor:
        rows = cursor.execute(_STORED).fetchall()
        places = [(place, kind) for *place, kind in rows if _names(parts, [same_name(part) for part in place])]
        if {kind for _, kind in places} == {"table"}:
            found = [[name for (name,) in cursor.execute(_COLUMNS, place).fetchall()] for place, _ in places]
            return found[0] if len(found) == 1 else []
    return None


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
