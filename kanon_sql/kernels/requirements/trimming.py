"""The largest part of an instance that keeps a promise, by kinds of rows: row types with the same sensitive values."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kanon_sql.kernels.requirements.lacks import lack
from kanon_sql.kernels.requirements.picking import Offers
from kanon_sql.kernels.requirements.promises import (
    COUNTERS,
    DEN,
    EQUAL,
    EXTRA,
    FREQUENCY,
    HEAD,
    KIND,
    LEAST,
    NUM,
    REQUIREMENTS,
    Rules,
    meets,
)

_SMALL = 1e-9

_SHARE = 64
"""Of what is to be mended, one part of so many is mended at once."""


@njit(cache=True, nogil=True)
def largest_part(
    rules: Rules,
    counter: NDArray[np.int32],
    kind: NDArray[np.int32],
    rows: NDArray[np.int64],
    keep: NDArray[np.int64],
    held: NDArray[np.int64],
    change: NDArray[np.float64],
) -> int:
    """Return how many rows of an instance can stay, 0 if none; set how many of each kind.

    Parameters
    ----------
    counter : int32 array [g, s]
        The counters that each kind of rows raises.
    kind : int32 array [c]
        The kinds that the instance has.
    rows, keep : int64 arrays [g]
        Rows of each kind, and of them those that stay.
    held, change
        Room for a histogram [V], and for `lack` [2, V].

    Notes
    -----
    Exact for a single requirement of the equal distance or of frequency; else rows leave one after the other that mend most,
    and what stays may not be the most. O(V log n) where it is exact, and where it is not O(c + V) for each row that leaves,
    or for a 64th of all that have to.

    References
    ----------
    Frequency: if the most frequent value has c rows, at best all others have as many of theirs; more rows of each value do
    no harm below c, so the largest c decides. Equal distance: r rows can stay if what is within the shares of r is 1 - t of
    them; the shares of r grow with r slower than r, so r is an interval, but for what rounding takes away.
    """
    law, share, room, _ = rules
    total, width = 0, counter.shape[1]
    held[:] = 0
    for g in kind:
        keep[g] = rows[g]
        total += rows[g]
        for b in range(width):
            held[counter[g, b]] += rows[g]
    if meets(law, room, held, total):
        return total
    if law[REQUIREMENTS] == 1 and width == 1:
        if law[law[HEAD] + KIND] == FREQUENCY:
            return _frequent(rules, counter, kind, rows, keep, held)
        if law[law[HEAD] + KIND] == EQUAL:
            return _equal(rules, counter, kind, rows, keep, held, total)
    while total > law[LEAST]:
        lacks = lack(law, share, room, held, total, change)
        if lacks < _SMALL:
            break
        best, most = -1, _SMALL
        for g in kind:
            if keep[g]:
                less = 0.0
                for b in range(width):
                    less += change[1, counter[g, b]]
                if less > most:
                    best, most = g, less
        if best < 0:
            return 0
        gone = min(keep[best], 1 + int(lacks / most) // _SHARE)
        keep[best] -= gone
        total -= gone
        for b in range(width):
            held[counter[best, b]] -= gone
    return total if meets(law, room, held, total) else 0


@njit(cache=True, nogil=True)
def largest_parts(rules: Rules, offers: Offers, weight: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many rows of each instance can stay, as `largest_part` finds them, int64 [j]."""
    kinds = len(offers.counter)
    rows, keep = np.zeros(kinds, np.int64), np.zeros(kinds, np.int64)
    counters = rules.law[COUNTERS]
    held, change = np.zeros(counters, np.int64), np.zeros((2, counters), np.float64)
    begin, kind, first, item, counter = offers
    found = np.zeros(len(begin) - 1, np.int64)
    for j in range(len(found)):
        for s in range(begin[j], begin[j + 1]):
            rows[kind[s]] = 0
            for a in range(first[s], first[s + 1]):
                rows[kind[s]] += weight[item[a]]
        found[j] = largest_part(rules, counter, kind[begin[j] : begin[j + 1]], rows, keep, held, change)
    return found


@njit(cache=True, nogil=True)
def _frequent(
    rules: Rules,
    counter: NDArray[np.int32],
    kind: NDArray[np.int32],
    rows: NDArray[np.int64],
    keep: NDArray[np.int64],
    held: NDArray[np.int64],
) -> int:
    """Keep at most c rows of each value, with the largest c for which c is at most a 1/l of them."""
    law, at = rules.law, rules.law[HEAD]
    low, high = 0, 0
    for g in kind:
        high = max(high, rows[g])
    while low < high:
        middle = (low + high + 1) // 2
        total = 0
        for g in kind:
            total += min(rows[g], middle)
        if middle * law[at + NUM] <= total * law[at + DEN]:
            low = middle
        else:
            high = middle - 1
    total = 0
    for g in kind:
        keep[g] = min(rows[g], low)
        held[counter[g, 0]] = keep[g]
        total += keep[g]
    return total if low and meets(law, rules.room, held, total) else 0


@njit(cache=True, nogil=True)
def _equal(
    rules: Rules,
    counter: NDArray[np.int32],
    kind: NDArray[np.int32],
    rows: NDArray[np.int64],
    keep: NDArray[np.int64],
    held: NDArray[np.int64],
    most: int,
) -> int:
    """Keep as many rows as are close: of each value its share, rounded by the largest remainders, and some beyond."""
    law, share, room, _ = rules
    at = law[HEAD]
    slack = law[at + NUM] / law[at + DEN] * law[at + EXTRA] / 2.0
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        within = 0.0
        for g in kind:
            within += min(float(rows[g]), middle * share[counter[g, 0]])
        if within >= (1.0 - slack) * middle - _SMALL * middle:
            low = middle
        else:
            high = middle - 1
    for total in range(low, law[LEAST] - 1, -1):
        open_rows, left = total, np.int64(0)
        for g in kind:
            keep[g] = min(rows[g], int(total * share[counter[g, 0]]))
            open_rows -= keep[g]
        while open_rows:
            best, most_gain = -1, _SMALL
            for g in kind:
                gain = total * share[counter[g, 0]] - keep[g]
                if keep[g] < rows[g] and gain > most_gain:
                    best, most_gain = g, min(gain, 1.0)
            if best < 0:
                break
            keep[best] += 1
            open_rows -= 1
        # What is beyond the shares is free to choose: it is taken in proportion, so that the others stay alike.
        for g in kind:
            left += rows[g] - keep[g]
        beyond = open_rows
        for g in kind:
            if open_rows:
                some = min(open_rows, beyond * (rows[g] - keep[g]) // left)
                keep[g] += some
                open_rows -= some
        for g in kind:
            some = min(open_rows, rows[g] - keep[g])
            keep[g] += some
            open_rows -= some
        for g in kind:
            held[counter[g, 0]] = keep[g]
        if meets(law, room, held, total):
            return total
    return 0
