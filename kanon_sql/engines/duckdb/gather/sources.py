"""Sources of a release: a table that holds still may be read twice, everything else is read once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from kanon_sql.engines.duckdb.connect.binding import heard
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.engines.duckdb.gather.from_items import is_stored
from kanon_sql.engines.duckdb.names import literal, quoted, table_name
from kanon_sql.engines.duckdb.release.query import release_query
from kanon_sql.model.dropped_columns import dropped_columns, read_drop, remaining
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_checks import ROW_ORDERS
from kanon_sql.model.surfaces import Surface
from kanon_sql.model.unit_of_policy import unit_of
from kanon_sql.model.validation import same_name

_OF_TABLE = """SELECT "kanon#released".*
FROM {heard} AS "kanon#columns", system.main.query(system.main.kanon_plan_table({arguments})) AS "kanon#released\""""


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
    drop : sequence of str, optional
        Columns that are left out; that of PER is left out anyway.
    wide : str, optional
        A query of the same rows with the columns that the table leaves out.

    Notes
    -----
    The name may also be that of a view, a file, or a query above (WITH), which may give other rows each time: these are kept
    while the release runs. A table that a query above hides is taken for the table; if that query gives other rows when it is
    read again, the release fails.
    """
    name = table_name(table)
    known = json.dumps([is_stored(session.cursor, table), read_drop(drop)])
    arguments = ", ".join(map(literal, (name, known, policy.to_json(), wide or "", surface)))
    return _OF_TABLE.format(heard=heard(name, name), arguments=arguments)


def planned_table(columns: Sequence[str], name: str, known: str, policy: Policy, wide: str | None, surface: Surface) -> str:
    """Return the SQL of the release of a table, once its columns are known.

    Parameters
    ----------
    columns : sequence of str
        All columns of the table.
    name : str
        Its quoted name.
    known : str
        As JSON, whether it is stored, and the columns to leave out.
    policy, wide, surface
        As for `release_of_table`.

    Raises
    ------
    UnknownColumnError
        When the table does not have a column of the policy, or of those to leave out.
    PolicyError
        When the policy does not fit the columns.
    """
    stored, drop = json.loads(known)
    dropped = dropped_columns(drop, policy, columns)
    shown = remaining(columns, dropped)
    resolved = policy.resolve(shown, surface)
    if whole := _is_about_all(resolved, shown):
        resolved = replace(resolved, every_column=True).resolve(shown)  # it does not matter in which order they are named
    source = without(name, dropped)
    return release_query(
        source if stored else f"FROM {source}",
        resolved,
        f"FROM {name}" if dropped else wide,
        query=not stored,
        surface=surface,
        unit=unit_of(resolved, every_column=policy.every_column),
        whole=whole,
    )


def _is_about_all(policy: Policy, columns: Sequence[str]) -> bool:
    """Return whether each of these columns is a quasi-identifier or sensitive, and no part of the policy is about rows."""
    plain = policy.people is None and policy.keep is None and policy.row_order == ROW_ORDERS[0]
    roles = {same_name(name) for name in (*(qi.column for qi in policy.quasi_identifiers), *policy.measured)}
    return plain and not (policy.known_requirements or policy.populations) and roles == set(map(same_name, columns))


def without(name: str, dropped: Sequence[str]) -> str:
    """Return a relation without some of its columns, as written after FROM."""
    if not dropped:
        return name
    columns = ", ".join(map(quoted, dropped))
    return f'(SELECT "kanon#s".* EXCLUDE ({columns}) FROM {name} AS "kanon#s")'  # noqa: S608
