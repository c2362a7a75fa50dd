"""`kanon_explain_cells(run, cells)`: what protecting a table would take; nothing is released."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.engines.duckdb.connect.functions import Function
from kanon_sql.engines.duckdb.connect.session import Session

if TYPE_CHECKING:
    from kanon_sql.engines.duckdb.cells.gathered_cells import CellGathering


def explain(session: Session, run: int, cells: int) -> list[dict[str, str]]:
    """Return the figures of the certificate that the table would have."""
    from kanon_sql.engines.cells.table_release import release_table

    session.search.ready()
    gathering: CellGathering = session.gatherings.of(run)
    try:
        base = gathering.whole(cells)
        with session.protected_tables.turn() as earlier:
            found = release_table(
                base, gathering.counting, gathering.protection, earlier, session.search.report, session.search.ended
            )
    finally:
        session.gatherings.end(run)
        session.search.rest()
    certificate = replace(found.certificate, warnings=(*gathering.warnings, *found.certificate.warnings))
    return [{"property": name, "value": value} for name, value in certificate.figures().items()]


FUNCTION = Function(
    name="kanon_explain_cells", returns="STRUCT(property VARCHAR, value VARCHAR)[]", call=explain, side_effects=True
)
