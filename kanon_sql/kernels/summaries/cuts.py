"""Cuts that lose least: parts of a table, each cut in two where the loss of both sides together is least."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.criteria.encoded import EncodedRequirement
from kanon_sql.kernels.summaries.column_cuts import CutWorkspace, cut_between, separate_code, sort_by
from kanon_sql.kernels.summaries.measure import RANGE, Measure, clear, join
from kanon_sql.kernels.summaries.sides import Sides, add_to_one, clear_one, halve

_FAIR = cython.declare(cython.longlong, 0)
_HALVED = cython.declare(cython.longlong, 1)
_ANY = cython.declare(cython.longlong, 2)
"""Kinds of cuts, each tried where those before save nothing: with fair sides; with half of each sensitive-value group; with
sides that only meet the requirement. Without sensitive values, all sides are fair."""


def cut_parts(
    codes: NDArray[np.int32],
    weight: cython.longlong[::1],
    measure: Measure,
    required: EncodedRequirement,
    group: NDArray[np.int32],
    member: cython.longlong[::1],
    parts: cython.longlong[:, ::1],
    starts: cython.uchar[::1],
) -> NDArray[np.int64]:
    """Cut each part once where both sides meet the requirement and lose least together, if less than the part does.

    Parameters
    ----------
    codes : int32 array [t, m]
        Row types.
    weight : int64 array [t]
        Rows of each row type.
    measure : Measure
        How loss is counted.
    required : EncodedRequirement
        What every side has to meet.
    group : int32 array [t]
        The sensitive-value group of each row type.
    member : int64 array [t]
        Row types in the order of the parts; reordered inside each part that is cut.
    parts : int64 array [p, 2]
        First place of each part in ``member``, and the place after its last.
    starts : uint8 array [t]
        Set to 1 where a new part starts.

    Returns
    -------
    int64 array [2 c, 2]
        The sides of the c parts that were cut. Ties go to the first column.

    Notes
    -----
    O(m^2 s) for a part of s row types, O(m * largest cardinality), and O(V) for a cut that would lose less than those before;
    memory O(t + all codes + V).
    """
    view: cython.int[:, ::1] = codes
    groups: cython.int[::1] = group
    work = CutWorkspace(codes, measure)
    sides = Sides(required, int(group.max()) + 1)
    cut = np.empty((2 * parts.shape[0], 2), np.int64)
    found: cython.longlong[:, ::1] = cut
    made = 0
    with cython.nogil:
        for p in range(parts.shape[0]):
            size = _cut(view, weight, measure, sides, groups, member, parts[p, 0], parts[p, 1], work)
            if size:
                starts[parts[p, 0] + size] = 1
                found[made, 0] = parts[p, 0]
                found[made, 1] = parts[p, 0] + size
                found[made + 1, 0] = parts[p, 0] + size
                found[made + 1, 1] = parts[p, 1]
                made += 2
    return cut[:made]


def _cut(codes, weight, measure, sides, group, member, first, last, work):
    """Reorder the part ``member[first:last]`` so that its one side comes first; return the row types of that, 0 for no cut."""
    total = 0
    spread = 0
    size = 0
    for a in range(first, last):
        total += weight[member[a]]
    if total < 2 * sides.required.least:
        return 0
    clear_one(sides)
    for a in range(first, last):
        spread += join(measure, work.whole, codes, member[a])
        add_to_one(sides, member[a], weight[member[a]])
    for a in range(sides.required.counters):
        sides.whole[a] = sides.one[a]
    work.size = last - first
    for how in range(_FAIR, (_ANY if sides.required.counters else _FAIR) + 1):
        size = _best_cut(codes, weight, measure, sides, group, member, first, how, total * spread, work)
        if size:
            break
    clear(measure, work.whole, codes, member, first, last)
    if size:
        for a in range(work.size):
            member[first + a] = work.moved[a]
    return size


def _best_cut(codes, weight, measure, sides, group, member, first, how, least, work):
    """Put the cut of one kind that loses least, and less than ``least``, into ``work.moved``; return as `_cut`."""
    size = 0
    sides.fair = how == _FAIR
    for c in range(measure.columns):
        if work.whole.different[c] < 2 or least == 0:
            continue
        sort_by(measure, member, first, c, work)
        if how == _HALVED:
            loss, high = halve(codes, weight, measure, sides, group, work.order, work.size, work.side, work.half)
            if high and loss < least:
                least = loss
                size = high
                for a in range(work.size):
                    work.moved[a] = work.half[a]
            continue
        loss, high = cut_between(codes, weight, measure, sides, c, work)
        if high and loss < least:
            least = loss
            size = high
            for a in range(work.size):
                work.moved[a] = work.order[a]
        if measure.kind[c] == RANGE:
            continue
        loss, low, high = separate_code(codes, weight, measure, sides, c, work)
        if high and loss < least:
            least = loss
            size = high - low
            for a in range(work.size):
                work.moved[a] = work.order[low + a if a < size else a - size if a < high else a]
    return size
