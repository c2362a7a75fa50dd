"""`kanon_begin_cells(counting, protection, views)`: the number of a gathering of base cells, new for each run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from kanon_sql.engines.cells.counting import Counting
from kanon_sql.engines.duckdb.cells.gathering import CellGathering
from kanon_sql.engines.duckdb.functions import Function
from kanon_sql.engines.duckdb.session import Session
from kanon_sql.model.protection import Protection
from kanon_sql.model.validation import same_name


def begin(session: Session, counting: str, protection: str, views: Mapping[str, str]) -> int:
    """Return the number under which the base cells of this run of a statement are gathered."""
    read = Counting.from_json(counting)
    statements = {same_name(name): sql for name, sql in views.items()}
    if not statements.keys().isdisjoint(read.tabulation.reads):
        from kanon_sql.clause.cells.sources import with_views

        reads = with_views(read.tabulation.reads, statements)
        read = replace(read, tabulation=replace(read.tabulation, reads=reads))
    return session.gatherings.begin(CellGathering(read, Protection.from_dict(json.loads(protection))))


FUNCTION = Function(name="kanon_begin_cells", returns="BIGINT", call=begin, side_effects=True)
