"""Intervals of numbers and dates: ``37`` becomes ``[35, 40)``, ``2026-11-21`` becomes ``2026-Q4``."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from fractions import Fraction
from functools import partial
from typing import TypeVar

from kanon_sql.errors import PolicyError
from kanon_sql.model.coding import CODED, CUT, Coded, Cuts
from kanon_sql.model.recodings import PERIODS, Intervals, Level, coded_ends, shows_values
from kanon_sql.table.labels.forms import about_dates, about_numbers
from kanon_sql.table.ladder import Label
from kanon_sql.table.numbers import exact
from kanon_sql.table.sensitive_values import moment, refuse_far_moments

T = TypeVar("T")


def interval_levels(texts: Sequence[Label], recoding: Intervals | Cuts | Coded) -> dict[Level, list[Label]]:
    """Return what each value shows at each level above the value itself, by the name of the level, finest first.

    Parameters
    ----------
    texts : sequence of Label [v]
        Numbers or dates; NULL stays NULL.
    recoding : Intervals, Cuts or Coded
        Intervals have widths. With an end, the first level is `CODED`, the numbers between the ends, unless no value may be
        shown.

    Raises
    ------
    PolicyError
        When values are none; the message counts them.
    """
    if isinstance(recoding, Intervals) and recoding.steps[0] in PERIODS:
        refuse_far_moments(texts)
        days = _read(texts, _day, "dates or timestamps", "use widths such as INTERVALS (5, 10) for numbers", about_dates)
        years = [None if day is None else Fraction(day.year) for day in days]
        found = _coded(texts, years, recoding)
        for step in recoding.steps:
            found[step] = [
                None if day is None else beyond(Fraction(day.year), recoding) or _period(day, str(step)) for day in days
            ]
        return found
    values = _read(texts, exact, "numbers", "use INTERVALS (month, year) for dates", about_numbers)
    found = _coded(texts, values, recoding)
    within: dict[Level, Callable[[Fraction], tuple[Fraction | None, Fraction | None]]] = {}
    match recoding:
        case Intervals(steps=steps):
            widths = [step for step in steps if isinstance(step, Fraction)]
            within = {width: partial(_aligned, widths=widths[place:]) for place, width in enumerate(widths)}
        case Cuts(at=at):
            within = {CUT: partial(_between, cuts=at)}
    for name, around in within.items():
        found[name] = [
            None if value is None else beyond(value, recoding) or _between_ends(*around(value), recoding) for value in values
        ]
    return found


def _coded(
    texts: Sequence[Label], values: Sequence[Fraction | None], recoding: Intervals | Cuts | Coded
) -> dict[Level, list[Label]]:
    """Return the level of the values between the ends, if there is one."""
    if coded_ends(recoding) == (None, None) or not shows_values(recoding):
        return {}
    shown = [
        None if text is None or value is None else beyond(value, recoding) or text
        for text, value in zip(texts, values, strict=True)
    ]
    return {CODED: shown}


def beyond(value: Fraction, recoding: Intervals | Cuts | Coded) -> str | None:
    """Return what a number, or the year of a date, shows at an end or beyond it; None where it is between the ends.

    Examples
    --------
    >>> beyond(Fraction(93), Coded(top=90)), beyond(Fraction(18), Coded(bottom=18)), beyond(Fraction(19), Coded(bottom=18))
    ('90+', '<=18', None)
    """
    top, bottom = coded_ends(recoding)
    if top is not None and value >= top:
        return f"{decimal(top)}+"
    return f"<={decimal(bottom)}" if bottom is not None and value <= bottom else None


def _between_ends(low: Fraction | None, high: Fraction | None, recoding: Intervals | Cuts | Coded) -> str:
    """Return the interval from ``low`` to below ``high``, cut where the ends of the recoding are."""
    top, bottom = coded_ends(recoding)
    if top is not None and (high is None or high > top):
        high = top
    if bottom is not None and (low is None or low <= bottom):
        beginning = f"({decimal(bottom)}"
    else:
        beginning = "" if low is None else f"[{decimal(low)}"
    if high is None:
        return f"{beginning[1:]}+"
    return f"{beginning}, {decimal(high)})" if beginning else f"<{decimal(high)}"


def _read(
    texts: Sequence[Label],
    read: Callable[[str], T | None],
    what: str,
    hint: str,
    about: Callable[[list[str]], tuple[str, str, str] | None],
) -> list[T | None]:
    """Return what each text means; ``about`` says how texts without a meaning are written, and the remedies."""
    found = [None if text is None else read(text) for text in texts]
    wrong = [text for value, text in zip(found, texts, strict=True) if value is None and text is not None]
    if wrong:
        problem = f"{len(wrong):,} of the {len(texts):,} distinct values are not {what}"
        if (written := about(wrong)) is None:
            raise PolicyError(f"{problem}; hint: {hint}")
        forms, in_sql, on_command_line = written
        raise PolicyError(f"{problem}: {forms}; hint: {in_sql}").command(on_command_line)
    return found


def _aligned(value: Fraction, widths: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
    """Return the interval of the first width, cut where one of a wider width ends."""
    low = max(value // width * width for width in widths)
    return low, min(value // width * width + width for width in widths)


def _between(value: Fraction, cuts: Sequence[Fraction]) -> tuple[Fraction | None, Fraction | None]:
    """Return the last cut up to a number, and the first above it."""
    place = bisect_right(cuts, value)
    return cuts[place - 1] if place else None, cuts[place] if place < len(cuts) else None


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
            raise PolicyError("interval widths and ends must be decimal numbers; hint: write INTERVALS (2.5, 10)")
    whole = value * 10**places
    digits = str(abs(whole.numerator)).zfill(places + 1)
    sign = "-" if value < 0 else ""
    return sign + (f"{digits[:-places]}.{digits[-places:]}" if places else digits)


_ZONE = re.compile(r"(?<=:[0-9]{2})(\.[0-9]{1,6})?[+-][0-9]{2}(:[0-9]{2})?$")
"""The zone of a TIMESTAMPTZ, behind its seconds: its day is that of the clock there."""


def _day(text: str) -> date | None:
    text = _ZONE.sub("", text)
    since = moment(text if "T" not in text else text.replace("T", " ").removesuffix("Z"))  # a file has them as ISO 8601 writes
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
