"""Destroy and repair: a few neighbouring classes are dissolved, and their rows find classes again by prices.

A neighbourhood is repaired several times, at prices that follow the costs of its rows; the cheapest repair stays.
"""

from __future__ import annotations

import numpy as np

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.classes.move_log import add_by_row_type, added_cost, keep, log
from kanon_sql.kernels.classes.partition import SLOTS, place_of
from kanon_sql.kernels.random import below
from kanon_sql.kernels.requirements.assignment import assign, has_surplus, tick, unassign
from kanon_sql.kernels.requirements.neighbourhood import Neighbourhood, list_near, replay, undo
from kanon_sql.kernels.requirements.selection import clear, select

_ATTEMPTS = cython.declare(cython.longlong, 16)
"""Rows whose classes are dissolved, of one instance that they could share."""

_REPAIRS = cython.declare(cython.longlong, 8)
"""Repairs of one neighbourhood."""

_PULL = cython.declare(cython.double, 0.25)
"""How far a price moves towards the cost of the row, after a repair."""


def rebuild(work: Neighbourhood, steps: cython.longlong, noise: cython.double, state: cython.ulonglong[::1]) -> int:
    """Rebuild neighbourhoods of an assignment; what costs more is undone. Return how many became cheaper.

    Parameters
    ----------
    work : Neighbourhood
        With the assignment, in which every row has a class.
    steps, noise
        How many neighbourhoods, and how far prices are perturbed.
    state : uint64 array [1]
        Of the random numbers.
    """
    highest: cython.double = float(np.max(work.assignment.space.cost)) + 2.0
    kept = 0
    with cython.nogil:
        for step in range(steps):
            tick(work.assignment)
            work.types = 0
            work.moves.count = 0
            seed = below(state, work.assignment.space.price.shape[0])
            if work.assignment.space.first[seed + 1] > work.assignment.space.first[seed]:
                _destroy(work.assignment, work, seed, state)
                kept += _rebuild(work, noise, highest, state)
    return kept


def _rebuild(work, noise, highest, state):
    """Assign the rows of a dissolved neighbourhood anew, again and again; return 1 if the cheapest way saves something."""
    destroyed = work.moves.count
    before = -added_cost(work.moves, work.assignment.space.cost, 0)
    most = before
    found: cython.bint = False
    for f in range(work.types):
        work.own[f] = work.rows[work.row[f]]
        work.adapted[f] = work.assignment.space.price[work.row[f]] + noise * (below(state, 2048) / 1024.0 - 1.0)
    for attempt in range(_REPAIRS):
        for f in range(work.types):
            work.rows[work.row[f]] = work.own[f]
            work.price[work.row[f]] = work.adapted[f]
        if _assign_all(work, highest):
            cost = added_cost(work.moves, work.assignment.space.cost, destroyed)
            if cost < most or (cost == most and not found):
                found = True
                most = cost
                keep(work.moves, destroyed)
            _adapt_prices(work, destroyed)
            undo(work.assignment, work.moves, destroyed)
        else:
            undo(work.assignment, work.moves, destroyed)
            break
    if found:
        replay(work.assignment, work.moves)
    else:
        undo(work.assignment, work.moves, 0)
    for f in range(work.types):
        work.rows[work.row[f]] = 0
    return 1 if found and most < before else 0


def _assign_all(work, highest):
    """Assign all unassigned rows, at their prices, and what is left then at any; False if some are left."""
    rest = 0
    _repair(work.assignment, work)
    for f in range(work.types):
        rest += work.rows[work.row[f]]
        work.price[work.row[f]] = highest
    if rest == 0:
        return True
    _repair(work.assignment, work)
    rest = 0
    for f in range(work.types):
        rest += work.rows[work.row[f]]
    return rest == 0


def _adapt_prices(work, destroyed):
    """Move the price of each row type towards what its rows cost on average after a repair."""
    for f in range(work.types):
        work.rows[work.row[f]] = 0
    add_by_row_type(work.moves, work.assignment.space.cost, destroyed, work.rows)
    for f in range(work.types):
        work.adapted[f] += _PULL * (cython.cast(cython.double, work.rows[work.row[f]]) / work.own[f] - work.adapted[f])


def _release(assignment, work, i, j, rows):
    """Unassign rows of row type i from class j."""
    unassign(assignment, i, j, rows)
    log(work.moves, i, j, -rows)
    if work.rows[i] == 0:
        work.row[work.types] = i
        work.types += 1
    work.rows[i] += rows


def _destroy(assignment, work, seed, state):
    """Dissolve the class of a row and classes of rows it could share a class with; of large ones only surplus rows."""
    first = assignment.space.first[seed]
    j = assignment.space.instance[first + below(state, assignment.space.first[seed + 1] - first)]
    start = assignment.space.start[j]
    span = assignment.space.start[j + 1] - start
    for attempt in range(min(_ATTEMPTS, span + 1)):
        i = seed if attempt == 0 else assignment.space.member[start + below(state, span)]
        place = place_of(assignment.partition, i, below(state, SLOTS))
        if place < 0:
            continue
        c = assignment.partition.where[place]
        if work.types + assignment.partition.places[c] <= work.size:
            while assignment.partition.head[c] >= 0:
                place = assignment.partition.head[c]
                _release(assignment, work, place // SLOTS, c, assignment.partition.amount[place])
        elif work.types < work.size and has_surplus(assignment, i, c):
            _release(assignment, work, i, c, 1)


def _repair(assignment, work):
    """Let the class that gains most open or grow, again and again, while one gains."""
    list_near(assignment, work)
    while True:
        best = -1
        while True:
            top = -1
            for q in range(work.near):
                if work.value[q] > 0.0 and (top < 0 or work.value[q] > work.value[top]):
                    top = q
            if top < 0:
                return
            if top == best:
                break
            work.value[top] = _gain(assignment, work, top)
            best = top
        _open(assignment, work, best)
        work.value[best] = 0.0


def _gain(assignment, work, q):
    """Select rows for the near instance q; return what they gain, 0 if they form no class."""
    gain: cython.double
    j = work.instance[q]
    at = assignment.slot[j]
    if at < 0:
        clear(work.selection)
    else:
        at *= assignment.required.counters
        for v in range(assignment.required.counters):
            work.selection.histogram[v] = assignment.histogram[at + v]
    gain, rows = select(work.selection, work.candidates, q, assignment.space.cost[j], 0.0, assignment.partition.rows[j])
    return gain if rows else 0.0


def _open(assignment, work, q):
    """Let the selected rows join the near instance q."""
    j = work.instance[q]
    low = work.candidates.begin[q]
    for s in range(low, work.candidates.begin[q + 1]):
        end = work.selection.end[s - low]
        for a in range(work.candidates.first[s], min(end + 1, work.candidates.first[s + 1])):
            i = work.candidates.item[a]
            rows = work.rows[i] if a < end else work.selection.part[s - low]
            if rows and work.moves.count < work.moves.rows.shape[0] and assign(assignment, i, j, rows):
                log(work.moves, i, j, rows)
                work.rows[i] -= rows
