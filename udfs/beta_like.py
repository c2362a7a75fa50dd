"""`beta_like(tbl, sa, beta)`: the release of least cost in which every class is also beta-like to the whole table."""

from __future__ import annotations

from typing import Any

from kanon_sql.udfs import arguments

from kanon_sql.engines.duckdb.functions import Function, refusing_query
from kanon_sql.engines.duckdb.session import Session
from kanon_sql.engines.duckdb.sources import release_of_table
from kanon_sql.model.requirements import BetaLikeness


def plan(session: Session, tbl: str, sa: str, beta: Any, *values: Any) -> str:
    """Return the SQL of the release; runs when the statement is bound and touches no data."""
    return release_of_table(session, tbl, arguments.policy(values, BetaLikeness(sensitive=sa, beta=beta)))


FUNCTION = Function(name="kanon_plan_beta_like", returns="VARCHAR", call=plan, refused=refusing_query)

MACRO = (
    f"{arguments.signature('beta_like', 'tbl', 'sa', 'beta')} AS TABLE FROM {arguments.plan_call(FUNCTION.name, 'sa', 'beta')}"
)
