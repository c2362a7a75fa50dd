"""A linear limit that every class of a requirement keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import numpy as np

from kanon_sql.table.arrays import Int32, Int64

ONE = 1 << 16
"""Shares and lengths are taken in units of 1/65536."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A limit to the rows below the edges of a tree; see `kanon_sql.kernels.requirements.limits`."""

    leaf: Int32  # [v]: the lowest edge above each value, -1 for none
    parent: Int64  # [e]: the edge above each edge, -1 for none; children come first
    numerator: Int64  # [e]: the share below each edge, in units of 1 / ``denominator``
    denominator: int
    length: Int64  # [e]: in 1/65536, rounded down
    # how far all may be off together, in 1/65536, rounded up; -1 where each share is the most that a class may have
    most: int = -1
    signed: bool = False

    @classmethod
    def at_most(cls, leaf: Int32, shares: Sequence[Fraction]) -> Limit:
        """Return the limit that each value with a leaf has at most its share, rounded up, of the rows of a class."""
        return cls(
            leaf=leaf,
            parent=np.full(len(shares), -1, np.int64),
            numerator=np.array([ceil(share * ONE) for share in shares], np.int64),
            denominator=ONE,
            length=np.zeros(len(shares), np.int64),
        )
