"""Sources of a release: a table that holds still may be read twice, everything else is read once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kanon_sql.engines.duckdb.names import table_name
from kanon_sql.engines.duckdb.release import release_query
from kanon_sql.engines.duckdb.session import Session
from kanon_sql.engines.duckdb.stored_tables import stored_columns
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_checks import ROW_ORDERS
from kanon_sql.model.validation import same_name


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
    columns = stored_columns(session.cursor, table)
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
