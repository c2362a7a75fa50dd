"""`kanon_suppressed(run, row)`: what a row of a protected table does not show, once `kanon_fit_cells` has found it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.engines.built_arrays import flag_lists
from kanon_sql.engines.duckdb.connect.functions import Function
from kanon_sql.engines.duckdb.connect.session import Session

if TYPE_CHECKING:
    import pyarrow as pa

    from kanon_sql.engines.duckdb.cells.gathered_cells import CellGathering


def suppressed(session: Session, run: pa.ChunkedArray, rows: pa.ChunkedArray) -> pa.Array:
    """Return for each row whether it is suppressed, and whether each count under a condition is.

    A row that does not add up to its base cells is an error.
    """
    gathering: CellGathering = session.gatherings.of(run[0].as_py())
    return flag_lists(gathering.suppressed(rows.combine_chunks()))


FUNCTION = Function(name="kanon_suppressed", returns="BOOLEAN[]", call=suppressed, arrow=True, side_effects=True)
