"""Ruin and recreate: a few neighbouring classes are taken apart, and grown again from other rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kanon_sql.kernels.chance import below
from kanon_sql.kernels.plans import SLOTS, Plan, put, take
from kanon_sql.kernels.summaries import Measure
from kanon_sql.kernels.summary_growth import NEVER, Grown, Loose, best_gain, growth_of, least_growth, open_class, show, widen

_CLASSES = 16
"""Most classes that come out of a neighbourhood."""

_TRIES = 6
"""Draws of a neighbour for each class of a neighbourhood."""

_SPARING = 16
"""One in so many row types that have more rows than a class still needs, but fewer than another would, is divided."""


class Classes(NamedTuple):
    """The classes of a plan: ``size`` row types of each, and the ``loss`` of all its rows."""

    plan: Plan
    size: NDArray[np.int64]
    loss: NDArray[np.int64]


class Shape(NamedTuple):
    """A neighbourhood: up to ``classes`` classes with ``row_types`` row types; each class anew has ``k`` rows.

    A neighbourhood may lose more than before, by up to ``allowance``; if ``by_gain``, half of them are grown by gain.
    """

    k: int
    classes: int
    row_types: int
    allowance: int
    by_gain: bool


@njit(cache=True, nogil=True)
def _class_of(plan: Plan, i: np.int64, state: NDArray[np.uint64]) -> int:
    """Return one of the classes of a row type."""
    turn = below(state, SLOTS)
    place = i * SLOTS + turn
    while plan.where[place] < 0:
        turn = (turn + 1) % SLOTS
        place = i * SLOTS + turn
    return int(plan.where[place])


@njit(cache=True, nogil=True)
def _gather(
    classes: Classes, near: NDArray[np.int32], shape: Shape, chosen: NDArray[np.int32], state: NDArray[np.uint64]
) -> int:
    """List in ``chosen`` the class of some row and classes of rows near it; return how many."""
    plan = classes.plan
    chosen[0] = _class_of(plan, below(state, len(near)), state)
    total = classes.size[chosen[0]]
    many = 1
    if total > shape.row_types:
        return 0
    for _ in range(_TRIES * shape.classes):
        if many == shape.classes:
            break
        c = chosen[below(state, many)]
        place = plan.head[c]
        for _ in range(below(state, classes.size[c])):
            place = plan.after[place]
        i = near[place // SLOTS, below(state, near.shape[1])]
        if i < 0:
            continue
        c = _class_of(plan, i, state)
        known = total + classes.size[c] > shape.row_types
        for a in range(many):
            known = known or chosen[a] == c
        if not known:
            chosen[many] = c
            many += 1
            total += classes.size[c]
    return many


@njit(cache=True, nogil=True)
def _lift(codes: NDArray[np.int32], plan: Plan, chosen: NDArray[np.int32], loose: Loose, place_of: NDArray[np.int32]) -> int:
    """List the rows of the chosen classes, which stay where they are for now; return the number of row types."""
    types = 0
    for c in chosen:
        place = plan.head[c]
        while place >= 0:
            i = place // SLOTS
            if place_of[i] < 0:
                place_of[i] = types
                loose.row_type[types], loose.left[types] = i, 0
                for d in range(codes.shape[1]):
                    loose.code[d, types] = codes[i, d]
                types += 1
            loose.left[place_of[i]] += plan.amount[place]
            place = plan.after[place]
    place_of[loose.row_type[:types]] = -1
    return types


@njit(cache=True, nogil=True)
def _first(loose: Loose, types: int, furthest: bool, state: NDArray[np.uint64]) -> int:
    """Return a loose row type to start a class with: any, or the furthest from the class before."""
    r = int(below(state, types))
    while loose.left[r] == 0:
        r = (r + 1) % types
    if furthest:
        for x in range(types):
            if loose.left[x] and loose.growth[x] > loose.growth[r]:
                r = x
    return r


@njit(cache=True, nogil=True)
def _grow(
    measure: Measure, shape: Shape, loose: Loose, types: int, grown: Grown, turn: int, limit: int, state: NDArray[np.uint64]
) -> tuple[int, int]:
    """Grow classes of k rows until fewer are left; return the numbers of classes and pieces, no class if it loses too much."""
    by_gain = shape.by_gain and below(state, 2) == 0
    left, growth = loose.left[:types], loose.growth[:types]
    rest = left.sum()
    loss, pieces, p = np.int64(0), 0, 0
    while rest >= shape.k:
        if p == _CLASSES:
            return 0, 0
        r = _first(loose, types, p > 0 and below(state, 2) == 0, state)
        open_class(measure, loose, types, grown, p, r, turn, by_gain)
        grown.rows[p], grown.spread[p] = 0, 0
        rows = left[r]
        while True:
            if pieces == len(grown.piece):
                return 0, 0
            grown.piece[pieces, 0], grown.piece[pieces, 1], grown.piece[pieces, 2] = r, p, rows
            pieces += 1
            left[r] -= rows
            grown.rows[p] += rows
            rest -= rows
            needed = shape.k - grown.rows[p]
            if needed <= 0:
                break
            r = least_growth(left, growth)
            if by_gain and growth[r]:
                r = best_gain(measure, loose, types, grown.tally, needed)
            # Rows of one row type are best together, but k of them lose nothing alone, and fewer may serve others.
            spare = left[r] > needed and (left[r] - needed >= shape.k or below(state, _SPARING) == 0)
            rows = needed if spare else left[r]
            if growth[r]:
                grown.spread[p] += growth[r]
                if loss + shape.k * grown.spread[p] > limit:
                    return 0, 0
                widen(measure, loose, types, grown, p, r, turn, by_gain)
        loss += grown.rows[p] * grown.spread[p]
        p += 1
        if loss > limit:
            return 0, 0
    return p, pieces


@njit(cache=True, nogil=True)
def _settle(measure: Measure, loose: Loose, types: int, grown: Grown, p: int, pieces: int, turn: int) -> int:
    """Put the rows that are left into the classes where they add least; return the number of pieces, 0 if too many."""
    for r in range(types):
        if loose.left[r] == 0:
            continue
        best, least = -1, NEVER
        for a in range(p):
            growth = growth_of(measure, loose, grown, a, r, turn)
            added = grown.rows[a] * growth + loose.left[r] * (grown.spread[a] + growth)
            if added < least:
                best, least = a, added
        if pieces == len(grown.piece):
            return 0
        grown.piece[pieces, 0], grown.piece[pieces, 1], grown.piece[pieces, 2] = r, best, loose.left[r]
        pieces += 1
        grown.spread[best] += growth_of(measure, loose, grown, best, r, turn)
        grown.rows[best] += loose.left[r]
        for c in range(len(measure.kind)):
            show(measure, grown, best, c, loose.code[c, r], turn)
    return pieces


@njit(cache=True, nogil=True)
def _fits(plan: Plan, chosen: NDArray[np.int32], loose: Loose, piece: NDArray[np.int64], types: int) -> bool:
    """Return whether every row type has slots for its pieces; ``left`` is overwritten."""
    loose.left[:types] = 0
    for r in piece[:, 0]:
        loose.left[r] += 1
    for r in range(types):
        if loose.left[r] == 1:
            continue
        used = loose.left[r]
        for place in range(loose.row_type[r] * SLOTS, (loose.row_type[r] + 1) * SLOTS):
            elsewhere = plan.where[place] >= 0
            for c in chosen:
                elsewhere = elsewhere and plan.where[place] != c
            used += elsewhere
        if used > SLOTS:
            return False
    return True


@njit(cache=True, nogil=True)
def _replace(
    classes: Classes,
    chosen: NDArray[np.int32],
    loose: Loose,
    grown: Grown,
    p: int,
    pieces: int,
    free: NDArray[np.int32],
    many: int,
) -> int:
    """Put the classes anew in place of the chosen; ``free`` lists ``many`` numbers of no class. Return how many there are."""
    plan = classes.plan
    for c in chosen:
        while plan.head[c] >= 0:
            place = plan.head[c]
            take(plan, place // SLOTS, c, plan.amount[place])
        classes.size[c], classes.loss[c] = 0, 0
        free[many] = c
        many += 1
    for q in range(pieces):
        r, a, rows = grown.piece[q]
        put(plan, loose.row_type[r], free[many - 1 - a], rows)
    for a in range(p):
        many -= 1
        c = free[many]
        classes.loss[c] = grown.rows[a] * grown.spread[a]
        place = plan.head[c]
        while place >= 0:
            classes.size[c] += 1
            place = plan.after[place]
    return many


@njit(cache=True, nogil=True)
def rebuild(
    codes: NDArray[np.int32],
    measure: Measure,
    classes: Classes,
    near: NDArray[np.int32],
    shape: Shape,
    steps: int,
    state: NDArray[np.uint64],
) -> None:
    """Rebuild ``steps`` neighbourhoods; one that loses more than allowed stays as it was.

    Parameters
    ----------
    codes : int32 array [t, m]
        Row types, m at most 64.
    measure : Measure
        How loss is counted.
    classes : Classes
        Each of k rows or more; changed.
    near : int32 array [t, s]
        Row types near each, or -1.
    shape : Shape
        What is rebuilt, and when it is kept.
    state : uint64 array [1]
        Of the random numbers.

    Notes
    -----
    A step takes O(m r) to take r row types apart and O(r) for each that joins a class; memory O(t + 16 * all codes).
    """
    t, m = codes.shape
    limit = shape.row_types
    loose = Loose(
        np.empty(limit, np.int32),
        np.zeros(limit, np.int64),
        np.empty((m, limit), np.int32),
        np.zeros(limit, np.int64),
        np.zeros(limit, np.uint64),
    )
    grown = Grown(
        np.zeros(_CLASSES, np.int64),
        np.zeros(_CLASSES, np.int64),
        np.zeros((_CLASSES, m), np.int64),
        np.zeros((_CLASSES, m), np.int64),
        np.zeros((_CLASSES, measure.first[m]), np.int32),
        np.zeros((2 * limit, 3), np.int64),
        np.zeros(measure.first[m], np.int64),
    )
    place_of = np.full(t, -1, np.int32)
    chosen = np.empty(shape.classes, np.int32)
    free = np.empty(len(classes.size) + 1, np.int32)
    many = 0
    for c in range(len(classes.size)):
        if classes.size[c] == 0:
            free[many] = c
            many += 1
    for turn in range(1, steps + 1):
        around = chosen[: _gather(classes, near, shape, chosen, state)]
        before = classes.loss[around].sum()
        if before == 0:
            continue
        types = _lift(codes, classes.plan, around, loose, place_of)
        most = before + below(state, shape.allowance + 1)
        p, pieces = _grow(measure, shape, loose, types, grown, turn, most, state)
        if p == 0:
            continue
        pieces = _settle(measure, loose, types, grown, p, pieces, turn)
        loss = (grown.rows[:p] * grown.spread[:p]).sum()
        if pieces and loss <= most and _fits(classes.plan, around, loose, grown.piece[:pieces], types):
            many = _replace(classes, around, loose, grown, p, pieces, free, many)
