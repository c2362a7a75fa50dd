"""What links the rows of people: a release whose histories are linked, and the tokens that others leave.

- `kanon_begin_histories(requested, warnings)`: the number of a gathering of rows whose histories are linked, new for each run.
- `kanon_fit_histories(run, rows)`: the solver, called once when all rows are gathered.
- `kanon_history_cells(run, row)`: which cells a row shows, and then whether it shows its token, once they are found.
- `kanon_histories_checked(run, rows, fewest, people, below, unlinked, own, exposed)`: NULL, or why a release is refused.
- `kanon_histories(release, home, name, histories)`: why tokens must not be released, by what they give away; else NULL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kanon_sql.engines.duckdb.connect.functions import Function
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.engines.duckdb.histories.linking import judge
from kanon_sql.model.linked_histories import LinkedHistories

if TYPE_CHECKING:
    import pyarrow as pa

    from kanon_sql.engines.duckdb.histories.gathered_rows import HistoryGathering


def begin(session: Session, requested: str, warnings: list[str] | None) -> int:
    """Return the number under which the rows of this run of a statement are gathered; ``warnings`` are about the unit."""
    from kanon_sql.engines.duckdb.histories.gathered_rows import HistoryGathering

    return session.gatherings.begin(HistoryGathering(LinkedHistories.from_json(requested), warnings or ()))


def fit(session: Session, run: int, rows: int) -> str | None:
    """Find what each row shows; NULL, or why there is no release."""
    with session.gatherings.solving(run, rows, session.search) as gathering:
        gathering.solve(session.search.report)
    return None


def cells(session: Session, run: pa.ChunkedArray, row: pa.ChunkedArray) -> pa.Array:
    """Return for each row a list of truth values."""
    gathering: HistoryGathering = session.gatherings.of(run[0].as_py())
    return gathering.cells(np.from_dlpack(row.combine_chunks()).astype(np.int64))


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
    with session.gatherings.ending(run) as gathering:
        session.link(gathering.complete(rows, fewest, people, below, unlinked, own, exposed))
    return None


def judged(
    session: Session, release: pa.ChunkedArray, home: pa.ChunkedArray, name: pa.ChunkedArray, histories: pa.ChunkedArray
) -> pa.Array:
    """Compare the tokens of a release with those of all releases before it, and remember them.

    Parameters
    ----------
    release : whole number
        See `kanon_fit`; NULL where there are no rows.
    home : text
        The database that remembers them; empty for the session, NULL where the caller compares them.
    name : text
        What the release is called there.
    histories : list of structs
        Each token, the number of its history, how many entries that has, and in which of the columns the token is.
    """
    import pyarrow as pa

    if release[0].as_py() is not None:
        now = pa.Table.from_struct_array(histories.combine_chunks().flatten())  # no list is that of no tokens
        judge(session, release[0].as_py(), now, home[0].as_py(), name[0].as_py())
    return _answer(None)


def _answer(refused: str | None) -> pa.Array:
    import pyarrow as pa

    return pa.array([refused], pa.string())


FUNCTIONS = (
    Function(name="kanon_begin_histories", returns="BIGINT", call=begin, side_effects=True),
    Function(name="kanon_fit_histories", returns="VARCHAR", call=fit, side_effects=True, refused=lambda words: words),
    Function(name="kanon_history_cells", returns="BOOLEAN[]", call=cells, arrow=True, side_effects=True),
    Function(name="kanon_histories_checked", returns="VARCHAR", call=checked, side_effects=True, refused=lambda words: words),
    Function(name="kanon_histories", returns="VARCHAR", call=judged, arrow=True, side_effects=True, refused=_answer),
)
