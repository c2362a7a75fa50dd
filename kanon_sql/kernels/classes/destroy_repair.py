"""Destroy and repair: a few neighbouring classes are dissolved, and their rows find classes again by prices."""

from __future__ import annotations

import numpy as np

try:
    import cython
except ModuleNotFoundError:
    from kanon_sql.kernels import uncompiled as cython

if cython.compiled:
    from cython.cimports.kanon_sql.kernels.classes.plans import SLOTS, Plan, Pool, put, take
    from cython.cimports.kanon_sql.kernels.instances.gains import NEVER, gain
    from cython.cimports.kanon_sql.kernels.random import below
else:
    from kanon_sql.kernels.classes.plans import SLOTS, Plan, Pool, put, take
    from kanon_sql.kernels.instances.gains import NEVER, gain
    from kanon_sql.kernels.random import below

_ATTEMPTS = cython.declare(cython.longlong, 13)
"""Rows whose classes are dissolved, of one instance that they could share."""

_MOST_INSTANCES = cython.declare(cython.longlong, 1 << 14)


@cython.final
@cython.cclass
class Workspace:
    """Scratch arrays of a search, allocated once.

    Parameters
    ----------
    pool : Pool
        The candidate classes.
    k : int
        Least rows of a class.
    size : int
        Row types of a neighbourhood.

    Attributes
    ----------
    types, row, rows : int, int32 array, int64 array [t]
        The unassigned rows: ``row[:types]`` are their row types, ``rows`` counts them by row type.
    paid, fallback : int64, int32 arrays [t]
        What a row pays: its perturbed price, or the cost of its cheapest open class, ``fallback`` (-1: none), if that is less.
    moves, moved_type, moved_class, moved_rows : int, int32 arrays, int64 array
        The moves made so far; rows below 0 were taken out.
    filler : int64 array [k]
        Row types that fill an instance up to k rows.
    closed, instance, begin, entry, value : int, int32 array, int64 array, int32 array, int64 array
        The closed instances that k unassigned rows fit: ``instance[q]``, whose row types are
        ``entry[begin[q] : begin[q + 1]]``, gains ``value[q]``.
    number : int32 array [j]
        The place of an instance among the closed ones, or -1.
    fitting, filled : int64 arrays
        Rows and entries counted for each closed instance.
    """

    types: cython.longlong
    row: cython.int[::1]
    rows: cython.longlong[::1]
    paid: cython.longlong[::1]
    fallback: cython.int[::1]
    moves: cython.longlong
    moved_type: cython.int[::1]
    moved_class: cython.int[::1]
    moved_rows: cython.longlong[::1]
    filler: cython.longlong[::1]
    closed: cython.longlong
    instance: cython.int[::1]
    begin: cython.longlong[::1]
    entry: cython.int[::1]
    value: cython.longlong[::1]
    number: cython.int[::1]
    fitting: cython.longlong[::1]
    filled: cython.longlong[::1]

    def __init__(self, pool: Pool, k: int, size: int) -> None:
        t, most, moves = len(pool.weight), 2 * size + 64, 64 * size + 4096
        self.types = self.moves = self.closed = 0
        self.row = np.empty(most, np.int32)
        self.rows = np.zeros(t, np.int64)
        self.paid = np.empty(t, np.int64)
        self.fallback = np.empty(t, np.int32)
        self.moved_type, self.moved_class = np.empty(moves, np.int32), np.empty(moves, np.int32)
        self.moved_rows = np.empty(moves, np.int64)
        self.filler = np.empty(k, np.int64)
        self.instance = np.empty(_MOST_INSTANCES, np.int32)
        self.begin = np.empty(_MOST_INSTANCES + 1, np.int64)
        self.entry = np.empty(most * int(np.diff(pool.first).max(initial=0)), np.int32)
        self.value = np.empty(_MOST_INSTANCES, np.int64)
        self.number = np.full(len(pool.cost), -1, np.int32)
        self.fitting = np.empty(_MOST_INSTANCES, np.int64)
        self.filled = np.empty(_MOST_INSTANCES, np.int64)


