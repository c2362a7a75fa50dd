"""Ruin and recreate: a few neighbouring classes are taken apart, and grown again from other rows."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kanon_sql.kernels.random_numba import below
from kanon_sql.kernels.summaries.growth import NEVER, Grown, Loose, best_gain, growth_of, least_growth, open_class, show, widen
from kanon_sql.kernels.summaries.measure import Measure
from kanon_sql.kernels.summaries.neighbourhoods import Classes, Shape, bench_for, first, fits, gather, lift, replace

_CLASSES = 16
"""Most classes that come out of a neighbourhood."""

_SPARING = 16
"""One in so many row types that have more rows than a class still needs, but fewer than another would, is divided."""


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
        r = first(loose, types, p > 0 and below(state, 2) == 0, state)
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
    bench, many = bench_for(measure, classes, shape, len(codes), _CLASSES)
    loose, grown, place_of, chosen, free = bench
    for turn in range(1, steps + 1):
        around = chosen[: gather(classes, near, shape, chosen, state)]
        before = classes.loss[around].sum()
        if before == 0:
            continue
        types = lift(codes, classes.plan, around, loose, place_of)
        most = before + below(state, shape.allowance + 1)
        p, pieces = _grow(measure, shape, loose, types, grown, turn, most, state)
        if p == 0:
            continue
        pieces = _settle(measure, loose, types, grown, p, pieces, turn)
        loss = (grown.rows[:p] * grown.spread[:p]).sum()
        if pieces and loss <= most and fits(classes.plan, around, loose, grown.piece[:pieces], types):
            many = replace(classes, around, loose, grown, p, pieces, free, many)
