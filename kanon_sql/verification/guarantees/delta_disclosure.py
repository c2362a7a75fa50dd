"""delta: every value has nearly its share of the table in each class; the rule is that of `shares`."""

from __future__ import annotations

from kanon_sql.verification.guarantees.shares import SharesOfTable as DeltaDisclosureClaim

__all__ = ["DeltaDisclosureClaim"]
