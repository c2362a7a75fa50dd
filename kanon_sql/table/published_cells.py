"""A published table of counts or sums as an attacker sees it: some rows have a value, others are suppressed."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_sql.table.arrays import Int64
from kanon_sql.table.cell_table import Bools


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedCells:
    """Rows that add up the same base cells. No base cell is negative.

    Parameters
    ----------
    value : int64 array [r]
        The value of each row in units of the last decimal place; 0 where it is suppressed.
    hidden : bool array [r]
        Which rows are suppressed.
    least : int64 array [r]
        The least value that is possible for each suppressed row.
    row, base : int64 array [n]
        Pairs of a row and a base cell that it adds up.
    base_cells : int
        How many base cells there are.
    unseen : bool array [r]
        Which rows are in no published set, or of values that nothing shows: only whether they are small counts.
    """

    value: Int64
    hidden: Bools
    least: Int64
    row: Int64
    base: Int64
    base_cells: int
    unseen: Bools
