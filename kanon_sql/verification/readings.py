"""What the cells of one column of a release can mean: the values that a label stands for, and what they lose by it.

A label may be read in several ways, as a text that two levels share. Then it stands for the values of all of them, and its loss
lies between two figures: nothing that a true release shows is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from kanon_sql.table.arrays import Int64
from kanon_sql.table.ladder import Label

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """One way to read a label."""

    values: Int64  # codes of the values that it stands for
    loss: Fraction  # what a cell of it loses; at least, where ``most`` is given
    most: Fraction | None = None  # what it loses at most
    level: int = 0  # the level of the ladder, 0 where there is none
    held: Int64 | None = None  # codes of values that its class must have: the ends of a range, or all of a set


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """The cells of one column in both tables, as codes."""

    texts: Sequence[Label]  # the text of each code where the column is generalized; else empty
    hidden: int | None  # the code that looks suppressed, if any cell of either table does
    rows: Int64  # rows of the source with each code
    cells: Int64  # rows of the release with each code

    @property
    def values(self) -> Int64:
        """Return the codes that the source has."""
        return np.flatnonzero(self.rows)

    @property
    def labels(self) -> list[int]:
        """Return the codes that the release has, and the one that looks suppressed."""
        return sorted({*np.flatnonzero(self.cells).tolist(), *([] if self.hidden is None else [self.hidden])})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """All ways to read the cells of a column."""

    # By the code of each label that the release has: how it may be read; nothing where no rule reads it. What looks suppressed
    # has here what it means if it is shown.
    meanings: dict[int, list[Meaning]]
    empty: Mask  # for each code of the source whether the value may look suppressed although it is shown
    blank: Mask  # whether it always looks so

    def covers(self, label: int) -> Int64:
        """Return the codes of the values that a label may stand for, ascending."""
        return np.unique(np.concatenate([each.values for each in self.meanings[label]]))

    def at(self, label: int, level: int) -> Int64:
        """Return the codes of the values that a label stands for at a level."""
        found = [each.values for each in self.meanings[label] if each.level == level]
        return np.unique(np.concatenate(found)) if found else np.empty(0, np.int64)

    def levels(self, label: int) -> frozenset[int]:
        """Return the levels at which a cell may have a label, if it is shown."""
        return frozenset(each.level for each in self.meanings[label])

    def held(self, label: int) -> Int64 | None:
        """Return the values that a class with this label must have, None where it may be read in several ways."""
        return self.meanings[label][0].held if len(self.meanings[label]) == 1 else None
