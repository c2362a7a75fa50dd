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
    """A limit to the rows below the edges of a tree; see `kanon_sql.kernels.requirements.limits`.

    Parameters
    ----------
    leaf, parent : int32, int64 arrays [v], [e]
        The lowest edge above each value, the edge above each edge; -1 for none. Children come first.
    numerator : int64 array [e]
        The share below each edge, in units of 1 / ``denominator``.
    denominator : int
        See above.
    length : int64 array [e]
        In 1/65536, rounded down.
    most : int
        How far all may be off together, in 1/65536, rounded up; -1 where each share is the most that a class may have.
    """

    leaf: Int32
    parent: Int64
    numerator: Int64
    denominator: int
    length: Int64
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
