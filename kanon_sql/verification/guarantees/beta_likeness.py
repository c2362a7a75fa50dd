"""beta: a value has at most a share of a class that its share of the table decides; the rule is that of `shares`."""

from __future__ import annotations

from kanon_sql.verification.guarantees.shares import SharesOfTable as BetaLikenessClaim

__all__ = ["BetaLikenessClaim"]
