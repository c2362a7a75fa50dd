"""`kanon_column(policy, column)`: hears the columns of a query while it is bound, for the planner that asks next."""

from __future__ import annotations

from kanon_sql.engines.duckdb.connect.functions import Function
from kanon_sql.engines.duckdb.connect.session import Session


def column(session: Session, policy: str, name: str) -> bool:
    """Note a column of the query under a policy."""
    session.binding.bound(policy, name)
    return True


FUNCTION = Function(name="kanon_column", returns="BOOLEAN", call=column)
