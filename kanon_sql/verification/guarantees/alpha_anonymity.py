"""alpha: one value has at most a share of the rows of a class; the rule is that of `Shares`."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from kanon_sql.model.requirements import AlphaAnonymity
from kanon_sql.verification.guarantees.shares import Shares


@dataclass(frozen=True, slots=True)
class AlphaAnonymityClaim(Shares[AlphaAnonymity]):
    """The greatest share of the value that is named; other values may have any."""

    def shares(self) -> list[tuple[Fraction, Fraction]]:
        """Return alpha for the value that is named."""
        code = self.about.named.get(self.requirement.value)
        one = Fraction(1)
        return [(Fraction(0), self.requirement.alpha if value == code else one) for value in range(len(self.about.count))]
