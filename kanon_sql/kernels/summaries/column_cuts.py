"""Cuts of a part by one column: between two of its codes, or of one code from the others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import empty_int64
from kanon_sql.kernels.summaries.measure import RANGE, Measure, Summary, clear, join, steps
from kanon_sql.kernels.summaries.sides import add_to_one, both_meet, clear_one


@cython.final
@cython.cclass
class CutWorkspace:
    """Scratch arrays of cuts.

    Parameters
    ----------
    codes : int32 array [t, m]
        Row types.
    measure : Measure
        How loss is counted.

    Attributes
    ----------
    by_column : int32 array [m, t]
        The codes.
    whole, side : Summary
        What the part shows, and one of its sides.
    start : int64 array
        Where each code starts in an order; one more than the codes of a column.
    size, order : int, int64 array [t]
        ``order[:size]`` are the row types of the part by their code.
    before : int64 array [t]
        What a row loses with all that come before it in the order.
    gone : int64 array [m]
        Codes that left the part with a side, by column.
    half, moved : int64 arrays [t]
        A halved order, and the best order so far.
    """

    def __init__(self, codes: NDArray[np.int32], measure: Measure) -> None:
        t, m = codes.shape
        self.by_column = np.ascontiguousarray(codes.T)
        self.whole, self.side = Summary(measure), Summary(measure)
        self.start = empty_int64(int(np.diff(measure.first).max()) + 1)
        self.size, self.gone = 0, empty_int64(m)
        self.order, self.before = empty_int64(t), empty_int64(t)
        self.half, self.moved = empty_int64(t), empty_int64(t)


def sort_by(measure, member, first, c, work):
    """Sort the row types of the part by their code."""
    values = measure.first[c + 1] - measure.first[c]
    for code in range(values + 1):
        work.start[code] = 0
    for a in range(first, first + work.size):
        work.start[work.by_column[c, member[a]] + 1] += 1
    for code in range(values):
        work.start[code + 1] += work.start[code]
    for a in range(first, first + work.size):
        i = member[a]
        code = work.by_column[c, i]
        work.order[work.start[code]] = i
        work.start[code] += 1


def cut_between(codes, weight, measure, sides, c, work):
    """Return the least loss of a cut between two codes, and its place in the order; place 0 if there is none."""
    k = sides.required.least
    total = 0
    spread = 0
    least = 0
    place = 0
    above = 0
    clear_one(sides)
    for a in range(work.size):
        work.before[a] = spread
        spread += join(measure, work.side, codes, work.order[a])
        total += weight[work.order[a]]
    clear(measure, work.side, codes, work.order, 0, work.size)
    spread = 0
    for a in range(work.size - 1, 0, -1):
        i = work.order[a]
        spread += join(measure, work.side, codes, i)
        above += weight[i]
        add_to_one(sides, i, weight[i])
        if total - above < k:
            break
        if above >= k and work.by_column[c, i] != work.by_column[c, work.order[a - 1]]:
            loss = above * spread + (total - above) * work.before[a]
            if (place == 0 or loss < least) and both_meet(sides, above, total - above):
                least = loss
                place = a
    clear(measure, work.side, codes, work.order, 0, work.size)
    return least, place


def _without(measure, work):
    """Return what a row loses in the part after a side has left it."""
    spread = 0
    for c in range(measure.columns):
        low = work.whole.low[c]
        high = work.whole.high[c]
        first = measure.first[c]
        null = measure.null[c]
        if measure.kind[c] == RANGE:
            while low < high and work.whole.seen[first + low] == work.side.seen[first + low]:
                low += 1
            while low < high and work.whole.seen[first + high] == work.side.seen[first + high]:
                high -= 1
        stays: cython.bint = null >= 0 and work.whole.seen[first + null] > work.side.seen[first + null]
        spread += measure.step[c] * steps(measure.kind[c], work.whole.different[c] - work.gone[c], low, high, stays)
    return spread


def separate_code(codes, weight, measure, sides, c, work):
    """Return the least loss of a cut that separates the rows of one code, and where they are in the order."""
    k = sides.required.least
    total = 0
    least = 0
    first = 0
    last = 0
    low = 0
    for a in range(work.size):
        total += weight[work.order[a]]
    while low < work.size:
        high = low
        rows = 0
        while high < work.size and work.by_column[c, work.order[high]] == work.by_column[c, work.order[low]]:
            rows += weight[work.order[high]]
            high += 1
        if rows >= k and total - rows >= k:
            spread = 0
            for d in range(measure.columns):
                work.gone[d] = 0
            for a in range(low, high):
                i = work.order[a]
                spread += join(measure, work.side, codes, i)
                for d in range(measure.columns):
                    place = measure.first[d] + codes[i, d]
                    work.gone[d] += work.side.seen[place] == work.whole.seen[place]
            loss = rows * spread + (total - rows) * _without(measure, work)
            clear(measure, work.side, codes, work.order, low, high)
            if last == 0 or loss < least:
                clear_one(sides)
                for a in range(low, high):
                    add_to_one(sides, work.order[a], weight[work.order[a]])
                if both_meet(sides, rows, total - rows):
                    least = loss
                    first = low
                    last = high
        low = high
    return least, first, last
