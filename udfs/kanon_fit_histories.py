"""`kanon_fit_histories(run, rows)`: the solver of linked histories, called once when all rows are gathered."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from kanon_sql.engines.duckdb.connect.functions import Function
from kanon_sql.engines.duckdb.connect.session import Session

if TYPE_CHECKING:
    from kanon_sql.engines.duckdb.histories.gathered_rows import HistoryGathering


def fit(session: Session, run: int, rows: int) -> str | None:
    """Find what each row shows; NULL, or why there is no release."""
    session.search.ready()
    gathering: HistoryGathering = session.gatherings.of(run)
    gathering.touched = math.inf  # the solver may take its time
    try:
        gathering.solve(rows, session.search.report)
    except BaseException:
        session.gatherings.end(run)
        raise
    finally:
        session.search.rest()
    return None


FUNCTION = Function(name="kanon_fit_histories", returns="VARCHAR", call=fit, side_effects=True, refused=lambda words: words)
