"""`delta_present(tbl, presence, population)`: a release in which no row of the population has shares of more than presence."""

from __future__ import annotations

from kanon_sql.udfs.arguments import releasing

FUNCTION, MACRO = releasing("delta_present", "presence", "population", k="1")
