"""`kanon_begin(policy, memory_limit, temp_directory, connection, warnings, surface)`: the number of a new gathering."""

from __future__ import annotations

from kanon_sql.engines.duckdb.connect.functions import Function
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.engines.duckdb.gather.gathered_row_types import Gathering
from kanon_sql.model.policy import Policy
from kanon_sql.model.surfaces import Surface


def begin(
    session: Session,
    policy: str,
    memory: str,
    folder: str | None,
    connection: int,
    warnings: list[str] | None,
    surface: Surface,
) -> int:
    """Return the number under which the row types of this run of a statement are gathered; ``warnings`` are about the unit."""
    gathering = Gathering(
        Policy.from_json(policy), memory, folder, connection, warnings or (), surface, begun=session.search.begun()
    )
    return session.gatherings.begin(gathering)


FUNCTION = Function(name="kanon_begin", returns="BIGINT", call=begin, side_effects=True)
