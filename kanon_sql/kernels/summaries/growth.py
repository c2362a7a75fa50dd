"""Growing classes from unassigned rows: what each row would add to the class that is grown, kept up to date as rows join."""

from __future__ import annotations

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import empty_int32, empty_int32_2d, zeros_int32_2d, zeros_int64, zeros_int64_2d, zeros_uint64
from kanon_sql.kernels.summaries.agreement import agree, compare, differ, mark, reach, stand_apart, unmark
from kanon_sql.kernels.summaries.measure import PLAIN, RANGE, SET, Measure

NEVER = cython.declare(cython.longlong, 1 << 62)
"""More than any loss."""

_WORD = cython.declare(cython.ulonglong, (1 << 64) - 1)
"""The bits of all columns."""


@cython.final
@cython.cclass
class Unassigned:
    """The rows of a neighbourhood by row type, in the order they were taken in.

    Parameters
    ----------
    limit : int
        Most row types.
    columns : int
        At most 64.

    Attributes
    ----------
    types, row_type, rows : int, int32, int64 arrays [limit]
        How many row types there are, which, and the rows of each that have no class.
    code : int32 array [m, limit]
        Their codes by column.
    growth : int64 array [limit]
        What each row of the class that is grown loses more if the row type joins.
    differing, marked : uint64 array [limit], bool
        Bits of the columns where that comes from, kept if they are marked.
    """

    def __init__(self, limit: int, columns: int) -> None:
        self.types = 0
        self.row_type, self.rows = empty_int32(limit), zeros_int64(limit)
        self.code = empty_int32_2d(columns, limit)
        self.growth, self.differing, self.marked = zeros_int64(limit), zeros_uint64(limit), False


@cython.final
@cython.cclass
class NewClasses:
    """The classes that are grown in a neighbourhood.

    Parameters
    ----------
    measure : Measure
        How loss is counted.
    most, pieces : int
        Most classes and pieces.

    Attributes
    ----------
    rows, row_loss : int64 arrays [class]
        Rows of each class, and what each of them loses.
    low, high : int64 arrays [class, m]
        Least and highest code; -1 is the ``high`` of a range of NULL alone, and of a plain column that disagrees.
    seen : int32 array [class, code]
        The number of the neighbourhood where the class has the code.
    pieces, piece : int, int64 array [piece, 3]
        What joined: the unassigned row type, the class and the number of rows.
    tally : int64 array [code]
        Rows by code; zero between uses.
    """

    def __init__(self, measure: Measure, most: int, pieces: int) -> None:
        m = measure.columns
        codes = measure.first[m]
        self.rows, self.row_loss = zeros_int64(most), zeros_int64(most)
        self.low, self.high = zeros_int64_2d(most, m), zeros_int64_2d(most, m)
        self.seen = zeros_int32_2d(most, codes)
        self.pieces, self.piece = 0, zeros_int64_2d(pieces, 3)
        self.tally = zeros_int64(codes)


def _widening(code, low, high, has_null, null):
    """Return the steps by which a code widens a range; ``high`` is -1 where only NULL is in it."""
    if code == null:
        return 0 if has_null else 1
    if high < 0:
        return 1 if has_null else 0
    return low - code if code < low else code - high if code > high else 0


def open_class(measure, unassigned, new, p, r, turn, by_gain):
    """Start class p with an unassigned row type; ``differing`` is set ``by_gain`` only."""
    unassigned.marked = by_gain
    if by_gain:
        mark(unassigned.code, r, unassigned.types, unassigned.differing)
    if measure.plain:
        for c in range(measure.columns):
            new.low[p, c] = new.high[p, c] = unassigned.code[c, r]
        compare(unassigned.code, measure.step, r, unassigned.types, unassigned.growth)
        return
    for x in range(unassigned.types):
        unassigned.growth[x] = 0
    for c in range(measure.columns):
        code = unassigned.code[c, r]
        new.low[p, c] = code
        new.high[p, c] = -1 if measure.kind[c] == RANGE and code == measure.null[c] else code
        new.seen[p, measure.first[c] + code] = turn
        if measure.kind[c] == RANGE and code != measure.null[c]:
            stand_apart(unassigned.code, c, code, measure.null[c], measure.step[c], unassigned.types, unassigned.growth)
        else:
            differ(unassigned.code, c, code, measure.step[c], unassigned.types, unassigned.growth)


