"""Classes of k rows or more: each grows by the nearest rows, or by those that let most others join."""

from __future__ import annotations

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.instances.groups import trailing_zeros
from kanon_sql.kernels.random import below
from kanon_sql.kernels.summaries.growth import NEVER, growth_of, open_class, show, widen
from kanon_sql.kernels.summaries.neighbourhoods import add_piece, first_row

_SPARING = cython.declare(cython.longlong, 16)
"""One in so many row types that have more rows than a class still needs, but fewer than another would, is divided."""


def grow_by_size(measure, shape, unassigned, new, turn, limit, state):
    """Grow classes of k rows until fewer are unassigned; return the number of classes, 0 if they lose too much."""
    by_gain: cython.bint = shape.by_gain and below(state, 2) == 0
    rest = 0
    loss = 0
    p = 0
    for x in range(unassigned.types):
        rest += unassigned.rows[x]
    new.pieces = 0
    while rest >= shape.k:
        if p == new.rows.shape[0]:
            return 0
        r = first_row(unassigned, p > 0 and below(state, 2) == 0, state)
        open_class(measure, unassigned, new, p, r, turn, by_gain)
        new.rows[p] = 0
        new.row_loss[p] = 0
        rows = unassigned.rows[r]
        while True:
            if not add_piece(new, r, p, rows):
                return 0
            unassigned.rows[r] -= rows
            new.rows[p] += rows
            rest -= rows
            needed = shape.k - new.rows[p]
            if needed <= 0:
                break
            r = _least_growth(unassigned)
            if by_gain and unassigned.growth[r]:
                r = _best_gain(measure, unassigned, new, needed)
            # Rows of one row type are best together, but k of them lose nothing alone, and fewer may serve others.
            rows = unassigned.rows[r]
            divide: cython.bint = rows > needed and (rows - needed >= shape.k or below(state, _SPARING) == 0)
            if divide:
                rows = needed
            if unassigned.growth[r]:
                new.row_loss[p] += unassigned.growth[r]
                if loss + shape.k * new.row_loss[p] > limit:
                    return 0
                widen(measure, unassigned, new, p, r, turn)
        loss += new.rows[p] * new.row_loss[p]
        p += 1
        if loss > limit:
            return 0
    return p


def repair_by_size(measure, unassigned, new, p, turn):
    """Put the remaining rows into the classes where they add least; False if there are too many pieces."""
    for r in range(unassigned.types):
        if unassigned.rows[r] == 0:
            continue
        best = -1
        least = NEVER
        for a in range(p):
            growth = growth_of(measure, unassigned, new, a, r, turn)
            added = new.rows[a] * growth + unassigned.rows[r] * (new.row_loss[a] + growth)
            if added < least:
                best = a
                least = added
        if not add_piece(new, r, best, unassigned.rows[r]):
            return False
        new.row_loss[best] += growth_of(measure, unassigned, new, best, r, turn)
        new.rows[best] += unassigned.rows[r]
        for c in range(measure.columns):
            show(measure, new, best, c, unassigned.code[c, r], turn)
    return True


def _best_gain(measure, unassigned, new, needed):
    """Return the unassigned row type with the least growth for each row that could then join without any."""
    best = -1
    least: cython.double = 0.0
    for x in range(unassigned.types):
        rest: cython.ulonglong = unassigned.differing[x]
        if unassigned.rows[x] and rest & (rest - 1) == 0:
            c = trailing_zeros(rest)
            new.tally[measure.first[c] + unassigned.code[c, x]] += unassigned.rows[x]
    for x in range(unassigned.types):
        if unassigned.rows[x]:
            rest = unassigned.differing[x]
            gained = unassigned.rows[x] if rest & (rest - 1) else 0
            while rest:
                c = trailing_zeros(rest)
                rest &= rest - 1
                gained += new.tally[measure.first[c] + unassigned.code[c, x]]
            ratio: cython.double = unassigned.growth[x]
            ratio /= min(gained, needed)
            if best < 0 or ratio < least:
                best = x
                least = ratio
    for x in range(unassigned.types):
        rest = unassigned.differing[x]
        if unassigned.rows[x] and rest & (rest - 1) == 0:
            c = trailing_zeros(rest)
            new.tally[measure.first[c] + unassigned.code[c, x]] = 0
    return best


def _least_growth(unassigned):
    """Return the unassigned row type with the least growth."""
    best = -1
    least = NEVER
    for x in range(unassigned.types):
        if unassigned.rows[x] and unassigned.growth[x] < least:
            best = x
            least = unassigned.growth[x]
            if least == 0:
                break
    return best
