"""Prices under a promise: instances open where a class of their rows gains, and rows asked for too often get cheaper."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kanon_sql.kernels.requirements.picking import Hand, Offers, pick
from kanon_sql.kernels.requirements.promises import LEAST, Rules

_LONG = 48
"""Segments up to this length are sorted by insertion: they are nearly in order."""


@njit(cache=True, nogil=True)
def laid_out(
    start: NDArray[np.int64], member: NDArray[np.int32], first: NDArray[np.int64], kind: NDArray[np.int32], kinds: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]:
    """Return the rows of instances by kind: ``begin``, ``kind``, ``first`` and ``item`` of `Offers`, in any order.

    Instance j has the looks ``member[start[j] : start[j + 1]]``, look u the row types ``first[u]`` to ``first[u + 1] - 1``;
    ``kind`` [t] is that of each row type.
    """
    size, segments = np.zeros(kinds, np.int64), 0
    touched = np.empty(kinds, np.int32)
    items = 0
    begin = np.zeros(len(start), np.int64)
    for j in range(len(start) - 1):
        found = 0
        for u in member[start[j] : start[j + 1]]:
            items += first[u + 1] - first[u]
            for i in range(first[u], first[u + 1]):
                if size[kind[i]] == 0:
                    touched[found] = kind[i]
                    found += 1
                size[kind[i]] = 1
        size[touched[:found]] = 0
        begin[j + 1] = begin[j] + found
    segments = begin[-1]
    of = np.empty(segments, np.int32)
    ends = np.zeros(segments + 1, np.int64)
    item = np.empty(items, np.int32)
    place = np.empty(kinds, np.int64)
    filled = 0
    for j in range(len(start) - 1):
        found = 0
        for u in member[start[j] : start[j + 1]]:
            for i in range(first[u], first[u + 1]):
                if size[kind[i]] == 0:
                    of[begin[j] + found] = kind[i]
                    found += 1
                size[kind[i]] += 1
        for s in range(begin[j], begin[j + 1]):
            place[of[s]] = filled
            filled += size[of[s]]
            ends[s + 1] = filled
            size[of[s]] = 0
        for u in member[start[j] : start[j + 1]]:
            for i in range(first[u], first[u + 1]):
                item[place[kind[i]]] = i
                place[kind[i]] += 1
    return begin, of, ends, item


@njit(cache=True, nogil=True)
def in_order(offers: Offers, price: NDArray[np.float64]) -> None:
    """Sort the items of all segments by price, dearest first; ties keep their order."""
    for s in range(len(offers.kind)):
        sort_by_price(offers.item, offers.first[s], offers.first[s + 1], price)


@njit(cache=True, nogil=True)
def sort_by_price(item: NDArray[np.int32], first: int, last: int, price: NDArray[np.float64]) -> None:
    """Sort the row types ``item[first:last]`` by price, dearest first; ties keep their order."""
    if last - first > _LONG:
        mine = item[first:last]
        mine[:] = mine[np.argsort(-price[mine], kind="mergesort")]
        return
    for a in range(first + 1, last):
        i, b = item[a], a
        while b > first and price[item[b - 1]] < price[i]:
            item[b] = item[b - 1]
            b -= 1
        item[b] = i


@njit(cache=True, nogil=True)
def served_at(
    rules: Rules,
    offers: Offers,
    cost: NDArray[np.int64],
    weight: NDArray[np.int64],
    price: NDArray[np.float64],
    chunk: tuple[int, int],
    hand: Hand,
    served: NDArray[np.int64],
    surplus: NDArray[np.float64],
    floor: float,
) -> float:
    """Return what the classes of a ``chunk`` of instances gain at some prices, and add the rows they serve to ``served`` [t].

    ``surplus`` of an instance of the chunk is set to its gain: a guess where no row pays enough for it.
    """
    total, least = 0.0, rules.law[LEAST]
    begin, _, first, item, _ = offers
    end, part, held = hand.end, hand.part, hand.held
    for j in range(chunk[0], chunk[1]):
        low, high = begin[j], begin[j + 1]
        most = -np.inf
        for a in range(first[low], first[high]):
            most = max(most, price[item[a]])
        surplus[j] = (most - cost[j]) * least
        if most <= cost[j]:
            continue
        for s in range(low, high):
            sort_by_price(item, first[s], first[s + 1], price)
        held[:] = 0
        surplus[j], rows = pick(rules, offers, j, weight, price, (float(cost[j]), floor, 0), hand)
        if rows == 0 and surplus[j] > floor:
            surplus[j] = -np.inf
        if surplus[j] > 0.0:
            total += surplus[j]
            for s in range(low, high):
                for a in range(first[s], end[s - low]):
                    served[item[a]] += weight[item[a]]
                if part[s - low]:
                    served[item[end[s - low]]] += part[s - low]
    return total
