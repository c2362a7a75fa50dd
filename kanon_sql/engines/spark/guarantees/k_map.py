"""k-map: Spark counts no population."""

from __future__ import annotations

from kanon_sql.engines.spark.guarantees.audited_guarantee import Uncounted as KMapAudit

__all__ = ["KMapAudit"]
