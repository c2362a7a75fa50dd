"""`kanon_begin_cells(tabulation, protection, views)`: the number of a gathering of base cells, new for each run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from kanon_sql.engines.duckdb.cells.gathering import CellGathering
from kanon_sql.engines.duckdb.functions import Function
from kanon_sql.engines.duckdb.session import Session
from kanon_sql.model.protection import Protection
from kanon_sql.model.tabulation import Tabulation
from kanon_sql.model.validation import same_name


def begin(session: Session, tabulation: str, protection: str, views: Mapping[str, str]) -> int:
    """Return the number under which the base cells of this run of a statement are gathered."""
    read = Tabulation.from_dict(json.loads(tabulation))
    statements = {same_name(name): sql for name, sql in views.items()}
    if not statements.keys().isdisjoint(read.reads):
        from kanon_sql.clause.cells.sources import with_views

        read = replace(read, reads=with_views(read.reads, statements))
    return session.gatherings.begin(CellGathering(read, Protection.from_dict(json.loads(protection))))


FUNCTION = Function(name="kanon_begin_cells", returns="BIGINT", call=begin, side_effects=True)
