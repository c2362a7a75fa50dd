"""The price-guided greedy under a promise: of all instances the one whose class gains most from the loose rows opens next."""

from __future__ import annotations

import heapq

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kanon_sql.kernels.requirements.picking import Hand, Offers, pick
from kanon_sql.kernels.requirements.promises import Rules


@njit(cache=True, nogil=True)
def open_classes(
    rules: Rules,
    offers: Offers,
    cost: NDArray[np.int64],
    free: NDArray[np.int64],
    price: NDArray[np.float64],
    loss: float,
    hand: Hand,
) -> NDArray[np.int64]:
    """Open classes that lose at most ``loss`` for each row; return their row types, instances and rows, int64 [q, 3].

    ``free`` [t] shrinks by them.

    Notes
    -----
    A lazy heap: an instance is looked at again only when it comes to the top.
    """
    given, made = np.empty((1024, 3), np.int64), 0
    begin, _, first, item, _ = offers
    end, part, held = hand.end, hand.part, hand.held
    heap = [(0.0, np.int64(0))]
    heap.pop()
    floor = -loss * 100.0
    for number in range(len(cost)):
        held[:] = 0
        gain, rows = pick(rules, offers, number, free, price, (float(cost[number]), floor, 0), hand)
        if rows and gain > -loss * rows:
            heap.append((-gain, np.int64(number)))
    heapq.heapify(heap)
    while len(heap):
        top = heapq.heappop(heap)[1]
        j = int(top)
        held[:] = 0
        gain, rows = pick(rules, offers, j, free, price, (float(cost[j]), floor, 0), hand)
        if rows == 0 or gain <= -loss * rows:
            continue
        if len(heap) and -gain > heap[0][0]:
            heapq.heappush(heap, (-gain, top))
            continue
        low = begin[j]
        for s in range(low, begin[j + 1]):
            for a in range(first[s], end[s - low] + 1):
                if a == first[s + 1]:
                    break
                i = item[a]
                rows = free[i] if a < end[s - low] else part[s - low]
                if rows:
                    if made == len(given):
                        given = np.concatenate((given, given))
                    given[made, 0], given[made, 1], given[made, 2] = i, j, rows
                    made += 1
                    free[i] -= rows
    return given[:made].copy()
