"""What a class shows of its own values, and what that loses: ranges, sets, or a value if all rows agree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import full_int64, zeros_int64

PLAIN = 0
RANGE = 1
SET = 2
"""Kinds of columns."""


@cython.final
@cython.cclass
class Measure:
    """How loss is counted, by column.

    Parameters
    ----------
    kind : int64 array [m]
        `PLAIN`, `RANGE` or `SET`.
    step : int64 array [m]
        The loss of one step: one more value in a set, one code more in a range, or disagreement.
    null : int64 array [m]
        The code of NULL, -1 where there is none.
    first : int64 array [m + 1]
        The place of a column's code 0 among all codes.

    Attributes
    ----------
    plain : bool
        Whether all columns are plain.
    """

    def __init__(
        self, *, kind: NDArray[np.int64], step: NDArray[np.int64], null: NDArray[np.int64], first: NDArray[np.int64]
    ) -> None:
        self.columns, self.plain = len(kind), bool(np.all(kind == PLAIN))
        self.kind, self.step, self.null, self.first = kind, step, null, first


@cython.final
@cython.cclass
class Summary:
    """What a class shows, of no rows at first.

    Parameters
    ----------
    measure : Measure
        How loss is counted.

    Attributes
    ----------
    seen : int64 array [codes]
        Row types of the class by code.
    different : int64 array [m]
        Number of codes.
    low, high : int64 arrays [m]
        The least and the highest code that is not NULL; ``high`` is -1 if there is none.
    """

    def __init__(self, measure: Measure) -> None:
        m = measure.columns
        self.seen = zeros_int64(measure.first[m])
        self.different, self.low, self.high = zeros_int64(m), zeros_int64(m), full_int64(m, -1)


def steps(kind, different, low, high, has_null):
    """Return the steps that a class loses in a column."""
    if different < 2:
        return 0
    if kind == RANGE:
        return high - low + has_null
    return different - 1 if kind == SET else 1


def join(measure, summary, codes, i):
    """Add row type i to a summary; return how much more each row of the class loses."""
    growth = 0
    for c in range(measure.columns):
        code = codes[i, c]
        place = measure.first[c] + code
        summary.seen[place] += 1
        if summary.seen[place] > 1:
            continue
        kind = measure.kind[c]
        is_null: cython.bint = code == measure.null[c]
        has_null: cython.bint = measure.null[c] >= 0 and summary.seen[measure.first[c] + measure.null[c]] > 0
        before = steps(kind, summary.different[c], summary.low[c], summary.high[c], has_null and not is_null)
        summary.different[c] += 1
        if not is_null:
            summary.low[c] = code if summary.high[c] < 0 else min(summary.low[c], code)
            summary.high[c] = max(summary.high[c], code)
        growth += measure.step[c] * (steps(kind, summary.different[c], summary.low[c], summary.high[c], has_null) - before)
    return growth


def clear(measure, summary, codes, member, first, last):
    """Empty the summary of the row types ``member[first:last]``."""
    for a in range(first, last):
        for c in range(measure.columns):
            summary.seen[measure.first[c] + codes[member[a], c]] = 0
    for c in range(measure.columns):
        summary.different[c] = 0
        summary.high[c] = -1


def class_losses(
    codes: cython.int[:, ::1],
    measure: Measure,
    member: cython.longlong[::1],
    number: cython.longlong[::1],
    rows: cython.longlong[::1],
) -> NDArray[np.int64]:
    """Return what all rows of each class lose, int64 [classes].

    Parameters
    ----------
    codes : int32 array [t, m]
        Row types.
    measure : Measure
        How loss is counted.
    member, number : int64 arrays [t]
        The row types in the order of their classes, and the class of each.
    rows : int64 array [classes]
        Rows of each class.

    Notes
    -----
    O(m t); memory O(all codes).
    """
    loss = np.zeros(rows.shape[0], np.int64)
    summary = Summary(measure)
    found: cython.longlong[::1] = loss
    with cython.nogil:
        _class_losses(codes, measure, summary, member, number, rows, found)
    return loss


def _class_losses(codes, measure, summary, member, number, rows, loss):
    low = 0
    while low < number.shape[0]:
        high = low
        row_loss = 0
        while high < number.shape[0] and number[high] == number[low]:
            row_loss += join(measure, summary, codes, member[high])
            high += 1
        clear(measure, summary, codes, member, low, high)
        loss[number[low]] = rows[number[low]] * row_loss
        low = high
