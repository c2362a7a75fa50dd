"""What differs between DuckDB 1.4 LTS, 1.5 and 2: each difference has its name here, and nothing else asks for a version."""

from __future__ import annotations

import duckdb

_BEFORE_2 = int(duckdb.__version__.partition(".")[0]) < 2

BUSY: tuple[type[duckdb.Error], ...] = () if _BEFORE_2 else (duckdb.ResourceInUseException,)
"""What a relation is refused with while rows of an earlier statement are waited for; before DuckDB 2 they are let go of."""

TARGET_IS_FIRST_PARAMETER = _BEFORE_2
"""Whether ``?`` as the target of a COPY is its first parameter, though it stands behind those of the query."""

JOIN_KEEPS_ORDER = duckdb.__version__ == "2.0.0"
"""Whether sorted rows stay so when they are joined to their classes. In every other version they may be looked up class by
class, in the order of the source; so they are sorted after the join, when they are wide."""

READER = "to_arrow_reader" if hasattr(duckdb.DuckDBPyConnection, "to_arrow_reader") else "fetch_record_batch"
"""The method of a connection that hands over the result of its last statement batch by batch."""
