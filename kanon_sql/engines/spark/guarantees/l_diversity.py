"""l-diversity: the values of each class are diverse, in one of three variants."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from kanon_sql.engines.spark.guarantees.audited_guarantee import Ask, AuditedFigures
from kanon_sql.engines.spark.texts import guarantee_text
from kanon_sql.model.requirements import LDiversity

_VARIANTS = ("frequency", "distinct", "recursive")


@dataclass(frozen=True, slots=True)
class LDiversityAudit(AuditedFigures[LDiversity]):
    """The values of each class by their number, by the greatest counter, or by all counters."""

    @property
    def only_measured(self) -> bool:
        """Whether l is 1, which every class has."""
        return self.requirement.l == 1 and self.requirement.c is None

    def instead(self) -> str | None:
        """Return the variants, if this is none of them."""
        return None if self.requirement.variant in _VARIANTS else f"the variants {', '.join(_VARIANTS)}"

    def question(self) -> str:
        """Return the diversity of each class."""
        requirement = self.requirement
        if requirement.c is not None:
            return guarantee_text("l_diversity_recursive", l=str(requirement.l), **self.ratio(c=requirement.c))
        return guarantee_text(f"l_diversity_{requirement.variant}", **self.ratio(l=requirement.l))

    def figures(self, ask: Ask, looks: str, written: str) -> dict[str, Any]:
        """Return the figures of the least diverse classes."""
        found = ask(guarantee_text("l_diversity", **self.slots(looks, written)))
        return {"frequency_l": Fraction(found.pop("worst_size"), found.pop("worst_count")), **found}
