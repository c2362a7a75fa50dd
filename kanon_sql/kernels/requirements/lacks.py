"""What a histogram lacks to keep a promise, in rows, and what a row of each value more or less would change about that.

Floats: they only lead the way; whether a promise is kept is for `meets` to say.
"""

from __future__ import annotations

from math import log

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kanon_sql.kernels.requirements.promises import (
    ALPHA,
    COUNT,
    DATA,
    DEN,
    DISTINCT,
    EDGES,
    ENTROPY,
    EQUAL,
    EXTRA,
    FREQUENCY,
    HEAD,
    HIGH,
    KIND,
    LEAST,
    LOW,
    NUM,
    OF_FIRST,
    RECURSIVE,
    REQUIREMENTS,
    ROWS,
    SHARES,
    TREE,
    WIDTH,
    Int64,
    below,
    excess,
    most,
    tail,
    values,
)
from kanon_sql.kernels.requirements.transport import transport

_LOGS = np.arange(1024) * np.log(np.maximum(1, np.arange(1024)))
"""x log x of most classes."""

Floats = NDArray[np.float64]


@njit(cache=True, nogil=True)
def lack(law: Int64, share: Floats, room: Int64, h: Int64, rows: int, change: Floats) -> float:
    """Return what a class of some rows and a histogram ``h`` [V] lacks, summed over the requirements; 0 is nothing.

    Parameters
    ----------
    law, share, room
        Of `Rules`.
    change : float64 array [2, V]
        Set to how much less it would lack with a row more, and with a row less, at each counter; a row has one of each
        attribute.

    Notes
    -----
    O(V), more for matrices.
    """
    short = max(0, law[LEAST] - rows)
    lacks = float(short)
    for v in range(len(h)):
        change[0, v] = change[1, v] = 0.0
    if rows <= law[LEAST]:
        for v in range(law[OF_FIRST]):
            change[0, v], change[1, v] = min(1, short), -1.0
    for q in range(law[REQUIREMENTS]):
        at = law[HEAD] + q * WIDTH
        kind, low, high, ratio = law[at + KIND], law[at + LOW], law[at + HIGH], law[at + NUM] / law[at + DEN]
        if kind == EQUAL:
            lacks += _above_shares(h, low, high, float(rows), share, ratio * law[at + EXTRA] / 2.0, change)
        elif kind == FREQUENCY:
            lacks += _above_share(h, low, high, float(rows), 1.0 / ratio, change)
        elif kind == DISTINCT:
            lacks += _too_few(h, low, high, law[at + NUM], change)
        elif kind == ENTROPY:
            lacks += _too_uniform(h, low, high, rows, log(ratio), change)
        elif kind == RECURSIVE:
            lacks += _top_heavy(law, at, h, rows, room, change)
        elif kind == ALPHA:
            lacks += _too_frequent(h[law[at + EXTRA]] - ratio * rows, law, at, ratio, change)
        elif kind == COUNT:
            lacks += _too_rare(h[law[at + EXTRA]], law[at + NUM], law[at + EXTRA], change)
        elif kind == TREE:
            below(law, at, h, room)
            lacks += _too_far(law, at, share, room, float(rows), ratio, change)
        else:
            lacks += _too_costly(law, at, share, h, rows, ratio, change)
    return lacks


@njit(cache=True, nogil=True)
def _above_share(h: Int64, low: int, high: int, rows: float, share: float, change: Floats) -> float:
    """Of at most a share of the rows for each value: what is above it."""
    now, more, less = 0.0, 0.0, 0.0
    for v in range(low, high):
        over = h[v] - share * rows
        now += max(0.0, over)
        more += max(0.0, over - share)
        less += max(0.0, over + share)
    for v in range(low, high):
        over = h[v] - share * rows
        change[0, v] += now - more - min(1.0, max(0.0, over - share + 1.0))
        change[1, v] += now - less + min(1.0, max(0.0, over + share))
    return now


@njit(cache=True, nogil=True)
def _above_shares(h: Int64, low: int, high: int, rows: float, share: Floats, slack: float, change: Floats) -> float:
    """Of the equal distance: what is above the shares of the whole table, all values together."""
    here, more, less = -slack * rows, -slack * (rows + 1.0), -slack * (rows - 1.0)
    for v in range(low, high):
        over = h[v] - share[v] * rows
        here += max(0.0, over)
        more += max(0.0, over - share[v])
        less += max(0.0, over + share[v])
    now = max(0.0, here)
    for v in range(low, high):
        over = h[v] - share[v] * rows
        change[0, v] += now - max(0.0, more + min(1.0, max(0.0, over - share[v] + 1.0)))
        change[1, v] += now - max(0.0, less - min(1.0, max(0.0, over + share[v])))
    return now


@njit(cache=True, nogil=True)
def _too_few(h: Int64, low: int, high: int, least: int, change: Floats) -> float:
    """Of a number of values."""
    found = values(h, low, high)
    for v in range(low, high):
        if h[v] == 0 and found < least:
            change[0, v] += 1.0
        elif h[v] == 1 and found <= least:
            change[1, v] -= 1.0
    return float(least - found) if found < least else 0.0


