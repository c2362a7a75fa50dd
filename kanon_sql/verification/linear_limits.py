"""What every class that meets a requirement keeps: linear limits, a least size, and rows of values that it cannot do without.

Written from the definitions of the requirements; no code is shared with a solver.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanon_sql.model.distances import TreeDistance
from kanon_sql.model.requirements import (
    AlphaAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    LDiversity,
    SensitiveRequirement,
    TCloseness,
)
from kanon_sql.table.coded_table import Sensitive

ONE = 1 << 16
"""Shares and lengths are taken in units of 1/65536."""

MOST_SETS = 64
"""Sets of values of a limit; where they are more, it proves nothing."""

_MOST_SIZES = 10_000
"""Sizes of a class that are tried; that none of them is possible is proof enough."""

_MOST_TRIED = 1 << 22
"""Sizes times values that are tried."""

_DOUBT = 1e-12
"""Relative error of sums of floats, generously: a support in doubt is kept."""

Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A limit to the rows of a class with values of some sets.

    Parameters
    ----------
    below : int64 array [e, v]
        1 for the values of each set.
    numerator : int64 array [e]
        The share of each set, in units of 1 / ``denominator``.
    denominator : int
        See above.
    length : int64 array [e]
        The weight of each set, in 1/65536, rounded down.
    most : int, optional
        How far the rows of all sets, weighted, may be off their shares together, in 1/65536 of the class, rounded up. None
        where each share is the most that a class may have.
    signed : bool
        Whether too few rows are off, too.
    """

    below: Whole
    numerator: Whole
    denominator: int
    length: Whole
    most: int | None = None
    signed: bool = False

    @property
    def share(self) -> Whole:
        """Return the shares in 1/65536, rounded down, int64 [e]."""
        share: Whole = self.numerator * ONE // self.denominator
        return share


def limit_of(requirement: SensitiveRequirement, about: Sensitive) -> Limit | None:
    """Return the limit that a requirement sets, or one that follows from it; None where none is known."""
    values = len(about.count)
    each = np.eye(values, dtype=np.int64)
    found = None
    match requirement:
        case LDiversity(variant="frequency"):
            found = _at_most(each, [1 / requirement.l] * values)
        case LDiversity(variant="recursive", c=Fraction() as c) if requirement.l > 1:
            found = _at_most(each, [c / (1 + c)] * values)  # the greatest counter is less than c times the others
        case AlphaAnonymity() if requirement.value in about.named:
            code = about.named[requirement.value]
            found = _at_most(each[code : code + 1], [requirement.alpha])
        case BetaLikeness() | DeltaDisclosure():
            found = _at_most(each, [most for _, most in _shares(requirement, about)])
        case TCloseness():
            found = _near(requirement.t, about.distances.get(requirement.metric), about.count)
    return found if found is not None and 0 < len(found.below) <= MOST_SETS else None


def _at_most(below: Whole, shares: Sequence[Fraction]) -> Limit | None:
    """Return the limit that each set has at most its share; a share of everything is none."""
    limited = [number for number, share in enumerate(shares) if share < 1]
    return Limit(
        below=below[limited],
        numerator=np.array([ceil(shares[number] * ONE) for number in limited], np.int64),
        denominator=ONE,
        length=np.zeros(len(limited), np.int64),
    )


def _shares(requirement: BetaLikeness | DeltaDisclosure, about: Sensitive) -> list[tuple[Fraction, Fraction]]:
    rows = int(about.count.sum())
    return [requirement.shares(held, rows) for held in about.count.tolist()]


def _near(t: Fraction, distance: Any, count: Whole) -> Limit | None:
    """Return the limit of t-closeness along a tree; where all values are equally far apart, of what is too much alone."""
    if not isinstance(distance, TreeDistance):
        return None
    apart = equally_apart(distance)
    if apart is None:
        used = distance.below.any(axis=1) & (distance.length > 0)
        below, length = (
            distance.below[used].astype(np.int64),
            [Fraction(x, distance.scale) for x in distance.length[used].tolist()],
        )
    else:
        below, length = np.eye(len(count), dtype=np.int64), [apart] * len(count)
    return Limit(
        below=below,
        numerator=below @ count,
        denominator=int(count.sum()),
        length=np.array([floor(each * ONE) for each in length], np.int64),
        most=ceil(t * ONE),
        signed=apart is None,
    )


def equally_apart(distance: TreeDistance) -> Fraction | None:
    """Return how far any two values are apart where each has an edge of its own, of one length; None otherwise."""
    below = distance.below
    if below.shape[0] != below.shape[1] or not ((below.sum(axis=0) == 1).all() and (below.sum(axis=1) == 1).all()):
        return None
    lengths = set(distance.length.tolist())
    return Fraction(2 * lengths.pop(), distance.scale) if len(lengths) == 1 else None


