"""The rows of a grouping set that a table publishes, and all grouping sets of a table in the system of several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kanon_sql.table.cell_table import Bools


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedSet:
    """The rows of a grouping set that a table shows or suppresses."""

    keys: tuple[int, ...]  # its keys, and the conditions of the table
    conditions: tuple[int, ...] = ()  # those of the keys that are conditions: only rows that meet them are in the table
    sums: bool = False  # whether the table has sums
    stays: bool = False  # whether a suppressed value stays in a shown row: filtered counts do

    def follows_from(self, other: PublishedSet) -> bool:
        """Return whether each row of this set is made of rows of another one."""
        return set(self.keys) < set(other.keys) and set(other.conditions) <= set(self.conditions)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnSets:
    """The grouping sets of a table in the system."""

    sets: Sequence[PublishedSet]  # its rows, then for each condition of a count those again
    plain: int  # how many of them are its rows
    meets: Bools  # [b]: which base cells meet the condition of the table
    shown: set[tuple[int, ...]]  # the keys of its grouping sets that have to be shown
    new: bool  # whether it is not published yet
    absent: bool  # whether its suppressed rows are left out
