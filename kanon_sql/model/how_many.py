"""A number and what it counts, in the singular or the plural."""

from __future__ import annotations


def how_many(number: int, one: str, many: str = "") -> str:
    """Return a number and what it counts.

    Parameters
    ----------
    one, many : str
        The words after the number 1, and those after any other one. By default the latter are the former with an s.

    Examples
    --------
    >>> how_many(1, "row"), how_many(1234, "row"), how_many(1, "row fits", "rows fit"), how_many(0, "class", "classes")
    ('1 row', '1,234 rows', '1 row fits', '0 classes')
    """
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"
