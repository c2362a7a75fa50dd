"""Growth under a promise: instances draw rows from dearer classes that can spare them, several at a time if need be."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kanon_sql.kernels.classes.plans_numba import SLOTS
from kanon_sql.kernels.requirements.picking import Hand, Offers, pick
from kanon_sql.kernels.requirements.plans import Classes, Ground, enter, quit_class, spares
from kanon_sql.kernels.requirements.pricing import sort_by_price
from kanon_sql.kernels.requirements.promises import Rules, meets

_TRIES = 3
"""Choices of rows for one instance: a class may spare each of two rows, but not both."""


@njit(cache=True, nogil=True)
def grow(
    rules: Rules, ground: Ground, offers: Offers, classes: Classes, hand: Hand, chunk: tuple[int, int], free: NDArray[np.int64]
) -> int:
    """Let the instances of a ``chunk`` draw rows, each what saves most; return what is saved in all.

    Parameters
    ----------
    offers : Offers
        Of the instances of the ground.
    free : int64 array [t]
        Room; 0 before and after.

    Notes
    -----
    O(items) for each instance near which something has changed since it was last looked at, and what `pick` takes.
    """
    where, amount, plan_rows = classes.plan.where, classes.plan.amount, classes.plan.rows
    slot, changed, seen, clock, spare = classes.slot, classes.changed, classes.seen, classes.clock, classes.spare
    cost, weight, kind_of = ground.cost, ground.weight, ground.kind
    begin, kind, first, item, counter = offers
    largest = 1
    for j in range(chunk[0], chunk[1]):
        largest = max(largest, first[begin[j + 1]] - first[begin[j]])
    paid, source = np.zeros(len(weight), np.float64), np.empty(len(weight), np.int32)
    drawn = np.empty(largest, np.int32)
    my_begin, my_first = np.zeros(2, np.int64), np.zeros(len(counter) + 1, np.int64)
    log = np.empty((largest, 3), np.int64)
    saved = 0
    for j in range(chunk[0], chunk[1]):
        clock[0] += 1
        low, high, n = begin[j], begin[j + 1], 0
        dear, news = False, changed[j] >= seen[j]
        for s in range(low, high):
            for a in range(first[s], first[s + 1]):
                i = item[a]
                place = _dearest(where, amount, cost, weight[i], i, j)
                if place < 0:
                    continue
                c = where[place]
                news = news or changed[c] >= seen[j]
                known = spare[slot[c], kind_of[i]]
                if (known >> 1 <= changed[c] and spares(rules, ground, classes, i, c)) or (
                    known >> 1 > changed[c] and known & 1
                ):
                    free[i], source[i], paid[i] = amount[place], c, cost[c]
                    dear = dear or cost[c] > cost[j]
                    drawn[n] = i
                    n += 1
            my_first[s - low + 1] = n
        seen[j] = clock[0]
        if news and dear:
            my_begin[1] = high - low
            for s in range(high - low):
                sort_by_price(drawn, my_first[s], my_first[s + 1], paid)
            mine = Offers(my_begin, kind[low:high], my_first, drawn, counter)
            for _ in range(_TRIES):
                if slot[j] >= 0:
                    hand.held[:] = classes.held[slot[j]]
                else:
                    hand.held[:] = 0
                _, rows = pick(rules, mine, 0, free, paid, (float(cost[j]), 0.5, plan_rows[j]), hand)
                if rows == 0:
                    break
                gained = _draw(rules, ground, classes, j, mine, (free, source, log), hand)
                if gained > 0:
                    saved += gained
                    break
        for a in range(n):
            free[drawn[a]] = 0
    return saved


@njit(cache=True, nogil=True)
def _dearest(where: NDArray[np.int32], amount: NDArray[np.int64], cost: NDArray[np.int64], rows: int, i: int, j: int) -> int:
    """Return where the dearest of the ``rows`` of row type i are, other than in class j; -1 if nowhere."""
    best, place = -1, i * SLOTS
    while rows and place < (i + 1) * SLOTS:
        c = where[place]
        if c >= 0:
            rows -= amount[place]
            if c != j and (best < 0 or cost[c] > cost[where[best]]):
                best = place
        place += 1
    return best


@njit(cache=True, nogil=True)
def _draw(
    rules: Rules,
    ground: Ground,
    classes: Classes,
    j: int,
    offers: Offers,
    about: tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]],
    hand: Hand,
) -> int:
    """Move what was picked as far as the classes spare it; undo it if that breaks the promise or saves nothing.

    What they do not spare is no longer free then. Returns what is saved.
    """
    free, source, log = about
    made, saved = 0, 0
    for s in range(offers.begin[1]):
        for a in range(offers.first[s], min(hand.end[s] + 1, offers.first[s + 1])):
            i = offers.item[a]
            wanted = free[i] if a < hand.end[s] else hand.part[s]
            moved = 0
            while moved < wanted and spares(rules, ground, classes, i, source[i]) and enter(ground, classes, i, j, 1):
                quit_class(ground, classes, i, source[i], 1)
                moved += 1
            if moved:
                log[made, 0], log[made, 1], log[made, 2] = i, source[i], moved
                made += 1
                saved += moved * (ground.cost[source[i]] - ground.cost[j])
            if moved < wanted:
                free[i] = moved
    if saved > 0 and meets(rules.law, rules.room, classes.held[classes.slot[j]], classes.plan.rows[j]):
        return saved
    for a in range(made):
        enter(ground, classes, log[a, 0], log[a, 1], log[a, 2])
        quit_class(ground, classes, log[a, 0], j, log[a, 2])
    return 0
