"""The rows of a grouping set that a table publishes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedSet:
    """The rows of a grouping set that a table shows or suppresses."""

    keys: tuple[int, ...]  # its keys, and the conditions of the table
    conditions: tuple[int, ...] = ()  # those of the keys that are conditions: only rows that meet them are in the table
    sums: bool = False  # whether the table has sums
    stays: bool = False  # whether a suppressed value stays in a shown row: the counts under a condition do

    def follows_from(self, other: PublishedSet) -> bool:
        """Return whether each row of this set is made of rows of another one."""
        return set(self.keys) < set(other.keys) and set(other.conditions) <= set(self.conditions)
