"""Destroy and repair: a few neighbouring classes are dissolved, and their rows find classes again by prices.

A neighbourhood is repaired several times. After each repair the price of a row moves towards what the row has come to pay, so
that classes open where rows were hard to place; the cheapest repair stays.
"""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from kanon_sql.kernels import uncompiled as cython

if cython.compiled:
    from cython.cimports.kanon_sql.kernels.classes.move_log import add_by_row_type, added_cost, keep, log
    from cython.cimports.kanon_sql.kernels.classes.partition import (
        SLOTS,
        CandidateClasses,
        Partition,
        count_places,
        place_of,
        take,
    )
    from cython.cimports.kanon_sql.kernels.classes.repair import list_candidates, repair
    from cython.cimports.kanon_sql.kernels.classes.workspace import Workspace, replay, undo
    from cython.cimports.kanon_sql.kernels.random import below
else:
    from kanon_sql.kernels.classes.move_log import add_by_row_type, added_cost, keep, log
    from kanon_sql.kernels.classes.partition import SLOTS, CandidateClasses, Partition, count_places, place_of, take
    from kanon_sql.kernels.classes.repair import list_candidates, repair
    from kanon_sql.kernels.classes.workspace import Workspace, replay, undo
    from kanon_sql.kernels.random import below

_ATTEMPTS = cython.declare(cython.longlong, 13)
"""Rows whose classes are dissolved, of one instance that they could share."""

_REPAIRS = cython.declare(cython.longlong, 8)
"""Repairs of one neighbourhood."""

_PULL = cython.declare(cython.longlong, 4)
"""After a repair, a price moves by one part in so many towards what was paid."""


def rebuild(
    candidates: CandidateClasses,
    partition: Partition,
    work: Workspace,
    k: int,
    steps: int,
    noise: float,
    state: cython.ulonglong[::1],
) -> None:
    """Rebuild ``steps`` neighbourhoods; a rebuild that costs more is undone.

    Parameters
    ----------
    candidates, partition
        The candidate classes, and the assignment, which is changed.
    work : Workspace
        Of these candidates and k.
    noise : float
        How far prices are perturbed, relative to 1.
    state : uint64 array [1]
        Of the random numbers.

    Notes
    -----
    A step takes O(instances of the unassigned rows) for each repair.
    """
    _rebuild_all(candidates, partition, work, k, steps, noise, state)


@cython.cfunc
@cython.exceptval(check=False)
def _rebuild_all(
    candidates: CandidateClasses,
    partition: Partition,
    work: Workspace,
    k: cython.longlong,
    steps: cython.longlong,
    noise: cython.double,
    state: cython.ulonglong[::1],
) -> cython.void:
    step: cython.longlong
    seed: cython.longlong
    f: cython.longlong
    q: cython.longlong
    with cython.nogil:
        for step in range(steps):
            work.types = 0
            work.moves.count = 0
            seed = below(state, candidates.weight.shape[0])
            if candidates.first[seed + 1] == candidates.first[seed]:
                continue
            _destroy(candidates, partition, k, seed, work, state)
            for f in range(work.types):
                work.own[f] = work.rows[work.row[f]]
                work.price[f] = cython.cast(
                    cython.longlong, candidates.price[work.row[f]] * (1.0 + noise * (below(state, 2048) / 1024.0 - 1.0))
                )
            list_candidates(candidates, partition, k, work)
            _rebuild(candidates, partition, work, k)
            for f in range(work.types):
                work.rows[work.row[f]] = 0
            for q in range(work.closed):
                work.number[work.instance[q]] = -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _rebuild(candidates: CandidateClasses, partition: Partition, work: Workspace, k: cython.longlong) -> cython.void:
    """Repair a neighbourhood again and again; keep the cheapest repair, or the classes as they were."""
    attempt: cython.longlong
    cost: cython.longlong
    destroyed: cython.longlong = work.moves.count
    most: cython.longlong = -added_cost(work.moves, candidates.cost, 0)
    found: cython.bint = False
    for attempt in range(_REPAIRS):
        if not repair(candidates, partition, k, work):
            undo(partition, work.moves, destroyed)
            break
        cost = added_cost(work.moves, candidates.cost, destroyed)
        if cost < most or (cost == most and not found):
            found = True
            most = cost
            keep(work.moves, destroyed)
        _adapt_prices(candidates, work, destroyed)
        undo(partition, work.moves, destroyed)
    if found:
        replay(partition, work.moves)
    else:
        undo(partition, work.moves, 0)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _adapt_prices(candidates: CandidateClasses, work: Workspace, destroyed: cython.longlong) -> cython.void:
    """Move the price of each row type towards what its rows pay on average after a repair."""
    f: cython.longlong
    for f in range(work.types):
        work.rows[work.row[f]] = 0
    add_by_row_type(work.moves, candidates.cost, destroyed, work.rows)
    for f in range(work.types):
        work.price[f] = ((_PULL - 1) * work.price[f] + work.rows[work.row[f]] // work.own[f]) // _PULL


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _unassign(
    partition: Partition, work: Workspace, i: cython.longlong, j: cython.longlong, rows: cython.longlong
) -> cython.void:
    take(partition, i, j, rows)
    log(work.moves, i, j, -rows)
    if work.rows[i] == 0:
        work.row[work.types] = i
        work.types += 1
    work.rows[i] += rows


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _destroy(
    candidates: CandidateClasses,
    partition: Partition,
    k: cython.longlong,
    seed: cython.longlong,
    work: Workspace,
    state: cython.ulonglong[::1],
) -> cython.void:
    """Dissolve the class of a row and classes of rows it could share a class with; of large ones only surplus rows."""
    attempt: cython.longlong
    place: cython.longlong
    i: cython.longlong
    c: cython.longlong
    j: cython.longlong = candidates.instance[
        candidates.first[seed] + below(state, candidates.first[seed + 1] - candidates.first[seed])
    ]
    span: cython.longlong = candidates.start[j + 1] - candidates.start[j]
    for attempt in range(min(_ATTEMPTS, span + 1)):
        i = seed if attempt == 0 else candidates.member[candidates.start[j] + below(state, span)]
        place = place_of(partition, i, below(state, SLOTS))
        if place < 0:
            continue
        c = partition.where[place]
        if work.types + count_places(partition, c, work.size) <= work.size:
            while partition.head[c] >= 0:
                place = partition.head[c]
                _unassign(partition, work, place // SLOTS, c, partition.amount[place])
        elif work.types < work.size and partition.rows[c] > k:
            _unassign(partition, work, i, c, min(partition.amount[place], partition.rows[c] - k))