def rebuild(
    pool: Pool,
    plan: Plan,
    work: Workspace,
    k: cython.longlong,
    steps: cython.longlong,
    noise: cython.double,
    size: cython.longlong,
    state: cython.ulonglong[::1],
) -> None:
    """Rebuild ``steps`` neighbourhoods of about ``size`` row types; a rebuild that costs more is undone.

    Parameters
    ----------
    pool, plan
        The candidate classes, and the assignment, which is changed.
    work : Workspace
        Of this pool, k and size.
    noise : float
        How far prices are perturbed, relative to 1.
    state : uint64 array [1]
        Of the random numbers.

    Notes
    -----
    A step takes O(instances of the unassigned rows).
    """
    with cython.nogil:
        _rebuild(pool, plan, work, k, steps, noise, size, state)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _rebuild(
    pool: Pool,
    plan: Plan,
    work: Workspace,
    k: cython.longlong,
    steps: cython.longlong,
    noise: cython.double,
    size: cython.longlong,
    state: cython.ulonglong[::1],
) -> cython.void:
    step: cython.longlong
    seed: cython.longlong
    f: cython.longlong
    i: cython.longlong
    a: cython.longlong
    q: cython.longlong
    change: cython.longlong
    factor: cython.double
    done: cython.bint
    for step in range(steps):
        work.types = 0
        work.moves = 0
        seed = below(state, pool.weight.shape[0])
        if pool.first[seed + 1] == pool.first[seed]:
            continue
        _destroy(pool, plan, k, size, seed, work, state)
        for f in range(work.types):
            i = work.row[f]
            factor = 1.0 + noise * (below(state, 2048) / 1024.0 - 1.0)
            work.paid[i] = cython.cast(cython.longlong, pool.price[i] * factor)
        _look_around(pool, plan, k, work)
        done = _repair(pool, plan, k, work) and _fall_back(plan, work)
        if done:
            _move_to_cheaper(pool, plan, k, work)
        change = 0
        for a in range(work.moves):
            change += work.moved_rows[a] * pool.cost[work.moved_class[a]]
        if not done or change > 0:
            _undo(plan, work)
        for f in range(work.types):
            work.rows[work.row[f]] = 0
        for q in range(work.closed):
            work.number[work.instance[q]] = -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _undo(plan: Plan, work: Workspace) -> cython.void:
    a: cython.longlong
    for a in range(work.moves - 1, -1, -1):
        if work.moved_rows[a] < 0:
            put(plan, work.moved_type[a], work.moved_class[a], -work.moved_rows[a])
        else:
            take(plan, work.moved_type[a], work.moved_class[a], work.moved_rows[a])


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _log(work: Workspace, i: cython.longlong, j: cython.longlong, rows: cython.longlong) -> cython.void:
    work.moved_type[work.moves] = i
    work.moved_class[work.moves] = j
    work.moved_rows[work.moves] = rows
    work.moves += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _unassign(plan: Plan, work: Workspace, i: cython.longlong, j: cython.longlong, rows: cython.longlong) -> cython.void:
    take(plan, i, j, rows)
    _log(work, i, j, -rows)
    if work.rows[i] == 0:
        work.row[work.types] = i
        work.types += 1
    work.rows[i] += rows


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _assign(plan: Plan, work: Workspace, i: cython.longlong, j: cython.longlong, rows: cython.longlong) -> cython.bint:
    """Put unassigned rows into a class; False if they find no slot."""
    if not put(plan, i, j, rows):
        return False
    _log(work, i, j, rows)
    work.rows[i] -= rows
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _destroy(
    pool: Pool,
    plan: Plan,
    k: cython.longlong,
    size: cython.longlong,
    seed: cython.longlong,
    work: Workspace,
    state: cython.ulonglong[::1],
) -> cython.void:
    """Dissolve the class of a row and classes of rows it could share a class with; of large ones only surplus rows."""
    attempt: cython.longlong
    s: cython.longlong
    place: cython.longlong
    i: cython.longlong
    c: cython.longlong
    turn: cython.longlong
    held: cython.longlong
    length: cython.longlong
    j: cython.longlong = pool.instance[pool.first[seed] + below(state, pool.first[seed + 1] - pool.first[seed])]
    span: cython.longlong = pool.start[j + 1] - pool.start[j]
    for attempt in range(min(_ATTEMPTS, span + 1)):
        i = seed if attempt == 0 else pool.member[pool.start[j] + below(state, span)]
        c = -1
        held = 0
        turn = below(state, SLOTS)
        for s in range(SLOTS):
            place = i * SLOTS + (turn + s) % SLOTS
            if plan.where[place] >= 0:
                c = plan.where[place]
                held = plan.amount[place]
                break
        if c < 0:
            continue
        length = 0
        place = plan.head[c]
        while place >= 0 and length <= size:
            length += 1
            place = plan.after[place]
        if work.types + length <= size:
            while plan.head[c] >= 0:
                place = plan.head[c]
                _unassign(plan, work, place // SLOTS, c, plan.amount[place])
        elif work.types < size and plan.rows[c] > k:
            _unassign(plan, work, i, c, min(held, plan.rows[c] - k))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _look_around(pool: Pool, plan: Plan, k: cython.longlong, work: Workspace) -> cython.void:
    """List the closed instances that k unassigned rows fit, and for each row the cheapest open class."""
    f: cython.longlong
    i: cython.longlong
    j: cython.longlong
    a: cython.longlong
    q: cython.longlong
    many: cython.longlong = 0
    for f in range(work.types):
        i = work.row[f]
        work.fallback[i] = -1
        for a in range(pool.first[i], pool.first[i + 1]):
            j = pool.instance[a]
            if plan.rows[j] > 0:
                if work.fallback[i] < 0:  # the first is the cheapest
                    work.paid[i] = min(work.paid[i], pool.cost[j])
                    work.fallback[i] = j
                continue
            if work.number[j] < 0:
                if many == _MOST_INSTANCES:
                    continue
                work.number[j] = many
                work.instance[many] = j
                work.fitting[many] = 0
                many += 1
            work.fitting[work.number[j]] += work.rows[i]
    work.closed = 0
    for q in range(many):
        j = work.instance[q]
        work.number[j] = -1
        if work.fitting[q] >= k:
            work.number[j] = work.closed
            work.instance[work.closed] = j
            work.filled[work.closed] = 0
            work.closed += 1
    for f in range(work.types):
        for a in range(pool.first[work.row[f]], pool.first[work.row[f] + 1]):
            if work.number[pool.instance[a]] >= 0:
                work.filled[work.number[pool.instance[a]]] += 1
    work.begin[0] = 0
    for q in range(work.closed):
        work.begin[q + 1] = work.begin[q] + work.filled[q]
        work.filled[q] = work.begin[q]
    for f in range(work.types):
        for a in range(pool.first[work.row[f]], pool.first[work.row[f] + 1]):
            q = work.number[pool.instance[a]]
            if q >= 0:
                work.entry[work.filled[q]] = work.row[f]
                work.filled[q] += 1
    for q in range(work.closed):
        work.value[q] = _gain(pool, k, work, q)[0]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _gain(pool: Pool, k: cython.longlong, work: Workspace, q: cython.longlong) -> tuple[cython.longlong, cython.longlong]:
    w: cython.longlong = pool.cost[work.instance[q]]
    return gain(work.entry, work.begin[q], work.begin[q + 1], work.rows, work.paid, w, k, NEVER, work.filler)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _repair(pool: Pool, plan: Plan, k: cython.longlong, work: Workspace) -> cython.bint:
    """Open the instance that gains most, again and again, while one gains or some row has no class to go to."""
    q: cython.longlong
    top: cython.longlong
    best: cython.longlong
    fillers: cython.longlong = 0
    while True:
        best = -1
        while True:
            top = -1
            for q in range(work.closed):
                if work.value[q] > NEVER and (top < 0 or work.value[q] > work.value[top]):
                    top = q
            if top < 0 or top == best:
                break
            best = top
            work.value[best], fillers = _gain(pool, k, work, best)
        if top < 0:
            return True
        if work.value[best] <= 0 and not _keep_for_rows_without_class(work):
            return True
        if work.value[best] > NEVER:
            work.value[best] = NEVER
            if not _open(pool, plan, k, work, best, fillers):
                return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _keep_for_rows_without_class(work: Workspace) -> cython.bint:
    """Keep the instances that a row without an open class fits; return whether there is such a row."""
    f: cython.longlong
    q: cython.longlong
    a: cython.longlong
    fits: cython.bint
    exists: cython.bint = False
    for f in range(work.types):
        exists = exists or (work.rows[work.row[f]] > 0 and work.fallback[work.row[f]] < 0)
    for q in range(work.closed):
        fits = False
        for a in range(work.begin[q], work.begin[q + 1]):
            fits = fits or (work.rows[work.entry[a]] > 0 and work.fallback[work.entry[a]] < 0)
        if not fits:
            work.value[q] = NEVER
    return exists


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _open(
    pool: Pool, plan: Plan, k: cython.longlong, work: Workspace, q: cython.longlong, fillers: cython.longlong
) -> cython.bint:
    """Let the rows that pay for an instance join it, then the dearest others up to k; False if some find no slot."""
    a: cython.longlong
    i: cython.longlong
    copies: cython.longlong
    j: cython.longlong = work.instance[q]
    w: cython.longlong = pool.cost[j]
    rows: cython.longlong = 0
    for a in range(work.begin[q], work.begin[q + 1]):
        i = work.entry[a]
        if work.rows[i] and work.paid[i] > w:
            rows += work.rows[i]
            if not _assign(plan, work, i, j, work.rows[i]):
                return False
    for a in range(fillers):
        i = work.filler[a]
        copies = min(k - rows, work.rows[i])
        rows += copies
        if not _assign(plan, work, i, j, copies):
            return False
    for a in range(work.begin[q], work.begin[q + 1]):
        i = work.entry[a]
        if work.fallback[i] < 0 or w < pool.cost[work.fallback[i]]:
            work.paid[i] = min(work.paid[i], w)
            work.fallback[i] = j
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _fall_back(plan: Plan, work: Workspace) -> cython.bint:
    """Put the remaining rows into their cheapest open class; False if one has none."""
    f: cython.longlong
    i: cython.longlong
    for f in range(work.types):
        i = work.row[f]
        if work.rows[i] and (work.fallback[i] < 0 or not _assign(plan, work, i, work.fallback[i], work.rows[i])):
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _move_to_cheaper(pool: Pool, plan: Plan, k: cython.longlong, work: Workspace) -> cython.void:
    """Move surplus rows that joined early to cheaper classes that opened later."""
    f: cython.longlong
    i: cython.longlong
    j: cython.longlong
    c: cython.longlong
    a: cython.longlong
    place: cython.longlong
    rows: cython.longlong
    for f in range(work.types):
        i = work.row[f]
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
                        _log(work, i, j, rows)
                        _log(work, i, c, -rows)
                    break
