"""A combination of all keys of a table, with what it adds up."""

from __future__ import annotations

from dataclasses import dataclass

Group = tuple[str | None, ...]
"""The values of some keys."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseCell:
    """A combination of all keys.

    Attributes
    ----------
    keys : tuple of str or None
        The keys as texts.
    values : tuple of int
        How many people, then the sums in units of the last decimal place.
    largest : tuple of tuple of int
        For each sum, the largest contributions.
    """

    keys: tuple[str | None, ...]
    values: tuple[int, ...]
    largest: tuple[tuple[int, ...], ...]
