"""beta: no value has a much greater share of a class than of the table; the rule is that of `Shares`."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from kanon_sql.model.requirements import BetaLikeness
from kanon_sql.verification.guarantees.shares import Shares


@dataclass(frozen=True, slots=True)
class Claimed(Shares[BetaLikeness]):
    """Greatest shares that come from those of the table."""

    def shares(self) -> list[tuple[Fraction, Fraction]]:
        """Return what beta makes of each share."""
        rows = int(self.about.count.sum())
        return [self.requirement.shares(held, rows) for held in self.about.count.tolist()]
