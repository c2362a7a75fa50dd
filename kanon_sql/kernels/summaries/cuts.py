"""Cuts that lose least: parts of a table, each cut in two where the loss of both sides together is least."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kanon_sql.kernels.requirements.promises import COUNTERS, LEAST, Rules
from kanon_sql.kernels.summaries.measure import RANGE, Measure, Summary, clear, empty, join, steps
from kanon_sql.kernels.summaries.sides import Watch, count, halved, kept, watched

_FAIR, _SHARED, _ANY = range(3)
"""Kinds of cuts, each tried where those before save nothing: with fair sides; with half of each kind; with sides that only keep
the promise. Without a promise about sensitive values, all sides are fair."""


@njit(cache=True, nogil=True)
def _sorted_by(
    column: NDArray[np.int32], inside: NDArray[np.int64], start: NDArray[np.int64], order: NDArray[np.int64]
) -> None:
    """Sort row types by their code; ``start`` has room for one more than the codes."""
    start[:] = 0
    for i in inside:
        start[column[i] + 1] += 1
    for code in range(len(start) - 1):
        start[code + 1] += start[code]
    for i in inside:
        order[start[column[i]]] = i
        start[column[i]] += 1


@njit(cache=True, nogil=True)
def _between(
    codes: NDArray[np.int32],
    weight: NDArray[np.int64],
    measure: Measure,
    watch: Watch,
    c: int,
    order: NDArray[np.int64],
    side: Summary,
    before: NDArray[np.int64],
) -> tuple[np.int64, int]:
    """Return the least loss of a cut between two codes, and its place in the order; place 0 if there is none."""
    k = watch.rules.law[LEAST]
    watch.one[:] = 0
    total, spread = np.int64(0), np.int64(0)
    for a in range(len(order)):
        before[a] = spread
        spread += join(measure, side, codes[order[a]])
        total += weight[order[a]]
    clear(measure, side, codes, order)
    least, place = np.int64(0), 0
    above, spread = np.int64(0), np.int64(0)
    for a in range(len(order) - 1, 0, -1):
        spread += join(measure, side, codes[order[a]])
        above += weight[order[a]]
        count(watch.rules, watch.one, order[a], weight[order[a]])
        if total - above < k:
            break
        if above >= k and codes[order[a], c] != codes[order[a - 1], c]:
            loss = above * spread + (total - above) * before[a]
            if (place == 0 or loss < least) and kept(watch, int(above), int(total - above)):
                least, place = loss, a
    clear(measure, side, codes, order)
    return least, place


@njit(cache=True, nogil=True)
def _without(measure: Measure, whole: Summary, side: Summary, gone: NDArray[np.int64]) -> np.int64:
    """Return what a row loses in a class after a side has left it; ``gone`` counts the codes that left, by column."""
    spread = np.int64(0)
    for c in range(len(gone)):
        low, high, first, null = whole.low[c], whole.high[c], measure.first[c], measure.null[c]
        if measure.kind[c] == RANGE:
            while low < high and whole.seen[first + low] == side.seen[first + low]:
                low += 1
            while low < high and whole.seen[first + high] == side.seen[first + high]:
                high -= 1
        stays = null >= 0 and whole.seen[first + null] > side.seen[first + null]
        spread += measure.step[c] * steps(measure.kind[c], whole.different[c] - gone[c], low, high, stays)
    return spread


@njit(cache=True, nogil=True)
def _apart(
    codes: NDArray[np.int32],
    weight: NDArray[np.int64],
    measure: Measure,
    watch: Watch,
    c: int,
    order: NDArray[np.int64],
    whole: Summary,
    side: Summary,
) -> tuple[np.int64, int, int]:
    """Return the least loss of a cut that separates the rows of one code, and where they are in the order."""
    k = watch.rules.law[LEAST]
    gone = np.zeros(codes.shape[1], np.int64)
    total = weight[order].sum()
    least, first, last = np.int64(0), 0, 0
    low = 0
    while low < len(order):
        high, rows = low, np.int64(0)
        while high < len(order) and codes[order[high], c] == codes[order[low], c]:
            rows += weight[order[high]]
            high += 1
        if rows >= k and total - rows >= k:
            spread = np.int64(0)
            gone[:] = 0
            for i in order[low:high]:
                spread += join(measure, side, codes[i])
                for d in range(len(gone)):
                    place = measure.first[d] + codes[i, d]
                    gone[d] += side.seen[place] == whole.seen[place]
            loss = rows * spread + (total - rows) * _without(measure, whole, side, gone)
            clear(measure, side, codes, order[low:high])
            if last == 0 or loss < least:
                watch.one[:] = 0
                for i in order[low:high]:
                    count(watch.rules, watch.one, i, weight[i])
                if kept(watch, int(rows), int(total - rows)):
                    least, first, last = loss, low, high
        low = high
    return least, first, last


@njit(cache=True, nogil=True)
def cut_parts(
    codes: NDArray[np.int32],
    weight: NDArray[np.int64],
    measure: Measure,
    rules: Rules,
    kind: NDArray[np.int32],
    member: NDArray[np.int64],
    parts: NDArray[np.int64],
    starts: NDArray[np.bool_],
) -> NDArray[np.int64]:
    """Cut each part once where both sides keep the promise and lose least together, if less than the part does.

    Parameters
    ----------
    codes : int32 array [t, m]
        Row types.
    weight : int64 array [t]
        Rows of each row type.
    measure : Measure
        How loss is counted.
    rules : Rules
        The promise.
    kind : int32 array [t]
        Which row types have the same sensitive values.
    member : int64 array [t]
        Row types in the order of the parts; reordered inside each part that is cut.
    parts : int64 array [p, 2]
        First place of each part in ``member``, and the place after its last.
    starts : bool array [t]
        Set where a new part starts.

    Returns
    -------
    int64 array [2 c, 2]
        The sides of the c parts that were cut. Ties go to the first column.

    Notes
    -----
    O(m^2 s) for a part of s row types, O(m * largest cardinality), and O(V) for a cut that would lose less than those before;
    memory O(t + all codes + V).
    """
    (t, m), k, counters = codes.shape, rules.law[LEAST], rules.law[COUNTERS]
    whole, side, fair = empty(measure), empty(measure), watched(rules, counters)
    start = np.empty((measure.first[1:] - measure.first[:-1]).max() + 1, np.int64)
    order, before, moved, half = np.empty(t, np.int64), np.empty(t, np.int64), np.empty(t, np.int64), np.empty(t, np.int64)
    by_column = np.ascontiguousarray(codes.T)
    sides = np.empty((2 * len(parts), 2), np.int64)
    made = 0
    for p in range(len(parts)):
        inside = member[parts[p, 0] : parts[p, 1]]
        s, total = len(inside), weight[inside].sum()
        if total < 2 * k:
            continue
        spread = np.int64(0)
        fair.whole[:] = 0
        for i in inside:
            spread += join(measure, whole, codes[i])
            count(rules, fair.whole, i, weight[i])
        least, size = total * spread, 0
        for how in range(_FAIR, _ANY + 1 if counters else _FAIR + 1):
            watch = Watch(rules, fair.whole, fair.one, fair.other, fair.small, how == _FAIR)
            for c in range(m):
                if whole.different[c] < 2 or least == 0:
                    continue
                _sorted_by(by_column[c], inside, start[: measure.first[c + 1] - measure.first[c] + 1], order)
                if how == _SHARED:
                    loss, high = halved(codes, weight, measure, watch, kind, order[:s], side, half)
                    if high and loss < least:
                        least, size = loss, high
                        moved[:s] = half[:s]
                    continue
                loss, place = _between(codes, weight, measure, watch, c, order[:s], side, before)
                if place and loss < least:
                    least, size = loss, place
                    moved[:s] = order[:s]
                if measure.kind[c] == RANGE:
                    continue
                loss, low, high = _apart(codes, weight, measure, watch, c, order[:s], whole, side)
                if high and loss < least:
                    least, size = loss, high - low
                    moved[:size] = order[low:high]
                    moved[size:high] = order[:low]
                    moved[high:s] = order[high:s]
            if size:
                break
        clear(measure, whole, codes, inside)
        if size == 0:
            continue
        inside[:] = moved[:s]
        middle = parts[p, 0] + size
        starts[middle] = True
        sides[made, 0], sides[made, 1] = parts[p, 0], middle
        sides[made + 1, 0], sides[made + 1, 1] = middle, parts[p, 1]
        made += 2
    return sides[:made]
