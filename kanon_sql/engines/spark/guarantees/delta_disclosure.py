"""delta: how far the shares of a value in a class and in the whole table are apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kanon_sql.engines.spark.guarantees.audited_guarantee import Ask, AuditedFigures
from kanon_sql.engines.spark.texts import guarantee_text
from kanon_sql.model.requirements import DeltaDisclosure


@dataclass(frozen=True, slots=True)
class DeltaDisclosureAudit(AuditedFigures[DeltaDisclosure]):
    """Every class has every value of the table, with a share that is at most e^delta times the other or part of it."""

    def question(self) -> str:
        """Return both shares of each value of a class."""
        ratio, unit = self.requirement.ratio.as_integer_ratio()
        return guarantee_text("delta_disclosure", ratio=f"{ratio}BD", unit=f"{unit}BD")

    def figures(self, ask: Ask, looks: str, written: str) -> dict[str, Any]:
        """Return the greatest disclosure."""
        return {"delta": ask(guarantee_text("shares", **self.slots(looks, written)))["delta"]}
