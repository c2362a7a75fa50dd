"""Sources of a release: a table that holds still may be read twice, everything else is read once."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import duckdb

from kanon_sql.engines.duckdb.known_columns import columns_heard
from kanon_sql.engines.duckdb.names import name_parts, quoted, table_name
from kanon_sql.engines.duckdb.release import release_query
from kanon_sql.engines.duckdb.session import Session
from kanon_sql.model.dropped_columns import dropped_columns
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_checks import ROW_ORDERS
from kanon_sql.model.surfaces import Surface
from kanon_sql.model.validation import same_name

_COLUMNS = """SELECT column_name FROM system.main.duckdb_columns()
    WHERE database_name = $1 AND schema_name = $2 AND table_name = $3"""

_STORED = """SELECT database_name, schema_name, table_name, 'table' FROM system.main.duckdb_tables()
    WHERE database_name IN (SELECT database_name FROM system.main.duckdb_databases() WHERE type = 'duckdb')
    UNION ALL
    SELECT database_name, schema_name, view_name, 'view' FROM system.main.duckdb_views()"""


def release_of_table(
    session: Session,
    table: Any,
    policy: Policy,
    drop: Sequence[str] | None = None,
    surface: Surface = "function",
    wide: str | None = None,
) -> str:
    """Return the SQL of the release of what a name stands for.

    Parameters
    ----------
    session : Session
        Tells which tables are stored.
    table : str
        A possibly qualified name.
    policy : Policy
        The guarantee.
    drop : sequence of str, optional
        Columns that are left out; that of PER is left out anyway.
    surface : Surface
        In whose words a refusal says what to do.
    wide : str, optional
        A query of the same rows with the columns that the table leaves out.

    Raises
    ------
    UnknownColumnError
        When a table does not have a column of ``drop``.

    Notes
    -----
    The name may also be that of a view, a file, or a query above (WITH), which may give other rows each time: these are kept
    while the release runs. A table that a query above hides is taken for the table; if that query gives other rows when it is
    read again, the release fails.
    """
    name = table_name(table)
    columns = _stored_columns(session, [same_name(part) for part in name_parts(table)])
    dropped = dropped_columns(drop, policy, columns or None)
    wide = f"FROM {name}" if dropped else wide
    if columns is None:
        return release_query(f"FROM {without(name, dropped, heard=True)}", policy, wide, query=True, surface=surface)
    # what rows show is then all of them: they are made of their classes, and not joined with them
    policy = replace(policy, every_column=policy.every_column or _is_about_all(policy, columns, dropped))
    return release_query(without(name, dropped, heard=not columns), policy, wide, surface=surface)


def without(name: str, dropped: Sequence[str], *, heard: bool = False) -> str:
    """Return a relation without some columns, as it stands behind FROM.

    Parameters
    ----------
    name : str
        The relation.
    dropped : sequence of str
        The columns.
    heard : bool
        Whether it is not known that it has these columns; then a statement with it is refused when it is bound.
    """
    if not dropped:
        return name
    looked = columns_heard([(name, [("drop", each) for each in dropped])]) if heard else ""
    columns = ", ".join(map(quoted, dropped))
    return f'(SELECT "kanon#s".* EXCLUDE ({columns}) FROM {looked}{name} AS "kanon#s")'  # noqa: S608


def _is_about_all(policy: Policy, columns: Sequence[str], dropped: Sequence[str]) -> bool:
    """Return whether each of these columns is a quasi-identifier or sensitive, and no part of the policy is about rows."""
    shown = set(map(same_name, columns)) - set(map(same_name, dropped))
    named_columns = {same_name(name) for name in (*(qi.column for qi in policy.quasi_identifiers), *policy.measured)}
    plain = policy.people is None and policy.keep is None and policy.row_order == ROW_ORDERS[0]
    return plain and not (policy.generalized or policy.known_requirements or policy.populations) and named_columns == shown


def _stored_columns(session: Session, parts: list[str]) -> list[str] | None:
    """Return the columns of a name that can only be that of a table of a DuckDB database, else None.

    A transaction holds such a table still. It may have changed the columns; then the statement finds other ones.
    """
    with suppress(duckdb.Error), session.cursor() as cursor:
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
