"""Numbers read from texts, exactly and as the source has them."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from fractions import Fraction

_LARGEST = 40
"""Digits in front of the point, or zeros behind it, beyond which a text counts as no number: 1e999999 has a million digits."""


def exact(text: str) -> Fraction | None:
    """Return the number that a text is; None where it is none, infinite, or of absurd size.

    Examples
    --------
    >>> exact("1.5e2"), exact("nan")
    (Fraction(150, 1), None)
    """
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    return Fraction(value) if value.is_finite() and abs(value.adjusted()) <= _LARGEST else None
