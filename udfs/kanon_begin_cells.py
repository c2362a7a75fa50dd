"""`kanon_begin_cells(counting, protection, ticket, plan, objects, warnings)`: the number of a gathering, new for each run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from kanon_sql.engines.duckdb.connect.functions import Function
from kanon_sql.engines.duckdb.connect.session import Session


def begin(
    session: Session,
    counting: str,
    protection: str,
    ticket: int,
    plan: str,
    objects: Sequence[Mapping[str, Any]] | None,
    warnings: list[str] | None,
) -> int:
    """Return the number under which base cells of this run of a statement are gathered; ``warnings`` are about the unit."""
    from kanon_sql.engines.cells.counting import Counting
    from kanon_sql.engines.duckdb.cells.gathered_cells import CellGathering
    from kanon_sql.engines.duckdb.cells.table_record import home_of
    from kanon_sql.engines.duckdb.cells.tables_read import tables_read
    from kanon_sql.model.protection import Protection

    read = Counting.from_json(counting)
    memory, known = session.protected_tables.memory, objects or ()
    reads = tables_read(read, plan, known)
    home = home_of(reads, known, lambda: session.secret, memory)
    reads = reads if memory is None else memory.lasting(reads, known)
    read = replace(read, tabulation=replace(read.tabulation, reads=reads))
    asked = Protection.from_dict(json.loads(protection))
    return session.gatherings.begin(CellGathering(read, asked, ticket, home, warnings or ()))


FUNCTION = Function(name="kanon_begin_cells", returns="BIGINT", call=begin, side_effects=True)