@njit(cache=True, nogil=True)
def _too_uniform(h: Int64, low: int, high: int, rows: int, bar: float, change: Floats) -> float:
    """Of entropy, times the rows."""
    part = 0.0
    for v in range(low, high):
        part += _self_log(h[v])
    now = max(0.0, part + bar * rows - _self_log(rows))
    more = part + bar * (rows + 1) - _self_log(rows + 1)
    less = part + bar * (rows - 1) - _self_log(rows - 1)
    for v in range(low, high):
        here = _self_log(h[v])
        change[0, v] += now - max(0.0, more - here + _self_log(h[v] + 1))
        change[1, v] += now - max(0.0, less - here + _self_log(h[v] - 1))
    return now


@njit(cache=True, nogil=True)
def _self_log(rows: int) -> float:
    """Return x log x."""
    if rows <= 0:
        return 0.0
    return _LOGS[rows] if rows < len(_LOGS) else rows * log(rows)


@njit(cache=True, nogil=True)
def _top_heavy(law: Int64, at: int, h: Int64, rows: int, room: Int64, change: Floats) -> float:
    """Of a long tail: what the most frequent value has too much, if the same values stay ahead of the tail."""
    low, high, size, ratio = law[at + LOW], law[at + HIGH], law[at + EXTRA], law[at + NUM] / law[at + DEN]
    beyond = most(h, low, high) - ratio * tail(h, low, high, rows, size, room) + 1.0 / law[at + DEN]
    now, top = (beyond if beyond > 0.0 else 0.0), low
    for v in range(low, high):
        if h[v] > h[top]:
            top = v
    for v in range(low, high):
        change[0, v] += now - max(0.0, beyond - ratio)
        change[1, v] += now - max(0.0, beyond + ratio)
    for place in range(min(size - 1, high - low)):
        change[0, room[place]] -= now - max(0.0, beyond - ratio)
        change[1, room[place]] -= now - max(0.0, beyond + ratio)
    own = ratio if size == 1 else 0.0
    change[0, top] += max(0.0, beyond - own) - max(0.0, beyond + 1.0 - own)
    change[1, top] += max(0.0, beyond + own) - max(0.0, beyond - 1.0 + own)
    return now


@njit(cache=True, nogil=True)
def _too_frequent(beyond: float, law: Int64, at: int, ratio: float, change: Floats) -> float:
    """Of at most a share for one value."""
    now, named = max(0.0, beyond), law[at + EXTRA]
    for v in range(law[at + LOW], law[at + HIGH]):
        change[0, v] += now - max(0.0, beyond - ratio)
        change[1, v] += now - max(0.0, beyond + ratio)
    change[0, named] += max(0.0, beyond - ratio) - max(0.0, beyond + 1.0 - ratio)
    change[1, named] += max(0.0, beyond + ratio) - max(0.0, beyond - 1.0 + ratio)
    return now


@njit(cache=True, nogil=True)
def _too_rare(held: int, least: int, named: int, change: Floats) -> float:
    """Of a number of rows with one value."""
    if held < least:
        change[0, named] += 1.0
    if held <= least:
        change[1, named] -= 1.0
    return float(max(0, least - held))


@njit(cache=True, nogil=True)
def _too_far(law: Int64, at: int, share: Floats, held: Int64, rows: float, ratio: float, change: Floats) -> float:
    """Of a distance along a tree: a row more or less also changes what is below all edges above it."""
    edges, length, first = law[at + EDGES], law[at + DATA], law[at + SHARES]
    parent, leaf = length + edges, length + 3 * edges - law[at + LOW]
    more, less = np.empty(edges, np.float64), np.empty(edges, np.float64)
    here, all_more, all_less, scale = 0.0, 0.0, 0.0, 1.0 / law[at + EXTRA]
    for e in range(edges - 1, -1, -1):  # parents first
        long, mine = law[length + e] * scale, share[first + e]
        over = held[e] - mine * rows
        here += long * abs(over)
        all_more += long * abs(over - mine)
        all_less += long * abs(over + mine)
        more[e] = long * (abs(over - mine + 1.0) - abs(over - mine))
        less[e] = long * (abs(over + mine - 1.0) - abs(over + mine))
        if law[parent + e] >= 0:
            more[e] += more[law[parent + e]]
            less[e] += less[law[parent + e]]
    now = max(0.0, here - ratio * rows)
    for v in range(law[at + LOW], law[at + HIGH]):
        e = law[leaf + v]
        own_more, own_less = (more[e], less[e]) if e >= 0 else (0.0, 0.0)
        change[0, v] += now - max(0.0, all_more + own_more - ratio * (rows + 1.0))
        change[1, v] += now - max(0.0, all_less + own_less - ratio * (rows - 1.0))
    return now


@njit(cache=True, nogil=True)
def _too_costly(law: Int64, at: int, share: Floats, h: Int64, rows: int, ratio: float, change: Floats) -> float:
    """Of any other metric: a row more or less changes the cost of the transport by its potential."""
    low, high, first = law[at + LOW], law[at + HIGH], law[at + DATA]
    over = excess(law, at, h, rows)
    _, potential = transport(law[first : first + (high - low) ** 2], over)
    scale, mean, beyond = 1.0 / law[at + EXTRA], 0.0, -ratio * rows
    for v in range(high - low):
        mean += potential[v] * scale * share[low + v]
        beyond += potential[v] * scale * (over[v] / law[ROWS])
    now = max(0.0, beyond)
    for v in range(high - low):
        slope = potential[v] * scale - mean - ratio
        change[0, low + v] += now - max(0.0, beyond + slope)
        change[1, low + v] += now - max(0.0, beyond - slope)
    return now
