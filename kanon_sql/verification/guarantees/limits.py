"""Linear limits that every class which meets a requirement keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import NDArray

ONE = 1 << 16
"""Shares and lengths are taken in units of 1/65536."""

Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A limit to the rows of a class with values of some sets."""

    below: Whole  # [e, v]: 1 for the values of each set
    numerator: Whole  # [e]: the share of each set, in units of 1 / ``denominator``
    denominator: int
    length: Whole  # [e]: the weight of each set, in 1/65536, rounded down
    # How far the rows of all sets, weighted, may be off their shares together, in 1/65536 of the class, rounded up. None where
    # each share is the most that a class may have.
    most: int | None = None
    signed: bool = False  # whether too few rows are off, too

    @property
    def share(self) -> Whole:
        """Return the shares in 1/65536, rounded down, int64 [e]."""
        share: Whole = self.numerator * ONE // self.denominator
        return share


def at_most(below: Whole, shares: Sequence[Fraction]) -> Limit:
    """Return the limit that each set has at most its share; a share of everything is none."""
    limited = [number for number, share in enumerate(shares) if share < 1]
    return Limit(
        below=below[limited],
        numerator=np.array([ceil(shares[number] * ONE) for number in limited], np.int64),
        denominator=ONE,
        length=np.zeros(len(limited), np.int64),
    )
