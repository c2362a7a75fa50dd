"""What both sides of a cut have to keep, and cuts that deal the rows of each kind to both sides alike."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kanon_sql.kernels.requirements.promises import LEAST, Rules, meets
from kanon_sql.kernels.summaries.measure import Measure, Summary, clear, join

_CLASSES = 3
"""A side is fair where a class of so many times the least rows keeps the promise with the side's own shares."""

_ROUNDINGS = 3
"""Ways, and one more, to round these shares to rows: downwards first, upwards last."""


class Watch(NamedTuple):
    """What sides have to keep: the ``rules``, and histograms of the part, of one side, of the other, and of a small class.

    If ``fair``, both sides have to leave room for classes that are not much larger than they must be.
    """

    rules: Rules
    whole: NDArray[np.int64]
    one: NDArray[np.int64]
    other: NDArray[np.int64]
    small: NDArray[np.int64]
    fair: bool


@njit(cache=True, nogil=True)
def watched(rules: Rules, counters: int) -> Watch:
    """Return a watch of fair sides."""
    whole, one = np.zeros(counters, np.int64), np.zeros(counters, np.int64)
    return Watch(rules, whole, one, np.zeros(counters, np.int64), np.zeros(counters, np.int64), True)


@njit(cache=True, nogil=True)
def count(rules: Rules, held: NDArray[np.int64], i: int, rows: int) -> None:
    """Count rows of a row type in a histogram."""
    for b in range(rules.counter.shape[1]):
        held[rules.counter[i, b]] += rows


@njit(cache=True, nogil=True)
def kept(watch: Watch, rows: int, others: int) -> bool:
    """Return whether the one side, of so many rows, and the other keep the promise, and are fair if they have to be."""
    law, room, one, other = watch.rules.law, watch.rules.room, watch.one, watch.other
    other[:] = watch.whole - one
    if not (meets(law, room, one, rows) and meets(law, room, other, others)):
        return False
    return len(one) == 0 or not watch.fair or (_fair(watch, one, rows) and _fair(watch, other, others))


@njit(cache=True, nogil=True)
def _fair(watch: Watch, held: NDArray[np.int64], rows: int) -> bool:
    """Return whether small classes with the shares of a side keep the promise, however these are rounded."""
    size, small = min(rows, _CLASSES * watch.rules.law[LEAST]), watch.small
    for turn in range(_ROUNDINGS + 1):
        above, below = np.int64(0), np.int64(0)
        for v in range(len(held)):  # what is above one rounded share goes to the next: in all, each attribute has its rows
            above += held[v] * size
            small[v] = (_ROUNDINGS * above + turn * (rows - 1)) // (_ROUNDINGS * rows) - below
            below += small[v]
        if not meets(watch.rules.law, watch.rules.room, small, size):
            return False
    return True


@njit(cache=True, nogil=True)
def halved(
    codes: NDArray[np.int32],
    weight: NDArray[np.int64],
    measure: Measure,
    watch: Watch,
    kind: NDArray[np.int32],
    order: NDArray[np.int64],
    side: Summary,
    moved: NDArray[np.int64],
) -> tuple[np.int64, int]:
    """Halve the rows of each kind in an order; return the loss of both sides, and the row types of the one, 0 if it may not be.

    ``moved`` gets these row types, then the others; a side has the first halves, the other the last.
    """
    of_kind, taken = np.zeros(kind[order].max() + 1, np.int64), np.zeros(kind[order].max() + 1, np.int64)
    for i in order:
        of_kind[kind[i]] += weight[i]
    total, rows, size, last = of_kind.sum(), np.int64(0), 0, len(order)
    watch.one[:] = 0
    for i in order:
        if 2 * taken[kind[i]] + weight[i] <= of_kind[kind[i]]:
            moved[size] = i
            size += 1
            rows += weight[i]
            count(watch.rules, watch.one, i, weight[i])
        else:
            last -= 1
            moved[last] = i
        taken[kind[i]] += weight[i]
    if not kept(watch, int(rows), int(total - rows)):
        return np.int64(0), 0
    spread = np.zeros(2, np.int64)
    for a in range(len(order)):
        if a == size:
            clear(measure, side, codes, moved[:size])
        spread[int(a >= size)] += join(measure, side, codes[moved[a]])
    clear(measure, side, codes, moved[size : len(order)])
    return rows * spread[0] + (total - rows) * spread[1], size
