"""The grouping sets of a table in the system of several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kanon_sql.engines.cells.published_set import PublishedSet
from kanon_sql.table.cell_table import Bools


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnSets:
    """The grouping sets of a table in the system."""

    sets: Sequence[PublishedSet]  # its rows, then for each condition of a count those again
    plain: int  # how many of them are its rows
    meets: Bools  # [b]: which base cells meet the condition of the table
    shown: set[tuple[int, ...]]  # the keys of its grouping sets that have to be shown
    new: bool  # whether it is not published yet
    absent: bool  # whether its suppressed rows are left out
