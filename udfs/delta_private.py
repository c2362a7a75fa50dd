"""`delta_private(tbl, sa, delta)`: the release of least cost in which every class also has delta-disclosure privacy."""

from __future__ import annotations

from typing import Any

from kanon_sql.udfs import arguments

from kanon_sql.engines.duckdb.functions import Function, refusing_query
from kanon_sql.engines.duckdb.session import Session
from kanon_sql.engines.duckdb.sources import release_of_table
from kanon_sql.model.requirements import DeltaDisclosure


def plan(session: Session, tbl: str, sa: str, delta: Any, *values: Any) -> str:
    """Return the SQL of the release; runs when the statement is bound and touches no data."""
    return release_of_table(session, tbl, arguments.policy(values, DeltaDisclosure(sensitive=sa, delta=delta)))


FUNCTION = Function(name="kanon_plan_delta_private", returns="VARCHAR", call=plan, refused=refusing_query)

MACRO = (
    f"{arguments.signature('delta_private', 'tbl', 'sa', 'delta')} "
    f"AS TABLE FROM {arguments.plan_call(FUNCTION.name, 'sa', 'delta')}"
)
