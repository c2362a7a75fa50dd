"""Ruin and recreate: a few neighbouring classes are taken apart, and their rows find classes again by prices."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kanon_sql.kernels.classes.plans import SLOTS, Plan, Pool, put, take
from kanon_sql.kernels.instances.gains import NEVER, gain
from kanon_sql.kernels.random import below

_ATTEMPTS = 13
"""Rows whose classes are taken apart, of one instance that they could share."""

_MOST_INSTANCES = 1 << 14


class _Loose(NamedTuple):
    """Rows without a class.

    ``row`` lists the ``size[0]`` row types; ``rows``, ``home`` (the cheapest open class, or -1) and ``paid`` (the shaken
    price, or what the home costs if that is less) are by row type. ``log`` lists the ``size[1]`` moves made: row type,
    class, rows (below 0: taken out). ``filler`` is room for k row types.
    """

    size: NDArray[np.int64]
    row: NDArray[np.int32]
    rows: NDArray[np.int64]
    paid: NDArray[np.int64]
    home: NDArray[np.int32]
    log: NDArray[np.int64]
    filler: NDArray[np.int64]


class _Near(NamedTuple):
    """Closed instances that loose rows fit: ``instance`` [q], the rows of each at ``entry[begin[q] : begin[q + 1]]``.

    ``value`` is what it would gain; ``number`` is the place of an instance of the pool, or -1.
    """

    instance: NDArray[np.int32]
    begin: NDArray[np.int64]
    entry: NDArray[np.int32]
    value: NDArray[np.int64]
    number: NDArray[np.int32]


@njit(cache=True, nogil=True)
def rebuild(pool: Pool, plan: Plan, k: int, steps: int, noise: float, size: int, state: NDArray[np.uint64]) -> None:
    """Rebuild ``steps`` neighbourhoods of about ``size`` row types; what costs more is undone.

    Parameters
    ----------
    noise : float
        How far prices are shaken, relative to 1.
    state : uint64 array [1]
        Of the random numbers.

    Notes
    -----
    A step takes O(instances of the loose rows); memory O(t + j) once.
    """
    t = len(pool.weight)
    loose = _Loose(
        np.zeros(2, np.int64),
        np.empty(2 * size + 64, np.int32),
        np.zeros(t, np.int64),
        np.empty(t, np.int64),
        np.empty(t, np.int32),
        np.empty((64 * size + 4096, 3), np.int64),
        np.empty(k, np.int64),
    )
    number = np.full(len(pool.cost), -1, np.int32)
    for _ in range(steps):
        loose.size[:] = 0
        seed = int(below(state, t))
        if pool.first[seed + 1] == pool.first[seed]:
            continue
        _ruin(pool, plan, k, size, seed, loose, state)
        for f in range(loose.size[0]):
            i = loose.row[f]
            loose.paid[i] = np.int64(pool.price[i] * (1.0 + noise * (below(state, 2048) / 1024.0 - 1.0)))
        near = _look_around(pool, plan, k, loose, number)
        done = _recreate(pool, plan, k, loose, near) and _go_home(plan, loose)
        if done:
            _settle_cheaper(pool, plan, k, loose)
        change = 0
        for a in range(loose.size[1]):
            change += loose.log[a, 2] * pool.cost[loose.log[a, 1]]
        if not done or change > 0:
            for a in range(loose.size[1] - 1, -1, -1):
                if loose.log[a, 2] < 0:
                    put(plan, loose.log[a, 0], loose.log[a, 1], -loose.log[a, 2])
                else:
                    take(plan, loose.log[a, 0], loose.log[a, 1], loose.log[a, 2])
        for f in range(loose.size[0]):
            loose.rows[loose.row[f]] = 0
        for q in range(len(near.instance)):
            number[near.instance[q]] = -1


@njit(cache=True, nogil=True)
def _moved(loose: _Loose, i: int, j: int, rows: int) -> None:
    place = loose.size[1]
    loose.log[place, 0], loose.log[place, 1], loose.log[place, 2] = i, j, rows
    loose.size[1] += 1


@njit(cache=True, nogil=True)
def _release(plan: Plan, loose: _Loose, i: int, j: int, rows: int) -> None:
    """Take rows out of a class."""
    take(plan, i, j, rows)
    _moved(loose, i, j, -rows)
    if loose.rows[i] == 0:
        loose.row[loose.size[0]] = i
        loose.size[0] += 1
    loose.rows[i] += rows


@njit(cache=True, nogil=True)
def _join(plan: Plan, loose: _Loose, i: int, j: int, rows: int) -> bool:
    """Put loose rows into a class; False if they find no slot."""
    if not put(plan, i, j, rows):
        return False
    _moved(loose, i, j, rows)
    loose.rows[i] -= rows
    return True


@njit(cache=True, nogil=True)
def _ruin(pool: Pool, plan: Plan, k: int, size: int, seed: int, loose: _Loose, state: NDArray[np.uint64]) -> None:
    """Take apart the class of a row and classes of rows it could share a class with; of large ones only what they spare."""
    j = pool.instance[pool.first[seed] + below(state, pool.first[seed + 1] - pool.first[seed])]
    span = pool.start[j + 1] - pool.start[j]
    for attempt in range(min(_ATTEMPTS, span + 1)):
        i = seed if attempt == 0 else pool.member[pool.start[j] + below(state, span)]
        c, turn, held = -1, below(state, SLOTS), 0
        for s in range(SLOTS):
            place = i * SLOTS + (turn + s) % SLOTS
            if plan.where[place] >= 0:
                c, held = plan.where[place], plan.amount[place]
                break
        if c < 0:
            continue
        length, place = 0, plan.head[c]
        while place >= 0 and length <= size:
            length += 1
            place = plan.after[place]
        if loose.size[0] + length <= size:
            while plan.head[c] >= 0:
                place = plan.head[c]
                _release(plan, loose, place // SLOTS, c, plan.amount[place])
        elif loose.size[0] < size and plan.rows[c] > k:
            _release(plan, loose, i, c, min(held, plan.rows[c] - k))


@njit(cache=True, nogil=True)
def _look_around(pool: Pool, plan: Plan, k: int, loose: _Loose, number: NDArray[np.int32]) -> _Near:
    """List the closed instances that enough loose rows fit, and for each row the cheapest open class."""
    types = loose.size[0]
    instance = np.empty(_MOST_INSTANCES, np.int32)
    rows = np.zeros(_MOST_INSTANCES, np.int64)
    many = 0
    for f in range(types):
        i = loose.row[f]
        loose.home[i] = -1
        for a in range(pool.first[i], pool.first[i + 1]):
            j = pool.instance[a]
            if plan.rows[j] > 0:
                if loose.home[i] < 0:  # the first is the cheapest
                    loose.paid[i], loose.home[i] = min(loose.paid[i], pool.cost[j]), j
                continue
            if number[j] < 0:
                if many == _MOST_INSTANCES:
                    continue
                number[j], instance[many] = many, j
                many += 1
            rows[number[j]] += loose.rows[i]
    kept = 0
    for q in range(many):
        number[instance[q]] = -1
        if rows[q] >= k:
            number[instance[q]], instance[kept] = kept, instance[q]
            kept += 1
    begin = np.zeros(kept + 1, np.int64)
    for f in range(types):
        for a in range(pool.first[loose.row[f]], pool.first[loose.row[f] + 1]):
            if number[pool.instance[a]] >= 0:
                begin[number[pool.instance[a]] + 1] += 1
    for q in range(kept):
        begin[q + 1] += begin[q]
    entry = np.empty(begin[kept], np.int32)
    filled = begin.copy()
    for f in range(types):
        for a in range(pool.first[loose.row[f]], pool.first[loose.row[f] + 1]):
            q = number[pool.instance[a]]
            if q >= 0:
                entry[filled[q]] = loose.row[f]
                filled[q] += 1
    near = _Near(instance[:kept].copy(), begin, entry, np.empty(kept, np.int64), number)
    for q in range(kept):
        near.value[q], _ = _gain(pool, k, loose, near, q)
    return near


@njit(cache=True, nogil=True)
def _gain(pool: Pool, k: int, loose: _Loose, near: _Near, q: int) -> tuple[np.int64, int]:
    w = pool.cost[near.instance[q]]
    return gain(near.entry, near.begin[q], near.begin[q + 1], loose.rows, loose.paid, w, k, NEVER, loose.filler)


@njit(cache=True, nogil=True)
def _recreate(pool: Pool, plan: Plan, k: int, loose: _Loose, near: _Near) -> bool:
    """Open the instance that gains most, again and again, while one gains or some row has no class to go to."""
    while True:
        best = -1
        while True:
            top = -1
            for q in range(len(near.value)):
                if near.value[q] > NEVER and (top < 0 or near.value[q] > near.value[top]):
                    top = q
            if top < 0 or top == best:
                break
            best = top
            near.value[best], fillers = _gain(pool, k, loose, near, best)
        if top < 0:
            return True
        if near.value[best] <= 0 and not _only_for_homeless(loose, near):
            return True
        if near.value[best] > NEVER:
            near.value[best] = NEVER
            if not _open(pool, plan, k, loose, near, best, fillers):
                return False


@njit(cache=True, nogil=True)
def _only_for_homeless(loose: _Loose, near: _Near) -> bool:
    """Forget the instances that no row without an open class fits; return whether there is such a row."""
    homeless = False
    for f in range(loose.size[0]):
        homeless = homeless or (loose.rows[loose.row[f]] > 0 and loose.home[loose.row[f]] < 0)
    for q in range(len(near.value)):
        fits = False
        for a in range(near.begin[q], near.begin[q + 1]):
            fits = fits or (loose.rows[near.entry[a]] > 0 and loose.home[near.entry[a]] < 0)
        if not fits:
            near.value[q] = NEVER
    return homeless


@njit(cache=True, nogil=True)
def _open(pool: Pool, plan: Plan, k: int, loose: _Loose, near: _Near, q: int, fillers: int) -> bool:
    """Let the rows that pay for an instance join it, then the dearest others up to k; False if some find no slot."""
    j = near.instance[q]
    w = pool.cost[j]
    rows = 0
    for a in range(near.begin[q], near.begin[q + 1]):
        i = near.entry[a]
        if loose.rows[i] and loose.paid[i] > w:
            rows += loose.rows[i]
            if not _join(plan, loose, i, j, loose.rows[i]):
                return False
    for i in loose.filler[:fillers]:
        copies = min(k - rows, loose.rows[i])
        rows += copies
        if not _join(plan, loose, i, j, copies):
            return False
    for a in range(near.begin[q], near.begin[q + 1]):
        i = near.entry[a]
        if loose.home[i] < 0 or w < pool.cost[loose.home[i]]:
            loose.paid[i], loose.home[i] = min(loose.paid[i], w), j
    return True


@njit(cache=True, nogil=True)
def _go_home(plan: Plan, loose: _Loose) -> bool:
    """Put the rows that are left into the cheapest open class; False if one has none."""
    for f in range(loose.size[0]):
        i = loose.row[f]
        if loose.rows[i] and (loose.home[i] < 0 or not _join(plan, loose, i, loose.home[i], loose.rows[i])):
            return False
    return True


@njit(cache=True, nogil=True)
def _settle_cheaper(pool: Pool, plan: Plan, k: int, loose: _Loose) -> None:
    """Move rows that joined early, and that their classes can spare, to cheaper classes that opened later."""
    for f in range(loose.size[0]):
        i = loose.row[f]
        for place in range(i * SLOTS, (i + 1) * SLOTS):
            c = plan.where[place]
            if c < 0 or plan.rows[c] <= k:
                continue
            for a in range(pool.first[i], pool.first[i + 1]):
                j = pool.instance[a]
                if pool.cost[j] >= pool.cost[c]:
                    break
                if plan.rows[j] >= k:
                    rows = min(plan.amount[place], plan.rows[c] - k)
                    if put(plan, i, j, rows):
                        take(plan, i, c, rows)
                        _moved(loose, i, j, rows)
                        _moved(loose, i, c, -rows)
                    break
