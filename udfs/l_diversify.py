"""`l_diversify(tbl, sa, l)`: the release of least cost in which every class is also l-diverse in a sensitive attribute."""

from __future__ import annotations

from kanon_sql.udfs.arguments import releasing

from kanon_sql.model.requirements import LDiversity

FUNCTION, MACRO = releasing("l_diversify", requirement=LDiversity)
