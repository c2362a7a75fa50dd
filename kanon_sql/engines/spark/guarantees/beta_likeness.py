"""beta: how much more frequent a value is in a class than in the whole table."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from kanon_sql.engines.spark.guarantees.audited_guarantee import Ask, AuditedFigures
from kanon_sql.engines.spark.texts import guarantee_text
from kanon_sql.model.requirements import BetaLikeness


@dataclass(frozen=True, slots=True)
class BetaLikenessAudit(AuditedFigures[BetaLikeness]):
    """No value gains more than beta, or -ln of its share of the table, over that share."""

    def question(self) -> str:
        """Return the gain of each value of a class."""
        return guarantee_text("beta_likeness", **self.ratio(beta=self.requirement.beta))

    def figures(self, ask: Ask, looks: str, written: str) -> dict[str, Any]:
        """Return the greatest gain."""
        found = ask(guarantee_text("shares", **self.slots(looks, written)))
        return {"beta": Fraction(int(found["here"]), int(found["whole"])) - 1}
