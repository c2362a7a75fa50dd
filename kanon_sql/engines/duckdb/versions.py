"""What differs between the versions of DuckDB, 1.4 LTS to 2: each difference has a name here, and only here is a version asked for."""

from __future__ import annotations

import duckdb

_BEFORE_2 = int(duckdb.__version__.partition(".")[0]) < 2

BUSY: tuple[type[duckdb.Error], ...] = () if _BEFORE_2 else (duckdb.ResourceInUseException,)
"""What a relation is refused with while rows of an earlier statement are waited for; before DuckDB 2 they are let go of."""

TARGET_IS_FIRST_PARAMETER = _BEFORE_2
"""Whether ``?`` as the target of a COPY is the first parameter, and those of its query follow: before DuckDB 2, though it stands last."""

JOIN_KEEPS_ORDER = not _BEFORE_2
"""Whether rows that are joined to their classes come as they were sorted before; DuckDB 1 expects fewer rows than there are, and
may look them up class by class. Then they are sorted once they are wide, which takes longer."""
