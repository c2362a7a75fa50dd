"""k people: whose the rows of a class are."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_sql.engines.guarantees.audited_guarantee import AuditedColumn, Sql
from kanon_sql.model.requirements import People


@dataclass(frozen=True, slots=True)
class PeopleAudit(AuditedColumn[People]):
    """Rows of at least k people in a class."""

    def question(self, sql: Sql) -> str:
        """Return the number of people of each class."""
        return sql.text("people", k=str(self.requirement.k))
