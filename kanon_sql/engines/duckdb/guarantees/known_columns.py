"""Known columns: the statement of a release counts the classes of every set of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kanon_sql.engines.duckdb.guarantees.audited_guarantee import AuditedGuarantee, Released
from kanon_sql.engines.duckdb.known_classes import smallest_known
from kanon_sql.errors import PolicyError
from kanon_sql.model.how_many import how_many
from kanon_sql.model.requirements import KnownColumns


@dataclass(frozen=True, slots=True)
class Audited(AuditedGuarantee[KnownColumns]):
    """At least k rows by every set of known columns."""

    title = "known columns"

    def found(self, release: Released) -> tuple[bool, str]:
        """Return the size of the smallest class by any set."""
        sets, smallest = smallest_known(release.con, self.requirement, release.names, release.policy.linked, "released")
        if smallest is None:
            return True, "there are no rows"
        told = f"the smallest class by any of {how_many(sets, 'set')} of columns has {how_many(smallest, 'row')}"
        return smallest >= self.requirement.k, told

    def broken(self, _con: Any, _quasi_identifiers: list[str], _table: str, _suppress: str | None) -> None:
        """Leave the sets to those who know which columns are linked."""

    def refuse_growth(self) -> None:
        """Refuse batches: rows that wait are those without a class by all columns."""
        raise PolicyError(
            f"{self.requirement.describe()} is not supported in a release that grows; hint: ask for k >= 5 without FOR"
        )
