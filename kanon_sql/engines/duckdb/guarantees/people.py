"""k people: whose the rows of a class are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kanon_sql.engines.duckdb.guarantees.audited_guarantee import AuditedColumn, Released
from kanon_sql.engines.duckdb.guarantees.k_anonymity import smallest
from kanon_sql.engines.duckdb.texts import guarantee_text
from kanon_sql.model.requirements import People


@dataclass(frozen=True, slots=True)
class PeopleAudit(AuditedColumn[People]):
    """Rows of at least k people in a class."""

    def question(self, tally: str) -> str:
        """Return the number of people of each class."""
        return guarantee_text("people", tally=tally, k=str(self.requirement.k))

    def found(self, release: Released) -> tuple[bool, str]:
        """Return the size of the smallest class: k people have k rows."""
        return smallest(self.requirement, release)

    def broken(self, _con: Any, _quasi_identifiers: list[str], _table: str, _suppress: str | None) -> None:
        """Leave people to those who have the source: whose a row is, the release does not tell."""
