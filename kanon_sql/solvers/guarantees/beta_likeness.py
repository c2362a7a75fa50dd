"""beta: a value has at most a share of a class that its share of the table decides; the rule is that of `shares`."""

from __future__ import annotations

from kanon_sql.solvers.guarantees.shares import Shares as Required

__all__ = ["Required"]
