"""`kanon_table_checked(run, rows)`: every row of a protected table was checked; NULL, or why it is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.engines.duckdb.connect.functions import Function
from kanon_sql.engines.duckdb.connect.session import Session

if TYPE_CHECKING:
    from kanon_sql.engines.duckdb.cells.gathered_cells import CellGathering


def checked(session: Session, run: int, rows: int) -> str | None:
    """Check that no row is missing, remember the table, and let go of the base cells."""
    gathering: CellGathering = session.gatherings.of(run)
    try:
        release = gathering.complete(rows)
        session.protected_tables.remember(release.released, gathering.home)
        # where it is remembered is no property of the table, so the certificate does not say it
        added = () if gathering.home.warning is None else (gathering.home.warning,)
        session.announcements.add(replace(release.certificate, warnings=(*release.certificate.warnings, *added)))
    finally:
        session.gatherings.end(run)
    return None


FUNCTION = Function(name="kanon_table_checked", returns="VARCHAR", call=checked, side_effects=True, refused=lambda words: words)
