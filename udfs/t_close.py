"""`t_close(tbl, sa, t)`: the release of least cost in which every class is also t-close to the whole table."""

from __future__ import annotations

from typing import Any

from kanon_sql.udfs import arguments

from kanon_sql.engines.checked import checked_release
from kanon_sql.engines.functions import Function
from kanon_sql.engines.names import table_name
from kanon_sql.engines.session import Session
from kanon_sql.requirements import TCloseness


def plan(_session: Session, tbl: str, sa: str, t: Any, metric: str, hierarchy: str | None, *values: Any) -> str:
    """Return the SQL of the release; runs when the statement is bound and touches no data."""
    closeness = TCloseness(sensitive=sa, t=t, metric=metric, hierarchy=hierarchy)
    return checked_release(table_name(tbl), arguments.policy(values, closeness))


FUNCTION = Function(name="kanon_plan_t_close", returns="VARCHAR", call=plan)

_OWN = {"metric": "'equal'", "hierarchy": "NULL"}

MACRO = (
    f"{arguments.signature('t_close', 'tbl', 'sa', 't', **_OWN)} "
    f"AS TABLE FROM query({arguments.plan_call(FUNCTION.name, 'sa', 't', *_OWN)})"
)
