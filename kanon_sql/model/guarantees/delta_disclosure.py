"""delta: in each class every value of the table is nearly as frequent as in the whole table."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from math import floor
from typing import Any, ClassVar

from kanon_sql.errors import PolicyError
from kanon_sql.model.guarantees.written import Option, Written
from kanon_sql.model.validation import as_identifier, fraction, named, plain_number

_BITS = 60
"""Binary digits of e^delta."""

_LARGEST = 41
"""e^41 is above the rows of any table, and so above the ratio of any two shares."""

_DOUBT = Fraction(1, 10**50)
"""Relative error of e^delta, generously."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaDisclosure:
    """In every equivalence class, each value of a sensitive attribute has nearly its share of the table.

    Let a value have the share p in the table and q in a class. Then the absolute value of ln(q / p) is below
    ``delta``, so every class has every value of the table. NULL is a value of its own.

    Parameters
    ----------
    sensitive : str
        The sensitive attribute, a column.
    delta : int, Fraction, Decimal, float or str
        Above 0; kept as an exact `Fraction`.

    Notes
    -----
    e^delta is irrational, so ``below`` and ``at most`` are the same here.

    References
    ----------
    Brickell, Shmatikov: The Cost of Privacy: Destruction of Data-Mining Utility in Anonymized Data Publishing, KDD 2008.

    Examples
    --------
    >>> DeltaDisclosure(sensitive="disease", delta=1).describe()
    'delta(disease) <= 1'
    """

    kind: ClassVar[str] = "delta"
    synonyms: ClassVar[tuple[str, ...]] = ("delta_disclosure", "disclosure")
    written: ClassVar[Written] = Written(word="delta", sign="<=", example="delta(disease) <= 1", threshold="delta")
    options: ClassVar[dict[str, Option]] = {
        "delta": Option(help="delta-disclosure privacy: maximum |ln(share in the class / share in the table)| of any value.")
    }

    sensitive: str
    delta: Fraction

    def __post_init__(self) -> None:
        named(self.sensitive, "the sensitive column of delta-disclosure privacy")
        object.__setattr__(self, "delta", fraction(self.delta, "delta"))
        if self.delta <= 0:
            raise PolicyError(
                f"delta must be above 0, got {self.delta}; hint: write delta(disease) <= 1, so that no share triples"
            )

    @property
    def least_class_size(self) -> int:
        """Return 1: where all rows have one value, each has its share alone."""
        return 1

    @property
    def ratio(self) -> Fraction:
        """Return e^delta, rounded down to 60 binary digits: what one of two shares may be of the other."""
        return _power(min(self.delta, Fraction(_LARGEST)))

    def shares(self, held: int, rows: int) -> tuple[Fraction, Fraction]:
        """Return the least and the greatest share that a value with ``held`` of the ``rows`` of a table may have in a class."""
        share = Fraction(held, rows)
        return share / self.ratio, share * self.ratio

    def describe(self) -> str:
        """Return the requirement as the clause writes it."""
        return f"delta({as_identifier(self.sensitive)}) <= {self.delta}"

    def meaning(self) -> str:
        """Return what it means for the people in the table."""
        return f"In each class, the shares of {self.sensitive} differ from those in the table by a bounded factor."

    def to_json(self) -> dict[str, Any]:
        """Return the requirement as plain JSON data."""
        return {"type": self.kind, "sensitive": self.sensitive, "delta": plain_number(self.delta)}


@lru_cache(maxsize=64)
def _power(exponent: Fraction) -> Fraction:
    context = Context(prec=60)
    power = context.exp(context.divide(Decimal(exponent.numerator), Decimal(exponent.denominator)))
    unit = 1 << (_BITS - int(power).bit_length())
    return Fraction(max(unit, floor(Fraction(power) * (1 - _DOUBT) * unit)), unit)
