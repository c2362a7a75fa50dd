"""alpha: one value has at most a share of the rows of a class; the rule is that of `Shares`."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from kanon_sql.model.how_many import how_many
from kanon_sql.model.requirements import AlphaAnonymity
from kanon_sql.solvers.guarantees.shares import Shares


@dataclass(frozen=True, slots=True)
class RequiredAlphaAnonymity(Shares[AlphaAnonymity]):
    """The greatest share of the value that is named; other values may have any."""

    @staticmethod
    def threshold(requirement: Any, _held: int, _rows: int, named: bool) -> tuple[Fraction, Fraction]:
        """Return the least and the greatest share of a value: alpha for the one that is named."""
        return Fraction(0), requirement.alpha if named else Fraction(1)

    @property
    def named(self) -> int:
        """The code of the value that is named; -1 where it does not occur."""
        return self.about.named.get(self.requirement.value, -1)

    def figures(self) -> str:
        """Return how many rows have the value."""
        return f"{self.about.count[self.named]} of {how_many(int(self.about.count.sum()), 'row')}"
