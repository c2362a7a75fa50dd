"""beta: how much more frequent a value is in a class than in the whole table."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from kanon_sql.engines.guarantees.audited_guarantee import AuditedFigures, Figures, Sql
from kanon_sql.model.how_many import how_many
from kanon_sql.model.requirements import BetaLikeness


@dataclass(frozen=True, slots=True)
class BetaLikenessAudit(AuditedFigures[BetaLikeness]):
    """No value gains more than beta, or -ln of its share of the table, over that share."""

    macro = "beta_likeness"
    release = "beta_like('patients', 'disease', 1)"
    title = "beta-likeness"
    worst = "n AS worst_count, size AS worst_size, total AS worst_total, all_rows AS rows"

    def question(self, sql: Sql) -> str:
        """Return the gain of each value of a class."""
        exact = sql.exactly("kanon_gain(n, size::BIGINT, total::BIGINT, all_rows::BIGINT)")
        return sql.text("beta_likeness", exact=exact, **self.ratio(beta=self.requirement.beta))

    def keeps(self, figures: Figures) -> tuple[bool, str]:
        """Return the greatest gain."""
        gain, beyond = _gain(figures) or 0, figures["beyond_log"]
        found = (
            f"the greatest gain is {float(gain):.6f}, and in {how_many(beyond, 'class', 'classes')} a value gains "
            "more than -ln of its share"
        )
        return gain <= self.requirement.beta and not beyond, found

    def words(self, figures: Figures) -> list[tuple[str, str]]:
        """Return the greatest gain, and the classes with one that no beta allows."""
        gain = _gain(figures)
        return [
            ("greatest gain of a value over its share of the table", "-" if gain is None else f"{float(gain):.6f}"),
            ("classes where a value gains more than -ln of that share", f"{figures['beyond_log']:,}"),
        ]

    def audit(self, figures: Figures) -> dict[str, Any]:
        """Return the greatest gain."""
        return {"beta": _gain(figures)}


def _gain(figures: Figures) -> Fraction | None:
    """Return the greatest gain of a value over its share of the table; None if a table has no rows."""
    if not figures["classes"]:
        return None
    return Fraction(figures["worst_count"] * figures["rows"], figures["worst_size"] * figures["worst_total"]) - 1
