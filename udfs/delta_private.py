"""`delta_private(tbl, sa, delta)`: the release of least cost in which every class also has delta-disclosure privacy."""

from __future__ import annotations

from kanon_sql.udfs.arguments import releasing

from kanon_sql.model.requirements import DeltaDisclosure

FUNCTION, MACRO = releasing("delta_private", requirement=DeltaDisclosure)
