"""beta: a limit to how much more frequent a value is in a class than in the whole table."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

from kanon_sql.errors import PolicyError
from kanon_sql.model.guarantees.written import Option, Written
from kanon_sql.model.validation import as_identifier, fraction, named, plain_number

_DIGITS = Context(prec=60, rounding=ROUND_FLOOR)
"""Logarithms are computed to 60 digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BetaLikeness:
    """In every equivalence class, no value of a sensitive attribute gains more than ``beta`` over its share of the table.

    Of a value with the share p of the table and q of a class, the gain is (q - p) / p. It is at most ``beta``, and at most
    -ln p: the enhanced form, which also keeps frequent values from filling a class. NULL is a value of its own.

    Parameters
    ----------
    sensitive : str
        The sensitive attribute, a column.
    beta : int, Fraction, Decimal, float or str
        Above 0; kept as an exact `Fraction`.

    References
    ----------
    Cao, Karras: Publishing Microdata with a Robust Privacy Guarantee, PVLDB 5(11), 2012 (Definition 3).

    Examples
    --------
    >>> BetaLikeness(sensitive="disease", beta=2).describe()
    'beta(disease) <= 2'
    """

    kind: ClassVar[str] = "beta"
    synonyms: ClassVar[tuple[str, ...]] = ("beta_likeness", "likeness")
    written: ClassVar[Written] = Written(word="beta", sign="<=", example="beta(disease) <= 2", threshold="beta")
    options: ClassVar[dict[str, Option]] = {
        "beta": Option(
            help="beta-likeness: maximum relative increase of any value's share in a class over its share in the table."
        )
    }

    sensitive: str
    beta: Fraction

    def __post_init__(self) -> None:
        named(self.sensitive, "the sensitive column of beta-likeness")
        object.__setattr__(self, "beta", fraction(self.beta, "beta"))
        if self.beta <= 0:
            raise PolicyError(
                f"beta must be above 0, got {self.beta}; hint: write beta(disease) <= 2, so that shares at most triple"
            )

    @property
    def least_class_size(self) -> int:
        """Return 1: where all rows have one value, none gains."""
        return 1

    def shares(self, held: int, rows: int) -> tuple[Fraction, Fraction]:
        """Return the least and the greatest share that a value with ``held`` of the ``rows`` of a table may have in a class.

        Notes
        -----
        -ln p is irrational but where p = 1; it is rounded down in the 59th digit, so no class is let through.
        """
        share = Fraction(held, rows)
        return Fraction(0), share * (1 + min(self.beta, _surprise(share)))

    def describe(self) -> str:
        """Return the requirement as the clause writes it."""
        return f"beta({as_identifier(self.sensitive)}) <= {self.beta}"

    def meaning(self) -> str:
        """Return what it means for the people in the table."""
        return f"No value of {self.sensitive} is much more frequent in a class than in the whole table."

    def to_json(self) -> dict[str, Any]:
        """Return the requirement as plain JSON data."""
        return {"type": self.kind, "sensitive": self.sensitive, "beta": plain_number(self.beta)}


@lru_cache(maxsize=1024)
def _surprise(share: Fraction) -> Fraction:
    """Return -ln of a share, rounded down."""
    if share == 1:
        return Fraction(0)
    over = _DIGITS.divide(share.denominator, share.numerator)  # rounded down, as is the logarithm of it but for half a digit
    return Fraction(_DIGITS.next_minus(_DIGITS.ln(over)))
