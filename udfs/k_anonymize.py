"""`k_anonymize(tbl, k)`: the release of least cost in which every row looks like k - 1 others."""

from __future__ import annotations

from typing import Any

from kanon_sql.udfs import arguments

from kanon_sql.engines.checked import checked_release
from kanon_sql.engines.functions import Function
from kanon_sql.engines.names import table_name
from kanon_sql.engines.session import Session


def plan(_session: Session, tbl: str, *values: Any) -> str:
    """Return the SQL of the release; runs when the statement is bound and touches no data."""
    return checked_release(table_name(tbl), arguments.policy(values))


FUNCTION = Function(name="kanon_plan_k_anonymize", returns="VARCHAR", call=plan)

MACRO = f"{arguments.signature('k_anonymize', 'tbl', 'k')} AS TABLE FROM query({arguments.plan_call(FUNCTION.name)})"
