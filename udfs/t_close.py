"""`t_close(tbl, sa, t)`: the release of least cost in which every class is also t-close to the whole table."""

from __future__ import annotations

from typing import Any

from kanon_sql.udfs import arguments

from kanon_sql.engines.duckdb.functions import Function, refusing_query
from kanon_sql.engines.duckdb.session import Session
from kanon_sql.engines.duckdb.sources import release_of_table
from kanon_sql.model.requirements import TCloseness


def plan(session: Session, tbl: str, sa: str, t: Any, metric: str, hierarchy: str | None, *values: Any) -> str:
    """Return the SQL of the release; runs when the statement is bound and touches no data."""
    closeness = TCloseness(sensitive=sa, t=t, metric=metric, hierarchy=hierarchy)
    return release_of_table(session, tbl, arguments.policy(values, closeness))


FUNCTION = Function(name="kanon_plan_t_close", returns="VARCHAR", call=plan, refused=refusing_query)

_OWN = {"metric": "'equal'", "hierarchy": "NULL"}

MACRO = (
    f"{arguments.signature('t_close', 'tbl', 'sa', 't', **_OWN)} "
    f"AS TABLE FROM {arguments.plan_call(FUNCTION.name, 'sa', 't', *_OWN)}"
)
