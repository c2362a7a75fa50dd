"""`l_diversify(tbl, sa, l)`: the release of least cost in which every class is also l-diverse in a sensitive attribute."""

from __future__ import annotations

from typing import Any

from kanon_sql.udfs import arguments

from kanon_sql.engines.duckdb.functions import Function, refusing_query
from kanon_sql.engines.duckdb.session import Session
from kanon_sql.engines.duckdb.sources import release_of_table
from kanon_sql.model.requirements import LDiversity


def plan(session: Session, tbl: str, sa: str, l: Any, variant: str, c: Any, *values: Any) -> str:  # noqa: E741
    """Return the SQL of the release; runs when the statement is bound and touches no data."""
    diversity = LDiversity(sensitive=sa, l=l, variant=variant, c=c)
    return release_of_table(session, tbl, arguments.policy(values, diversity))


FUNCTION = Function(name="kanon_plan_l_diversify", returns="VARCHAR", call=plan, refused=refusing_query)

_OWN = {"variant": "'frequency'", "c": "NULL"}

MACRO = (
    f"{arguments.signature('l_diversify', 'tbl', 'sa', 'l', **_OWN)} "
    f"AS TABLE FROM {arguments.plan_call(FUNCTION.name, 'sa', 'l', *_OWN)}"
)
