"""delta-presence: of nobody in the population does the release tell that he is in the table, by more than a share of delta."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any, ClassVar

from kanon_sql.errors import PolicyError
from kanon_sql.model.guarantees.k_map import spelled_table
from kanon_sql.model.guarantees.written import Written
from kanon_sql.model.validation import fraction, named, plain_number

_PARTS = lcm(*range(1, 41))
"""Shares of up to 40 rows of the population add up exactly; it has 53 bits."""

_FINEST = 1 << 31
"""The largest denominator of delta: products with counts of rows stay within 128 bits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaPresence:
    """For every row of a population, the shares of the classes that it matches add up to ``delta`` or less.

    The share of a class is the number of its rows, divided by the rows of the population that match what it shows. The table is
    a part of the population, so no class may have more rows than match it.

    Parameters
    ----------
    delta : int, Fraction, Decimal, float or str
        Above 0 and at most 1; kept as an exact `Fraction`.
    population : str
        The table of the population, as SQL spells its name, or a file; it has the quasi-identifiers under the same names.

    Raises
    ------
    PolicyError
        When delta is not such a number or has too many digits, or ``population`` is not a name.

    Notes
    -----
    Where classes do not overlap in the population, this is the upper limit of Nergiz, Atzori and Clifton.

    References
    ----------
    Nergiz, Atzori, Clifton: Hiding the Presence of Individuals from Shared Databases, SIGMOD 2007.

    Examples
    --------
    >>> DeltaPresence(delta="0.2", population="census").describe()
    'presence(census) <= 1/5'
    """

    kind: ClassVar[str] = "presence"
    synonyms: ClassVar[tuple[str, ...]] = ("delta_presence",)
    written: ClassVar[Written] = Written(
        word="presence", sign="<=", example="presence(census) <= 0.2", threshold="delta", about="population"
    )

    delta: Fraction
    population: str

    def __post_init__(self) -> None:
        named(self.population, "the population", "the name of a table", "set population = 'census'")
        object.__setattr__(self, "delta", fraction(self.delta, "presence"))
        if not 0 < self.delta <= 1:
            raise PolicyError(f"presence must be above 0 and at most 1, got {self.delta}; hint: write presence(census) <= 0.2")
        if self.delta.denominator > _FINEST:
            raise PolicyError("presence has too many digits to be compared exactly; hint: round it")

    @property
    def least_class_size(self) -> int:
        """Return 1: one row may match many of the population."""
        return 1

    @property
    def unit(self) -> int:
        """Return of how many parts a share of 1 has; shares are rounded up to whole parts before they are added."""
        return self.delta.denominator * _PARTS

    @property
    def most(self) -> int:
        """Return how many parts shares may add up to: delta itself, not rounded."""
        return self.delta.numerator * _PARTS

    def describe(self) -> str:
        """Return the requirement as the clause writes it."""
        return f"presence({spelled_table(self.population)}) <= {self.delta}"

    def meaning(self) -> str:
        """Return what it means for the people in the table."""
        return f"A person in {self.population} is in the table with a probability of at most {float(self.delta):.0%}."

    def to_json(self) -> dict[str, Any]:
        """Return the requirement as plain JSON data."""
        return {"type": self.kind, "delta": plain_number(self.delta), "population": self.population}
