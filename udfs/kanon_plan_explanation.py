"""`kanon_plan_explanation(name, table, policy, wide, surface, database)`: explains the release of a query."""

from __future__ import annotations

from functools import partial

from kanon_sql.engines.duckdb.connect.functions import Function, refusing_query
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.engines.duckdb.policies.stored_policies import planned
from kanon_sql.engines.duckdb.release.explanation import explanation_query
from kanon_sql.model.stored_policy import StoredPolicy
from kanon_sql.model.surfaces import Surface


def plan(session: Session, name: str, table: str, policy: str, wide: str, surface: Surface, database: str) -> str:
    """Return the SQL of the explanation; runs when the statement is bound, once the columns of the query are known."""
    return planned(
        session, StoredPolicy.from_json(name, table, policy), database, partial(explanation_query, wide=wide, surface=surface)
    )


FUNCTION = Function(name="kanon_plan_explanation", returns="VARCHAR", call=plan, refused=refusing_query)
