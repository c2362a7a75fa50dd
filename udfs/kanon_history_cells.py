"""`kanon_history_cells(run, row)`: which cells a row shows, and then whether it shows its token, once they are found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kanon_sql.engines.duckdb.connect.functions import Function
from kanon_sql.engines.duckdb.connect.session import Session

if TYPE_CHECKING:
    import pyarrow as pa

    from kanon_sql.engines.duckdb.histories.gathered_rows import HistoryGathering


def cells(session: Session, run: pa.ChunkedArray, row: pa.ChunkedArray) -> pa.Array:
    """Return for each row a list of truth values."""
    gathering: HistoryGathering = session.gatherings.of(run[0].as_py())
    return gathering.cells(np.from_dlpack(row.combine_chunks()).astype(np.int64))


FUNCTION = Function(name="kanon_history_cells", returns="BOOLEAN[]", call=cells, arrow=True, side_effects=True)
