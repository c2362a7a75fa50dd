"""`kanon_pieces(run, number)`: the pieces that a row type is released in, once `kanon_fit` has found them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kanon_sql.engines.duckdb.connect.functions import Function
from kanon_sql.engines.duckdb.connect.session import Session

if TYPE_CHECKING:
    import pyarrow as pa


def pieces(session: Session, run: pa.ChunkedArray, number: pa.ChunkedArray) -> pa.Array:
    """Return for each row type a list of ``(piece, after, upto, hidden, labels)``.

    The rows numbered above ``after`` up to ``upto`` hide the columns ``hidden``, and show ``labels`` in those of
    `Policy.generalized`.

    Parameters
    ----------
    run, number : whole numbers
        See `kanon_begin` and `kanon_gather`.
    """
    key = run[0].as_py()
    found, last = session.gatherings.of(key).handed(np.from_dlpack(number.combine_chunks()))
    if last:
        session.gatherings.end(key)
    return found


FUNCTION = Function(
    name="kanon_pieces",
    returns="STRUCT(piece INTEGER, after BIGINT, upto BIGINT, hidden VARCHAR[], labels VARCHAR[])[]",
    call=pieces,
    arrow=True,
    side_effects=True,
)