def widen(measure, unassigned, new, p, r, turn):
    """Let class p show the codes of an unassigned row type too, and update the growth of the others."""
    if measure.plain:
        for c in range(measure.columns):
            if new.high[p, c] >= 0 and new.low[p, c] != unassigned.code[c, r]:  # it disagrees for the first time
                new.high[p, c] = -1
                differ(unassigned.code, c, new.low[p, c], -measure.step[c], unassigned.types, unassigned.growth)
                if unassigned.marked:
                    unmark(c, unassigned.types, unassigned.differing)
        return
    for c in range(measure.columns):
        code = unassigned.code[c, r]
        if new.seen[p, measure.first[c] + code] == turn:
            continue
        step = measure.step[c]
        null = measure.null[c]
        others: cython.ulonglong = _WORD ^ (cython.cast(cython.ulonglong, 1) << c)
        has_null: cython.bint = null >= 0 and new.seen[p, measure.first[c] + null] == turn
        low, high = show(measure, new, p, c, code, turn)
        if measure.kind[c] == SET:
            agree(unassigned.code, c, code, step, unassigned.types, unassigned.growth)
            if unassigned.marked:
                for x in range(unassigned.types):
                    if unassigned.code[c, x] == code:
                        unassigned.differing[x] &= others
        elif measure.kind[c] == PLAIN:
            if high >= 0:  # it disagrees for the first time
                differ(unassigned.code, c, low, -step, unassigned.types, unassigned.growth)
                if unassigned.marked:
                    unmark(c, unassigned.types, unassigned.differing)
        elif code == null or high < 0 or unassigned.marked:
            has_now: cython.bint = has_null or code == null
            for x in range(unassigned.types):
                away = _widening(unassigned.code[c, x], new.low[p, c], new.high[p, c], has_now, null)
                unassigned.growth[x] += (away - _widening(unassigned.code[c, x], low, high, has_null, null)) * step
                if away == 0:
                    unassigned.differing[x] &= others
        elif code < low:
            reach(unassigned.code, c, low, code, null, step, unassigned.types, unassigned.growth)
        elif code > high:
            reach(unassigned.code, c, high, code, null, step, unassigned.types, unassigned.growth)


def show(measure, new, p, c, code, turn):
    """Let class p show a code; return its lowest and highest code before."""
    low = new.low[p, c]
    high = new.high[p, c]
    if not measure.plain:
        new.seen[p, measure.first[c] + code] = turn
    if measure.kind[c] == PLAIN:
        if code != low:
            new.high[p, c] = -1
    elif measure.kind[c] == RANGE and code != measure.null[c]:
        new.low[p, c] = code if high < 0 else min(low, code)
        new.high[p, c] = max(high, code)
    return low, high


def growth_of(measure, unassigned, new, p, r, turn):
    """Return what each row of class p loses more if an unassigned row type joins."""
    growth = 0
    if measure.plain:
        for c in range(measure.columns):
            if new.high[p, c] >= 0 and new.low[p, c] != unassigned.code[c, r]:
                growth += measure.step[c]
        return growth
    for c in range(measure.columns):
        code = unassigned.code[c, r]
        null = measure.null[c]
        if new.seen[p, measure.first[c] + code] == turn:
            continue
        if measure.kind[c] == SET:
            growth += measure.step[c]
        elif measure.kind[c] == PLAIN:
            growth += measure.step[c] if new.high[p, c] >= 0 else 0
        else:
            has_null: cython.bint = null >= 0 and new.seen[p, measure.first[c] + null] == turn
            growth += measure.step[c] * _widening(code, new.low[p, c], new.high[p, c], has_null, null)
    return growth
