"""Sources of a release: a table that holds still may be read twice, everything else is read once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from kanon_sql.engines.duckdb.known_columns import columns_heard
from kanon_sql.engines.duckdb.names import quoted, table_name
from kanon_sql.engines.duckdb.release import release_query
from kanon_sql.engines.duckdb.session import Session
from kanon_sql.engines.duckdb.stored_tables import stored_columns
from kanon_sql.model.dropped_columns import dropped_columns
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_checks import ROW_ORDERS
from kanon_sql.model.surfaces import Surface
from kanon_sql.model.validation import same_name


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
        The surface. Errors name its options.
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
    columns = stored_columns(session.cursor, table)
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
