"""Alpha, beta and delta are one rule: each value has from a least to a greatest share of the rows of a class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanon_sql.verification.guarantees.claimed_requirement import MOST_SIZES, ClaimedRequirement, Limit, S, Whole, at_most

_MOST_TRIED = 1 << 22
"""Sizes times values that are tried."""

_DOUBT = 1e-12
"""Relative error of sums of floats, generously: a support in doubt is kept."""


@dataclass(frozen=True, slots=True)
class Shares(ClaimedRequirement[S], ABC):
    """Limits to the share of each value in a class."""

    @abstractmethod
    def shares(self) -> list[tuple[Fraction, Fraction]]:
        """Return the least and the greatest share of each value."""

    def any_limit(self) -> Limit | None:
        """Return the greatest shares."""
        return at_most(np.eye(len(self.about.count), dtype=np.int64), [most for _, most in self.shares()])

    def least_rows(self) -> int:
        """Return rows below which no class gives each value from its least to its greatest share.

        A value that may not be missing has a row, which its greatest share has to allow.
        """
        shares, rows = self.shares(), int(self.about.count.sum())
        first = max((ceil(1 / high) for low, high in shares if low > 0), default=1)
        last = min(rows, first + max(1, min(MOST_SIZES, _MOST_TRIED // len(shares))) - 1)
        for size in range(first, last):
            least = [ceil(low * size) for low, _ in shares]
            most = [floor(high * size) for _, high in shares]
            if sum(least) <= size <= sum(most) and all(low <= high for low, high in zip(least, most, strict=True)):
                return size
        return last

    def possible(self, held: Whole, least: int) -> NDArray[np.bool_]:
        """Return where ``least`` rows may have such shares."""
        low, high = (np.array(each, np.float64) * least for each in zip(*self.shares(), strict=True))
        found = np.minimum(held, high).sum(axis=1) * (1 + _DOUBT) >= least
        return np.asarray(found & (held * (1 + _DOUBT) >= low).all(axis=1), np.bool_)


@dataclass(frozen=True, slots=True)
class SharesOfTableClaim(Shares[Any]):
    """Limits that the requirement, one of `SharesOfTable`, takes from the share of each value in the table."""

    def shares(self) -> list[tuple[Fraction, Fraction]]:
        """Return what the requirement makes of each share."""
        rows = int(self.about.count.sum())
        return [self.requirement.shares(held, rows) for held in self.about.count.tolist()]
