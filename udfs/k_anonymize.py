"""`k_anonymize(tbl, k)`: the release of least cost in which every row looks like k - 1 others."""

from __future__ import annotations

from kanon_sql.udfs.arguments import releasing

FUNCTION, MACRO = releasing("k_anonymize", "k")
