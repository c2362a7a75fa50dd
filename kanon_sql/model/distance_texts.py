"""The entries of a table of distances, read exactly from their texts.

A table reaches the solver as texts, whatever the types of its columns. A quotient such as 2/3 becomes some 16 digits in a
DOUBLE, and two of them need not add up to the third, so they count as the fractions that they came from.
"""

from __future__ import annotations

import re
from fractions import Fraction

_QUOTIENT = re.compile(r"([0-9]{1,18})/([0-9]{1,18})")

_DECIMAL = re.compile(r"-?([0-9]{0,37})(?:\.([0-9]{0,37}))?(?:e([+-]?[0-9]{1,3}))?", re.IGNORECASE)

_DIGITS = 37
"""Digits that a number may need before and behind its point: the audit counts in whole numbers of 128 bits."""

_DOUBLE = 17
"""Significant digits of a DOUBLE: more are those of a DECIMAL, which is exact."""

_SIMPLE = 10**6
"""The largest denominator that a DOUBLE is rounded to, as for thresholds."""

_CHANCE = 10**12
"""Numerator times denominator: with more, a number of 17 digits would often be the DOUBLE of some fraction by chance."""


def distance_of(text: str | None) -> Fraction | None:
    """Return the number of at least 0 that a text is, exactly; None if it is none, or has more than 37 digits.

    Notes
    -----
    A number of at most 17 significant digits with a denominator above 10^6 counts as the first convergent of its continued
    fraction that is the same DOUBLE, if that has a denominator of at most 10^6.

    Examples
    --------
    >>> [str(distance_of(text)) for text in ("3", "1/3", "0.250", "5e-3", "0.6666666666666666", "33.333333333333336")]
    ['3', '1/3', '1/4', '1/200', '2/3', '100/3']
    """
    text = (text or "").strip(" ")
    if quotient := _QUOTIENT.fullmatch(text):
        above, below = map(int, quotient.groups())
        return Fraction(above, below) if below else None
    decimal = _DECIMAL.fullmatch(text)
    if decimal is None or not (decimal[1] or decimal[2]):
        return None
    digits = (decimal[1] + (decimal[2] or "")).lstrip("0")
    core = digits.rstrip("0")
    if not core:
        return Fraction(0)
    places = len(decimal[2] or "") - int(decimal[3] or 0) - (len(digits) - len(core))
    if text.startswith("-") or len(core) > _DIGITS or places > _DIGITS or len(core) - places > _DIGITS:
        return None
    written = Fraction(int(core)) / Fraction(10) ** places
    return _simplest(written) if len(core) <= _DOUBLE and written.denominator > _SIMPLE else written


def _simplest(written: Fraction) -> Fraction:
    """Return the first convergent that is the same DOUBLE, or the number itself."""
    above, below = written.numerator, written.denominator
    h, k, last_h, last_k = 1, 0, 0, 1
    while below:
        part = above // below
        above, below = below, above % below
        h, k, last_h, last_k = part * h + last_h, part * k + last_k, h, k
        if k > _SIMPLE or h * k > _CHANCE:
            break
        if h / k == float(written):
            return Fraction(h, k)
    return written
