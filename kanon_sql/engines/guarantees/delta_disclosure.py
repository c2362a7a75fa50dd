"""delta: how far the shares of a value in a class and in the whole table are apart."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from kanon_sql.engines.guarantees.audited_guarantee import AuditedFigures, Figures, Sql
from kanon_sql.model.how_many import how_many
from kanon_sql.model.requirements import DeltaDisclosure


@dataclass(frozen=True, slots=True)
class DeltaDisclosureAudit(AuditedFigures[DeltaDisclosure]):
    """Every class has every value of the table, with a share that is at most e^delta times the other or part of it."""

    macro = "delta_disclosure"
    release = "delta_private('patients', 'disease', 1)"
    title = "delta-disclosure"
    worst = "ln(badness) AS delta"

    def question(self, sql: Sql) -> str:
        """Return both shares of each value of a class."""
        ratio, unit = self.requirement.ratio.as_integer_ratio()
        return sql.text("delta_disclosure", ratio=str(ratio), unit=str(unit))

    def keeps(self, figures: Figures) -> tuple[bool, str]:
        """Return the greatest disclosure, or the classes without one of the values."""
        ratio = Fraction(figures["ratio_numerator"], figures["ratio_denominator"])
        if figures["incomplete"]:
            return False, f"{how_many(figures['incomplete'], 'class lacks', 'classes lack')} a value that occurs in the table"
        return ratio <= self.requirement.ratio, f"the greatest disclosure is {figures['delta']:.6f}"

    def words(self, figures: Figures) -> list[tuple[str, str]]:
        """Return the greatest disclosure, and the classes without one of the values."""
        delta = "-" if figures["delta"] is None else f"{figures['delta']:.6f}"
        return [
            ("greatest |ln| of the share of a value in a class over its share of the table", delta),
            ("classes without one of the values of the table", f"{figures['incomplete']:,}"),
        ]

    def audit(self, figures: Figures) -> dict[str, Any]:
        """Return the greatest disclosure."""
        return {"delta": figures["delta"]}
