"""`kanon_gather(run, row_type)`: the number of a row type; the solver has seen it then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.engines.built_arrays import numbers
from kanon_sql.engines.duckdb.connect.functions import Function
from kanon_sql.engines.duckdb.connect.session import Session

if TYPE_CHECKING:
    import pyarrow as pa


def gather(session: Session, run: pa.ChunkedArray, row_types: pa.ChunkedArray) -> pa.Array:
    """Return the number of each row type, from 0 in the order of their arrival.

    Parameters
    ----------
    run : whole numbers
        All the same, see `kanon_begin`.
    row_types : structs
        See `coded`.
    """
    return numbers(session.gatherings.of(run[0].as_py()).add(row_types.combine_chunks()))


FUNCTION = Function(name="kanon_gather", returns="BIGINT", call=gather, arrow=True, side_effects=True)
