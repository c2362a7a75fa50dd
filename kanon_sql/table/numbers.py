"""Numbers read from texts, exactly and as the source has them, and the order of values that follows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from kanon_sql.table.sensitive_values import moment

_NUMBER = re.compile(r" *([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?) *")
_ENDLESS = re.compile(r" *([+-]?)(inf|nan) *")
"""What DuckDB writes for the doubles that are no numbers; NaN has a sign there that tells nothing."""

_LARGEST = 400
"""Digits in front of the point, or zeros behind it, of the numbers that are calculated with: more than a double has."""

Place = tuple[int, Decimal]
"""Where a number stands among all: -infinity, the finite ones by their value, infinity, NaN."""


def exact(text: str) -> Fraction | None:
    """Return the number that a text is; None where it is none, infinite, or of absurd size.

    Examples
    --------
    >>> exact("1.5e2"), exact("nan")
    (Fraction(150, 1), None)
    """
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    value = Decimal(found[1])
    return Fraction(value) if abs(value.adjusted()) <= _LARGEST or not value else None


def place(text: str) -> Place | None:
    """Return where a number of any size stands in the order of DuckDB; None where the text is none.

    Notes
    -----
    The shortest texts of two doubles are ordered as the doubles are, and decimals compare exactly.

    Examples
    --------
    >>> place("1e308") < place("inf") < place("-nan"), place("0.0") == place("-0"), place("ten")
    (True, True, None)
    """
    if found := _NUMBER.fullmatch(text):
        return 0, Decimal(found[1])
    if found := _ENDLESS.fullmatch(text):
        return 2 if found[2] == "nan" else -1 if found[1] == "-" else 1, Decimal()
    return None


def in_order(texts: Sequence[str]) -> Sequence[Any]:
    """Return what the values are ordered by: numbers, else moments, where all are such; else the texts themselves."""
    for read in (place, moment):
        values = [read(text) for text in texts]
        if None not in values:
            return values
    return texts
