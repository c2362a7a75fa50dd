"""The grouping sets of a table in the system of several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kanon_sql.engines.cells.published_set import PublishedSet
from kanon_sql.table.cell_table import Bools


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnSets:
    """The grouping sets of a table in the system.

    Parameters
    ----------
    sets : sequence of PublishedSet
        Its rows, then for each condition of a count those again.
    plain : int
        How many of them are its rows.
    meets : bool array [b]
        Which base cells meet the condition of the table.
    shown : set of tuple of int
        The keys of its grouping sets that have to be shown.
    new : bool
        Whether it is not published yet.
    absent : bool
        Whether its suppressed rows are left out.
    """

    sets: Sequence[PublishedSet]
    plain: int
    meets: Bools
    shown: set[tuple[int, ...]]
    new: bool
    absent: bool
