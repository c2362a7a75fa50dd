"""Requirements and distances encoded as arrays for kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor

import numpy as np

from kanon_sql.kernels.requirements.encoded import (
    ALPHA,
    COUNT,
    DISTINCT,
    ENTROPY,
    EQUAL,
    FREQUENCY,
    MATRIX,
    RECURSIVE,
    TREE,
    EncodedRequirement,
)
from kanon_sql.model.distances import MatrixDistance, TreeDistance
from kanon_sql.model.requirements import STANDING, AlphaAnonymity, People, SensitiveRequirement, TCloseness
from kanon_sql.solvers.sensitive.least import is_equal
from kanon_sql.table.arrays import Int64
from kanon_sql.table.coded_table import CodedTable, Sensitive

_SAFE = 1 << 62
"""Whole numbers below this fit into 64 bits, signs and a sum included."""

_FINE = 1 << 20
"""Denominator of thresholds that would be too fine: they are made stricter by less than a millionth."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """The edges of a tree distance, children first.

    Parameters
    ----------
    length, parent : int64 arrays [e]
        Of each edge; -1 where its parent is the root.
    leaf : int64 array [v]
        The lowest edge above each value, -1 where there is none.
    """

    length: Int64
    parent: Int64
    leaf: Int64

    @classmethod
    def of(cls, distance: TreeDistance) -> Tree:
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


def encoded(table: CodedTable, requirements: Sequence[SensitiveRequirement], least: int) -> EncodedRequirement:
    """Return requirements on a table, encoded; ``least`` rows in a class. O(t + e v)."""
    ends = np.cumsum([len(each.count) for each in table.sensitive]).tolist()
    lows = [0, *ends[:-1]]
    total = np.concatenate([each.count for each in table.sensitive]).astype(np.int64)
    criteria = _Criteria(rows=table.rows, shares=[total])
    for each in requirements:
        place = [about.column for about in table.sensitive].index(each.sensitive)
        criteria.add(each, table.sensitive[place], lows[place])
    counter = [each.codes + low for each, low in zip(table.sensitive, lows, strict=True)]
    return EncodedRequirement(
        rows=table.rows,
        least=min(least, table.rows + 1),
        total=total,
        of_first=ends[0],
        criteria=np.array(criteria.parts, np.int64).reshape(-1, 10),
        share=np.concatenate(criteria.shares) / table.rows,
        data=np.concatenate([np.empty(0, np.int64), *criteria.data]),
        counter=np.stack(counter, axis=1).astype(np.int32),
    )


@dataclass(slots=True, kw_only=True)
class _Criteria:
    """Criteria, data and shares that grow by requirement; see `EncodedRequirement`."""

    rows: int
    shares: list[Int64]
    parts: list[tuple[int, ...]] = field(default_factory=list)
    data: list[Int64] = field(default_factory=list)

    def add(self, requirement: SensitiveRequirement, about: Sensitive, low: int) -> None:
        """Add a requirement on an attribute whose counters begin at ``low``."""
        places = low, low + len(about.count)
        if isinstance(requirement, TCloseness):
            self._add_close(requirement, about, places)
        elif isinstance(requirement, People):
            if STANDING in about.named:
                least = Fraction(min(requirement.k, self.rows + 1))
                self._add(COUNT, places, least, low + about.named[STANDING])
            else:  # no row stands for anybody
                self._add(DISTINCT, places, Fraction(self.rows + 1), 0)
        elif isinstance(requirement, AlphaAnonymity):
            if requirement.value in about.named:
                share = _stricter(requirement.alpha, up=False)
                self._add(ALPHA, places, share, low + about.named[requirement.value])
            else:  # a value that does not occur is in no class too often
                self._add(DISTINCT, places, Fraction(0), 0)
        elif requirement.variant == "distinct":
            self._add(DISTINCT, places, Fraction(min(ceil(requirement.l), self.rows + 1)), 0)
        elif requirement.c is not None:
            size = min(int(requirement.l), len(about.count) + 1)
            self._add(RECURSIVE, places, _stricter(requirement.c, up=False), size)
        else:
            kind = FREQUENCY if requirement.variant == "frequency" else ENTROPY
            self._add(kind, places, _stricter(requirement.l, up=True), 0)

    def _add(
        self,
        kind: int,
        places: tuple[int, int],
        threshold: Fraction,
        extra: int,
        more: tuple[int, int, int, int] = (1, 0, 0, 0),
    ) -> None:
        """Add a criterion; ``more`` are ``exact``, ``data_start``, ``edges`` and ``share_start``."""
        self.parts.append((kind, *places, threshold.numerator, threshold.denominator, extra, *more))

    def _add_close(self, requirement: TCloseness, about: Sensitive, places: tuple[int, int]) -> None:
        distance, t = about.distances[requirement.metric], _stricter(requirement.t, up=False)
        most, start = self.rows**2 * max(t.numerator, t.denominator), sum(map(len, self.data))
        if isinstance(distance, MatrixDistance):
            exact = most * max(int(distance.cost.max(initial=0)), distance.scale) < _SAFE
            self.data.append(distance.cost.ravel().astype(np.int64))
            self._add(MATRIX, places, t, distance.scale, (int(exact), start, 0, 0))
            return
        exact = most * max(int(distance.length.sum()), distance.scale) < _SAFE
        if is_equal(distance) and distance.scale % int(distance.length[0]) == 0:
            self._add(EQUAL, places, t, distance.scale // int(distance.length[0]), (int(exact), 0, 0, 0))
            return
        tree = Tree.of(distance)
        edges, shares = len(tree.length), sum(map(len, self.shares))
        below = tree.below(about.count[None])[:, 0]
        self.data.append(np.concatenate([tree.length, tree.parent, below, tree.leaf]).astype(np.int64))
        self.shares.append(below)
        self._add(TREE, places, t, distance.scale, (int(exact), start, edges, shares))


def _stricter(threshold: Fraction, *, up: bool) -> Fraction:
    """Return a threshold of which the products with counts of rows fit into 64 bits, no less strict."""
    if max(threshold.numerator, threshold.denominator) < _FINE:
        return threshold
    if threshold > _FINE:
        return Fraction(min(ceil(threshold), _SAFE >> 32)) if up else Fraction(_FINE)
    return Fraction((ceil if up else floor)(threshold * _FINE), _FINE)
