"""What a reader knows of a count from the text that a published table shows."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

from kanon_sql.errors import PolicyError, SourceError, hint_of
from kanon_sql.model.validation import whole

ROUNDINGS = ("nearest", "adjacent", "midpoint")
"""How a count becomes a multiple: the nearest one, one of the two next to it, or the middle of its band."""

_SUPPRESSED = frozenset(
    {
        *("", "*", "**", "***", ".", "..", "...", ":", "#", "/", "c", "d", "s", "x", "(c)", "(d)", "(s)", "(x)"),
        *("[c]", "[d]", "[s]", "[x]", "na", "n/a", "nan", "null", "none", "suppressed"),
    }
)
"""Texts that mark a suppressed count, in lower case."""

_DASHES = frozenset({"-", "--", "\u2013", "\u2014"})
"""What some tools write for a suppressed count, and others for nobody."""

_SPACES = " '\u2019\u00a0\u2009\u202f"
"""What may separate thousands, next to the comma or the point."""

_NUMBER = {
    decimal: re.compile(rf"(\d+|\d{{1,3}}(?:([{re.escape(sign)}{_SPACES}])\d{{3}})(?:\2\d{{3}})*)(?:{re.escape(decimal)}0*)?")
    for decimal, sign in ((".", ","), (",", "."))
}

_END = re.compile(r"(<=|>=|[<>\u2264\u2265])\s*(\d+)|(\d+)\s*\+")

_RANGE = re.compile(r"(\d+)\s*(?:-|\u2013|\.\.|to)\s*(\d+)")

_MOST = 2**62
"""Counts are below this."""

Known = tuple[int, int | None, bool]
"""The least count, the greatest one if there is one, and whether it is marked as suppressed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountTexts:
    """How a table writes its counts."""

    suppressed: tuple[str, ...] = ()  # further texts that mark a suppressed count
    least: int = 1  # the least count that is suppressed; 0 if empty cells may be
    rounded: int | None = None  # the base to which counts are rounded
    rounding: str = "nearest"  # one of `ROUNDINGS`
    decimal: str = "."  # the sign in front of decimals; the other one separates thousands

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises
        ------
        PolicyError
            When one is out of its range, or the rounding is unknown.
        """
        whole(self.least, "least", 0)
        if self.rounded is not None:
            whole(self.rounded, "rounded", 2)
        if self.rounding not in ROUNDINGS:
            hint = hint_of(self.rounding, ROUNDINGS, f"use {', '.join(ROUNDINGS)}")
            raise PolicyError(f"unknown rounding {self.rounding!r}; hint: {hint}")

    def known(self, value: Any) -> Known:
        """Return what a cell shows.

        Raises
        ------
        SourceError
            When it is not a count. The error says nothing of the cell.

        Examples
        --------
        >>> texts = CountTexts(rounded=5)
        >>> texts.known("1,205"), texts.known("0"), texts.known("<5"), texts.known("*")
        ((1203, 1207, False), (0, 2, False), (1, 4, True), (1, None, True))
        """
        text = _text(value)
        if text.lower() in _SUPPRESSED or text in self.suppressed:
            return self.least, None, True
        if text in _DASHES:
            return 0, None, True
        if (end := _END.fullmatch(text)) is not None:
            return self._end(end[1] or ">=", int(end[2] or end[3]))
        if (band := _RANGE.fullmatch(text)) is not None and int(band[1]) <= int(band[2]):
            return int(band[1]), int(band[2]), True
        number = _NUMBER[self.decimal].fullmatch(text)
        if number is None:
            raise SourceError(self._trouble(text))
        count = int(re.sub(r"\D", "", number[1]))
        if count >= _MOST:
            raise SourceError("the count is too large; hint: pass the column of the counts as --measure")
        return (count, count, False) if self.rounded is None else self._band(count, self.rounded)

    def _end(self, sign: str, number: int) -> Known:
        """Return a count with one known end: a small one is suppressed, a large one is cut off at the top."""
        if sign in ("<", "<=", "\u2264"):
            return min(self.least, number), number - (sign == "<"), True
        return number + (sign == ">"), None, False

    def _band(self, count: int, base: int) -> Known:
        """Return the counts that are rounded to a number. Half a base may be rounded both ways, so both are possible."""
        half = base // 2
        if count % base != (half if self.rounding == "midpoint" and count else 0):
            raise SourceError(f"the count is not rounded to {base}; hint: omit --rounded if the counts are exact")
        if self.rounding == "adjacent":
            return max(0, count - base + 1), count + base - 1, False
        if self.rounding == "midpoint":
            return (count - half + 1, count - half + base, False) if count else (0, 0, False)
        return max(0, count - half), count + half, False

    def _trouble(self, text: str) -> str:
        """Return what is wrong with a text that is not a count."""
        if re.fullmatch(r"[-\u2212]\s*[\d.,]+", text):
            return "the count is negative; hint: pass the column of the counts as --measure"
        other = "," if self.decimal == "." else "."
        if _NUMBER[other].fullmatch(text):
            return f"the count has a decimal sign in it; hint: pass --decimal {other} if {self.decimal!r} separates thousands"
        if re.fullmatch(r"[\d.,]+", text):
            return "the count is not a whole number; hint: pass the column of the counts as --measure"
        return "the text is not a count; hint: pass --suppressed with the text if the count is suppressed"


def _text(value: Any) -> str:
    """Return a cell as a text; a number that is stored with decimals has none if it is whole."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if not isinstance(value, str | int) and value == int(value):
        return str(int(value))
    return str(value).strip()
