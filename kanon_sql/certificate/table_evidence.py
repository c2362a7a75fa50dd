"""Why a protected table is safe, and why none costs much less: what a stranger needs for checking it without a solver."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_sql.table.cell_table import PricedCut

Witness = tuple[int, int, tuple[tuple[int, int], ...]]
"""A primary row, the measure that requires the witness, and each base cell that changes with its change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableEvidence:
    """The pattern of a table, or of several that were solved together, its witnesses, and the prices of its lower bound.

    Base cells are numbered by their keys in ascending order, NULL last. Rows are numbered by grouping set, in the order of the
    tabulation, and within a set by their first base cell. Measure 0 is the count; sums follow.

    Attributes
    ----------
    primaries, secondaries : tuple of int
        The suppressed rows.
    witnesses : tuple of (int, int, tuple of (int, int))
        For each primary row and measure that requires it, another table that agrees with everything shown.
    cuts : tuple of PricedCut
        Cuts with their multipliers; where an integer program proves more, these prove a part of the bound.
    scale : int
        See `PricedCut.price`.
    """

    primaries: tuple[int, ...]
    secondaries: tuple[int, ...]
    witnesses: tuple[Witness, ...]
    cuts: tuple[PricedCut, ...]
    scale: int
