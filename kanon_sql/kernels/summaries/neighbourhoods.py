"""Neighbourhoods of classes: which are taken apart, their rows, and the classes anew in their place."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kanon_sql.kernels.classes.plans_numba import SLOTS, Plan, put, take
from kanon_sql.kernels.random_numba import below
from kanon_sql.kernels.summaries.growth import Grown, Loose
from kanon_sql.kernels.summaries.measure import Measure

_TRIES = 6
"""Draws of a neighbour for each class of a neighbourhood."""


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


class Bench(NamedTuple):
    """Where a neighbourhood is worked on: its rows, the classes anew, its classes as they are, and numbers of no class."""

    loose: Loose
    grown: Grown
    place_of: NDArray[np.int32]
    chosen: NDArray[np.int32]
    free: NDArray[np.int32]


@njit(cache=True, nogil=True)
def bench_for(measure: Measure, classes: Classes, shape: Shape, t: int, most: int) -> tuple[Bench, int]:
    """Return a bench for ``t`` row types and at ``most`` so many classes anew, and how many numbers of no class are listed."""
    limit, m = shape.row_types, len(measure.kind)
    loose = Loose(
        np.empty(limit, np.int32),
        np.zeros(limit, np.int64),
        np.empty((m, limit), np.int32),
        np.zeros(limit, np.int64),
        np.zeros(limit, np.uint64),
    )
    grown = Grown(
        np.zeros(most, np.int64),
        np.zeros(most, np.int64),
        np.zeros((most, m), np.int64),
        np.zeros((most, m), np.int64),
        np.zeros((most, measure.first[m]), np.int32),
        np.zeros((2 * limit, 3), np.int64),
        np.zeros(measure.first[m], np.int64),
    )
    free = np.empty(len(classes.size) + 1, np.int32)
    many = 0
    for c in range(len(classes.size)):
        if classes.size[c] == 0:
            free[many] = c
            many += 1
    return Bench(loose, grown, np.full(t, -1, np.int32), np.empty(shape.classes, np.int32), free), many


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
def gather(
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
def lift(codes: NDArray[np.int32], plan: Plan, chosen: NDArray[np.int32], loose: Loose, place_of: NDArray[np.int32]) -> int:
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
def first(loose: Loose, types: int, furthest: bool, state: NDArray[np.uint64]) -> int:
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
def fits(plan: Plan, chosen: NDArray[np.int32], loose: Loose, piece: NDArray[np.int64], types: int) -> bool:
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
def replace(
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
