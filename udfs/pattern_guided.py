"""`pattern_guided(tbl, masks)`: every released row conforms to one of the masks, and looks like k - 1 others."""

from __future__ import annotations

from typing import Any

from kanon_sql.udfs import arguments

from kanon_sql.engines.duckdb.functions import Function, refusing_query
from kanon_sql.engines.duckdb.session import Session
from kanon_sql.engines.duckdb.sources import release_of_table
from kanon_sql.errors import PolicyError


def plan(session: Session, tbl: str, *values: Any) -> str:
    """Return the SQL of the release; where no ``qi`` is given, the columns that some mask shows and all others are."""
    if values[arguments.NAMES.index("masks")] is None:
        raise PolicyError("pattern_guided needs masks; hint: [['zip', 'age'], ['education'], []]")
    return release_of_table(session, tbl, arguments.policy(values))


FUNCTION = Function(name="kanon_plan_pattern_guided", returns="VARCHAR", call=plan, refused=refusing_query)

MACRO = f"{arguments.signature('pattern_guided', 'tbl', 'masks')} AS TABLE FROM {arguments.plan_call(FUNCTION.name)}"
