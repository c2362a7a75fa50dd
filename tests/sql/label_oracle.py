"""What a generalized label stands for in plain Python, one value at a time: slow, and independent of the SQL."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from fractions import Fraction
from functools import cache

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
    """Return the values that are listed; none if one is no value of the column."""
    found = {None if text == "NULL" else unquoted(text) for text in split(inside)}
    return found if found <= values else set()


def split(inside: str) -> list[str]:
    """Return the words of a list, as they stand: up to each comma with a space behind it that is not in quotes."""
    word = re.match(r'"(?:[^"]|"")*"(?=, |\Z)', inside) or re.match(r"(?s:(?!\").*?)(?=, |\Z)", inside)
    if word is None:
        return [" no word, "]
    rest = inside[word.end() :]
    return [word[0], *split(rest[2:])] if rest else [word[0]]


def unquoted(text: str) -> str:
    return text[1:-1].replace('""', '"') if re.fullmatch(r'"(?:[^"]|"")*"', text) else text


def reads(base: str, value: str, known: set[str]) -> bool:
    if base.startswith("[") and base.endswith(("]", ")")) and len(ends := split(base[1:-1])) == 2:
        low, high = map(unquoted, ends)
        return within(low, high, base[-1] == ")", value, known)
    if unquoted(base) != base or base in known:
        return value == unquoted(base)
    if base in periods(value) and all(map(periods, known)):
        return True
    if not base.endswith("*"):
        return value == base
    alike = {each for each in known if each.startswith(base.rstrip("*"))}
    return value in ({each for each in alike if len(each) == len(base)} or alike)


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


@cache
def number(text: str) -> tuple[int, Fraction] | None:
    """Return the place of a number among all: finite ones are between the infinities, NaN is above."""
    if found := re.fullmatch(r" *([+-]?)(inf|nan) *", text):
        return (2 if found[2] == "nan" else -1 if found[1] == "-" else 1), Fraction()
    return (0, Fraction(text)) if re.fullmatch(r" *[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})? *", text) else None


@cache
def periods(value: str) -> frozenset[str]:
    """Return the labels of the periods that a date is in; none if it is no date."""
    date = re.match(r"(\d{4})-(\d\d)-(\d\d)( |$)", value)
    if date is None:
        return frozenset()
    year, month, day = date.groups()[:3]
    decade = f"{int(year) // 10:03}0s"
    return frozenset({f"{year}-{month}-{day}", f"{year}-{month}", f"{year}-Q{(int(month) + 2) // 3}", year, decade})
