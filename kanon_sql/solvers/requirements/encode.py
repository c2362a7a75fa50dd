"""Requirements and distances encoded as arrays for kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np

from kanon_sql.kernels.requirements.encoded import (
    COUNT,
    DISTINCT,
    ENTROPY,
    EQUAL,
    FREQUENCY,
    MATRIX,
    RECURSIVE,
    SHARES,
    TREE,
    EncodedRequirement,
)
from kanon_sql.model.distances import MatrixDistance
from kanon_sql.model.requirements import (
    REPRESENTATIVE,
    AlphaAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    LDiversity,
    People,
    SensitiveRequirement,
    TCloseness,
)
from kanon_sql.solvers.requirements.least import is_equal
from kanon_sql.solvers.requirements.share_limits import ShareRequirement, share_limits
from kanon_sql.solvers.requirements.tree_edges import TreeEdges
from kanon_sql.table.arrays import Int64
from kanon_sql.table.coded_table import CodedTable, Sensitive

_SAFE = 1 << 62
"""Whole numbers below this fit into 64 bits, signs and a sum included."""

_FINE = 1 << 20
"""Denominator of thresholds that would be too fine: they are made stricter by less than a millionth."""


def encoded(table: CodedTable, requirements: Sequence[SensitiveRequirement], least: int) -> EncodedRequirement:
    """Return requirements on a table, encoded; ``least`` rows in a class. O(t + e v)."""
    ends = np.cumsum([0, *(len(each.count) for each in table.sensitive)]).tolist()
    total = np.concatenate([np.empty(0, np.int64), *(each.count for each in table.sensitive)]).astype(np.int64)
    criteria = Criteria(rows=table.rows, shares=[total])
    for each in requirements:
        place = [about.column for about in table.sensitive].index(each.sensitive)
        ENCODERS[type(each)](criteria, each, table.sensitive[place], (ends[place], ends[place + 1]))
    counter = np.empty((table.row_types, len(table.sensitive)), np.int32)
    for place, about in enumerate(table.sensitive):
        counter[:, place] = about.codes + ends[place]
    return EncodedRequirement(
        rows=table.rows,
        least=min(least, table.rows + 1),
        total=total,
        of_first=ends[1] if table.sensitive else 0,
        criteria=np.array(criteria.parts, np.int64).reshape(-1, 10),
        share=np.concatenate(criteria.shares) / table.rows,
        data=np.concatenate([np.empty(0, np.int64), *criteria.data]),
        counter=counter,
    )


@dataclass(slots=True, kw_only=True)
class Criteria:
    """Criteria, data and shares that grow by requirement; see `EncodedRequirement`.

    Parameters
    ----------
    rows : int
        Rows of the whole table.
    shares, data : list of int64 arrays
        To be joined.
    parts : list of tuple of int
        The criteria.
    """

    rows: int
    shares: list[Int64]
    parts: list[tuple[int, ...]] = field(default_factory=list)
    data: list[Int64] = field(default_factory=list)

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


def _add_people(criteria: Criteria, requirement: People, about: Sensitive, places: tuple[int, int]) -> None:
    if REPRESENTATIVE in about.named:
        least = Fraction(min(requirement.k, criteria.rows + 1))
        criteria.add(COUNT, places, least, places[0] + about.named[REPRESENTATIVE])
    else:  # no row stands for anybody
        criteria.add(DISTINCT, places, Fraction(criteria.rows + 1))


def _add_shares(criteria: Criteria, requirement: ShareRequirement, about: Sensitive, places: tuple[int, int]) -> None:
    limits, start = share_limits(requirement, about), sum(map(len, criteria.data))
    values = [places[0] + each.value for each in limits]
    columns = [
        values,
        *zip(*((*each.most.as_integer_ratio(), *each.least.as_integer_ratio()) for each in limits), strict=True),
    ]
    criteria.data.append(np.array(columns if limits else [], np.int64).ravel())
    criteria.add(SHARES, places, Fraction(1), len(limits), (1, start, 0, 0))


def _add_diverse(criteria: Criteria, requirement: LDiversity, about: Sensitive, places: tuple[int, int]) -> None:
    if requirement.variant == "distinct":
        criteria.add(DISTINCT, places, Fraction(min(ceil(requirement.l), criteria.rows + 1)))
    elif requirement.c is not None:
        size = min(int(requirement.l), len(about.count) + 1)
        criteria.add(RECURSIVE, places, _stricter(requirement.c, up=False), size)
    else:
        kind = FREQUENCY if requirement.variant == "frequency" else ENTROPY
        criteria.add(kind, places, _stricter(requirement.l, up=True))


def _add_close(criteria: Criteria, requirement: TCloseness, about: Sensitive, places: tuple[int, int]) -> None:
    distance, t = about.distances[requirement.metric], _stricter(requirement.t, up=False)
    most, start = criteria.rows**2 * max(t.numerator, t.denominator), sum(map(len, criteria.data))
    if isinstance(distance, MatrixDistance):
        exact = most * max(int(distance.cost.max(initial=0)), distance.scale) < _SAFE
        criteria.data.append(distance.cost.ravel().astype(np.int64))
        criteria.add(MATRIX, places, t, distance.scale, (int(exact), start, 0, 0))
        return
    exact = most * max(int(distance.length.sum()), distance.scale) < _SAFE
    if is_equal(distance) and distance.scale % int(distance.length[0]) == 0:
        criteria.add(EQUAL, places, t, distance.scale // int(distance.length[0]), (int(exact), 0, 0, 0))
        return
    tree = TreeEdges.of(distance)
    edges, shares = len(tree.length), sum(map(len, criteria.shares))
    below = tree.below(about.count[None])[:, 0]
    criteria.data.append(np.concatenate([tree.length, tree.parent, below, tree.leaf]).astype(np.int64))
    criteria.shares.append(below)
    criteria.add(TREE, places, t, distance.scale, (int(exact), start, edges, shares))


ENCODERS: dict[type[SensitiveRequirement], Callable[[Criteria, Any, Sensitive, tuple[int, int]], None]] = {
    LDiversity: _add_diverse,
    AlphaAnonymity: _add_shares,
    TCloseness: _add_close,
    People: _add_people,
    BetaLikeness: _add_shares,
    DeltaDisclosure: _add_shares,
}
"""For each requirement how it is added to the criteria: about an attribute with counters from one place up to another."""


def _stricter(threshold: Fraction, *, up: bool) -> Fraction:
    """Return a threshold of which the products with counts of rows fit into 64 bits, no less strict."""
    if max(threshold.numerator, threshold.denominator) < _FINE:
        return threshold
    if threshold > _FINE:
        return Fraction(min(ceil(threshold), _SAFE >> 32)) if up else Fraction(_FINE)
    return Fraction((ceil if up else floor)(threshold * _FINE), _FINE)
