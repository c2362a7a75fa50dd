"""k-map: the rows of a population that match what each class shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kanon_sql.engines.guarantees.audited_guarantee import AuditedPopulation, Figures
from kanon_sql.model.how_many import how_many
from kanon_sql.model.requirements import KMap


@dataclass(frozen=True, slots=True)
class KMapAudit(AuditedPopulation[KMap]):
    """At least k rows of the population match what a class shows."""

    macro = "k_mapping"
    release = "k_map('patients', 5, 'census')"
    title = "k-map"

    def texts(self) -> tuple[str, str, dict[str, str]]:
        """Return the texts that count matches, and compare them with k."""
        return "k_map_matches", "k_map", {"k": str(self.requirement.k)}

    def wrong(self, figures: Figures) -> str | None:
        """Return how many rows match the worst class, where these are fewer than k."""
        found = figures["k"]
        few = found is not None and found < self.requirement.k
        return f"some class matches {how_many(found, 'row')} of the population" if few else None

    def words(self, figures: Figures) -> str:
        """Return how many rows match the worst class."""
        everybody = how_many(figures["population_rows"], "row")
        return f"each class matches at least {figures['k'] or 0:,} of {everybody} of the population"

    def listed_figures(self, figures: Figures) -> dict[str, Any]:
        """Return the fewest matches, the classes without one, and the size of the population."""
        return {"k_map": figures["k"], **{name: figures[name] for name in ("unmatched", "population_rows")}}

    def audit(self, figures: Figures) -> dict[str, Any]:
        """Return how many rows match the worst class."""
        return {"k_map": figures["k"]}

    def bound(self) -> str:
        """Return the option."""
        return f"fewer than k_map = {self.requirement.k}"
