"""delta: every value has nearly its share of the table in each class; the rule is that of `shares`."""

from __future__ import annotations

from kanon_sql.solvers.guarantees.shares import Shares as Required

__all__ = ["Required"]
