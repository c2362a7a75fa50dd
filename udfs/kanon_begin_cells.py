"""`kanon_begin_cells(tabulation, protection)`: the number of a gathering of base cells, new for each run."""

from __future__ import annotations

import json

from kanon_sql.engines.duckdb.cells.gathering import CellGathering
from kanon_sql.engines.duckdb.functions import Function
from kanon_sql.engines.duckdb.session import Session
from kanon_sql.model.protection import Protection
from kanon_sql.model.tabulation import Tabulation


def begin(session: Session, tabulation: str, protection: str) -> int:
    """Return the number under which the base cells of this run of a statement are gathered."""
    read = Tabulation.from_dict(json.loads(tabulation)), Protection.from_dict(json.loads(protection))
    return session.gatherings.begin(CellGathering(*read))


FUNCTION = Function(name="kanon_begin_cells", returns="BIGINT", call=begin, side_effects=True)
