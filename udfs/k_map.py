"""`k_map(tbl, k_map, population)`: the release of least cost in which every row matches k_map rows of the population."""

from __future__ import annotations

from typing import Any

from kanon_sql.udfs import arguments

from kanon_sql.engines.duckdb.functions import Function, refusing_query
from kanon_sql.engines.duckdb.session import Session
from kanon_sql.engines.duckdb.sources import release_of_table


def plan(session: Session, tbl: str, *values: Any) -> str:
    """Return the SQL of the release; runs when the statement is bound and touches no data."""
    return release_of_table(session, tbl, arguments.policy(values))


FUNCTION = Function(name="kanon_plan_k_map", returns="VARCHAR", call=plan, refused=refusing_query)

MACRO = (
    f"{arguments.signature('k_map', 'tbl', 'k_map', 'population', k='1')} AS TABLE FROM {arguments.plan_call(FUNCTION.name)}"
)
