"""Intervals of numbers and dates: ``37`` becomes ``[35, 40)``, ``2026-11-21`` becomes ``2026-Q4``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import TypeVar

from kanon_sql.errors import PolicyError
from kanon_sql.generalize.numbers import exact
from kanon_sql.model.recodings import PERIODS
from kanon_sql.table.ladder import Label
from kanon_sql.table.sensitive_values import moment, refuse_far_moments

T = TypeVar("T")


def interval_levels(texts: Sequence[Label], steps: Sequence[Fraction | str]) -> list[list[Label]]:
    """Return the interval of each value at each level, finest first.

    Parameters
    ----------
    texts : sequence of Label [v]
        Numbers or dates; NULL stays NULL.
    steps : sequence of Fraction or str
        Widths, ascending: numbers, or names of `PERIODS`.

    Raises
    ------
    PolicyError
        When values are none; the message counts them.
    """
    if steps[0] in PERIODS:
        refuse_far_moments(texts)
        days = _read(texts, _day, "dates or timestamps", "take widths such as INTERVALS (5, 10) for numbers")
        return [[None if day is None else _period(day, str(step)) for day in days] for step in steps]
    values = _read(texts, exact, "numbers", "take INTERVALS (month, year) for dates")
    widths = [step for step in steps if isinstance(step, Fraction)]
    return [[None if value is None else _interval(value, widths[place:]) for value in values] for place in range(len(widths))]


def _read(texts: Sequence[Label], read: Callable[[str], T | None], what: str, hint: str) -> list[T | None]:
    found = [None if text is None else read(text) for text in texts]
    wrong = sum(value is None and text is not None for value, text in zip(found, texts, strict=True))
    if wrong:
        raise PolicyError(f"{wrong} of the {len(texts)} values are not {what}; hint: {hint}")
    return found


def _interval(value: Fraction, widths: Sequence[Fraction]) -> str:
    """Return the interval of the first width, cut where one of a wider width ends."""
    low = max(value // width * width for width in widths)
    high = min(value // width * width + width for width in widths)
    return f"[{decimal(low)}, {decimal(high)})"


def decimal(value: Fraction) -> str:
    """Return a number as a decimal.

    Raises
    ------
    PolicyError
        When it has none.

    Examples
    --------
    >>> decimal(Fraction(5, 2))
    '2.5'
    """
    places = 0
    while value.denominator > 1 and 10**places % value.denominator:
        places += 1
        if places > 30:
            raise PolicyError("the width of an interval has no decimal form; hint: INTERVALS (2.5, 10)")
    whole = value * 10**places
    digits = str(abs(whole.numerator)).zfill(places + 1)
    sign = "-" if value < 0 else ""
    return sign + (f"{digits[:-places]}.{digits[-places:]}" if places else digits)


def _day(text: str) -> date | None:
    since = moment(text)
    return None if since is None else (datetime.min + timedelta(microseconds=int(since))).date()


def _period(day: date, step: str) -> str:
    match step:
        case "day":
            return f"{day.year:04}-{day.month:02}-{day.day:02}"
        case "month":
            return f"{day.year:04}-{day.month:02}"
        case "quarter":
            return f"{day.year:04}-Q{(day.month + 2) // 3}"
        case "year":
            return f"{day.year:04}"
        case _:
            return f"{day.year // 10 * 10:04}s"
