"""`kanon_empty_rows(run)`: the rows that a protected table suppresses though nobody is in them, once they are found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.engines.duckdb.connect.functions import Function
from kanon_sql.engines.duckdb.connect.session import Session

if TYPE_CHECKING:
    from kanon_sql.engines.duckdb.cells.gathered_cells import CellGathering


def empty_rows(session: Session, run: int) -> list[dict[str, object]]:
    """Return the grouping set of each row, base cells that have its keys, and that all of it is suppressed."""
    gathering: CellGathering = session.gatherings.of(run)
    return gathering.empty_rows()


FUNCTION = Function(
    name="kanon_empty_rows",
    returns='STRUCT("set" BIGINT, lenders BIGINT[], suppressed BOOLEAN[])[]',
    call=empty_rows,
    side_effects=True,
)
