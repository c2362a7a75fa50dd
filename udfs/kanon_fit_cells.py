"""`kanon_fit_cells(run, cells)`: the solver and the gate of a protected table, called once when all base cells are gathered."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.engines.duckdb.connect.functions import Function
from kanon_sql.engines.duckdb.connect.session import Session

if TYPE_CHECKING:
    from kanon_sql.engines.duckdb.cells.gathered_cells import CellGathering


def fit(session: Session, run: int, cells: int) -> str | None:
    """Find what may be shown, and keep it as a table that later ones have to respect; NULL, or why there is none."""
    from kanon_sql.engines.cells.table_release import release_table

    session.search.ready()
    gathering: CellGathering = session.gatherings.of(run)
    gathering.touched = math.inf  # the solver may take its time
    try:
        base = gathering.whole(cells)
        with session.protected_tables.turn() as earlier:
            search = (earlier, session.search.report, session.search.ended)
            together = session.protected_tables.solved_with(gathering.ticket)
            if together is None:
                made = session.protected_tables.made(gathering.counting.own(gathering.protection).tabulation)
                found = release_table(base, gathering.counting, gathering.protection, *search, made=made)
            else:
                tables, place = together
                found = tables.release(place, base, gathering.counting, *search)
            certificate = found.certificate
            warned = replace(certificate, warnings=(*gathering.warnings, *certificate.warnings))
            found = replace(found, certificate=session.protected_tables.add(replace(found, certificate=warned)))
    except BaseException:
        session.gatherings.end(run)
        raise
    finally:
        session.search.rest()
    gathering.found(found, base)
    return None


FUNCTION = Function(name="kanon_fit_cells", returns="VARCHAR", call=fit, side_effects=True, refused=lambda words: words)
