"""Growing classes from loose rows: what each row would add to the class that is grown, kept up to date as rows join."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kanon_sql.kernels.instances.groups_numba import trailing_zeros
from kanon_sql.kernels.summaries.measure import PLAIN, RANGE, SET, Measure

NEVER = np.int64(1) << 62
_NONE, _ONE = np.uint64(0), np.uint64(1)


class Loose(NamedTuple):
    """The rows of a neighbourhood, by the order they were taken in.

    ``row_type`` and ``left`` (rows without a class), ``code`` [m, limit], ``growth`` (what each row of the class that is
    grown loses more if it joins) and ``lack`` (bits of the columns where that comes from).
    """

    row_type: NDArray[np.int32]
    left: NDArray[np.int64]
    code: NDArray[np.int32]
    growth: NDArray[np.int64]
    lack: NDArray[np.uint64]


class Grown(NamedTuple):
    """The classes anew: ``rows``, ``spread`` (what each row loses), ``low`` and ``high`` [class, m].

    ``seen`` [class, code] is the number of the neighbourhood where the class has the code; ``piece`` lists the loose row,
    class and number of rows of what joined; ``tally`` by code is zero between uses.
    """

    rows: NDArray[np.int64]
    spread: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    seen: NDArray[np.int32]
    piece: NDArray[np.int64]
    tally: NDArray[np.int64]


@njit(cache=True, nogil=True)
def _away(code: int, low: np.int64, high: np.int64, has_null: bool, null: int) -> np.int64:
    """Return the steps by which a code widens a range; ``high`` is -1 where only NULL is in it."""
    if code == null:
        return np.int64(not has_null)
    return np.int64(has_null) if high < 0 else max(low - code, np.int64(0)) + max(code - high, np.int64(0))


@njit(cache=True, nogil=True)
def open_class(measure: Measure, loose: Loose, types: int, grown: Grown, p: int, r: int, turn: int, by_gain: bool) -> None:
    """Start class p with a loose row type."""
    growth, lack = loose.growth[:types], loose.lack[:types]
    growth[:] = 0
    lack[:] = 0
    for c in range(len(measure.kind)):
        code, step, null = loose.code[c, r], measure.step[c], measure.null[c]
        column = loose.code[c, :types]
        grown.low[p, c] = code
        grown.high[p, c] = -1 if measure.kind[c] == RANGE and code == null else code
        grown.seen[p, measure.first[c] + code] = turn
        if measure.kind[c] == RANGE and code != null:
            for x in range(types):
                growth[x] += (abs(column[x] - code) if column[x] != null else 1) * step
        else:
            for x in range(types):
                growth[x] += step if column[x] != code else 0
        if by_gain:
            bit = _ONE << np.uint64(c)
            for x in range(types):
                lack[x] |= bit if column[x] != code else _NONE


@njit(cache=True, nogil=True)
def widen(measure: Measure, loose: Loose, types: int, grown: Grown, p: int, r: int, turn: int, by_gain: bool) -> None:
    """Let class p show the codes of a loose row type too, and tell the others."""
    growth, lack = loose.growth[:types], loose.lack[:types]
    for c in range(len(measure.kind)):
        code, step, null = loose.code[c, r], measure.step[c], measure.null[c]
        if grown.seen[p, measure.first[c] + code] == turn:
            continue
        column = loose.code[c, :types]
        kept = ~(_ONE << np.uint64(c))
        has_null = null >= 0 and grown.seen[p, measure.first[c] + null] == turn
        low, high = show(measure, grown, p, c, code, turn)
        if measure.kind[c] == SET:
            for x in range(types):
                growth[x] -= step if column[x] == code else 0
            if by_gain:
                for x in range(types):
                    lack[x] &= kept if column[x] == code else ~_NONE
        elif measure.kind[c] == PLAIN:
            for x in range(types):
                growth[x] -= step if column[x] != low and high >= 0 else 0
                lack[x] &= kept
        else:
            new_low, new_high = grown.low[p, c], grown.high[p, c]
            new_null = null >= 0 and grown.seen[p, measure.first[c] + null] == turn
            for x in range(types):
                away = _away(column[x], new_low, new_high, new_null, null)
                growth[x] += (away - _away(column[x], low, high, has_null, null)) * step
                lack[x] &= kept if away == 0 else ~_NONE


@njit(cache=True, nogil=True)
def show(measure: Measure, grown: Grown, p: int, c: int, code: int, turn: int) -> tuple[np.int64, np.int64]:
    """Let class p show a code; return its lowest and highest code before. A plain column that disagrees has high -1."""
    low, high = grown.low[p, c], grown.high[p, c]
    grown.seen[p, measure.first[c] + code] = turn
    if measure.kind[c] == PLAIN:
        if code != low:
            grown.high[p, c] = -1
    elif measure.kind[c] == RANGE and code != measure.null[c]:
        grown.low[p, c] = code if high < 0 else min(low, code)
        grown.high[p, c] = max(high, code)
    return low, high


@njit(cache=True, nogil=True)
def best_gain(measure: Measure, loose: Loose, types: int, tally: NDArray[np.int64], needed: int) -> int:
    """Return the loose row type with the least growth for each row that could then join without any."""
    for x in range(types):
        if loose.left[x] and loose.lack[x] & (loose.lack[x] - _ONE) == 0:
            c = trailing_zeros(loose.lack[x])
            tally[measure.first[c] + loose.code[c, x]] += loose.left[x]
    best, least = -1, np.inf
    for x in range(types):
        if loose.left[x]:
            lacking = loose.lack[x]
            gained = loose.left[x] if lacking & (lacking - _ONE) else np.int64(0)
            while lacking:
                c = trailing_zeros(lacking)
                lacking &= lacking - _ONE
                gained += tally[measure.first[c] + loose.code[c, x]]
            ratio = loose.growth[x] / min(gained, needed)
            if ratio < least:
                best, least = x, ratio
    for x in range(types):
        if loose.left[x] and loose.lack[x] & (loose.lack[x] - _ONE) == 0:
            c = trailing_zeros(loose.lack[x])
            tally[measure.first[c] + loose.code[c, x]] = 0
    return best


@njit(cache=True, nogil=True)
def least_growth(left: NDArray[np.int64], growth: NDArray[np.int64]) -> int:
    """Return the loose row type with the least growth."""
    best, least = -1, NEVER
    for x in range(len(left)):
        if left[x] and growth[x] < least:
            best, least = x, growth[x]
            if least == 0:
                break
    return best


@njit(cache=True, nogil=True)
def growth_of(measure: Measure, loose: Loose, grown: Grown, p: int, r: int, turn: int) -> np.int64:
    """Return what each row of class p loses more if a loose row type joins."""
    growth = np.int64(0)
    for c in range(len(measure.kind)):
        code, null = loose.code[c, r], measure.null[c]
        if grown.seen[p, measure.first[c] + code] == turn:
            continue
        if measure.kind[c] == SET:
            growth += measure.step[c]
        elif measure.kind[c] == PLAIN:
            growth += measure.step[c] if grown.high[p, c] >= 0 else 0
        else:
            has_null = null >= 0 and grown.seen[p, measure.first[c] + null] == turn
            growth += measure.step[c] * _away(code, grown.low[p, c], grown.high[p, c], has_null, null)
    return growth
