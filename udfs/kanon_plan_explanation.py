"""`kanon_plan_explanation(name, table, policy)`: what explains the release of `"kanon#body"` under a stored policy."""

from __future__ import annotations

from kanon_sql.engines.duckdb.explanation import explanation_query
from kanon_sql.engines.duckdb.functions import Function, refusing_query
from kanon_sql.engines.duckdb.policies import released_query
from kanon_sql.engines.duckdb.session import Session


def plan(session: Session, name: str, table: str, policy: str) -> str:
    """Return the SQL of the explanation; runs when the statement is bound, once the columns of the query are known."""
    return explanation_query(*released_query(session, name, table, policy))


FUNCTION = Function(name="kanon_plan_explanation", returns="VARCHAR", call=plan, refused=refusing_query)
