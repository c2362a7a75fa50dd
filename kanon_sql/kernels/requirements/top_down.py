"""Top-down splitting: from one class that shows nothing, show more while every part meets the requirement."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import empty_int64, full_int64, zeros_int64, zeros_uint64
from kanon_sql.kernels.criteria.dispatch import meets
from kanon_sql.kernels.criteria.encoded import CriteriaWorkspace, EncodedRequirement

_ONE = cython.declare(cython.ulonglong, 1)


@cython.final
@cython.cclass
class _Split:
    """The state of the splitting.

    Parameters
    ----------
    required, codes, weight, cost, cardinality
        As in `split`.

    Attributes
    ----------
    column : int32 array [m, t]
        Codes by column.
    shown : uint64 array [t]
        The result.
    member, moved : int64 arrays [t]
        The row types of the parts, one part behind the other, and a part while it is sorted.
    depth, low, high, tried : int, int64 arrays, uint64 array [t + 1]
        The parts that wait: row types ``member[low : high]``, and the columns by which each of them has been split.
    local : int64 array [codes]
        Numbers of the codes of one column in a part, -1 for others.
    stays, rows, place, start : int64 arrays [t + 2]
        By value of one column in a part: whether it stays hidden, its rows, the place of its histogram (-1: the last), and
        where its row types begin.
    histogram : int64 array [places * V]
        Histograms of the values that have enough rows, and of all that stay hidden.
    """

    def __init__(
        self,
        required: EncodedRequirement,
        codes: NDArray[np.int32],
        weight: NDArray[np.int64],
        cost: NDArray[np.int64],
        cardinality: NDArray[np.int64],
    ) -> None:
        t = len(codes)
        self.required, self.work = required, CriteriaWorkspace(required)
        self.column, self.weight, self.cost = np.array(codes.T, order="C"), weight, cost
        self.shown = zeros_uint64(t)
        self.member, self.moved = np.arange(t), empty_int64(t)
        self.depth = 1
        self.low, self.high = zeros_int64(t + 1), full_int64(t + 1, t)
        self.tried = zeros_uint64(t + 1)
        self.local = full_int64(int(cardinality.max()), -1)
        self.stays, self.rows = zeros_int64(t + 2), zeros_int64(t + 2)
        self.place, self.start = zeros_int64(t + 2), zeros_int64(t + 2)
        # A histogram for each value of the column with the most values of the least rows, one for the others.
        frequent = [np.count_nonzero(np.bincount(each, weight) >= required.least) for each in codes.T]
        self.histogram = zeros_int64((max(frequent, default=0) + 1) * required.counters)

    def result(self) -> NDArray[np.uint64]:
        """Return the shown columns of each row type."""
        return np.asarray(self.shown)


def split(
    required: EncodedRequirement,
    codes: NDArray[np.int32],
    weight: NDArray[np.int64],
    cost: NDArray[np.int64],
    cardinality: NDArray[np.int64],
) -> NDArray[np.uint64]:
    """Return the shown columns of each row type, uint64 [t]; every class meets the requirement if the whole table does.

    A class is split by the column whose showing saves the most: each value whose rows meet the requirement becomes a class
    that shows it, the other rows stay together, with as many of these values as they need to meet it too. Ties go to the
    first column.

    Notes
    -----
    O(m (t + c V)) a level of splitting into c parts of at least the least rows, at most m levels; memory O(t + c V).
    """
    state = _Split(required, codes, weight, cost, cardinality)
    _split_all(state)
    return state.result()


def _split_all(state: _Split) -> None:
    tried: cython.ulonglong
    with cython.nogil:
        while state.depth:
            state.depth -= 1
            first = state.low[state.depth]
            last = state.high[state.depth]
            tried = state.tried[state.depth]
            best = -1
            best_gain = 0
            for c in range(state.column.shape[0]):
                if (tried >> c) & _ONE:
                    continue
                values = _number(state, c, first, last)
                gain = _kept_rows(state, c, first, last, values) * state.cost[c]
                _forget(state, c, first, last)
                if gain > best_gain:
                    best = c
                    best_gain = gain
            if best >= 0:
                values = _number(state, best, first, last)
                _kept_rows(state, best, first, last, values)
                _sort(state, best, first, last, values, tried | (_ONE << best))
                _forget(state, best, first, last)
                for c in range(first, last):
                    state.member[c] = state.moved[c]


def _sort(state, c, first, last, values, tried):
    """Sort a part by counting: first the rows that stay, then those that show each value."""
    for each in range(values + 2):
        state.start[each] = 0
    for a in range(first, last):
        value = state.local[state.column[c, state.member[a]]]
        state.start[(0 if state.stays[value] else value + 1) + 1] += 1
    for each in range(values + 1):
        state.start[each + 1] += state.start[each]
    for each in range(values + 1):
        if state.start[each + 1] > state.start[each]:
            state.low[state.depth] = first + state.start[each]
            state.high[state.depth] = first + state.start[each + 1]
            state.tried[state.depth] = tried
            state.depth += 1
    for a in range(first, last):
        i = state.member[a]
        value = state.local[state.column[c, i]]
        each = 0 if state.stays[value] else value + 1
        state.moved[first + state.start[each]] = i
        state.start[each] += 1
        if each:
            state.shown[i] |= _ONE << c


def _number(state, c, first, last):
    """Number the values of a column in a part by first appearance; return how many there are."""
    values = 0
    for a in range(first, last):
        code = state.column[c, state.member[a]]
        if state.local[code] < 0:
            state.local[code] = values
            values += 1
    return values


def _forget(state, c, first, last):
    """Clear the numbers of the values."""
    for a in range(first, last):
        state.local[state.column[c, state.member[a]]] = -1


def _kept_rows(state, c, first, last, values):
    """Return the rows whose value may be shown; set whether each value stays hidden."""
    counters = state.required.counters
    shown = 0
    hidden = 0
    rest = _count(state, c, first, last, values) * counters
    for value in range(values):
        if state.place[value] * counters < rest and meets(
            state.required, state.work, state.histogram, state.place[value] * counters, state.rows[value]
        ):
            state.stays[value] = 0
            shown += state.rows[value]
        else:
            state.stays[value] = 1
            hidden += state.rows[value]
            _add(state, state.place[value] * counters, rest)
    while shown and hidden and not meets(state.required, state.work, state.histogram, rest, hidden):
        least = -1
        for value in range(values):
            if not state.stays[value] and (least < 0 or state.rows[value] < state.rows[least]):
                least = value
        state.stays[least] = 1
        hidden += state.rows[least]
        shown -= state.rows[least]
        _add(state, state.place[least] * counters, rest)
    return shown


def _count(state, c, first, last, values):
    """Count rows and histograms of the values; return the place of the last histogram, of all values with too few rows."""
    counters = state.required.counters
    many = 0
    for value in range(values):
        state.rows[value] = 0
    for a in range(first, last):
        i = state.member[a]
        state.rows[state.local[state.column[c, i]]] += state.weight[i]
    for value in range(values):
        state.place[value] = -1
        if state.rows[value] >= state.required.least:
            state.place[value] = many
            many += 1
    for value in range(values):
        if state.place[value] < 0:
            state.place[value] = many
    for a in range((many + 1) * counters):
        state.histogram[a] = 0
    for a in range(first, last):
        i = state.member[a]
        at = state.place[state.local[state.column[c, i]]] * counters
        for b in range(state.required.counter.shape[1]):
            state.histogram[at + state.required.counter[i, b]] += state.weight[i]
    return many


def _add(state, source, target):
    """Add a histogram to the last one, of which it is not a part already."""
    for v in range(state.required.counters if source != target else 0):
        state.histogram[target + v] += state.histogram[source + v]
