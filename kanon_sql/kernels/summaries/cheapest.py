"""The cheapest class of k rows that holds a row type, by branch and bound over the row types near it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import zeros_int64, zeros_int64_2d
from kanon_sql.kernels.summaries.measure import PLAIN, RANGE, Measure, Summary, clear, join


@cython.final
@cython.cclass
class ClassSearch:
    """A search for cheapest classes, and what the class at hand shows.

    Parameters
    ----------
    codes : int32 array [t, m]
        Row types.
    weight : int64 array [t]
        Rows of each.
    measure : Measure
        How loss is counted.
    k, near, most : int
        Rows of a class, row types near another one at most, and steps for one of them: 0 searches nothing.

    Attributes
    ----------
    summary : Summary
        What the class at hand shows.
    different, low, high : int64 arrays [k + 1, m]
        The same at each depth, to go back to.
    item, key : int64 arrays [k + 1, near]
        At each depth, the places of row types that can join, and what each row of the class loses more if one does.
    member : int64 array [1]
        The row type to start from.
    best, steps : int
        What a row of the cheapest class found loses, and the steps that are left.
    """

    def __init__(
        self, codes: NDArray[np.int32], weight: NDArray[np.int64], measure: Measure, k: int, near: int, most: int
    ) -> None:
        m, depths = measure.columns, k + 1 if most else 1
        self.codes, self.weight, self.measure, self.summary = codes, weight, measure, Summary(measure)
        self.k, self.most, self.best, self.steps = k, most, 0, 0
        self.different, self.low, self.high = (np.zeros((depths, m), np.int64) for _ in range(3))
        self.item, self.key = zeros_int64_2d(depths, near), zeros_int64_2d(depths, near)
        self.member = zeros_int64(1)


def cheapest(search, i, row_type, many, limit):
    """Return what a row loses in the cheapest class of k rows that holds row type i; -1 if the steps are over.

    Parameters
    ----------
    search : ClassSearch
        The search.
    i : int
        Its rows are fewer than k.
    row_type : int32 array
        The first ``many`` are all row types that lose less than ``limit`` in a class with i alone.
    limit : int
        Returned if no class of these loses less.
    """
    search.best = limit
    search.steps = search.most
    search.member[0] = i
    loss = join(search.measure, search.summary, search.codes, i)
    for a in range(many):
        search.item[0, a] = row_type[a]
    _grow(search, 0, many, loss, search.k - search.weight[i])
    clear(search.measure, search.summary, search.codes, search.member, 0, 1)
    return search.best if search.steps > 0 else -1


def _growth(s, i):
    """Return what each row of the class at hand loses more if row type i joins."""
    growth = 0
    for c in range(s.measure.columns):
        code = s.codes[i, c]
        if s.summary.seen[s.measure.first[c] + code] > 0:
            continue
        if s.measure.kind[c] == PLAIN:
            growth += s.measure.step[c] if s.summary.different[c] == 1 else 0
        elif s.measure.kind[c] == RANGE and code != s.measure.null[c] and s.summary.high[c] >= 0:
            growth += s.measure.step[c] * max(s.summary.low[c] - code, code - s.summary.high[c], 0)
        else:
            growth += s.measure.step[c]
    return growth


def _grow(s, depth, many, loss, need):
    """Add each row type that can join, the cheapest first, and keep what the cheapest class loses."""
    count = 0
    rows = 0
    for a in range(many):
        i = s.item[depth, a]
        growth = _growth(s, i)
        if growth == 0:
            need -= s.weight[i]
        elif loss + growth < s.best:
            s.item[depth, count] = i
            s.key[depth, count] = growth
            rows += s.weight[i]
            count += 1
    s.steps -= many + 1
    if need <= 0:
        s.best = min(s.best, loss)
        return
    if rows < need or s.steps <= 0:
        return
    _sort(s, depth, count)
    for c in range(s.measure.columns):
        s.different[depth, c] = s.summary.different[c]
        s.low[depth, c] = s.summary.low[c]
        s.high[depth, c] = s.summary.high[c]
    last = 0
    together = 0
    for a in range(count):
        while last < count and together < need:
            together += s.weight[s.item[depth, last]]
            last += 1
        if together < need or loss + s.key[depth, last - 1] >= s.best or s.steps <= 0:
            return
        i = s.item[depth, a]
        together -= s.weight[i]
        for b in range(a + 1, count):
            s.item[depth + 1, b - a - 1] = s.item[depth, b]
        more = join(s.measure, s.summary, s.codes, i)
        _grow(s, depth + 1, count - a - 1, loss + more, need - s.weight[i])
        for c in range(s.measure.columns):
            s.summary.seen[s.measure.first[c] + s.codes[i, c]] -= 1
            s.summary.different[c] = s.different[depth, c]
            s.summary.low[c] = s.low[depth, c]
            s.summary.high[c] = s.high[depth, c]


def _sort(s, depth, count):
    """Sort the row types that can join by what they add, those of equal growth in the order that they have."""
    for a in range(1, count):
        i = s.item[depth, a]
        key = s.key[depth, a]
        b = a
        while b > 0 and s.key[depth, b - 1] > key:
            s.item[depth, b] = s.item[depth, b - 1]
            s.key[depth, b] = s.key[depth, b - 1]
            b -= 1
        s.item[depth, b] = i
        s.key[depth, b] = key
