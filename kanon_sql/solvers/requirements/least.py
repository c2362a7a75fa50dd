"""The least rows of a class that meets a requirement on the sensitive values of a table."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanon_sql.model.distances import Distance, TreeDistance
from kanon_sql.model.requirements import (
    AlphaAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    LDiversity,
    People,
    SensitiveRequirement,
    TCloseness,
)
from kanon_sql.solvers.requirements.share_limits import share_limits
from kanon_sql.table.arrays import Int64
from kanon_sql.table.coded_table import Sensitive

_BATCH = 1 << 20
"""Numbers of rows times edges that are looked at together."""

_MOST_SIZES = 10_000
"""Sizes of a class that are tried for limits to shares."""

_MOST = 1 << 22
"""Sizes times values that are tried for them."""


def least_size(requirement: SensitiveRequirement, about: Sensitive) -> int:
    """Return a number of rows below which no class meets a requirement on an attribute of a table."""
    return LEAST[type(requirement)](requirement, about)


def _as_everywhere(requirement: People | LDiversity | AlphaAnonymity, _: Sensitive) -> int:
    """Return the least number of rows in any table: this one says no more."""
    return requirement.least_class_size


def _as_here(requirement: TCloseness, about: Sensitive) -> int:
    return least_close(about.count, about.distances[requirement.metric], requirement.t)


def _limited(requirement: BetaLikeness | DeltaDisclosure, about: Sensitive) -> int:
    """Return the least rows whose greatest numbers of the values add up to all of them, and the least numbers to no more.

    Notes
    -----
    A value that may not be missing has a row, which its greatest share has to allow. From there on at most `_MOST_SIZES` sizes
    are tried, fewer where there are many values; if none is possible, the last one is a bound, too. O(sizes v).
    """
    limits, rows = share_limits(requirement, about), int(about.count.sum())
    if not limits:
        return 1
    (least, under), (most, over) = (
        np.array([share.as_integer_ratio() for share in shares], np.int64).T
        for shares in ([each.least for each in limits], [each.most for each in limits])
    )
    first = max((ceil(1 / each.most) for each in limits if each.least > 0), default=1)
    last = min(rows, first + max(1, min(_MOST_SIZES, _MOST // len(about.count))) - 1)
    step = max(1, _BATCH // len(limits))
    for start in range(first, last + 1, step):
        class_rows = np.arange(start, min(start + step, last + 1))[:, None]
        at_least, at_most = -(-class_rows * least // under), class_rows * most // over
        possible = (at_least <= at_most).all(axis=1) & (at_least.sum(axis=1) <= class_rows[:, 0])
        if len(limits) == len(about.count):
            possible &= at_most.sum(axis=1) >= class_rows[:, 0]
        if possible.any():
            return int(class_rows[np.argmax(possible), 0])
    return last


LEAST: dict[type[SensitiveRequirement], Callable[[Any, Sensitive], int]] = {
    LDiversity: _as_everywhere,
    AlphaAnonymity: _as_everywhere,
    TCloseness: _as_here,
    People: _as_everywhere,
    BetaLikeness: _limited,
    DeltaDisclosure: _limited,
}
"""For each requirement the least rows of a class that meets it, from its attribute."""


def least_close(total: Int64, distance: Distance, t: Fraction) -> int:
    """Return a number of rows below which no class is t-close to the whole table.

    Parameters
    ----------
    total : int64 array [v]
        Rows of the whole table per value.
    distance : Distance
        Ground distance of the values.
    t : Fraction
        The largest earth mover's distance.

    Notes
    -----
    The share of the whole table that lies below an edge is mostly no whole number of r rows. So a class of r rows is at
    least as far from the whole table as the nearest whole numbers are, summed over the edges. If the values are on a line,
    these are the numbers of a class, since what is nearest to growing shares grows, and the bound is the least class. In the
    equal distance they also have to add up to r: rounding by the largest remainders is nearest then, and the bound exact.

    O(v / t) class sizes of O(v) each, O(n) where t is 0. Of a matrix, nothing is known.
    """
    if not isinstance(distance, TreeDistance):
        return 1
    rows, below = int(total.sum()), distance.below @ total
    apart = is_equal(distance)
    size = fit_for(max(int(distance.length.sum()), distance.scale) * rows * rows * t.denominator * max(t.numerator, 1))
    step = max(1, _BATCH // max(1, len(below)))
    for start in range(1, rows + 1, step):
        class_rows = np.arange(start, min(start + step, rows + 1))
        over = class_rows[:, None] * below % rows
        gap = _rounded(over, rows) if apart else np.minimum(over, rows - over)
        work = gap.astype(size) @ distance.length.astype(size) * t.denominator
        close = work <= t.numerator * distance.scale * rows * class_rows.astype(size)
        if close.any():
            return int(class_rows[np.argmax(close)])
    return rows


def is_equal(distance: Distance) -> bool:
    """Return whether any two values are equally far apart: each has an edge of its own, of the same length."""
    return (
        isinstance(distance, TreeDistance)
        and distance.below.shape[0] == distance.below.shape[1]
        and bool((distance.below.sum(axis=0) == 1).all() and (distance.below.sum(axis=1) == 1).all())
        and bool((distance.length == distance.length[0]).all())
    )


def fit_for(bound: int) -> type[Any]:
    """Return the type in which whole numbers up to a bound are exact: 64 bits, or Python's own."""
    return np.int64 if bound < 1 << 62 else object


def _rounded(over: Int64, rows: int) -> NDArray[np.int64]:
    """Return how far each share is from what the largest remainders ``over / rows`` [r, v] round it to, in 1 / ``rows``."""
    up = over.sum(axis=1) // rows
    descending = -np.sort(-over, axis=1)
    raised = np.arange(over.shape[1]) < up[:, None]
    return np.where(raised, rows - descending, descending)
