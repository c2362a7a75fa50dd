"""The cheapest box that gives a primary row more.

A box takes one base cell and, in each dimension, either a second coordinate or none. Its corners change by plus and minus the
same amount in turn, so the rows where two coordinates meet again keep their values; where a dimension has no second one, all
totals over it change too. Corners that need to exist and rows that change bound the search from the first dimension on.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import zeros_int32, zeros_int32_2d, zeros_int64
from kanon_sql.kernels.cells.search_space import CellSpace, cell_at

_NOTHING = cython.declare(cython.double, 1e300)
"""A score that every box is better than."""

_ENDLESS = cython.declare(cython.longlong, 1 << 62)
"""The amount of a box that takes nothing from any row."""


_MOST_PARTNERS = 8
"""Dimensions in which a box has a second coordinate, at most."""


@cython.final
@cython.cclass
class BoxSearch:
    """Another table in the making for one primary row, and the best box to add to it.

    Parameters
    ----------
    space : CellSpace
        The published system.
    value : int64 array [r]
        How much each row can lose.
    base_value : int64 array [b]
        How much each base cell can lose.
    fixed : uint8 array [b]
        Base cells that do not move: 1 unless ``with_fixed``, 2 never.

    Attributes
    ----------
    with_fixed, down : bool
        Whether base cells marked 1 move, and whether the primary row shall have less, instead of more.
    moved, shift : int64 arrays [r], [b]
        By how much each row and each base cell changes in the table in the making.
    cell, cell_sign, row, row_sign : int32 arrays
        The base cells and the rows that the best move changes, each by 1 or by -1 times the amount.
    cells, rows, amount, cost, score
        How many there are, by how much they change, what it costs to suppress what has to be suppressed for it, and the
        cost for each unit of need: less is better.
    """

    def __init__(
        self,
        space: CellSpace,
        value: NDArray[np.int64],
        base_value: NDArray[np.int64],
        fixed: NDArray[np.uint8],
    ) -> None:
        dimensions, sets = len(space.weights), len(space.levels)
        self.value, self.base_value, self.fixed = value, base_value, fixed
        self.moved, self.shift = zeros_int64(len(value)), zeros_int64(len(base_value))
        corners = 1 << min(dimensions, _MOST_PARTNERS)
        self.trial = zeros_int32(corners)
        self.alive, self.lives = zeros_int32_2d(dimensions + 1, sets), zeros_int64(dimensions + 1)
        nodes = int(np.asarray(space.nodes).sum()) + 4
        self.cell, self.cell_sign = (np.zeros(nodes * corners, np.int32) for _ in range(2))
        self.row, self.row_sign = (np.zeros((nodes + sets) * corners, np.int32) for _ in range(2))
        self.cells, self.rows = 0, 0
        self.need, self.amount, self.cost, self.score = 0, 0, 0, 0.0
        self.target, self.with_fixed, self.down, self.steps = 0, 0, 0, 0
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
    if work.fixed[cell] <= work.with_fixed:
        _extend(space, work, 0, 1)


def odd(number):
    """Return whether a number has an odd number of ones."""
    number ^= number >> 8
    number ^= number >> 4
    number ^= number >> 2
    number ^= number >> 1
    return number & 1


def score_of(work, cost, amount):
    """Return what a box costs for each unit of need, as far as it gives; fewer moves break ties."""
    times = 1
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
    cost = 0
    amount = _ENDLESS
    less: cython.bint
    for c in range(count):
        cell = work.trial[c]
        less = odd(c) != work.down
        if less:
            capacity = work.base_value[cell] + work.shift[cell]
            amount = min(amount, capacity)
        for k in range(work.lives[depth]):
            if not space.sure[depth, work.alive[depth, k]]:
                continue
            row = space.ancestors[cell, work.alive[depth, k]]
            if not space.suppressed[row]:
                if space.shown[row]:
                    return False
                cost += space.cost[row]
            if less:
                capacity = work.value[row] + work.moved[row]
                amount = min(amount, capacity)
    if amount <= 0:
        return False
    work.partial_cost = cost
    work.partial_amount = amount
    return score_of(work, cost, amount) < work.score


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _extend(space: CellSpace, work: BoxSearch, depth: cython.longlong, count: cython.longlong) -> cython.bint:
    """Try all second coordinates of a dimension and none; return whether the search is at its end."""
    cell = work.trial[0]
    work.steps -= 1
    if work.steps < 0:
        return True
    if depth == space.weights.shape[0]:
        return _keep(space, work, depth, count)
    line = space.line_of[depth, cell]
    block = space.block_of[depth, cell]
    if _partners(space, work, depth, count, space.block_first[block], space.block_first[block + 1], True):
        return True
    without_partner(work, depth)
    if _price(space, work, depth + 1, count) and _extend(space, work, depth + 1, count):
        return True
    # Partners outside of the block change rows of coarser levels, too.
    return (
        _partners(space, work, depth, count, space.block_first[block], space.block_first[block + 1], False)
        or _partners(space, work, depth, count, space.block_first[block + 1], space.line_first[line + 1], True)
        or _partners(space, work, depth, count, space.line_first[line], space.block_first[block], True)
        or _partners(space, work, depth, count, space.block_first[block + 1], space.line_first[line + 1], False)
        or _partners(space, work, depth, count, space.line_first[line], space.block_first[block], False)
    )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _partners(
    space: CellSpace,
    work: BoxSearch,
    depth: cython.longlong,
    count: cython.longlong,
    first: cython.longlong,
    last: cython.longlong,
    free: cython.bint,
) -> cython.bint:
    """Try the coordinates of some cells of a line, those that are suppressed or the others; return as `_extend` does."""
    is_free: cython.bint
    for at in range(first, last):
        if work.steps < 0 or (not free and work.score < 1):
            break
        other = space.line_cells[at]
        row = space.own_row[other]
        is_free = row < 0 or space.suppressed[row] != 0
        if other == work.trial[0] or is_free != free:
            continue
        work.steps -= 1
        if (
            with_partner(space, work, depth, depth, count, other)
            and _price(space, work, depth + 1, 2 * count)
            and _extend(space, work, depth + 1, 2 * count)
        ):
            return True
    return False


def without_partner(work, depth):
    """Take no second coordinate: all grouping sets change that have changed before."""
    work.lives[depth + 1] = work.lives[depth]
    for k in range(work.lives[depth]):
        work.alive[depth + 1, k] = work.alive[depth, k]


def with_partner(space, work, depth, dimension, count, other):
    """Take the coordinate of another cell of the line for the second one; return whether the corners exist."""
    step = space.places[other] - space.places[work.trial[0]]
    if 2 * count > work.trial.shape[0]:
        return False
    lives = 0
    kept: cython.bint = False
    for k in range(work.lives[depth]):
        g = work.alive[depth, k]
        first = space.unit_first[dimension, space.levels[g, dimension]]
        if space.units[first + space.codes[work.trial[0], dimension]] != space.units[first + space.codes[other, dimension]]:
            work.alive[depth + 1, lives] = g
            lives += 1
            kept |= g == work.target
    work.lives[depth + 1] = lives
    if not kept:
        return False
    for c in range(count):
        found = other if c == 0 else cell_at(space, space.places[work.trial[c]] + step)
        if found < 0 or work.fixed[found] > work.with_fixed:
            return False
        work.trial[count + c] = found
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _keep(space: CellSpace, work: BoxSearch, depth: cython.longlong, count: cython.longlong) -> cython.bint:
    """Keep the box, which is better than the best; return whether none can be better still."""
    work.cells = work.rows = 0
    for c in range(count):
        sign = -1 if odd(c) != work.down else 1
        work.cell[c] = work.trial[c]
        work.cell_sign[c] = sign
        work.cells += 1
        for k in range(work.lives[depth]):
            work.row[work.rows] = space.ancestors[work.trial[c], work.alive[depth, k]]
            work.row_sign[work.rows] = sign
            work.rows += 1
    work.cost = work.partial_cost
    work.amount = min(work.partial_amount, work.need)
    work.score = score_of(work, work.cost, work.amount)
    return work.cost == 0 and (work.amount >= work.need or work.need <= 16)


def apply(work):
    """Add the best move to the table in the making."""
    for k in range(work.cells):
        work.shift[work.cell[k]] += work.cell_sign[k] * work.amount
    for k in range(work.rows):
        work.moved[work.row[k]] += work.row_sign[k] * work.amount
