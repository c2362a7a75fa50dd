"""What every class that meets a requirement keeps: a linear limit, a least size, and rows that it cannot do without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from kanon_sql.model.requirements import SensitiveRequirement
from kanon_sql.table.coded_table import Sensitive

ONE = 1 << 16
"""Shares and lengths are taken in units of 1/65536."""

Whole = NDArray[np.int64]

MOST_SETS = 64
"""Sets of values of a limit; where they are more, it proves nothing."""

MOST_SIZES = 10_000
"""Sizes of a class that are tried; that none of them is possible is proof enough."""

S = TypeVar("S", bound=SensitiveRequirement)


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


@dataclass(frozen=True, slots=True)
class ClaimedRequirement(Generic[S]):
    """A requirement and the attribute that it is about."""

    requirement: S  # the requirement on the values of every class
    about: Sensitive  # the attribute

    def limit(self) -> Limit | None:
        """Return the limit that the requirement sets, or one that follows from it; None where none is known."""
        found = self.any_limit()
        return found if found is not None and 0 < len(found.below) <= MOST_SETS else None

    def any_limit(self) -> Limit | None:
        """Return the limit, however many sets it has."""
        return None

    def least_rows(self) -> int:
        """Return a number of rows below which no class meets the requirement."""
        return self.requirement.least_class_size

    def possible(self, held: Whole, _least: int) -> NDArray[np.bool_]:
        """Return which supports may hold a class, from their rows of each value, int64 [j, v].

        Some part of a support with ``least`` rows or more would meet the requirement, and the same part made smaller in
        proportion, if rows may be divided. So ``least`` rows are all that has to be looked at.
        """
        return np.ones(len(held), np.bool_)
