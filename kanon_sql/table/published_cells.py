"""A published table of counts or sums as an attacker sees it: some rows have a value, others are suppressed."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_sql.table.arrays import Int64
from kanon_sql.table.cell_table import Bools


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedCells:
    """Rows that add up the same base cells. No base cell is negative."""

    value: Int64  # [r]: the value of each row in units of the last decimal place; 0 where it is suppressed
    hidden: Bools  # [r]: which rows are suppressed
    least: Int64  # [r]: the least value that is possible for each suppressed row
    # row, base [n]: pairs of a row and a base cell that it adds up
    row: Int64
    base: Int64
    base_cells: int  # how many base cells there are
    # [r]: which rows are in no published set, or of values that nothing shows: only whether they are small counts
    unseen: Bools
