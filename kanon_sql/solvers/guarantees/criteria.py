"""The criteria of kernels, as they grow by requirement."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor

from kanon_sql.table.arrays import Int64

SAFE = 1 << 62
"""Whole numbers below this fit into 64 bits, signs and a sum included."""

_FINE = 1 << 20
"""Denominator of thresholds that would be too fine: they are made stricter by less than a millionth."""


@dataclass(slots=True, kw_only=True)
class Criteria:
    """Criteria, data and shares that grow by requirement; see `EncodedRequirement`."""

    rows: int  # rows of the whole table
    shares: list[Int64]  # to be joined
    parts: list[tuple[int, ...]] = field(default_factory=list)  # the criteria
    data: list[Int64] = field(default_factory=list)  # to be joined

    def add(
        self,
        kind: int,
        places: tuple[int, int],
        threshold: Fraction,
        extra: int = 0,
        more: tuple[int, int, int, int] = (1, 0, 0, 0),
    ) -> None:
        """Add a criterion; ``more`` are ``exact``, ``data_start``, ``edges`` and ``share_start``."""
        self.parts.append((kind, *places, threshold.numerator, threshold.denominator, extra, *more))

    @property
    def data_start(self) -> int:
        """Return where the next data begin."""
        return sum(map(len, self.data))


def stricter(threshold: Fraction, *, up: bool) -> Fraction:
    """Return a threshold of which the products with counts of rows fit into 64 bits, no less strict."""
    if max(threshold.numerator, threshold.denominator) < _FINE:
        return threshold
    if threshold > _FINE:
        return Fraction(min(ceil(threshold), SAFE >> 32)) if up else Fraction(_FINE)
    return Fraction((ceil if up else floor)(threshold * _FINE), _FINE)
