"""What a class shows of its own values, and what that loses: ranges, sets, or a value if all rows agree."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

PLAIN, RANGE, SET = 0, 1, 2


class Measure(NamedTuple):
    """How loss is counted, by column: all arrays are int64 [m], but ``first`` [m + 1].

    ``kind`` is `PLAIN`, `RANGE` or `SET`; ``step`` the loss of one step: one more value in a set, one code more in a range, or
    disagreement; ``null`` the code of NULL, -1 where there is none; ``first`` the place of a column's code 0 among all codes.
    """

    kind: NDArray[np.int64]
    step: NDArray[np.int64]
    null: NDArray[np.int64]
    first: NDArray[np.int64]


class Summary(NamedTuple):
    """What a class shows: ``seen`` counts its row types by code; the others are by column.

    ``different`` counts codes; ``low`` and ``high`` are the least and the highest code that is not NULL, ``high`` -1 if none.
    """

    seen: NDArray[np.int64]
    different: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]


@njit(cache=True, nogil=True)
def empty(measure: Measure) -> Summary:
    """Return the summary of no rows."""
    m = len(measure.kind)
    return Summary(np.zeros(measure.first[m], np.int64), np.zeros(m, np.int64), np.zeros(m, np.int64), np.full(m, -1, np.int64))


@njit(cache=True, nogil=True)
def steps(kind: int, different: int, low: int, high: int, has_null: bool) -> np.int64:
    """Return the steps that a class loses in a column."""
    if different < 2:
        return np.int64(0)
    if kind == RANGE:
        return np.int64(high - low + has_null)
    return np.int64(different - 1 if kind == SET else 1)


@njit(cache=True, nogil=True)
def has_null(measure: Measure, summary: Summary, c: int) -> bool:
    """Return whether some row of the class is NULL in the column."""
    return bool(measure.null[c] >= 0 and summary.seen[measure.first[c] + measure.null[c]] > 0)


@njit(cache=True, nogil=True)
def join(measure: Measure, summary: Summary, row: NDArray[np.int32]) -> np.int64:
    """Add a row type to a summary; return how much more each row of the class loses."""
    growth = np.int64(0)
    for c in range(len(row)):
        place = measure.first[c] + row[c]
        summary.seen[place] += 1
        if summary.seen[place] > 1:
            continue
        kind, null = measure.kind[c], has_null(measure, summary, c)
        known = null and row[c] != measure.null[c]
        before = steps(kind, summary.different[c], summary.low[c], summary.high[c], known)
        summary.different[c] += 1
        if row[c] != measure.null[c]:
            summary.low[c] = row[c] if summary.high[c] < 0 else min(summary.low[c], row[c])
            summary.high[c] = max(summary.high[c], row[c])
        growth += measure.step[c] * (steps(kind, summary.different[c], summary.low[c], summary.high[c], null) - before)
    return growth


@njit(cache=True, nogil=True)
def clear(measure: Measure, summary: Summary, codes: NDArray[np.int32], member: NDArray[np.integer[Any]]) -> None:
    """Empty the summary of some row types."""
    for i in member:
        for c in range(codes.shape[1]):
            summary.seen[measure.first[c] + codes[i, c]] = 0
    summary.different[:] = 0
    summary.high[:] = -1


@njit(cache=True, nogil=True)
def class_losses(
    codes: NDArray[np.int32], measure: Measure, row_type: NDArray[np.int32], number: NDArray[np.int64], rows: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return what all rows of each class lose, int64 [classes], from pieces in the order of the classes; ``rows`` by class."""
    loss = np.zeros(len(rows), np.int64)
    summary = empty(measure)
    low = 0
    while low < len(number):
        high, spread = low, np.int64(0)
        while high < len(number) and number[high] == number[low]:
            spread += join(measure, summary, codes[row_type[high]])
            high += 1
        clear(measure, summary, codes, row_type[low:high])
        loss[number[low]] = rows[number[low]] * spread
        low = high
    return loss
