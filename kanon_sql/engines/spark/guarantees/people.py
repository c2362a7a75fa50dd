"""k people: Spark counts rows."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_sql.engines.spark.guarantees.audited_guarantee import AuditedColumn
from kanon_sql.model.requirements import People


@dataclass(frozen=True, slots=True)
class Audited(AuditedColumn[People]):
    """Rows of at least k people in a class."""

    def instead(self) -> str:
        """Return how to count rows."""
        return "rows are counted: leave PER out, or keep one row of each person"

    def question(self) -> str:
        """Refuse to ask."""
        self.refuse_unsupported()
        raise AssertionError("people are refused")