def least_rows(requirement: SensitiveRequirement, about: Sensitive) -> int:
    """Return a number of rows below which no class meets a requirement on an attribute of a table."""
    if isinstance(requirement, BetaLikeness | DeltaDisclosure):
        return _least_sharing(_shares(requirement, about), int(about.count.sum()))
    distance = about.distances.get(requirement.metric) if isinstance(requirement, TCloseness) else None
    if not isinstance(requirement, TCloseness) or not isinstance(distance, TreeDistance):
        return requirement.least_class_size
    rows, apart = int(about.count.sum()), equally_apart(distance)
    below, length = (distance.below @ about.count).tolist(), distance.length.tolist()
    for size in range(1, min(rows, _MOST_SIZES)):
        over = [size * each % rows for each in below]
        if apart is None:  # the nearest whole number below each edge
            work = sum(each * min(rest, rows - rest) for each, rest in zip(length, over, strict=True))
        else:  # the nearest whole numbers that add up
            raised = sum(over) // rows
            over.sort(reverse=True)
            work = length[0] * (sum(rows - rest for rest in over[:raised]) + sum(over[raised:]))
        if work * requirement.t.denominator <= requirement.t.numerator * distance.scale * rows * size:
            return size
    return min(rows, _MOST_SIZES)


def _least_sharing(shares: Sequence[tuple[Fraction, Fraction]], rows: int) -> int:
    """Return rows below which no class gives each value from its least to its greatest share.

    A value that may not be missing has a row, which its greatest share has to allow.
    """
    first = max((ceil(1 / high) for low, high in shares if low > 0), default=1)
    last = min(rows, first + max(1, min(_MOST_SIZES, _MOST_TRIED // len(shares))) - 1)
    for size in range(first, last):
        least = [ceil(low * size) for low, _ in shares]
        most = [floor(high * size) for _, high in shares]
        if sum(least) <= size <= sum(most) and all(low <= high for low, high in zip(least, most, strict=True)):
            return size
    return last


def possible(requirement: SensitiveRequirement, about: Sensitive, held: Whole, least: int) -> NDArray[np.bool_]:
    """Return which supports may hold a class, from their rows of each value, int64 [j, v].

    Some part of a support with ``least`` rows or more would meet the requirement, and the same part made smaller in
    proportion, if rows may be divided. So ``least`` rows are all that has to be looked at.
    """
    total, rows = held.sum(axis=1), int(about.count.sum())
    found = np.ones(len(held), np.bool_)
    match requirement:
        case LDiversity(variant="frequency"):
            part = requirement.l
            capped = np.minimum(held * part.numerator, least * part.denominator).sum(axis=1)
            found = capped >= least * part.numerator
        case LDiversity():
            found = (held > 0).sum(axis=1) >= ceil(requirement.l)
        case AlphaAnonymity():
            code = about.named.get(requirement.value)
            others = total if code is None else total - held[:, code]
            found = others * requirement.alpha.denominator >= least * (
                requirement.alpha.denominator - requirement.alpha.numerator
            )
        case BetaLikeness() | DeltaDisclosure():
            low, high = (np.array(each, np.float64) * least for each in zip(*_shares(requirement, about), strict=True))
            found = np.minimum(held, high).sum(axis=1) * (1 + _DOUBT) >= least
            found &= (held * (1 + _DOUBT) >= low).all(axis=1)
        case TCloseness():
            distance = about.distances.get(requirement.metric)
            if isinstance(distance, TreeDistance):
                below = distance.below.T.astype(np.int64)
                inside, wanted = held @ below, least * (about.count @ below)
                missing = np.maximum(0, wanted - rows * inside)
                if equally_apart(distance) is not None:  # what is missing of some values is too much of others
                    missing = 2 * missing
                else:
                    missing = np.maximum(missing, rows * least - wanted - rows * (total[:, None] - inside))
                work = missing.astype(object) @ distance.length.astype(object)
                allowed = requirement.t * distance.scale * rows * least
                found = work * allowed.denominator <= allowed.numerator
    return np.asarray(found, np.bool_)


def asked_of(
    requirements: Sequence[SensitiveRequirement], sensitive: Sequence[Sensitive]
) -> list[tuple[SensitiveRequirement, Sensitive]]:
    """Return each requirement with the attribute that it is about; without those of which nothing is known."""
    known = {about.column: about for about in sensitive}
    return [(each, known[each.sensitive]) for each in requirements if each.sensitive in known]
