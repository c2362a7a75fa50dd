"""Labels that are ranges of numbers or dates, such as ``10-19``, ``15 and over``, ``[10, 20)`` or ``2020-01``."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction

Cut = tuple[Fraction | float, int]
"""A place on the line: just before a number (0), or just after it (1)."""

_BEGIN, _END = (-math.inf, 0), (math.inf, 0)

_NUMBER = r"-?\d+(?:\.\d+)?"
_DATE = r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?|\d{4}-(?:0[1-9]|1[0-2])|\d{4}[- ]?Q[1-4]"
_VALUE = rf"({_DATE}|{_NUMBER})"

_FORMS = (
    (re.compile(_VALUE), "=="),
    (re.compile(rf"{_VALUE}\s*(?:-|\u2013|\u2014)\s*{_VALUE}"), "dash"),
    (re.compile(rf"{_VALUE}\s*(?:\.\.|to|through)\s*{_VALUE}", re.IGNORECASE), "to"),
    (re.compile(rf"(?:>=|\u2265|at least)\s*{_VALUE}", re.IGNORECASE), ">="),
    (re.compile(rf"{_VALUE}\s*(?:\+|(?:and|or) (?:over|more|older|above))", re.IGNORECASE), ">="),
    (re.compile(rf"(?:<=|\u2264|at most|up to)\s*{_VALUE}", re.IGNORECASE), "<="),
    (re.compile(rf"{_VALUE}\s*(?:and|or) (?:under|less|younger|below)", re.IGNORECASE), "<="),
    (re.compile(rf"(?:<|under|below|less than|younger than)\s*{_VALUE}", re.IGNORECASE), "<"),
    (re.compile(rf"(?:>|over|above|more than|older than)\s*{_VALUE}", re.IGNORECASE), ">"),
)

_BRACKETS = re.compile(rf"([\[(])\s*{_VALUE}\s*,\s*{_VALUE}\s*([\])])")


@dataclass(frozen=True, slots=True)
class Scale:
    """How the labels of a column are read.

    Attributes
    ----------
    dates : bool
        Whether four digits are a year. One label or literal with a month shows that.
    whole : bool
        Whether all values are whole numbers, or days: none is between two that follow each other.
    half_open : bool
        Whether a range leaves out its upper end. Ranges such as 10-20 and 20-30 show that.
    """

    dates: bool = False
    whole: bool = True
    half_open: bool = False

    @classmethod
    def of(cls, labels: Iterable[str]) -> Scale:
        """Return the scale of a column with these labels and literals."""
        ends: list[str] = []
        lows: set[str] = set()
        highs: set[str] = set()
        for label in labels:
            found = _matched(label)
            if found is not None:
                ends += [each for each in found[1:] if each is not None]
                if found[0] == "dash" and found[1] != found[2]:
                    lows.add(str(found[1]))
                    highs.add(str(found[2]))
        dates = any(re.fullmatch(_DATE, each, re.IGNORECASE) for each in ends)
        exact = any("." in each or ":" in each for each in ends)
        return cls(dates=dates, whole=not exact, half_open=bool(lows & highs))

    def range(self, label: str) -> tuple[Cut, Cut] | None:
        """Return where the values of a label begin and end; None if it is not a range.

        Examples
        --------
        >>> [str(number) for number, _ in Scale().range("10-19")]
        ['10', '20']
        """
        found = _matched(label)
        if found is None:
            return None
        sign, first, second = found
        begin, end = self._ends(first)
        if begin is None or end is None:
            return None
        if second is None:
            low, high = {
                "==": (begin, end),
                ">=": (begin, _END),
                ">": (end, _END),
                "<": (_BEGIN, begin),
                "<=": (_BEGIN, end),
            }[sign]
        else:
            second_begin, second_end = self._ends(second)
            if second_begin is None or second_end is None:
                return None
            low = end if sign[0] == "(" else begin
            high = second_begin if sign[-1] == ")" or (sign == "dash" and self.half_open) else second_end
        return (low, high) if low < high else None

    def _ends(self, value: str) -> tuple[Cut | None, Cut | None]:
        if self.dates:
            first, after = _dates(value)
            return (None, None) if first is None else ((first, 0), (first, 1) if after is None else (after, 0))
        if not re.fullmatch(_NUMBER, value):
            return None, None
        number = Fraction(value)
        return (number, 0), (number + 1, 0) if self.whole else (number, 1)


def is_single(label: str) -> bool:
    """Return whether a label is one number or one date and not a range of several.

    Examples
    --------
    >>> is_single("15"), is_single("15+")
    (True, False)
    """
    return re.fullmatch(rf"{_NUMBER}|\d{{4}}-\d\d-\d\d.*", label.strip()) is not None


def _matched(label: str) -> tuple[str, str, str | None] | None:
    """Return the sign of a label and its ends."""
    text = label.strip()
    brackets = _BRACKETS.fullmatch(text)
    if brackets is not None:
        return brackets[1] + brackets[4], brackets[2], brackets[3]
    for form, sign in _FORMS:
        found = form.fullmatch(text)
        if found is not None:
            return sign, found[1], found[2] if form.groups > 1 else None
    return None


def _dates(value: str) -> tuple[Fraction | None, Fraction | None]:
    """Return the day of a date, or the first one of a month, a quarter or a year, and the day after it; no second of a time."""
    try:
        if ":" in value:
            moment = datetime.fromisoformat(value)
            seconds = moment.hour * 3600 + moment.minute * 60 + moment.second
            return moment.toordinal() + Fraction(seconds, 86400), None
        quarter = re.fullmatch(r"(\d{4})[- ]?Q([1-4])", value, re.IGNORECASE)
        if quarter:
            year, month, months = int(quarter[1]), 3 * int(quarter[2]) - 2, 3
        elif re.fullmatch(r"\d{4}-\d\d", value):
            year, month, months = int(value[:4]), int(value[5:]), 1
        elif re.fullmatch(r"\d{4}", value):
            year, month, months = int(value), 1, 12
        else:
            day = date.fromisoformat(value).toordinal()
            return Fraction(day), Fraction(day + 1)
        after = date(year + (month + months > 12), (month + months - 1) % 12 + 1, 1)
        return Fraction(date(year, month, 1).toordinal()), Fraction(after.toordinal())
    except ValueError:
        return None, None
