"""`kanon_begin_histories(asked, warnings)`: the number of a gathering of rows whose histories are linked, new for each run."""

from __future__ import annotations

from kanon_sql.engines.duckdb.connect.functions import Function
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.model.linked_histories import LinkedHistories


def begin(session: Session, asked: str, warnings: list[str] | None) -> int:
    """Return the number under which the rows of this run of a statement are gathered; ``warnings`` are about the unit."""
    from kanon_sql.engines.duckdb.histories.gathered_rows import HistoryGathering

    return session.gatherings.begin(HistoryGathering(LinkedHistories.from_json(asked), warnings or ()))


FUNCTION = Function(name="kanon_begin_histories", returns="BIGINT", call=begin, side_effects=True)
