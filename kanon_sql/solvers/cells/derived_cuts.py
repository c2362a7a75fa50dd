"""Cuts, and the lines of a table that each of them follows from: what a certificate needs for a lower bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kanon_sql.solvers.cells.cuts import Cuts
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.cell_table import PricedCut


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """The lines of some cuts."""

    cut: Int64  # [l]: whose line it is; those of one cut stand together, the cuts in their order
    # parent, refined, times [l]: see `PricedCut.lines`
    parent: Int32
    refined: Int32
    times: Int32


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedCuts:
    """Cuts of a table."""

    # row, measure [n]: see `PricedCut`
    row: Int32
    measure: Int32
    lines: Lines  # what they follow from
    cuts: Cuts  # what they say

    @classmethod
    def none(cls) -> DerivedCuts:
        """Return no cuts."""
        few, many = np.zeros(0, np.int32), np.zeros(0, np.int64)
        return cls(
            row=few,
            measure=few,
            lines=Lines(cut=many, parent=few, refined=few, times=few),
            cuts=Cuts(left=many, cut=many, variable=many, coefficient=many),
        )

    def __len__(self) -> int:
        """Return n."""
        return len(self.row)

    def with_more(self, more: DerivedCuts) -> DerivedCuts:
        """Return these cuts and more of them."""
        mine, other = self.lines, more.lines
        return DerivedCuts(
            row=np.concatenate((self.row, more.row)),
            measure=np.concatenate((self.measure, more.measure)),
            lines=Lines(
                cut=np.concatenate((mine.cut, other.cut + len(self))),
                parent=np.concatenate((mine.parent, other.parent)),
                refined=np.concatenate((mine.refined, other.refined)),
                times=np.concatenate((mine.times, other.times)),
            ),
            cuts=self.cuts.with_more(more.cuts),
        )

    def some(self, numbers: Int64) -> DerivedCuts:
        """Return some of these cuts, their numbers in ascending order."""
        place = np.full(len(self), -1, np.int64)
        place[numbers] = np.arange(len(numbers))
        lines = self.lines
        kept = place[lines.cut] >= 0
        return DerivedCuts(
            row=self.row[numbers],
            measure=self.measure[numbers],
            lines=Lines(
                cut=place[lines.cut[kept]],
                parent=lines.parent[kept],
                refined=lines.refined[kept],
                times=lines.times[kept],
            ),
            cuts=self.cuts.some(numbers),
        )

    def priced(self, prices: Sequence[int]) -> tuple[PricedCut, ...]:
        """Return the cuts with a price above 0."""
        lines = self.lines
        whole = list(zip(lines.parent.tolist(), lines.refined.tolist(), lines.times.tolist(), strict=True))
        first = np.searchsorted(lines.cut, np.arange(len(self) + 1)).tolist()
        return tuple(
            PricedCut(row=row, measure=measure, lines=tuple(whole[first[number] : first[number + 1]]), price=price)
            for number, (row, measure, price) in enumerate(zip(self.row.tolist(), self.measure.tolist(), prices, strict=True))
            if price > 0
        )
