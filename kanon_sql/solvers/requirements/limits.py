"""Requirements as linear limits on the classes of a table; of some, what they imply.

The limits have the same multipliers in every class, however large it is, so they bound what an instance gains from prices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np

from kanon_sql.kernels.requirements.limits import Limits
from kanon_sql.model.distances import TreeDistance
from kanon_sql.model.requirements import (
    AlphaAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    LDiversity,
    People,
    SensitiveRequirement,
    TCloseness,
)
from kanon_sql.solvers.requirements.least import is_equal
from kanon_sql.solvers.requirements.share_limits import ShareRequirement, stated_limits
from kanon_sql.solvers.requirements.tree_edges import TreeEdges
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.coded_table import CodedTable, Sensitive

MOST_EDGES = 64
"""Sets of values of a limit; where they are more, it is left out."""

_ONE = 1 << 16
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


def limits(table: CodedTable, requirements: Sequence[SensitiveRequirement]) -> Limits:
    """Return the limits of requirements on a table; O(e v).

    The first is one about all its edges together, if there is any, or one of the most edges.
    """
    found: list[tuple[int, Limit]] = []
    for requirement in requirements:
        place = [about.column for about in table.sensitive].index(requirement.sensitive)
        about = table.sensitive[place]
        limit = LIMITS[type(requirement)](requirement, about)
        if limit is not None and 0 < len(limit.parent) <= MOST_EDGES:
            found.append((place, limit))
    return _joined(table, sorted(found, key=lambda each: (each[1].most < 0, -len(each[1].parent))))


def _joined(table: CodedTable, found: list[tuple[int, Limit]]) -> Limits:
    ends = np.cumsum([0, *(len(about.count) for about in table.sensitive)])
    begin = np.cumsum([0, *(len(limit.parent) for _, limit in found)]).astype(np.int64)
    leaf = np.full((len(found), ends[-1]), -1, np.int32)
    parts: dict[str, list[Int64]] = {name: [np.empty(0, np.int64)] for name in ("parent", "numerator", "share", "length")}
    for number, (place, limit) in enumerate(found):
        low = int(begin[number])
        leaf[number, ends[place] : ends[place + 1]] = np.where(limit.leaf < 0, -1, limit.leaf + low)
        parts["parent"].append(np.where(limit.parent < 0, -1, limit.parent + low))
        parts["numerator"].append(limit.numerator)
        parts["share"].append(limit.numerator * _ONE // limit.denominator)
        parts["length"].append(limit.length)
    return Limits(
        begin=begin,
        attribute=np.array([place for place, _ in found], np.int64),
        denominator=np.array([limit.denominator for _, limit in found], np.int64),
        most=np.array([limit.most for _, limit in found], np.int64),
        signed=np.array([limit.signed for _, limit in found], np.int64),
        leaf=leaf,
        **{name: np.concatenate(part) for name, part in parts.items()},
    )


def _at_most(leaf: Int32, shares: Sequence[Fraction]) -> Limit:
    """Return the limit that each value with a leaf has at most its share, rounded up, of the rows of a class."""
    return Limit(
        leaf=leaf,
        parent=np.full(len(shares), -1, np.int64),
        numerator=np.array([ceil(share * _ONE) for share in shares], np.int64),
        denominator=_ONE,
        length=np.zeros(len(shares), np.int64),
    )


def _diverse(requirement: LDiversity, about: Sensitive) -> Limit | None:
    values = len(about.count)
    if requirement.variant == "frequency":
        share = 1 / requirement.l
    elif requirement.variant == "recursive" and requirement.c is not None and requirement.l > 1:
        share = requirement.c / (1 + requirement.c)
    else:
        return None
    return _at_most(np.arange(values, dtype=np.int32), [share] * values) if share < 1 else None


def _limited(requirement: ShareRequirement, about: Sensitive) -> Limit:
    limits = [each for each in stated_limits(requirement, about) if each.most < 1]
    leaf = np.full(len(about.count), -1, np.int32)
    leaf[[each.value for each in limits]] = np.arange(len(limits))
    return _at_most(leaf, [each.most for each in limits])


def _close(requirement: TCloseness, about: Sensitive) -> Limit | None:
    distance = about.distances[requirement.metric]
    if not isinstance(distance, TreeDistance):
        return None
    if is_equal(distance):
        values = len(about.count)
        apart = Fraction(2 * int(distance.length[0]), distance.scale)
        return Limit(
            leaf=np.arange(values, dtype=np.int32),
            parent=np.full(values, -1, np.int64),
            numerator=about.count,
            denominator=int(about.count.sum()),
            length=np.full(values, floor(apart * _ONE)),
            most=ceil(requirement.t * _ONE),
        )
    tree = TreeEdges.of(distance)
    return Limit(
        leaf=tree.leaf.astype(np.int32),
        parent=tree.parent,
        numerator=tree.below(about.count[None])[:, 0],
        denominator=int(about.count.sum()),
        length=np.array([floor(Fraction(length, distance.scale) * _ONE) for length in tree.length.tolist()], np.int64),
        most=ceil(requirement.t * _ONE),
        signed=True,
    )


def _counted(_: People, __: Sensitive) -> None:
    return None


LIMITS: dict[type[SensitiveRequirement], Callable[[Any, Sensitive], Limit | None]] = {
    LDiversity: _diverse,
    AlphaAnonymity: _limited,
    TCloseness: _close,
    People: _counted,
    BetaLikeness: _limited,
    DeltaDisclosure: _limited,
}
"""For each requirement a limit that every class keeps which meets it, if one is known."""
