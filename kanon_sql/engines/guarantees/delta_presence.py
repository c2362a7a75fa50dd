"""delta-presence: the shares of the classes that a row of a population matches."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from kanon_sql.engines.guarantees.audited_guarantee import AuditedPopulation, Figures
from kanon_sql.errors import PolicyError
from kanon_sql.model.how_many import how_many
from kanon_sql.model.requirements import DeltaPresence


@dataclass(frozen=True, slots=True)
class DeltaPresenceAudit(AuditedPopulation[DeltaPresence]):
    """The shares of no row of the population add up to more than delta."""

    macro = "delta_presence"
    release = "delta_present('patients', 0.2, 'census')"
    title = "delta-presence"

    def texts(self) -> tuple[str, str, dict[str, str]]:
        """Return the texts that add up shares, and compare them with delta."""
        slots = {"unit": str(self.requirement.unit), "most": str(self.requirement.most)}
        return "delta_presence_shares", "delta_presence", slots

    def wrong(self, figures: Figures) -> str | None:
        """Return what is wrong where shares are more than delta or classes have too many rows."""
        delta = self.requirement.delta
        if figures["unmatched"]:
            more = how_many(figures["unmatched"], "class has more rows than match it", "classes have more rows than match them")
            return f"{more} in the population"
        if figures["parts"] * delta.denominator > delta.numerator * figures["unit"]:
            return f"the shares of some row of the population add up to {figures['presence']:.6f}"
        return None

    def words(self, figures: Figures) -> str:
        """Return what is wrong, or the greatest sum of shares."""
        return self.wrong(figures) or (
            f"of {how_many(figures['population_rows'], 'row')} of the population, none has shares of more than "
            f"{figures['presence'] or 0:.4f}"
        )

    def listed_figures(self, figures: Figures) -> dict[str, Any]:
        """Return the greatest sum of shares, the classes with too many rows, and the size of the population."""
        return {name: figures[name] for name in ("presence", "unmatched", "population_rows")}

    def audit(self, figures: Figures) -> dict[str, Any]:
        """Return the greatest sum of shares."""
        return {"presence": Fraction(figures["parts"], figures["unit"])}

    def bound(self) -> str:
        """Return the option."""
        return f"where presence is at most {self.requirement.delta}"

    def refuse_growth(self) -> None:
        """Refuse batches: somebody has shares in each."""
        raise PolicyError(
            f"{self.requirement.describe()} cannot be guaranteed for batches, because a person's probabilities would add up; "
            "hint: use k >= 5 IN census"
        )
