"""The rules that make a sum sensitive: dominance, and p %."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from kanon_sql.errors import PolicyError
from kanon_sql.model.validation import as_identifier

MOST_CONTRIBUTORS = 100
"""Largest contributors that a rule adds up, or attackers who share what they know, at most."""

_MOST_PERCENT = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Dominance:
    """The dominance rule: the largest contributors of a row have at most a share of its sum."""

    measure: str  # the name of the sum
    largest: int  # how many contributors are added up
    share: Fraction  # their greatest share, above 0 and below 1

    def __post_init__(self) -> None:
        """Check the numbers."""
        if not 1 <= self.largest <= MOST_CONTRIBUTORS:
            raise PolicyError(f"dominance counts 1 to {MOST_CONTRIBUTORS} contributors; hint: dominance(s, 1) <= 0.8")
        if not 0 < self.share < 1:
            raise PolicyError("the share of dominance must be above 0 and below 1; hint: dominance(s, 1) <= 0.8")

    def describe(self) -> str:
        """Return the rule as the clause writes it."""
        return f"dominance({as_identifier(self.measure)}, {self.largest}) <= {_number(self.share)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ambiguity:
    """The p % rule: the second-largest contributor cannot estimate the largest contribution more closely than p %."""

    measure: str  # the name of the sum
    percent: Fraction  # p, above 0

    def __post_init__(self) -> None:
        """Check the number."""
        if not 0 < self.percent <= _MOST_PERCENT:
            raise PolicyError(f"p must be above 0 and at most {_MOST_PERCENT} percent; hint: p(s) >= 10")

    def describe(self) -> str:
        """Return the rule as the clause writes it."""
        return f"p({as_identifier(self.measure)}) >= {_number(self.percent)}"


def _number(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else format(float(value), ".12g")
