"""Destroy and repair: a few neighbouring classes are dissolved, and their rows find classes again by prices.

A neighbourhood is repaired several times. After each repair the price of a row moves towards what the row costs now, so
that classes open where rows were hard to place; the cheapest repair stays. Part of that is learnt: the next neighbourhood
of the row starts from it.
"""

from __future__ import annotations

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.classes.candidates import list_candidates
from kanon_sql.kernels.classes.move_log import add_by_row_type, added_cost, keep, log
from kanon_sql.kernels.classes.partition import SLOTS, CandidateClasses, Partition, place_of, take
from kanon_sql.kernels.classes.repair import repair
from kanon_sql.kernels.classes.workspace import RepairWorkspace, replay, undo
from kanon_sql.kernels.random import below

_ATTEMPTS = cython.declare(cython.longlong, 13)
"""Rows whose classes are dissolved, of one instance that they could share."""

_DRAWN = cython.declare(cython.longlong, 32)
"""Row types drawn for a neighbourhood; it is that of the one from which most is to be gained. On 120,000 row types 8 need a
third more steps for the same cost, 128 gain nothing more."""

_MOST_VAIN = cython.declare(cython.longlong, 40)
"""Rebuilds in vain that are counted."""

_REPAIRS = cython.declare(cython.longlong, 10)
"""Most repairs of one neighbourhood; fewer where they come back to what the classes cost before. 16 save no more."""

_PULL, _LEARNT = cython.declare(cython.longlong, 4), cython.declare(cython.longlong, 5)
"""After a repair, a price moves by one part in so many towards the row's cost; after the last, what was learnt towards it."""


def rebuild(
    candidates: CandidateClasses,
    partition: Partition,
    work: RepairWorkspace,
    k: int,
    steps: int,
    noise: float,
    threshold: int,
    state: cython.ulonglong[::1],
) -> None:
    """Rebuild ``steps`` neighbourhoods; a rebuild that costs more, by a threshold that is drawn, is undone.

    Parameters
    ----------
    candidates, partition
        The candidate classes, and the assignment, which is changed.
    work : RepairWorkspace
        Of these candidates and k.
    noise : float
        How far prices are perturbed, relative to 1.
    threshold : int
        Of each rebuild at most, in the units of the prices.
    state : uint64 array [1]
        Of the random numbers.

    Notes
    -----
    A step takes O(instances of the unassigned rows) for each repair.
    """
    _rebuild_all(candidates, partition, work, k, steps, noise, threshold, state)


def _rebuild_all(candidates, partition, work, k, steps, noise, threshold, state):
    gained: cython.bint
    with cython.nogil:
        for step in range(steps):
            work.types = 0
            work.moves.count = 0
            seed = _drawn(candidates, partition, work, state)
            if candidates.first[seed + 1] == candidates.first[seed]:
                continue
            _destroy(candidates, partition, k, seed, work, state)
            for f in range(work.types):
                i = work.row[f]
                work.own[f] = work.rows[i]
                work.price[f] = cython.cast(
                    cython.longlong, work.learnt[i] * (1.0 + noise * (below(state, 2048) / 1024.0 - 1.0))
                )
            list_candidates(candidates, partition, k, work)
            gained = _rebuild(candidates, partition, work, k, below(state, threshold + 1))
            work.vain[seed] += 1
            for f in range(work.types):
                i = work.row[f]
                work.rows[i] = 0
                if gained:
                    work.vain[i] = 0
                work.learnt[i] = ((_LEARNT - 1) * work.learnt[i] + work.price[f]) // _LEARNT


def _drawn(candidates, partition, work, state):
    """Return the row type, of some that are drawn, from which most is to be gained."""
    seed = below(state, candidates.weight.shape[0])
    most = _hope(candidates, partition, work, seed)
    for draw in range(_DRAWN - 1):
        other = below(state, candidates.weight.shape[0])
        hope = _hope(candidates, partition, work, other)
        if hope > most:
            seed = other
            most = hope
    return seed


def _hope(candidates, partition, work, i):
    """Return what a row of a row type costs above its price, halved for each time that rebuilding around it was in vain."""
    place = place_of(partition, i, 0)
    excess = 0 if place < 0 else candidates.cost[partition.where[place]] - candidates.price[i]
    return excess >> min(work.vain[i], _MOST_VAIN)


def _rebuild(candidates, partition, work, k, threshold):
    """Repair a neighbourhood again and again, and keep the cheapest repair, or the classes as they were if it is too expensive.

    Return whether it costs less than before.
    """
    destroyed = work.moves.count
    before = -added_cost(work.moves, candidates.cost, 0)
    most = before + threshold
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
        if attempt and cost == before:
            undo(partition, work.moves, destroyed)
            break
        _adapt_prices(candidates, work, destroyed)
        undo(partition, work.moves, destroyed)
    if found:
        replay(partition, work.moves)
    else:
        undo(partition, work.moves, 0)
    return most < before


def _adapt_prices(candidates, work, destroyed):
    """Move the price of each row type towards the mean cost of its rows after a repair."""
    for f in range(work.types):
        work.rows[work.row[f]] = 0
    add_by_row_type(work.moves, candidates.cost, destroyed, work.rows)
    for f in range(work.types):
        work.price[f] = ((_PULL - 1) * work.price[f] + work.rows[work.row[f]] // work.own[f]) // _PULL


def _unassign(partition, work, i, j, rows):
    take(partition, i, j, rows)
    log(work.moves, i, j, -rows)
    if work.rows[i] == 0:
        work.row[work.types] = i
        work.types += 1
    work.rows[i] += rows


def _destroy(candidates, partition, k, seed, work, state):
    """Dissolve the class of a row and classes of rows it could share a class with; of large ones only surplus rows."""
    j = candidates.instance[candidates.first[seed] + below(state, candidates.first[seed + 1] - candidates.first[seed])]
    span = candidates.start[j + 1] - candidates.start[j]
    for attempt in range(min(_ATTEMPTS, span + 1)):
        i = seed if attempt == 0 else candidates.member[candidates.start[j] + below(state, span)]
        place = place_of(partition, i, below(state, SLOTS))
        if place < 0:
            continue
        c = partition.where[place]
        if work.types + partition.places[c] <= work.size:
            while partition.head[c] >= 0:
                place = partition.head[c]
                _unassign(partition, work, place // SLOTS, c, partition.amount[place])
        elif work.types < work.size and partition.rows[c] > k:
            _unassign(partition, work, i, c, min(partition.amount[place], partition.rows[c] - k))
