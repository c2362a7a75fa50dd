"""delta-presence: Spark counts no population."""

from __future__ import annotations

from kanon_sql.engines.spark.guarantees.audited_guarantee import Uncounted as DeltaPresenceAudit

__all__ = ["DeltaPresenceAudit"]
