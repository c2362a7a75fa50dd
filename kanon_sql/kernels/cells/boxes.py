"""The cheapest box that gives a primary row more.

A box takes one base cell and, in each dimension, either a second coordinate or none. Its corners change by plus and minus the
same amount in turn, so the rows where two coordinates meet again keep their values; where a dimension has no second one, all
totals over it change too. Corners that need to exist and rows that change bound the search from the first dimension on.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

try:
    import cython
except ModuleNotFoundError:
    from kanon_sql.kernels import uncompiled as cython

if not cython.compiled:  # compiled, they come from the .pxd
    from kanon_sql.kernels.cells.search_space import CellSpace, cell_at

_NOTHING = cython.declare(cython.double, 1e300)
"""A score that every box is better than."""

_ENDLESS = cython.declare(cython.longlong, 1 << 62)
"""The amount of a box that takes nothing from any row."""


@cython.final
@cython.cclass
class BoxSearch:
    """Another table in the making for one primary row, and the best box to add to it.

    Parameters
    ----------
    space : CellSpace
        The published system.
    value : int64 array [r]
        The value of each row.
    base_value : int64 array [b]
        The value of each base cell.
    least : int
        The least value of a suppressed row.
    fixed : uint8 array [b]
        Base cells that do not move.

    Attributes
    ----------
    moved, shift : int64 arrays [r], [b]
        By how much each row and each base cell changes in the table in the making.
    corner : int32 array
        The corners of the best box; those at places with an even number of ones increase, the others decrease.
    corners, amount, cost, score
        How many there are, by how much they change, what it costs to suppress what has to be suppressed for it, and the
        cost for each unit of need: less is better.
    """

    def __init__(
        self,
        space: CellSpace,
        value: NDArray[np.int64],
        base_value: NDArray[np.int64],
        least: int,
        fixed: NDArray[np.uint8],
    ) -> None:
        dimensions, sets = len(space.weights), len(space.levels)
        self.value, self.base_value, self.least, self.fixed = value, base_value, least, fixed
        self.moved, self.shift = np.zeros(len(value), np.int64), np.zeros(len(base_value), np.int64)
        self.trial, self.corner = np.zeros(1 << dimensions, np.int32), np.zeros(1 << dimensions, np.int32)
        self.alive, self.lives = np.zeros((dimensions + 1, sets), np.int32), np.zeros(dimensions + 1, np.int64)
        self.sets, self.set_count, self.corners = np.zeros(sets, np.int32), 0, 0
        self.need, self.amount, self.cost, self.score = 0, 0, 0, 0.0
        self.target, self.with_fixed, self.steps = 0, 0, 0
        self.partial_cost, self.partial_amount = 0, 0


def search(space, work, cell, target, need, steps):
    """Find the best box around a base cell that is better than what was found before.

    The caller sets ``work.score``; ``target`` is the grouping set of the primary row, ``need`` what it still needs.
    """
    work.target = target
    work.need = need
    work.steps = steps
    work.trial[0] = cell
    work.lives[0] = space.levels.shape[0]
    for g in range(space.levels.shape[0]):
        work.alive[0, g] = g
    if not work.fixed[cell] or work.with_fixed:
        _extend(space, work, 0, 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _odd(number: cython.longlong) -> cython.bint:
    """Return whether a number has an odd number of ones."""
    number ^= number >> 8
    number ^= number >> 4
    number ^= number >> 2
    number ^= number >> 1
    return number & 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _score(work: BoxSearch, cost: cython.longlong, amount: cython.longlong) -> cython.double:
    """Return what a box costs for each unit of need, as far as it gives; fewer moves break ties."""
    times: cython.longlong = 1
    if amount < work.need:
        times = (work.need + amount - 1) // amount
    if times > 1000:
        times = 1000
    return cython.cast(cython.double, cost) * times + times * 1e-6


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _price(space: CellSpace, work: BoxSearch, depth: cython.longlong, count: cython.longlong) -> cython.bint:
    """Work out the cost and the amount of what is sure of a box; return whether it may be better than the best."""
    cost: cython.longlong = 0
    amount: cython.longlong = _ENDLESS
    room: cython.longlong
    c: cython.longlong
    k: cython.longlong
    cell: cython.longlong
    row: cython.longlong
    less: cython.bint
    for c in range(count):
        cell = work.trial[c]
        less = _odd(c)
        if less:
            room = work.base_value[cell] + work.shift[cell]
            amount = min(amount, room)
        for k in range(work.lives[depth]):
            if not space.sure[depth, work.alive[depth, k]]:
                continue
            row = space.ancestors[cell, work.alive[depth, k]]
            if not space.suppressed[row]:
                if space.shown[row]:
                    return False
                cost += space.cost[row]
            if less:
                room = work.value[row] + work.moved[row] - work.least
                amount = min(amount, room)
    if amount <= 0:
        return False
    work.partial_cost = cost
    work.partial_amount = amount
    return _score(work, cost, amount) < work.score


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _extend(space: CellSpace, work: BoxSearch, depth: cython.longlong, count: cython.longlong) -> cython.bint:
    """Try all second coordinates of a dimension and none; return whether the search is at its end."""
    cell: cython.longlong = work.trial[0]
    line: cython.longlong
    at: cython.longlong
    pass_: cython.longlong
    other: cython.longlong
    row: cython.longlong
    free: cython.bint
    work.steps -= 1
    if work.steps < 0:
        return True
    if depth == space.weights.shape[0]:
        return _keep(work, depth, count)
    line = space.line_of[depth, cell]
    for pass_ in range(3):
        if pass_ == 1:
            _all_live(work, depth)
            if _price(space, work, depth + 1, count) and _extend(space, work, depth + 1, count):
                return True
            continue
        for at in range(space.line_first[line], space.line_first[line + 1]):
            other = space.line_cells[at]
            if other == cell:
                continue
            row = space.own_row[other]
            free = row < 0 or space.suppressed[row]
            if free == (pass_ == 2) or (pass_ == 2 and work.score < 1):
                continue
            if _partner(space, work, depth, count, other) and _extend(space, work, depth + 1, 2 * count):
                return True
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _all_live(work: BoxSearch, depth: cython.longlong) -> cython.void:
    """Let all grouping sets change that have changed before."""
    k: cython.longlong
    work.lives[depth + 1] = work.lives[depth]
    for k in range(work.lives[depth]):
        work.alive[depth + 1, k] = work.alive[depth, k]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _partner(
    space: CellSpace, work: BoxSearch, depth: cython.longlong, count: cython.longlong, other: cython.longlong
) -> cython.bint:
    """Take the coordinate of another cell of the line for the second one; return whether that may be better than the best."""
    step: cython.longlong = space.places[other] - space.places[work.trial[0]]
    c: cython.longlong
    k: cython.longlong
    g: cython.longlong
    first: cython.longlong
    lives: cython.longlong = 0
    found: cython.longlong
    kept: cython.bint = False
    for k in range(work.lives[depth]):
        g = work.alive[depth, k]
        first = space.unit_first[depth, space.levels[g, depth]]
        if space.units[first + space.codes[work.trial[0], depth]] != space.units[first + space.codes[other, depth]]:
            work.alive[depth + 1, lives] = g
            lives += 1
            kept |= g == work.target
    work.lives[depth + 1] = lives
    if not kept:
        return False
    for c in range(count):
        found = other if c == 0 else cell_at(space, space.places[work.trial[c]] + step)
        if found < 0 or (work.fixed[found] and not work.with_fixed):
            return False
        work.trial[count + c] = found
    return _price(space, work, depth + 1, 2 * count)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _keep(work: BoxSearch, depth: cython.longlong, count: cython.longlong) -> cython.bint:
    """Keep the box, which is better than the best; return whether none can be better still."""
    k: cython.longlong
    work.corners = count
    for k in range(count):
        work.corner[k] = work.trial[k]
    work.set_count = work.lives[depth]
    for k in range(work.set_count):
        work.sets[k] = work.alive[depth, k]
    work.cost = work.partial_cost
    work.amount = min(work.partial_amount, work.need)
    work.score = _score(work, work.cost, work.amount)
    return work.cost == 0 and (work.amount >= work.need or work.need <= 16)


def apply(space, work, times):
    """Add the best box to the table in the making, so often that it gives its amount."""
    for c in range(work.corners):
        amount = -times if _odd(c) else times
        cell = work.corner[c]
        work.shift[cell] += amount
        for k in range(work.set_count):
            work.moved[space.ancestors[cell, work.sets[k]]] += amount
