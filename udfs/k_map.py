"""`k_map(tbl, k_map, population)`: the release of least cost in which every row matches k_map rows of the population."""

from __future__ import annotations

from kanon_sql.udfs.arguments import releasing

FUNCTION, MACRO = releasing("k_map", "k_map", "population", k="1")
