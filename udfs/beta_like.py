"""`beta_like(tbl, sa, beta)`: the release of least cost in which every class is also beta-like to the whole table."""

from __future__ import annotations

from kanon_sql.udfs.arguments import releasing

from kanon_sql.model.requirements import BetaLikeness

FUNCTION, MACRO = releasing("beta_like", requirement=BetaLikeness)
