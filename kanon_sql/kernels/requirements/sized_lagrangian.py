"""The Lagrangian relaxation under a limit that whole rows keep in small classes.

An instance gains at most what it gains by multipliers for all sizes; and at most the better of two gains: of the best class up
to some largest number of rows, by `class_sizes`, and of multipliers for classes that have more.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.requirements.candidates import Candidates
from kanon_sql.kernels.requirements.class_sizes import ClassSizes, gain_of, gather, penalize_larger, try_size
from kanon_sql.kernels.requirements.lagrangian import Relaxed, advance_one, gain_after, gain_of_one, penalized_gain
from kanon_sql.kernels.requirements.limits import Limits, Penalties

_CLOSED = cython.declare(cython.longlong, -1)
"""Instead of a size: a class of no size gains anything."""

_BEYOND = cython.declare(cython.longlong, -2)
"""Instead of a size: a class of more rows gains more."""


@cython.final
@cython.cclass
class BestClass:
    """The best class of each instance when all sizes were last tried, and what is beyond them.

    Parameters
    ----------
    instances : int
        How many there are, j.
    beyond : Relaxed
        For classes of more rows than are tried by their size, at most 62.

    Attributes
    ----------
    size : int64 array [j]
        Its rows; 0 where the multipliers for all sizes let the instance gain nothing, -1 where no size gains anything, -2 where
        a class of more rows gains more.
    multiplier : int64 array [j]
        Of that size.
    near : int64 array [j]
        The sizes that gain nearly as much: bit n - 1 for n rows.
    slack : int
        How much less that is, in addition to a quarter.
    """

    def __init__(self, instances: int, beyond: Relaxed) -> None:
        self.beyond, self.largest = beyond, beyond.least - 1
        self.size, self.multiplier, self.near = (np.zeros(instances, np.int64) for _ in range(3))
        self.slack = 0


def sized_gains(
    limits: Limits,
    candidates: Candidates,
    relaxed: Relaxed,
    price: cython.longlong[::1],
    longest: cython.longlong,
    multipliers: cython.longlong[:, ::1],
    best: BestClass,
    chunk: tuple[int, int],
) -> NDArray[np.int64]:
    """Return what each instance of a chunk gains at most, at least 0, by a rule that depends on nothing but prices.

    Parameters
    ----------
    limits, candidates, relaxed, price, longest, multipliers, chunk
        As for `kanon_sql.kernels.requirements.lagrangian.gains`; the limit is one, about sets of single values.
    best : BestClass
        Is set. What it was decides in which order sizes are tried: the better the first, the sooner others are left.

    Notes
    -----
    O(items and edges) a step, then O(e size) for each multiplier of each size of an instance that gains something. The first
    multiplier of each size is what `gains` of the module named above found. Larger classes gain what `penalize_larger` leaves
    them, or what the rule of that module does, if that is less. The verification of certificates follows the rule.
    """
    first: cython.longlong = chunk[0]
    last: cython.longlong = chunk[1]
    sizes: ClassSizes = ClassSizes(limits, best.largest)
    array = np.zeros(last - first, np.int64)
    result: cython.longlong[::1] = array
    penalties: Penalties = Penalties(limits)
    kept: Penalties = Penalties(limits)
    profit: cython.longlong[::1] = np.zeros(len(price), np.int64)
    top_up: cython.longlong[::1] = np.empty(best.beyond.least, np.int64)
    with cython.nogil:
        for j in range(first, last):
            gained = gain_of_one(limits, candidates, relaxed, penalties, kept, price, longest, j, profit, top_up)
            multipliers[j, :] = kept.multiplier
            hint, best.size[j] = best.size[j], 0
            if gained == 0:
                continue
            rows = gather(limits, candidates, relaxed, sizes, price, j)
            found = _try_sizes(sizes, best, relaxed.least, rows, hint, kept.multiplier[penalties.edges], longest, j)
            result[j - first] = min(gained, found)
            if rows > best.largest and found < gained:
                more = gained
                start = kept.multiplier[penalties.edges]
                if penalize_larger(sizes, limits, penalties, start, longest):
                    more = gain_after(limits, candidates, best.beyond, penalties, price, j, profit, top_up)
                    multipliers[j, :] = penalties.multiplier
                if more > found:
                    by_steps = gain_of_one(limits, candidates, best.beyond, penalties, kept, price, longest, j, profit, top_up)
                    if by_steps < more:
                        more = by_steps
                        multipliers[j, :] = kept.multiplier
                if more > found:
                    result[j - first], best.size[j] = min(gained, more), _BEYOND
    return array


def _try_sizes(sizes, best, least, rows, hint, start, longest, j):
    """Return the most that a class of the least to the largest number of rows gains, at least 0, and set what is best."""
    last = min(rows, best.largest)
    found = 0
    sizes.size, sizes.multiplier = 0, start
    if least <= hint and hint <= last:
        found = try_size(sizes, hint, start, longest, found)
    for n in range(least, last + 1):
        if n != hint:
            found = try_size(sizes, n, start, longest, found)
    best.size[j], best.multiplier[j], best.near[j] = sizes.size if sizes.size else _CLOSED, sizes.multiplier, 0
    for n in range(least, last + 1):
        if sizes.value[n] > found - found // 4 - best.slack:
            best.near[j] |= cython.cast(cython.longlong, 1) << (n - 1)
    return found


def advance_sized(
    limits: Limits,
    candidates: Candidates,
    relaxed: Relaxed,
    price: cython.longlong[::1],
    longest: cython.longlong,
    length: cython.longlong,
    multipliers: cython.longlong[:, ::1],
    best: BestClass,
    chunk: tuple[int, int],
    covered: cython.longlong[::1],
) -> int:
    """Return about what a chunk of instances gains, and take a step with the multipliers of those that gain something.

    As `kanon_sql.kernels.requirements.lagrangian.advance`; but of an instance whose best class was small, only sizes are tried
    that gained nearly as much as the best. So the prices are led by this, but nothing is proven. O(items and edges).
    """
    first: cython.longlong = chunk[0]
    last: cython.longlong = chunk[1]
    total = 0
    penalties: Penalties = Penalties(limits)
    sizes: ClassSizes = ClassSizes(limits, best.largest)
    with cython.nogil:
        for j in range(first, last):
            if best.size[j] == 0:
                penalties.multiplier[:] = multipliers[j]
                if penalized_gain(limits, candidates, relaxed, penalties, price, j)[0] <= 0:
                    continue
                rows = gather(limits, candidates, relaxed, sizes, price, j)
                _try_sizes(sizes, best, relaxed.least, rows, 0, multipliers[j, penalties.edges], longest, j)
                total += _cover(sizes, best, relaxed.least, longest, j, covered)
            elif best.size[j] == _BEYOND:
                total += advance_one(limits, candidates, best.beyond, penalties, price, length, multipliers, j, covered)
            elif best.size[j] > 0 or best.near[j]:
                gather(limits, candidates, relaxed, sizes, price, j)
                total += _cover(sizes, best, relaxed.least, longest, j, covered)
    return total


def _cover(sizes, best, least, longest, j, covered):
    """Cover the rows of the best class, of the last size or one near it, and return what it gains."""
    hint = best.size[j]
    start = best.multiplier[j]
    gained = 0
    sizes.size = 0
    if hint > 0:
        gained = try_size(sizes, hint, start, longest, gained)
    for n in range(least, best.largest + 1):
        if n != hint and (n == hint + 1 or n == hint - 1 or (best.near[j] >> (n - 1)) & 1):
            gained = try_size(sizes, n, start, longest, gained)
    if sizes.size == 0:
        best.size[j] = _CLOSED
        return 0
    best.size[j], best.multiplier[j] = sizes.size, sizes.multiplier
    gain_of(sizes, sizes.size, sizes.multiplier)
    for e in range(sizes.edges + 1):
        for n in range(sizes.taken[e]):
            covered[sizes.item[e, n]] += 1
    return gained
