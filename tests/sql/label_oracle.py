"""What a generalized label stands for in plain Python, one value at a time: slow, and independent of the SQL."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from fractions import Fraction

Values = set[str | None]
Tree = Mapping[str | None, Collection[str]]
"""For each value of a hierarchy the labels above it."""


def stands_for(label: str, values: Values, tree: Tree | None = None) -> Values:
    """Return the values of the column that a label stands for: none if no rule reads it."""
    known = {value for value in values if value is not None}
    under = {value for value in values if label in (tree or {}).get(value, ())}
    if under:
        return under
    if label.startswith("{") and label.endswith("}"):
        return words(label[1:-1], values)
    base = label.removesuffix(" or NULL")
    found = {value for value in known if reads(base, value, known)}
    return found | (values - known) if found and base != label else found


def words(inside: str, values: Values) -> Values:
    """Return the values that are listed; none if words are left over."""
    named = {value: "NULL" if value is None else value for value in values}
    found = {value for value, name in named.items() if f", {name}, " in f", {inside}, "}
    return found if sum(len(named[value].split(", ")) for value in found) >= len(set(inside.split(", "))) else set()


def reads(base: str, value: str, known: set[str]) -> bool:
    if base.startswith("[") and base.endswith(("]", ")")) and base.count(", ") == 1:
        return within(*base[1:-1].split(", "), base[-1] == ")", value, known)
    if base in periods(value) and all(map(periods, known)):
        return True
    stem = base.rstrip("*")
    if stem == base or (stem in known and len(base) < max(map(len, known))):
        return value == stem
    return value.startswith(stem)


def within(low: str, high: str, half_open: bool, value: str, known: set[str]) -> bool:
    if all(number(each) is not None for each in known):
        ends = number(low), number(high)
        if None in ends:
            return False
        here = number(value)
    elif half_open and number(low) is not None and number(high) is not None:
        return False  # numbers among other values
    else:
        ends, here = (low.encode(), high.encode()), value.encode()
    return ends[0] <= here < ends[1] or (ends[0] <= here == ends[1] and not half_open)


def number(text: str) -> Fraction | float | None:
    try:
        return float(text) if text == "inf" else Fraction(text)
    except ValueError:
        return None


def periods(value: str) -> set[str]:
    """Return the labels of the periods that a date is in; none if it is no date."""
    date = re.match(r"(\d{4})-(\d\d)-(\d\d)( |$)", value)
    if date is None:
        return set()
    year, month, day = date.groups()[:3]
    decade = f"{int(year) // 10:03}0s"
    return {f"{year}-{month}-{day}", f"{year}-{month}", f"{year}-Q{(int(month) + 2) // 3}", year, decade}
