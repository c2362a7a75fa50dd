"""`kanon_plan_table(name, known, policy, wide, surface)`: the release of a table, over the columns just heard."""

from __future__ import annotations

from kanon_sql.engines.duckdb.connect.functions import Function, refusing_query
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.engines.duckdb.gather.sources import planned_table
from kanon_sql.model.policy import Policy
from kanon_sql.model.surfaces import Surface


def plan(session: Session, name: str, known: str, policy: str, wide: str, surface: Surface) -> str:
    """Return the SQL of the release; runs when the statement is bound."""
    columns = session.binding.columns(name)
    return planned_table(columns, name, known, Policy.from_json(policy), wide or None, surface)


FUNCTION = Function(name="kanon_plan_table", returns="VARCHAR", call=plan, refused=refusing_query)
