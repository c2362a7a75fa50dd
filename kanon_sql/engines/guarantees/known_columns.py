"""Known columns: the statement of a release counts the classes of every set of them."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_sql.engines.guarantees.audited_guarantee import AuditedGuarantee
from kanon_sql.model.requirements import KnownColumns, of_known


@dataclass(frozen=True, slots=True)
class KnownColumnsAudit(AuditedGuarantee[KnownColumns]):
    """At least k rows, people or diverse values by every set of known columns."""

    title = "known columns"

    def instead(self) -> str | None:
        """Return what to request instead of the requirement of a class."""
        from kanon_sql.engines.guarantees import audited  # it imports this file

        of = of_known(self.requirement)
        return None if of is None else audited(of).instead()
