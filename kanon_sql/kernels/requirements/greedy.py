"""The greedy pass under a promise: patterns in order, each instance takes the largest part of its rows that keeps it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kanon_sql.kernels.instances.groups_numba import capacity_for, columns_of, group, sift
from kanon_sql.kernels.requirements.promises import COUNTERS, LEAST, Rules, meets
from kanon_sql.kernels.requirements.trimming import largest_part

_ONE = np.uint64(1)


class Looks(NamedTuple):
    """Row types by look: those of look u, which differ in sensitive values only, are ``first[u]`` to ``first[u + 1] - 1``.

    ``codes`` [u, m]; ``place`` [2, m] are key word and stride of each column (mixed radix). ``kind`` [t]: row types with the
    same sensitive values are of one kind, which raises the counters ``counter[kind]``.
    """

    codes: NDArray[np.int32]
    place: NDArray[np.int64]
    first: NDArray[np.int64]
    kind: NDArray[np.int32]
    counter: NDArray[np.int32]


@njit(cache=True, nogil=True)
def take_promised(
    rules: Rules,
    looks: Looks,
    shown: NDArray[np.uint64],
    sieve: tuple[NDArray[np.uint64], NDArray[np.uint64]],
    alive: NDArray[np.uint64],
    left: NDArray[np.int64],
    whole: bool,
) -> NDArray[np.int64]:
    """Let each instance of the patterns ``shown`` [p] take rows that keep the promise; return what was taken.

    Parameters
    ----------
    sieve : tuple of uint64 arrays [j], [j, ceil(u / 64)]
        Sets of columns, and the looks frequent in each (`frequent_sets`).
    alive : uint64 array [ceil(u / 64)]
        Looks of which rows are left; cleared as they are taken.
    left : int64 array [t]
        Rows that are not taken; shrinks.
    whole : bool
        Take all rows of an instance or none.

    Returns
    -------
    int64 array [q, 3]
        Row type, position of the pattern, rows.

    Notes
    -----
    O(p j u / 64) for the sifting with j sets, O(m) per eligible look, and O(V log n) for each instance of enough rows.
    """
    codes, place, first, kind, counter = looks
    looks_in_all, m = codes.shape
    capacity = capacity_for(looks_in_all)
    slot_key = np.empty((capacity, place[0].max() + 1), np.int64)
    slot_used = np.empty(capacity, np.bool_)
    slot_rows = np.empty(capacity, np.int64)
    slot_last = np.empty(capacity, np.int32)
    row = np.empty(looks_in_all, np.int32)
    slot = np.empty(looks_in_all, np.int32)
    before = np.empty(looks_in_all, np.int32)
    column = np.empty(m, np.int64)
    rows_left = np.zeros(looks_in_all, np.int64)
    for u in range(looks_in_all):
        for i in range(first[u], first[u + 1]):
            rows_left[u] += left[i]
    kinds = len(counter)
    here, keep, found = np.zeros(kinds, np.int64), np.zeros(kinds, np.int64), np.empty(kinds, np.int32)
    counters, least = rules.law[COUNTERS], rules.law[LEAST]
    held, change = np.zeros(counters, np.int64), np.zeros((2, counters), np.float64)
    taken, made = np.empty((1024, 3), np.int64), 0
    for p in range(len(shown)):
        s = columns_of(shown[p], column)
        n = sift(alive, sieve[0], sieve[1], shown[p], row)
        size = group(codes, place, column[:s], row[:n], slot_key, slot_used, slot)
        slot_rows[:size] = 0
        slot_last[:size] = -1
        for r in range(n):
            slot_rows[slot[r]] += rows_left[row[r]]
            before[r] = slot_last[slot[r]]
            slot_last[slot[r]] = r
        for h in range(size):
            if not slot_used[h] or slot_rows[h] < least:
                continue
            many, r = 0, slot_last[h]
            while r >= 0:
                for i in range(first[row[r]], first[row[r] + 1]):
                    if left[i] and here[kind[i]] == 0:
                        found[many] = kind[i]
                        many += 1
                    here[kind[i]] += left[i]
                r = before[r]
            if whole:
                rows = _all(rules, counter, found[:many], here, keep, held)
            else:
                rows = largest_part(rules, counter, found[:many], here, keep, held, change)
            here[found[:many]] = 0
            r = slot_last[h] if rows else -1
            while r >= 0:
                u = row[r]
                for i in range(first[u], first[u + 1]):
                    some = min(left[i], keep[kind[i]])
                    if some:
                        if made == len(taken):
                            taken = np.concatenate((taken, taken))
                        taken[made, 0], taken[made, 1], taken[made, 2] = i, p, some
                        made += 1
                        left[i] -= some
                        keep[kind[i]] -= some
                        rows_left[u] -= some
                if rows_left[u] == 0:
                    alive[u >> 6] &= ~(_ONE << np.uint64(u & 63))
                r = before[r]
    return taken[:made].copy()


@njit(cache=True, nogil=True)
def _all(
    rules: Rules,
    counter: NDArray[np.int32],
    kind: NDArray[np.int32],
    rows: NDArray[np.int64],
    keep: NDArray[np.int64],
    held: NDArray[np.int64],
) -> int:
    """Keep all rows if they keep the promise together, else none; return how many."""
    total = 0
    held[:] = 0
    for g in kind:
        keep[g] = rows[g]
        total += rows[g]
        for b in range(counter.shape[1]):
            held[counter[g, b]] += rows[g]
    return total if meets(rules.law, rules.room, held, total) else 0
