"""t-closeness: how far each class is from the whole table, where values are equally far apart or on a line."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from kanon_sql.engines.spark.guarantees.audited_guarantee import Ask, AuditedFigures
from kanon_sql.engines.spark.texts import guarantee_text
from kanon_sql.model.requirements import TCloseness

_METRICS = ("equal", "ordered")


@dataclass(frozen=True, slots=True)
class TClosenessAudit(AuditedFigures[TCloseness]):
    """Every class is within t of the whole table."""

    @property
    def only_measured(self) -> bool:
        """Whether t is the greatest distance that there is."""
        return self.requirement.t >= 1

    def instead(self) -> str | None:
        """Return the metrics, if this is none of them."""
        return None if self.requirement.metric in _METRICS else f"the metrics {', '.join(_METRICS)}"

    def question(self) -> str:
        """Return the distance of each class."""
        return guarantee_text(f"t_closeness_{self.requirement.metric}", **self.ratio(t=self.requirement.t))

    def figures(self, ask: Ask, looks: str, written: str) -> dict[str, Any]:
        """Return the distance of the farthest class."""
        farthest = ask(guarantee_text("t_closeness", question=self.question(), **self.slots(looks, written)))["farthest"]
        return {"t": Fraction(int(farthest["numerator"]), max(1, int(farthest["denominator"])))}
