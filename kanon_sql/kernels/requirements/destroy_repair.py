"""Ruin and recreate under a promise: neighbouring classes are taken apart, and their rows find classes again by prices."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kanon_sql.kernels.classes.plans_numba import SLOTS
from kanon_sql.kernels.random_numba import below
from kanon_sql.kernels.requirements.picking import Hand, Offers, pick
from kanon_sql.kernels.requirements.plans import Classes, Ground, enter, quit_class, spares
from kanon_sql.kernels.requirements.promises import LEAST, Rules

_ATTEMPTS = 16
"""Rows whose classes are taken apart, of one instance that they could share."""

_MOST_INSTANCES = 1 << 12


class _Loose(NamedTuple):
    """Rows without a class: the ``size[0]`` row types ``row``; by row type ``rows`` and the shaken ``price``.

    ``log`` lists the ``size[1]`` moves made: row type, class, rows (below 0: taken out).
    """

    size: NDArray[np.int64]
    row: NDArray[np.int32]
    rows: NDArray[np.int64]
    price: NDArray[np.float64]
    log: NDArray[np.int64]


@njit(cache=True, nogil=True)
def rebuild(
    rules: Rules,
    ground: Ground,
    classes: Classes,
    hand: Hand,
    terms: tuple[int, int, float],
    state: NDArray[np.uint64],
) -> int:
    """Rebuild neighbourhoods; what costs more is undone. Return how many were kept.

    Parameters
    ----------
    terms : tuple
        How many neighbourhoods, row types of each, and how far prices are shaken.
    """
    (steps, size, noise), t = terms, len(ground.price)
    loose = _Loose(
        np.zeros(2, np.int64),
        np.empty(2 * size + 64, np.int32),
        np.zeros(t, np.int64),
        np.empty(t, np.float64),
        np.empty((64 * size + 4096, 3), np.int64),
    )
    number = np.full(len(ground.cost), -1, np.int32)
    kept = 0
    dearest = float(ground.cost.max()) + 2.0
    for _ in range(steps):
        classes.clock[0] += 1
        loose.size[:] = 0
        seed = int(below(state, t))
        if ground.first[seed + 1] == ground.first[seed]:
            continue
        _ruin(rules, ground, classes, size, seed, loose, state)
        for f in range(loose.size[0]):
            i = loose.row[f]
            loose.price[i] = ground.price[i] + noise * (below(state, 2048) / 1024.0 - 1.0)
        _recreate(rules, ground, classes, loose, number, hand)
        rest = 0
        for f in range(loose.size[0]):
            i = loose.row[f]
            rest += loose.rows[i]
            loose.price[i] = dearest
        if rest:
            _recreate(rules, ground, classes, loose, number, hand)
        change, rest = 0, 0
        for a in range(loose.size[1]):
            change += loose.log[a, 2] * ground.cost[loose.log[a, 1]]
        for f in range(loose.size[0]):
            rest += loose.rows[loose.row[f]]
        if rest or change > 0:
            for a in range(loose.size[1] - 1, -1, -1):
                i, j, rows = loose.log[a]
                if rows < 0:
                    enter(ground, classes, i, j, -rows)
                else:
                    quit_class(ground, classes, i, j, rows)
        elif change < 0:
            kept += 1
        for f in range(loose.size[0]):
            loose.rows[loose.row[f]] = 0
    return kept


@njit(cache=True, nogil=True)
def _release(ground: Ground, classes: Classes, loose: _Loose, i: int, j: int, rows: int) -> None:
    quit_class(ground, classes, i, j, rows)
    place = loose.size[1]
    loose.log[place, 0], loose.log[place, 1], loose.log[place, 2] = i, j, -rows
    loose.size[1] += 1
    if loose.rows[i] == 0:
        for f in range(loose.size[0]):
            if loose.row[f] == i:
                break
        else:
            loose.row[loose.size[0]] = i
            loose.size[0] += 1
    loose.rows[i] += rows


@njit(cache=True, nogil=True)
def _ruin(
    rules: Rules,
    ground: Ground,
    classes: Classes,
    size: int,
    seed: int,
    loose: _Loose,
    state: NDArray[np.uint64],
) -> None:
    """Take apart the class of a row and classes of rows it could share a class with; of large ones only what they spare."""
    j = ground.instance[ground.first[seed] + below(state, ground.first[seed + 1] - ground.first[seed])]
    span = ground.start[j + 1] - ground.start[j]
    for attempt in range(min(_ATTEMPTS, span + 1)):
        i = seed if attempt == 0 else ground.member[ground.start[j] + below(state, span)]
        c, turn = -1, below(state, SLOTS)
        for s in range(SLOTS):
            place = i * SLOTS + (turn + s) % SLOTS
            if classes.plan.where[place] >= 0:
                c = classes.plan.where[place]
                break
        if c < 0:
            continue
        length, place = 0, classes.plan.head[c]
        while place >= 0 and length <= size:
            length += 1
            place = classes.plan.after[place]
        if loose.size[0] + length <= size:
            while classes.plan.head[c] >= 0:
                place = classes.plan.head[c]
                _release(ground, classes, loose, place // SLOTS, c, classes.plan.amount[place])
        elif loose.size[0] < size and spares(rules, ground, classes, i, c):
            _release(ground, classes, loose, i, c, 1)


@njit(cache=True, nogil=True)
def _recreate(
    rules: Rules,
    ground: Ground,
    classes: Classes,
    loose: _Loose,
    number: NDArray[np.int32],
    hand: Hand,
) -> None:
    """Let the class that gains most open or grow, again and again, while one gains."""
    offers, instance = _near(rules, ground, classes, loose, number)
    value = np.empty(len(instance), np.float64)
    for q in range(len(instance)):
        value[q] = _gain(rules, ground, classes, loose, offers, instance[q], q, hand)
    while True:
        best = -1
        while True:
            top = -1
            for q in range(len(instance)):
                if value[q] > 0.0 and (top < 0 or value[q] > value[top]):
                    top = q
            if top < 0:
                return
            value[top] = _gain(rules, ground, classes, loose, offers, instance[top], top, hand)
            if top == best:
                break
            best = top
        if value[best] <= 0.0:
            continue
        low, j = offers.begin[best], instance[best]
        for s in range(low, offers.begin[best + 1]):
            for a in range(offers.first[s], min(hand.end[s - low] + 1, offers.first[s + 1])):
                i = offers.item[a]
                rows = loose.rows[i] if a < hand.end[s - low] else hand.part[s - low]
                if rows and enter(ground, classes, i, j, rows):
                    place = loose.size[1]
                    loose.log[place, 0], loose.log[place, 1], loose.log[place, 2] = i, j, rows
                    loose.size[1] += 1
                    loose.rows[i] -= rows
        value[best] = 0.0


@njit(cache=True, nogil=True)
def _gain(
    rules: Rules,
    ground: Ground,
    classes: Classes,
    loose: _Loose,
    offers: Offers,
    j: int,
    q: int,
    hand: Hand,
) -> float:
    if classes.slot[j] >= 0:
        hand.held[:] = classes.held[classes.slot[j]]
    else:
        hand.held[:] = 0
    gain, rows = pick(rules, offers, q, loose.rows, loose.price, (float(ground.cost[j]), 0.0, classes.plan.rows[j]), hand)
    return gain if rows else 0.0


@njit(cache=True, nogil=True)
def _near(
    rules: Rules, ground: Ground, classes: Classes, loose: _Loose, number: NDArray[np.int32]
) -> tuple[Offers, NDArray[np.int32]]:
    """List the instances that could gain from loose rows, with those rows by kind, dearest first."""
    first, instance, cost, kind_of, counter = ground.first, ground.instance, ground.cost, ground.kind, ground.counter
    row, free, price, plan_rows, least = loose.row, loose.rows, loose.price, classes.plan.rows, rules.law[LEAST]
    order, n = np.empty(loose.size[0], np.int32), 0
    for f in range(loose.size[0]):
        i = row[f]
        if free[i]:
            place = n
            while place > 0 and price[order[place - 1]] < price[i]:
                order[place] = order[place - 1]
                place -= 1
            order[place] = i
            n += 1
    found, rows, many = np.empty(_MOST_INSTANCES, np.int32), np.empty(_MOST_INSTANCES, np.int64), 0
    for f in range(n):
        i = order[f]
        for a in range(first[i], first[i + 1]):
            j = instance[a]
            if number[j] < 0:
                # Rows come dearest first: what the first does not pay for, none does.
                if cost[j] >= price[i] or many == _MOST_INSTANCES:
                    continue
                number[j], found[many], rows[many] = many, j, 0
                many += 1
            rows[number[j]] += free[i]
    kept, entries = 0, 0
    for q in range(many):
        j = found[q]
        number[j] = -1
        if plan_rows[j] + rows[q] >= least:
            number[j], found[kept] = kept, j
            kept += 1
    size = np.zeros(kept + 1, np.int64)
    for f in range(n):
        for a in range(first[order[f]], first[order[f] + 1]):
            if number[instance[a]] >= 0:
                size[number[instance[a]] + 1] += 1
    for q in range(kept):
        size[q + 1] += size[q]
    entries = size[kept]
    entry, filled = np.empty(entries, np.int32), size.copy()
    for f in range(n):
        for a in range(first[order[f]], first[order[f] + 1]):
            q = number[instance[a]]
            if q >= 0:
                entry[filled[q]] = order[f]
                filled[q] += 1
    begin, ends, item = np.zeros(kept + 1, np.int64), np.zeros(entries + 1, np.int64), np.empty(entries, np.int32)
    kind, count, segments = np.empty(entries, np.int32), np.zeros(len(counter), np.int64), 0
    for q in range(kept):
        number[found[q]] = -1
        for a in range(size[q], size[q + 1]):
            g = kind_of[entry[a]]
            if count[g] == 0:
                kind[segments] = g
                segments += 1
            count[g] += 1
        begin[q + 1] = segments
        for s in range(begin[q], segments):
            ends[s + 1] = ends[s] + count[kind[s]]
            count[kind[s]] = ends[s]
        for a in range(size[q], size[q + 1]):
            g = kind_of[entry[a]]
            item[count[g]] = entry[a]
            count[g] += 1
        for s in range(begin[q], segments):
            count[kind[s]] = 0
    return Offers(begin, kind, ends, item, counter), found[:kept].copy()
