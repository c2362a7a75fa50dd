"""Sources of a release: a table that holds still may be read twice, everything else is read once."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

import duckdb

from kanon_sql.engines.duckdb.names import name_parts, table_name
from kanon_sql.engines.duckdb.release import release_query
from kanon_sql.engines.duckdb.session import Session
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_checks import ROW_ORDERS
from kanon_sql.model.validation import same_name

_COLUMNS = """SELECT column_name FROM system.main.duckdb_columns()
    WHERE database_name = $1 AND schema_name = $2 AND table_name = $3"""

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
    columns = _stored_columns(session, [same_name(part) for part in name_parts(table)])
    if columns is None:
        return release_query(f"FROM {name}", policy, query=True, surface="function")
    # what rows show is then all of them: they are made of their classes, and not joined with them
    policy = replace(policy, every_column=policy.every_column or _is_about_all(policy, columns))
    return release_query(name, policy, surface="function")


def _is_about_all(policy: Policy, columns: set[str]) -> bool:
    """Return whether each of these columns is a quasi-identifier or sensitive, and no part of the policy is about rows."""
    named = {same_name(name) for name in (*(qi.column for qi in policy.quasi_identifiers), *policy.measured)}
    plain = policy.people is None and policy.keep is None and policy.row_order == ROW_ORDERS[0]
    return plain and not (policy.generalized or policy.known_requirements or policy.populations) and named == columns


def _stored_columns(session: Session, parts: list[str]) -> set[str] | None:
    """Return the columns of a name that can only be that of a table of a DuckDB database, else None.

    A transaction holds such a table still. It may have changed the columns; then the statement finds other ones.
    """
    with suppress(duckdb.Error), session.cursor() as cursor:
        rows = cursor.execute(_STORED).fetchall()
        places = [(place, kind) for *place, kind in rows if _names(parts, [same_name(part) for part in place])]
        if {kind for _, kind in places} == {"table"}:
            found = [{same_name(name) for (name,) in cursor.execute(_COLUMNS, place).fetchall()} for place, _ in places]
            return found[0] if len(found) == 1 else set()
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
