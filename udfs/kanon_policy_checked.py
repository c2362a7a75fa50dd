"""`kanon_policy_checked(name, table, policy, columns)`: whether a policy fits the columns of its table; an error if not."""

from __future__ import annotations

from kanon_sql.engines.duckdb.connect.functions import Function
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.model.policy_names import stored_of


def checked(_session: Session, name: str, table: str, policy: str, columns: list[str]) -> bool:
    """Check that the policy gives each column of the table a role, and names no other."""
    stored_of(name, table, policy).check_columns(columns)
    return True


FUNCTION = Function(name="kanon_policy_checked", returns="BOOLEAN", call=checked, side_effects=True)
