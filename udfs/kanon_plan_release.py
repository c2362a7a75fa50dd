"""`kanon_plan_release(name, table, policy)`: the release of `"kanon#body"`, a query, under a stored policy."""

from __future__ import annotations

from kanon_sql.engines.duckdb.functions import Function, refusing_query
from kanon_sql.engines.duckdb.policies import released_query
from kanon_sql.engines.duckdb.release import release_query
from kanon_sql.engines.duckdb.session import Session


def plan(session: Session, name: str, table: str, policy: str) -> str:
    """Return the SQL of the release; runs when the statement is bound, once the columns of the query are known."""
    body, required = released_query(session, name, table, policy)
    return release_query(body, required, query=True)


FUNCTION = Function(name="kanon_plan_release", returns="VARCHAR", call=plan, refused=refusing_query)
