"""The candidate rows of each instance, by sensitive-value group and price."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython

_RUN = cython.declare(cython.longlong, 48)
"""Runs up to this length are sorted by insertion: they are nearly in order."""


@cython.final
@cython.cclass
class Candidates:
    """Rows that fit instances, by sensitive-value group: row types with the same sensitive values.

    Parameters
    ----------
    begin : int64 array [j + 1]
        Instance j has the segments ``begin[j]`` to ``begin[j + 1] - 1``.
    group : int32 array [segments]
        The sensitive-value group of each segment.
    first, item : int64 array [segments + 1], int32 array
        The row types of segment s are ``item[first[s] : first[s + 1]]``, in any order until they are sorted by price.
    counter : int32 array [g, s]
        The counters that a row of each group raises.
    """

    def __init__(
        self,
        *,
        begin: NDArray[np.int64],
        group: NDArray[np.int32],
        first: NDArray[np.int64],
        item: NDArray[np.int32],
        counter: NDArray[np.int32],
    ) -> None:
        self.begin, self.group, self.first, self.item, self.counter = begin, group, first, item, counter


def by_group(
    start: NDArray[np.int64],
    member: NDArray[np.int32],
    first: NDArray[np.int64],
    group: NDArray[np.int32],
    counter: NDArray[np.int32],
) -> Candidates:
    """Return the candidates of instances of QI groups; O(items).

    Parameters
    ----------
    start, member : int64 array [j + 1], int32 array
        Instance j has the QI groups ``member[start[j] : start[j + 1]]``.
    first : int64 array [u + 1]
        QI group u has the row types ``first[u]`` to ``first[u + 1] - 1``.
    group : int32 array [t]
        The sensitive-value group of each row type.
    counter : int32 array [g, s]
        Of `Candidates`.
    """
    begin = np.zeros(len(start), np.int64)
    size, place = np.zeros(len(counter), np.int64), np.empty(len(counter), np.int64)
    items = _count(start, member, first, group, begin, size, place)
    segments = int(begin.max())
    found = Candidates(
        begin=begin,
        group=np.empty(segments, np.int32),
        first=np.zeros(segments + 1, np.int64),
        item=np.empty(items, np.int32),
        counter=counter,
    )
    _fill(start, member, first, group, found, size, place)
    return found


def _count(
    start: cython.longlong[::1],
    member: cython.int[::1],
    first: cython.longlong[::1],
    group: cython.int[::1],
    begin: cython.longlong[::1],
    seen: cython.longlong[::1],
    touched: cython.longlong[::1],
) -> int:
    """Set the begin of each instance; return the number of items. ``seen`` [g] is 0 before and after."""
    items = 0
    with cython.nogil:
        for j in range(start.shape[0] - 1):
            found = 0
            for a in range(start[j], start[j + 1]):
                items += first[member[a] + 1] - first[member[a]]
                for i in range(first[member[a]], first[member[a] + 1]):
                    if seen[group[i]] == 0:
                        touched[found] = group[i]
                        found += 1
                    seen[group[i]] = 1
            for a in range(found):
                seen[touched[a]] = 0
            begin[j + 1] = begin[j] + found
    return items


def _fill(
    start: cython.longlong[::1],
    member: cython.int[::1],
    first: cython.longlong[::1],
    group: cython.int[::1],
    into: Candidates,
    size: cython.longlong[::1],
    place: cython.longlong[::1],
) -> None:
    """Set the segments and items; ``size`` [g] is 0 before and after."""
    filled = 0
    with cython.nogil:
        for j in range(start.shape[0] - 1):
            s = into.begin[j]
            for a in range(start[j], start[j + 1]):
                for i in range(first[member[a]], first[member[a] + 1]):
                    if size[group[i]] == 0:
                        into.group[s] = group[i]
                        s += 1
                    size[group[i]] += 1
            for s in range(into.begin[j], into.begin[j + 1]):
                place[into.group[s]] = filled
                filled += size[into.group[s]]
                into.first[s + 1] = filled
                size[into.group[s]] = 0
            for a in range(start[j], start[j + 1]):
                for i in range(first[member[a]], first[member[a] + 1]):
                    into.item[place[group[i]]] = i
                    place[group[i]] += 1


def sort_all(candidates: Candidates, price: cython.double[::1]) -> None:
    """Sort the items of all segments by price, highest first; ties keep their order."""
    longest = int(np.diff(candidates.first).max(initial=0))
    scratch: cython.int[::1] = np.empty(longest, np.int32)
    with cython.nogil:
        for s in range(candidates.group.shape[0]):
            sort_by_price(candidates.item, candidates.first[s], candidates.first[s + 1], price, scratch)


def sort_by_price(item, first, last, price, scratch):
    """Sort the row types ``item[first:last]`` by price, highest first; ties keep their order.

    Runs are sorted by insertion, then merged in ``scratch``, which is as long as they are together.
    """
    low = first
    length = _RUN
    while low < last:
        high = min(low + length, last)
        for a in range(low + 1, high):
            i = item[a]
            b = a
            while b > low and price[item[b - 1]] < price[i]:
                item[b] = item[b - 1]
                b -= 1
            item[b] = i
        low = high
    while length < last - first:
        low = first
        while low + length < last:
            middle = low + length
            high = min(middle + length, last)
            if price[item[middle - 1]] < price[item[middle]]:
                _merge(item, low, middle, high, price, scratch)
            low = high
        length *= 2


def _merge(item, low, middle, high, price, scratch):
    """Merge two sorted runs: the first is copied, then both are filled in from the front."""
    left = 0
    size = middle - low
    for a in range(size):
        scratch[a] = item[low + a]
    while left < size:
        if middle < high and price[item[middle]] > price[scratch[left]]:
            item[low] = item[middle]
            middle += 1
        else:
            item[low] = scratch[left]
            left += 1
        low += 1
