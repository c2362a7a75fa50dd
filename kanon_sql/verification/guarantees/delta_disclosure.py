"""delta: every value has nearly its share of the table in each class; the rule is that of `Shares`."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from kanon_sql.model.requirements import DeltaDisclosure
from kanon_sql.verification.guarantees.shares import Shares


@dataclass(frozen=True, slots=True)
class Claimed(Shares[DeltaDisclosure]):
    """Least and greatest shares that come from those of the table."""

    def shares(self) -> list[tuple[Fraction, Fraction]]:
        """Return what delta makes of each share."""
        rows = int(self.about.count.sum())
        return [self.requirement.shares(held, rows) for held in self.about.count.tolist()]
