"""`kanon_histories_checked(run, rows, fewest, people, below, unlinked, own, exposed)`: NULL, or why a release is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kanon_sql.engines.duckdb.connect.functions import Function
from kanon_sql.engines.duckdb.connect.session import Session

if TYPE_CHECKING:
    from kanon_sql.engines.duckdb.histories.gathered_rows import HistoryGathering


def checked(
    session: Session,
    run: int,
    rows: int,
    fewest: int | None,
    people: int,
    below: int | None,
    unlinked: int,
    own: list[bool],
    exposed: dict[str, Any] | None,
) -> str | None:
    """Keep the certificate of a release whose known rows are those of enough people, and let go of its rows."""
    gathering: HistoryGathering = session.gatherings.of(run)
    try:
        session.link(gathering.complete(rows, fewest, people, below, unlinked, own, exposed))
    finally:
        session.gatherings.end(run)
    return None


FUNCTION = Function(
    name="kanon_histories_checked", returns="VARCHAR", call=checked, side_effects=True, refused=lambda words: words
)
