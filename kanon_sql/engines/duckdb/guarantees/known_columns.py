"""Known columns: the statement of a release counts the classes of every set of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kanon_sql.engines.duckdb.guarantees.audited_guarantee import AuditedGuarantee, Released
from kanon_sql.model.requirements import KnownColumns


@dataclass(frozen=True, slots=True)
class KnownColumnsAudit(AuditedGuarantee[KnownColumns]):
    """At least k rows, people or diverse values by every set of known columns."""

    title = "known columns"

    def found(self, release: Released) -> tuple[bool, str]:
        """Return the size of the smallest class by any set, and what breaks it."""
        from kanon_sql.engines.duckdb.audit.known_classes import counted_known  # it asks for the other guarantees

        found = counted_known(release.con, self.requirement, release.names, release.policy.linked, "released")
        return found.kept, found.described()

    def broken(self, _con: Any, _quasi_identifiers: list[str], _table: str, _suppress: str | None) -> None:
        """Leave the sets to those who know which columns are linked."""
