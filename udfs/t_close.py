"""`t_close(tbl, sa, t)`: the release of least cost in which every class is also t-close to the whole table."""

from __future__ import annotations

from kanon_sql.udfs.arguments import releasing

from kanon_sql.model.requirements import TCloseness

FUNCTION, MACRO = releasing("t_close", requirement=TCloseness)
