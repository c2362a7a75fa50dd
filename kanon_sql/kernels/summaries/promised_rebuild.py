"""Ruin and recreate under a promise: a class grows by the nearest rows with which it can still keep it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kanon_sql.kernels.random_numba import below
from kanon_sql.kernels.requirements.promises import COUNTERS, HEAD, HIGH, KIND, LOW, MATRIX, REQUIREMENTS, WIDTH, Rules, meets
from kanon_sql.kernels.summaries.growth import NEVER, Grown, Loose, growth_of, open_class, show, widen
from kanon_sql.kernels.summaries.measure import Measure
from kanon_sql.kernels.summaries.neighbourhoods import Classes, Shape, bench_for, first, fits, gather, lift, replace
from kanon_sql.kernels.summaries.prospects import promising

_CLASSES = 64
"""Most classes that come out of a neighbourhood: where a promise is strict, classes may become many times smaller."""

_SLOWLY = 16
"""A class that no row lets keep the promise at its size shall have one part of so many more."""


_COUNTED = 1 << 25
"""Counters of histograms looked at in one call, some hundredths of a second: what counts where a promise is strict."""


class Guard(NamedTuple):
    """What the classes anew have to keep.

    ``law``, ``share`` and ``room`` as in `Rules`; ``counter`` [g, s] what rows of each kind raise; by loose row type its
    ``kind``; by class its histogram ``held`` [class, V]; ``closed`` [g] the kinds that do not fit the class that is grown.
    ``tests`` [1] counts the histograms that were tested.
    """

    law: NDArray[np.int64]
    share: NDArray[np.float64]
    room: NDArray[np.int64]
    counter: NDArray[np.int32]
    kind: NDArray[np.int32]
    held: NDArray[np.int64]
    closed: NDArray[np.bool_]
    tests: NDArray[np.int64]


@njit(cache=True, nogil=True)
def _raise(held: NDArray[np.int64], counter: NDArray[np.int32], g: int, rows: int) -> None:
    for b in range(counter.shape[1]):
        held[counter[g, b]] += rows


@njit(cache=True, nogil=True)
def _joining(
    law: NDArray[np.int64],
    share: NDArray[np.float64],
    room: NDArray[np.int64],
    counter: NDArray[np.int32],
    held: NDArray[np.int64],
    g: int,
    most: int,
    terms: tuple[int, int],
) -> int:
    """Return how many rows of kind g may join a class, of at most so many; ``terms`` are its rows, and those it shall have."""
    rows, size = terms
    while most:
        _raise(held, counter, g, most)
        may = promising(law, share, room, held, rows + most, size)
        _raise(held, counter, g, -most)
        if may:
            break
        most //= 2
    return most


@njit(cache=True, nogil=True)
def _nearest(left: NDArray[np.int64], growth: NDArray[np.int64], kind: NDArray[np.int32], closed: NDArray[np.bool_]) -> int:
    """Return the loose row type with the least growth, of the kinds that fit; -1 if there is none."""
    best, least = -1, NEVER
    for x in range(len(left)):
        if left[x] and growth[x] < least and not closed[kind[x]]:
            best, least = x, growth[x]
            if least == 0:
                break
    return best


@njit(cache=True, nogil=True)
def _grow(
    measure: Measure,
    shape: Shape,
    loose: Loose,
    types: int,
    grown: Grown,
    guard: Guard,
    terms: tuple[int, int],
    state: NDArray[np.uint64],
) -> tuple[int, int]:
    """Grow classes that keep the promise while rows suffice; return the numbers of classes and pieces, no class if it is dear.

    ``terms`` are the number of the neighbourhood and the most that it may lose.
    """
    turn, limit = terms
    left, growth = loose.left[:types], loose.growth[:types]
    law, share, room, counter, kind, _, closed, tests = guard
    rest = left.sum()
    loss, pieces, p = np.int64(0), 0, 0
    while rest >= shape.k and p < _CLASSES:
        r = first(loose, types, p > 0 and below(state, 2) == 0, state)
        open_class(measure, loose, types, grown, p, r, turn, False)
        grown.spread[p] = 0
        held, own = guard.held[p], 0
        held[:] = 0
        closed[:] = False
        size, begun, available = shape.k, pieces, rest
        while size <= available:
            r = r if own == 0 else _nearest(left, growth, kind, closed)
            rows = 0
            if r >= 0:
                rows = _joining(law, share, room, counter, held, kind[r], min(left[r], size - own), (own, size))
                closed[kind[r]] = rows == 0
                tests[0] += 1
            if rows:
                if pieces == len(grown.piece):
                    return 0, 0
                if growth[r]:
                    grown.spread[p] += growth[r]
                    if loss + size * grown.spread[p] > limit:
                        return 0, 0
                    widen(measure, loose, types, grown, p, r, turn, False)
                grown.piece[pieces, 0], grown.piece[pieces, 1], grown.piece[pieces, 2] = r, p, rows
                pieces += 1
                left[r] -= rows
                rest -= rows
                own += rows
                _raise(held, counter, kind[r], rows)
                if own == size and meets(law, room, held, size):
                    break
            if r < 0 or own in (0, size):  # nothing fits at this size
                size += 1 + size // _SLOWLY
                closed[:] = False
        if size > available:
            for q in range(begun, pieces):
                left[grown.piece[q, 0]] += grown.piece[q, 2]
            pieces = begun
            break
        grown.rows[p] = own
        loss += size * grown.spread[p]
        p += 1
        if loss > limit:
            return 0, 0
    return p, pieces


@njit(cache=True, nogil=True)
def _best(measure: Measure, loose: Loose, grown: Grown, guard: Guard, about: tuple[int, int, int, int], strict: bool) -> int:
    """Return the class where rows add least, of those that keep the promise with them if ``strict``; -1 if there is none.

    ``about`` are the number of classes, the loose row type, its rows, and the number of the neighbourhood.
    """
    p, r, rows, turn = about
    best, least = -1, NEVER
    for a in range(p):
        growth = growth_of(measure, loose, grown, a, r, turn)
        added = grown.rows[a] * growth + rows * (grown.spread[a] + growth)
        if added < least:
            held, kept = guard.held[a], True
            if strict:
                guard.tests[0] += 1
                _raise(held, guard.counter, guard.kind[r], rows)
                kept = meets(guard.law, guard.room, held, grown.rows[a] + rows)
                _raise(held, guard.counter, guard.kind[r], -rows)
            if kept:
                best, least = a, added
    return best


@njit(cache=True, nogil=True)
def _settle(measure: Measure, loose: Loose, types: int, grown: Grown, guard: Guard, made: tuple[int, int], turn: int) -> int:
    """Put the rows that are left into the classes where they add least; return the number of pieces, 0 if that fails.

    First while no class breaks the promise by it, then the rest, with which it may be kept again. ``made`` are the numbers of
    classes and pieces.
    """
    p, pieces = made
    left, strict, waiting = loose.left, True, 1
    while waiting:
        waiting, placed = 0, 0
        for r in range(types):
            while left[r]:
                rows = left[r]
                best = _best(measure, loose, grown, guard, (p, r, rows, turn), strict)
                while best < 0 and rows > 1:
                    rows //= 2
                    best = _best(measure, loose, grown, guard, (p, r, rows, turn), strict)
                if best < 0:
                    waiting += 1
                    break
                if pieces == len(grown.piece):
                    return 0
                grown.piece[pieces, 0], grown.piece[pieces, 1], grown.piece[pieces, 2] = r, best, rows
                pieces += 1
                placed += 1
                left[r] -= rows
                grown.spread[best] += growth_of(measure, loose, grown, best, r, turn)
                grown.rows[best] += rows
                _raise(guard.held[best], guard.counter, guard.kind[r], rows)
                for c in range(len(measure.kind)):
                    show(measure, grown, best, c, loose.code[c, r], turn)
        strict = strict and placed > 0
    for a in range(p):
        if not strict and not meets(guard.law, guard.room, guard.held[a], grown.rows[a]):
            return 0
    return pieces


@njit(cache=True, nogil=True)
def _looked_at(law: NDArray[np.int64]) -> int:
    """Return about how many counters a test looks at; a transport takes as long as many."""
    found = law[COUNTERS]
    for q in range(law[REQUIREMENTS]):
        at = law[HEAD] + q * WIDTH
        if law[at + KIND] == MATRIX:
            found += (law[at + HIGH] - law[at + LOW]) ** 3 // 4
    return int(found)


@njit(cache=True, nogil=True)
def rebuild_promised(
    codes: NDArray[np.int32],
    measure: Measure,
    classes: Classes,
    near: NDArray[np.int32],
    shape: Shape,
    steps: int,
    promise: tuple[Rules, NDArray[np.int32], NDArray[np.int32]],
    state: NDArray[np.uint64],
) -> None:
    """Rebuild up to ``steps`` neighbourhoods so that every class keeps a promise; what loses more than allowed stays as it was.

    Parameters
    ----------
    codes, measure, near, shape, steps, state
        As in `rebuild`; of a promise, no class keeps it with fewer than the k rows of the shape.
    classes : Classes
        Each keeps the promise; changed.
    promise : tuple
        The rules, the counters that each kind of rows raises, and the kind of each row type.

    Notes
    -----
    As `rebuild`, and O(V) or what `meets` takes for each row type that joins a class.
    """
    rules, counter, kind_of = promise
    bench, many = bench_for(measure, classes, shape, len(codes), _CLASSES)
    loose, grown, place_of, chosen, free = bench
    guard = Guard(
        rules.law,
        rules.share,
        rules.room,
        counter,
        np.zeros(shape.row_types, np.int32),
        np.zeros((_CLASSES, rules.law[COUNTERS]), np.int64),
        np.zeros(len(counter), np.bool_),
        np.zeros(1, np.int64),
    )
    looked_at = _looked_at(rules.law)
    for turn in range(1, steps + 1):
        if guard.tests[0] * looked_at > _COUNTED:
            break
        around = chosen[: gather(classes, near, shape, chosen, state)]
        before = classes.loss[around].sum()
        if before == 0:
            continue
        types = lift(codes, classes.plan, around, loose, place_of)
        for x in range(types):
            guard.kind[x] = kind_of[loose.row_type[x]]
        most = before + below(state, shape.allowance + 1)
        p, pieces = _grow(measure, shape, loose, types, grown, guard, (turn, most), state)
        if p == 0:
            continue
        pieces = _settle(measure, loose, types, grown, guard, (p, pieces), turn)
        loss = (grown.rows[:p] * grown.spread[:p]).sum()
        if pieces and loss <= most and fits(classes.plan, around, loose, grown.piece[:pieces], types):
            many = replace(classes, around, loose, grown, p, pieces, free, many)
