"""k people: whose the rows of a class are."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_sql.engines.spark.guarantees.audited_guarantee import AuditedColumn
from kanon_sql.engines.spark.texts import guarantee_text
from kanon_sql.model.requirements import People


@dataclass(frozen=True, slots=True)
class PeopleAudit(AuditedColumn[People]):
    """Rows of at least k people in a class."""

    def question(self) -> str:
        """Return the number of people of each class."""
        return guarantee_text("people", k=str(self.requirement.k))
