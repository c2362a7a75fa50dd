"""`pattern_guided(tbl, masks)`: every released row conforms to one of the masks, and looks like k - 1 others."""

from __future__ import annotations

from typing import Any

from kanon_sql.udfs import arguments

from kanon_sql.engines.checked import checked_release
from kanon_sql.engines.functions import Function
from kanon_sql.engines.names import table_name
from kanon_sql.engines.session import Session
from kanon_sql.errors import PolicyError


def plan(_session: Session, tbl: str, *values: Any) -> str:
    """Return the SQL of the release; where no ``qi`` is given, the columns that some mask shows and all others are."""
    if values[arguments.NAMES.index("masks")] is None:
        raise PolicyError("pattern_guided needs masks; hint: [['zip', 'age'], ['education'], []]")
    return checked_release(table_name(tbl), arguments.policy(values))


FUNCTION = Function(name="kanon_plan_pattern_guided", returns="VARCHAR", call=plan)

MACRO = f"{arguments.signature('pattern_guided', 'tbl', 'masks')} AS TABLE FROM query({arguments.plan_call(FUNCTION.name)})"
