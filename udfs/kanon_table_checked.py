"""`kanon_table_checked(run, rows)`: every row of a protected table was checked; NULL, or why it is refused."""

from __future__ import annotations

from kanon_sql.engines.duckdb.cells.gathering import CellGathering
from kanon_sql.engines.duckdb.functions import Function
from kanon_sql.engines.duckdb.session import Session


def checked(session: Session, run: int, rows: int) -> str | None:
    """Check that no row is missing, and let go of the base cells."""
    gathering: CellGathering = session.gatherings.of(run)
    certificate = gathering.complete(rows)
    session.gatherings.end(run)
    if certificate is not None:
        session.announcements.add(certificate)
    return None


FUNCTION = Function(name="kanon_table_checked", returns="VARCHAR", call=checked, side_effects=True, refused=lambda words: words)
