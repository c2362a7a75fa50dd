"""A linear limit that every class of a requirement keeps, and the edges of the trees that it is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import numpy as np

from kanon_sql.model.distances import Distance, TreeDistance
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


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeEdges:
    """The edges of a tree distance, children first."""

    length: Int64  # [e]: of each edge
    parent: Int64  # [e]: the edge above each edge, -1 where that is the root
    leaf: Int64  # [v]: the lowest edge above each value, -1 where there is none

    @classmethod
    def of(cls, distance: TreeDistance) -> TreeEdges:
        """Return the edges of a distance that have a length and values below; O(e v)."""
        size = distance.below.sum(axis=1)
        used = np.flatnonzero((size > 0) & (distance.length > 0))
        order = used[np.argsort(size[used], kind="stable")]
        parent = np.full(len(order), -1, np.int64)
        leaf = np.full(distance.below.shape[1], -1, np.int64)
        for edge in range(len(order) - 1, -1, -1):  # wide edges first: what they leave behind is above narrow ones
            values = np.flatnonzero(distance.below[order[edge]])
            parent[edge] = leaf[values[0]]
            leaf[values] = edge
        return cls(length=distance.length[order], parent=parent, leaf=leaf)

    def below(self, histograms: Int64) -> Int64:
        """Return the rows of each class below each edge, int64 [e, c], from histograms [c, v]; O(c (e + v))."""
        found = np.zeros((len(self.length), len(histograms)), np.int64)
        for value in np.flatnonzero(self.leaf >= 0):
            found[self.leaf[value]] += histograms[:, value]
        for edge, parent in enumerate(self.parent):
            if parent >= 0:
                found[parent] += found[edge]
        return found


def is_equal(distance: Distance) -> bool:
    """Return whether any two values are equally far apart: each has an edge of its own, of the same length."""
    return (
        isinstance(distance, TreeDistance)
        and distance.below.shape[0] == distance.below.shape[1]
        and bool((distance.below.sum(axis=0) == 1).all() and (distance.below.sum(axis=1) == 1).all())
        and bool((distance.length == distance.length[0]).all())
    )
