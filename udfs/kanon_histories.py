"""`kanon_histories(release, home, name, histories)`: why tokens must not be released, by what they give away; else NULL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.engines.duckdb.connect.functions import Function
from kanon_sql.engines.duckdb.connect.session import Session
from kanon_sql.engines.duckdb.histories.linking import judge

if TYPE_CHECKING:
    import pyarrow as pa


def histories(
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


FUNCTION = Function(name="kanon_histories", returns="VARCHAR", call=histories, arrow=True, side_effects=True, refused=_answer)
