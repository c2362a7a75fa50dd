"""alpha: the rows of each class that have the named value."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_sql.engines.guarantees.audited_guarantee import AuditedColumn, Sql
from kanon_sql.model.requirements import AlphaAnonymity


@dataclass(frozen=True, slots=True)
class AlphaAnonymityAudit(AuditedColumn[AlphaAnonymity]):
    """At most a share of the rows of a class has the value."""

    unions_keep = True

    def question(self, sql: Sql) -> str:
        """Return the share of the value in each class."""
        requirement = self.requirement
        return sql.text("alpha_anonymity", meant=sql.has(requirement.value), **self.ratio(alpha=requirement.alpha))
