"""A ladder: what the cells of one column show, level by level, from the value itself to the coarsest label.

Every level is coarser than the one before: what two values share at one level they share above. So a pattern that shows a
column at some level shows all coarser ones with it, and each level is a coded column of its own, hidden at the price of the
step to the next. What is beyond the last level is suppressed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from kanon_sql.errors import PolicyError
from kanon_sql.model.masks import Mask
from kanon_sql.model.recodings import VALUE, Level
from kanon_sql.table.coded_table import CodedTable

Label = str | None
"""What a cell shows; NULL where the value is NULL."""

MOST_LEVELS = 60
"""Levels that the quasi-identifiers may have together: one word holds a bit for each."""

GRAIN = Fraction(1, 1000)
"""Shares of the domain are rounded to so much, so that costs stay small whole numbers."""

COST: tuple[str, ...] = ()
"""What the levels of costs show of the source: nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """The levels of one column."""

    # [t]: for each level, the value itself first, the code of the label of each row type; from 0
    codes: tuple[NDArray[np.int32], ...]
    labels: tuple[list[Label], ...]  # for each level the label of each code
    # Loss of a cell at each level: 0 at the value itself, ascending, below 1. Without losses of its own, a level that stands
    # for the values because they may not be shown has theirs.
    loss: tuple[Fraction, ...]
    shown: tuple[bool, ...]  # whether a release may show the level
    names: tuple[Level, ...] = ()  # what masks call the levels; empty where no mask names one
    # by which algorithm the labels were put together, and what it guarantees; empty where there was nothing to choose
    grouping: str = ""

    @classmethod
    def of(
        cls,
        value: NDArray[np.int32],
        texts: Sequence[Label],
        rows: NDArray[np.int64],
        levels: Sequence[Sequence[Label]],
        *,
        exact: bool,
        loss: Sequence[Fraction] = (),
        names: Sequence[Level] | None = None,
        every: bool = False,
    ) -> Ladder:
        """Build a ladder from the labels of each value.

        Parameters
        ----------
        value : int32 array [t]
            The value of each row type, as its place in ``texts``.
        texts : sequence of Label [v]
            The values as texts, each once.
        rows : int64 array [v]
            Rows of the table with each value.
        levels : sequence of sequence of Label [v]
            What each value shows at each level above, finest first. Levels that show no less than the one before are left
            out, but where masks name them, or ``every`` level is requested.
        exact : bool
            Whether a release may show the value itself.
        loss : sequence of Fraction
            Loss of each of ``levels``; empty takes the share of the domain that the label of a row covers, on average.
        names : sequence of Level
            What masks call the levels, without the value itself; None where no mask names one.
        every : bool
            Whether to keep all levels: a label that only one value of the table has may stand for many of its population.

        Raises
        ------
        PolicyError
            When values that share a label do not share the next, or the losses are not as many as the levels.

        Notes
        -----
        O(h v log v + h t) for h levels.
        """
        if loss:
            refuse_other_losses(loss, len(levels))
        codes, labels, losses, shown = [value], [list(texts)], [Fraction(0)], [exact]
        below, size = np.arange(len(texts)), len(texts)
        for number, level in enumerate(levels):
            place = {label: code for code, label in enumerate(dict.fromkeys(level))}
            own = np.array([place[label] for label in level], np.int64)
            if len(place) == size and names is None and not every:
                if shown[-1]:
                    continue
                if not loss:  # the values may not be shown, but labels that tell as much may
                    labels[-1], shown[-1] = list(level), True
                    continue
            if len(np.unique(np.stack([below, own]), axis=1).T) != size:
                raise PolicyError(
                    f"level {number + 1} splits a group of level {number}; hint: make each level more general than the "
                    "previous one"
                )
            below, size = own, len(place)
            codes.append(own[value].astype(np.int32))
            labels.append(list(place))
            losses.append(loss[number] if loss else max(_share(own, rows), losses[-1] + GRAIN))
            shown.append(True)
        if not loss:  # each level loses less than the next, and the last less than suppression
            for above in range(1, len(losses)):
                losses[-above] = min(losses[-above], 1 - above * GRAIN)
        return cls(
            codes=tuple(codes),
            labels=tuple(labels),
            loss=tuple(losses),
            shown=tuple(shown),
            names=() if names is None else (VALUE, *names),
        )

    @property
    def steps(self) -> list[Fraction]:
        """Return the loss that hiding each level adds to hiding all finer ones; the sum is 1."""
        return [high - low for low, high in zip(self.loss, (*self.loss[1:], Fraction(1)), strict=True)]


def refuse_other_losses(loss: Sequence[Fraction], levels: int) -> None:
    """Refuse losses that are not as many as the levels.

    Raises
    ------
    PolicyError
        With both numbers.
    """
    if len(loss) != levels:
        raise PolicyError(f"there are {len(loss)} losses for {levels} levels; hint: write one loss per level")


def _share(label: NDArray[np.int64], rows: NDArray[np.int64]) -> Fraction:
    """Return the share of the other values that a row's label also stands for, on average, as a multiple of `GRAIN`."""
    values = len(label)
    if values == 1:
        return Fraction(0)
    covered = np.bincount(label)[label] - 1
    exact = Fraction(int(covered @ rows), int(rows.sum()) * (values - 1))
    return round(exact / GRAIN) * GRAIN


def cost_steps(masks: Mapping[Mask, Fraction]) -> list[Fraction]:
    """Return what each level of the costs of masks adds to the one before.

    A mask that shows more of the source may cost more. Solvers know the cost of a mask as the sum of what it hides, and that a
    mask which shows more hides less. So the columns of the source cost nothing, and a column of one value has a level for each
    cost: a mask hides those that it costs. Classes do not depend on a column in which all rows agree.

    Examples
    --------
    >>> [str(step) for step in cost_steps({("zip", "age"): Fraction(0), ("age",): Fraction(2), (): Fraction(5)})]
    ['2', '3']
    """
    return [high - low for low, high in pairwise(sorted({Fraction(0), *masks.values()}))]


def cost_bits(table: CodedTable, cost: Fraction) -> int:
    """Return the bits of the levels that a mask of this cost shows."""
    places = table.ladders[COST]
    units = np.cumsum(table.cost[places]).tolist()
    return sum(1 << place for place, most in zip(places, units, strict=True) if most > cost * table.unit)
