"""`delta_present(tbl, presence, population)`: a release in which no row of the population has shares of more than presence."""

from __future__ import annotations

from typing import Any

from kanon_sql.udfs import arguments

from kanon_sql.engines.duckdb.functions import Function, refusing_query
from kanon_sql.engines.duckdb.session import Session
from kanon_sql.engines.duckdb.sources import release_of_table


def plan(session: Session, tbl: str, *values: Any) -> str:
    """Return the SQL of the release; runs when the statement is bound and touches no data."""
    return release_of_table(session, tbl, arguments.policy(values))


FUNCTION = Function(name="kanon_plan_delta_present", returns="VARCHAR", call=plan, refused=refusing_query)

MACRO = (
    f"{arguments.signature('delta_present', 'tbl', 'presence', 'population', k='1')} "
    f"AS TABLE FROM {arguments.plan_call(FUNCTION.name)}"
)
