"""Known columns: Spark does not count them yet."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_sql.engines.spark.guarantees.audited_guarantee import AuditedGuarantee
from kanon_sql.model.requirements import KnownColumns


@dataclass(frozen=True, slots=True)
class Audited(AuditedGuarantee[KnownColumns]):
    """At least k rows by every set of known columns."""

    def instead(self) -> str:
        """Return how to count rows by all columns."""
        return "ask for k >= 5 without FOR, which counts the rows by all quasi-identifiers"
