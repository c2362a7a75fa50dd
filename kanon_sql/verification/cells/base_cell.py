"""A combination of all keys of a table, with what it adds up."""

from __future__ import annotations

from dataclasses import dataclass

Group = tuple[str | None, ...]
"""The values of some keys."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseCell:
    """A combination of all keys."""

    keys: tuple[str | None, ...]  # the keys as texts
    values: tuple[int, ...]  # how many people, then the sums in units of the last decimal place
    largest: tuple[tuple[int, ...], ...]  # for each sum, the largest contributions
