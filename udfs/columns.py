"""The columns of a query, heard while it is bound.

- `kanon_column(policy, column)`: hears the columns of a query, for the planner that asks next.
- `kanon_columns_known(key, named, policy, surface)`: an error of ours unless the columns just heard fit a policy.
"""

from __future__ import annotations

import json

from kanon_sql.engines.duckdb.connect.functions import Function, refusing_query
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.errors import UnknownColumnError
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_checks import OWN
from kanon_sql.model.surfaces import Surface
from kanon_sql.model.validation import same_name


def heard(session: Session, policy: str, name: str) -> bool:
    """Note a column of the query under a policy."""
    session.binding.bound(policy, name)
    return True


def known(session: Session, key: str, named: str, policy: str | None, surface: Surface) -> str:
    """Return a query of one row, for ``query``, which runs its argument when a statement is bound."""
    columns = session.binding.columns(key)
    there = set(map(same_name, columns))
    for role, column in json.loads(named):
        if same_name(column) not in there:
            raise UnknownColumnError.of(column, columns, role)
    if policy is not None:
        shown = [column for column in columns if not same_name(column).startswith(OWN)]
        Policy.from_json(policy).check_roles(shown, surface)
    return "SELECT 1"


FUNCTIONS = (
    Function(name="kanon_column", returns="BOOLEAN", call=heard),
    Function(name="kanon_columns_known", returns="VARCHAR", call=known, refused=refusing_query),
)
