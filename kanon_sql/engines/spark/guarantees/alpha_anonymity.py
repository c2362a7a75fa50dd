"""alpha: the rows of each class that have the named value."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_sql.engines.spark.guarantees.audited_guarantee import AuditedColumn
from kanon_sql.engines.spark.names import literal
from kanon_sql.engines.spark.texts import guarantee_text
from kanon_sql.model.requirements import AlphaAnonymity


@dataclass(frozen=True, slots=True)
class AlphaAnonymityAudit(AuditedColumn[AlphaAnonymity]):
    """At most a share of the rows of a class has the value."""

    def question(self) -> str:
        """Return the share of the value in each class."""
        requirement = self.requirement
        return guarantee_text("alpha_anonymity", value=literal(requirement.value), **self.ratio(alpha=requirement.alpha))
