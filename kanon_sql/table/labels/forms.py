"""How people write dates and numbers elsewhere: what an error says of values that are neither."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime

DATES = ("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d-%m-%Y", "%d.%m.%y", "%m/%d/%y", "%Y%m%d")
"""Forms of dates, as ``strptime`` spells them; the first is the one that needs no help."""

DECIMAL_COMMA = re.compile("[+-]?(?:[0-9]{1,3}(?:[. \u00a0\u202f'][0-9]{3})+|[0-9]+)(?:,[0-9]+)?")
"""A number as German, French and others write it: 1.234,5 or 1 234,5."""


def date_forms(texts: Iterable[str]) -> list[tuple[str, int]]:
    """Return the forms of some texts with how many have each, the most frequent first; what has none is not counted.

    Examples
    --------
    >>> date_forms(["31.12.2024", "01.02.2024", "2024-05-31", "05/31/2024", "unknown"])
    [('%d.%m.%Y', 2), ('%Y-%m-%d', 1), ('%m/%d/%Y', 1)]
    """
    left, found = list(texts), []
    while left:
        fitting = {form: [text for text in left if _is(text, form)] for form in DATES}
        form = max(DATES, key=lambda each: len(fitting[each]))
        if not fitting[form]:
            break
        found.append((form, len(fitting[form])))
        fits = set(fitting[form])
        left = [text for text in left if text not in fits]
    return found


def _is(text: str, form: str) -> bool:
    with suppress(ValueError):
        datetime.strptime(text.strip(), form)
        return True
    return False


def or_month_first(texts: Iterable[str]) -> str:
    """Return what to add to a remedy for dates whose days may all be months."""
    every = list(texts)
    day, month = ([text for text in every if _is(text, form)] for form in ("%d/%m/%Y", "%m/%d/%Y"))
    return "; if the month comes first, use %m/%d/%Y" if day and day == month else ""


def by_length_of_year(form: str) -> bool:
    """Order forms so that years of two digits are read first: DuckDB takes 24 for the year 24 where four are wanted."""
    return "%y" not in form


def about_dates(texts: Iterable[str]) -> tuple[str, str, str] | None:
    """Return the forms of dates, the remedy in SQL and that of the command line; None if these are not dates."""
    every = list(texts)
    found = date_forms(every)
    if not found:
        return None
    counted = " and ".join(f"{count:,} {'matches' if count == 1 else 'match'} {form}" for form, count in found)
    named = sorted(dict.fromkeys([*(form for form, _ in found), DATES[0]]), key=by_length_of_year)
    forms = ", ".join(f"'{form}'" for form in named)
    options = " ".join(f"--date-format {form}" for form, _ in found if form != DATES[0]) or f"--date-format {DATES[0]}"
    month_first = or_month_first(every)
    return counted, f"use try_strptime(column, [{forms}])::DATE{month_first}", f"pass {options}{month_first}"


def about_numbers(texts: Iterable[str]) -> tuple[str, str, str] | None:
    """Return which numbers have a decimal comma, the remedy in SQL and that of the command line; None if none has."""
    every = list(texts)
    count = sum(DECIMAL_COMMA.fullmatch(text.strip()) is not None for text in every)
    if not count:
        return None
    of_all = "all of these" if count == len(every) else f"{count:,} of these"
    number = "replace(regexp_replace(column, '[^0-9,+-]', '', 'g'), ',', '.')::DOUBLE"
    have = "has" if count == 1 and count != len(every) else "have"
    return f"{of_all} {have} a decimal comma", f"use {number}", "pass --decimal ,"
