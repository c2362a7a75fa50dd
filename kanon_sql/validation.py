"""Checks of what users write: numbers, names, lists, JSON objects; each error says what was expected."""

from __future__ import annotations

import string
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from kanon_sql.errors import PolicyError

_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def same_name(name: str) -> str:
    """Return the form under which DuckDB compares identifiers: the case of ASCII letters does not count."""
    return name.translate(_LOWER)


def fraction(value: Any, what: str) -> Fraction:
    """Return a number exactly; a float counts as the decimal it is written as."""
    try:
        exact = Fraction(str(value) if isinstance(value, float) else value)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        raise PolicyError(f"{what} must be a number, got {type(value).__name__}; hint: write it like 3 or 0.5") from None
    return exact


def whole(value: object, what: str, least: int) -> int:
    """Return a whole number of at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        shown = value if isinstance(value, int | float) else type(value).__name__
        raise PolicyError(f"{what} must be a whole number of at least {least}, got {shown}")
    return value


def named(value: object, what: str) -> str:
    """Return a column name."""
    if not isinstance(value, str) or not value:
        raise PolicyError(f"{what} must be a column name, got {'an empty text' if value == '' else type(value).__name__}")
    return value


def refuse_twice(names: Iterable[str], where: str) -> None:
    """Refuse names of which two are the same."""
    seen: set[str] = set()
    for name in names:
        if same_name(name) in seen:
            raise PolicyError(f'{where} name the column "{name}" twice; hint: name it once')
        seen.add(same_name(name))


def listed(value: object, what: str) -> list[Any]:
    """Return a list."""
    if not isinstance(value, list):
        raise PolicyError(f"{what} must be a list, got {type(value).__name__}")
    return value


def known_keys(value: object, known: set[str], what: str, needed: str | None = None) -> dict[str, Any]:
    """Return a JSON object that has no unknown key, and the key ``needed``."""
    if not isinstance(value, dict):
        raise PolicyError(f"{what} must be a JSON object, got {type(value).__name__}")
    if needed is not None and needed not in value:
        raise PolicyError(f"{what} lacks the key {needed!r}")
    for key in value:
        if key not in known:
            raise PolicyError(f"{what} has the unknown key {key!r}; hint: the keys are {', '.join(sorted(known))}")
    return value
