"""Sources of a release: a table that holds still may be read twice, everything else is read once."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import duckdb

from kanon_sql.engines.duckdb.names import name_parts, table_name
from kanon_sql.engines.duckdb.release import release_query
from kanon_sql.engines.duckdb.session import Session
from kanon_sql.model.policy import Policy
from kanon_sql.model.validation import same_name

_STORED = """SELECT database_name, schema_name, table_name, 'table' FROM system.main.duckdb_tables()
    WHERE database_name IN (SELECT database_name FROM system.main.duckdb_databases() WHERE type = 'duckdb')
    UNION ALL
    SELECT database_name, schema_name, view_name, 'view' FROM system.main.duckdb_views()"""


def release_of_table(session: Session, table: Any, policy: Policy) -> str:
    """Return the SQL of the release of what a name stands for.

    Parameters
    ----------
    session : Session
        Tells which tables are stored.
    table : str
        A possibly qualified name.
    policy : Policy
        The guarantee.

    Notes
    -----
    The name may also be that of a view, a file, or a query above (WITH), which may give other rows each time: these are kept
    while the release runs. A table that a query above hides is taken for the table; if that query gives other rows when it is
    read again, the release fails.
    """
    name = table_name(table)
    if _is_stored(session, [same_name(part) for part in name_parts(table)]):
        return release_query(name, policy)
    return release_query(f"FROM {name}", policy, query=True)


def _is_stored(session: Session, parts: list[str]) -> bool:
    """Return whether the name can only be that of a table of a DuckDB database; a transaction holds that still."""
    with suppress(duckdb.Error), session.cursor() as cursor:
        rows = cursor.execute(_STORED).fetchall()
        found = {kind for *place, kind in rows if _names(parts, [same_name(part) for part in place])}
        return found == {"table"}
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
