"""Why a protected table is safe, and why none costs much less: what a stranger needs for checking it without a solver."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_sql.table.cell_table import PricedCut

Move = tuple[int, int, int]
"""A measure, a base cell, and by how much it changes there."""

Witness = tuple[int, int, tuple[Move, ...]]
"""A row, the measure that requires the witness, and its moves: those in that measure first, then by measure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableEvidence:
    """The pattern of a table, or of several that were solved together, its witnesses, and the prices of its lower bound.

    Base cells are numbered by their keys in ascending order, NULL last; empty cells follow. Rows are numbered by grouping set:
    those of the tabulation in their order, then the joined ones. Within a set, the first base cell counts. Measure 0 is the
    count; sums follow.
    """

    primaries: tuple[int, ...]  # the primary suppressed rows of the tables
    secondaries: tuple[int, ...]  # the others
    # Another table that agrees with everything shown: one for each primary row and measure that requires it, of a sum one of
    # more and one of less, and one for each row of ``joined_sets`` with too few people. With ``AGAINST CONTRIBUTORS``, some
    # rows have several, each of which raises another base cell that contributors know.
    witnesses: tuple[Witness, ...]
    # cuts with their multipliers; where an integer program proves more, these prove a part of the bound
    cuts: tuple[PricedCut, ...]
    scale: int  # see `PricedCut.price`
    # The keys of grouping sets that no table has. Their rows are groups that rows of several grouping sets name together.
    joined_sets: tuple[tuple[int, ...], ...] = ()
    # base cells without people that the published rows permit: for each key, the number of a base cell with the same value
    empty_cells: tuple[tuple[int, ...], ...] = ()
