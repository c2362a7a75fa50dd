"""Classes that meet a requirement on sensitive values: each grows by the nearest rows with which it can still meet it."""

from __future__ import annotations

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.random import below
from kanon_sql.kernels.summaries.growth import NEVER, growth_of, open_class, show, widen
from kanon_sql.kernels.summaries.histograms import add, class_meets, clear_histogram, joining, open_groups
from kanon_sql.kernels.summaries.neighbourhoods import add_piece, first_row
from kanon_sql.kernels.summaries.remainder import class_of_remainder

_SLOWLY = cython.declare(cython.longlong, 16)
"""A class that no row lets meet the requirement at its size shall have one part of so many more."""


def _nearest(unassigned, histograms):
    """Return the unassigned row type with the least growth, of the groups that fit; -1 if there is none."""
    best = -1
    least = NEVER
    for x in range(unassigned.types):
        if unassigned.rows[x] and unassigned.growth[x] < least and not histograms.closed[histograms.group[x]]:
            best = x
            least = unassigned.growth[x]
            if least == 0:
                break
    return best


def grow_by_requirement(measure, histograms, unassigned, new, k, turn, limit, state):
    """Grow classes of k rows or more that meet the requirement while rows suffice.

    Return the number of classes, 0 if they lose more than ``limit``.
    """
    rest = 0
    loss = 0
    p = 0
    new.pieces = 0
    for x in range(unassigned.types):
        histograms.group[x] = histograms.group_of[unassigned.row_type[x]]
        rest += unassigned.rows[x]
    while rest >= k and p < histograms.classes:
        r = first_row(unassigned, p > 0 and below(state, 2) == 0, state)
        open_class(measure, unassigned, new, p, r, turn, False)
        open_groups(histograms)
        clear_histogram(histograms, p)
        new.row_loss[p] = 0
        own = 0
        size = k
        begun = new.pieces
        available = rest
        while size <= available:
            if own > 0:
                r = _nearest(unassigned, histograms)
            rows = 0
            if r >= 0:
                rows = joining(histograms, p, histograms.group[r], min(unassigned.rows[r], size - own), own, size)
                histograms.closed[histograms.group[r]] = rows == 0
                histograms.tests += 1
            if rows:
                if not add_piece(new, r, p, rows):
                    return 0
                if unassigned.growth[r]:
                    new.row_loss[p] += unassigned.growth[r]
                    if loss + size * new.row_loss[p] > limit:
                        return 0
                    widen(measure, unassigned, new, p, r, turn)
                unassigned.rows[r] -= rows
                rest -= rows
                own += rows
                add(histograms, p, histograms.group[r], rows)
                if own == size and class_meets(histograms, p, size):
                    break
            if r < 0 or own == 0 or own == size:  # nothing fits at this size
                size += 1 + size // _SLOWLY
                open_groups(histograms)
        if size > available:
            for x in range(begun, new.pieces):
                unassigned.rows[new.piece[x, 0]] += new.piece[x, 2]
            new.pieces = begun
            break
        new.rows[p] = own
        loss += size * new.row_loss[p]
        p += 1
        if loss > limit:
            return 0
    return p


def _best(measure, histograms, unassigned, new, p, r, rows, turn):
    """Return the class where rows add least, of those that meet the requirement with them; -1 for none."""
    best = -1
    least = NEVER
    for a in range(p):
        growth = growth_of(measure, unassigned, new, a, r, turn)
        added = new.rows[a] * growth + rows * (new.row_loss[a] + growth)
        if added < least:
            histograms.tests += 1
            add(histograms, a, histograms.group[r], rows)
            if class_meets(histograms, a, new.rows[a] + rows):
                best = a
                least = added
            add(histograms, a, histograms.group[r], -rows)
    return best


def repair_by_requirement(measure, histograms, unassigned, new, p, turn):
    """Put the remaining rows into the classes where they add least and which still meet the requirement, the rest into one.

    Return the number of classes, 0 if that fails.
    """
    placed = 1
    waiting: cython.bint = True
    while waiting and placed:
        waiting = False
        placed = 0
        for r in range(unassigned.types):
            while unassigned.rows[r]:
                rows = unassigned.rows[r]
                best = _best(measure, histograms, unassigned, new, p, r, rows, turn)
                while best < 0 and rows > 1:
                    rows //= 2
                    best = _best(measure, histograms, unassigned, new, p, r, rows, turn)
                if best < 0:
                    waiting = True
                    break
                if not add_piece(new, r, best, rows):
                    return 0
                placed += 1
                unassigned.rows[r] -= rows
                new.row_loss[best] += growth_of(measure, unassigned, new, best, r, turn)
                new.rows[best] += rows
                add(histograms, best, histograms.group[r], rows)
                for c in range(measure.columns):
                    show(measure, new, best, c, unassigned.code[c, r], turn)
    return class_of_remainder(measure, histograms, unassigned, new, p, turn) if waiting else p
