"""The greedy pass: patterns in order, each instance takes the largest part of its rows that meets the requirement."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import empty_int32, empty_int64
from kanon_sql.kernels.criteria.part import Part
from kanon_sql.kernels.instances.groups import GroupingWorkspace, group, sift
from kanon_sql.kernels.requirements.assignment_list import AssignmentList, add
from kanon_sql.kernels.requirements.largest_part import largest_part, whole_part

_ONE = cython.declare(cython.ulonglong, 1)
_WORD = cython.declare(cython.ulonglong, (1 << 64) - 1)


@cython.final
@cython.cclass
class Greedy:
    """The state of a greedy pass.

    Parameters
    ----------
    part : Part
        The requirement, and the part of one instance.
    groups : GroupingWorkspace
        The QI groups of the table, and of one pattern.
    first : int64 array [u + 1]
        QI group u has the row types ``first[u]`` to ``first[u + 1] - 1``.
    group_of : int32 array [t]
        The sensitive-value group of each row type.
    left : int64 array [t]
        Rows that are not taken; shrinks.

    Attributes
    ----------
    assignments : AssignmentList
        The rows taken, by position of the pattern.
    alive : uint64 array [ceil(u / 64)]
        The QI groups of which rows are left.
    rows_left : int64 array [u]
        Rows of each QI group that are not taken.
    slot_rows, slot_last : int64, int32 arrays
        Rows of each slot of `group`, and the last of its QI groups in the list of those sifted, -1 if it has none.
    before : int32 array [u]
        The one before each in that list which is in the same slot.
    """

    def __init__(
        self,
        part: Part,
        groups: GroupingWorkspace,
        first: NDArray[np.int64],
        group_of: NDArray[np.int32],
        left: NDArray[np.int64],
    ) -> None:
        rows = np.add.reduceat(left, first[: len(first) - 1])
        someone = np.flatnonzero(rows)
        alive = np.zeros((len(rows) + 63) // 64, np.uint64)
        np.bitwise_or.at(alive, someone >> 6, np.uint64(1) << (someone & 63).astype(np.uint64))
        self.part, self.groups, self.first, self.group_of, self.left = part, groups, first, group_of, left
        self.assignments, self.alive, self.rows_left = AssignmentList(len(left)), alive, rows
        self.slot_rows = empty_int64(groups.capacity)
        self.slot_last, self.before = empty_int32(groups.capacity), empty_int32(len(rows))

    def reserve(self) -> None:
        """Make space for the pieces of a pattern."""
        self.assignments.reserve(len(self.left))

    def found(self) -> AssignmentList:
        """Return the pieces."""
        return self.assignments


def take_pieces(greedy: Greedy, shown: NDArray[np.uint64], first: int, last: int, whole: bool) -> None:
    """Let each instance of the patterns ``shown[first:last]`` take rows that meet the requirement.

    Parameters
    ----------
    whole : bool
        Take all rows of an instance or none.

    Notes
    -----
    O(p j u / 64) for the sifting with j sets, O(m) per eligible QI group, and O(V log n) for each instance of enough rows.
    """
    first = _take_all(greedy, shown, first, last, whole)
    while first < last:
        greedy.reserve()
        first = _take_all(greedy, shown, first, last, whole)


def _take_all(
    greedy: Greedy, shown: cython.ulonglong[::1], first: cython.longlong, last: cython.longlong, whole: cython.bint
) -> int:
    """Take rows until the pieces might find no space; return the next pattern."""
    with cython.nogil:
        while first < last and greedy.assignments.size + greedy.left.shape[0] <= greedy.assignments.capacity:
            _take(greedy, shown[first], first, whole)
            first += 1
    return first


def _take(greedy, shown, pattern, whole):
    """Let each instance of a pattern take rows."""
    n = sift(greedy.groups, greedy.alive, shown)
    slots = group(greedy.groups, shown, n)
    for h in range(slots):
        greedy.slot_rows[h] = 0
        greedy.slot_last[h] = -1
    for r in range(n):
        h = greedy.groups.slot[r]
        greedy.slot_rows[h] += greedy.rows_left[greedy.groups.row[r]]
        greedy.before[r] = greedy.slot_last[h]
        greedy.slot_last[h] = r
    for h in range(slots):
        if greedy.slot_last[h] < 0 or greedy.slot_rows[h] < greedy.part.required.least:
            continue
        _gather(greedy, greedy.part, h)
        rows = whole_part(greedy.part) if whole else largest_part(greedy.part)
        for r in range(greedy.part.groups):
            greedy.part.rows[greedy.part.group[r]] = 0
        if rows:
            _remove(greedy, greedy.part, h, pattern)


def _gather(greedy, part, h):
    """Count the rows left of an instance by sensitive-value group; ``part.rows`` are 0 before."""
    r = greedy.slot_last[h]
    part.groups = 0
    while r >= 0:
        u = greedy.groups.row[r]
        for i in range(greedy.first[u], greedy.first[u + 1]):
            g = greedy.group_of[i]
            if greedy.left[i] and part.rows[g] == 0:
                part.group[part.groups] = g
                part.groups += 1
            part.rows[g] += greedy.left[i]
        r = greedy.before[r]


def _remove(greedy, part, h, pattern):
    """Take the rows of an instance that its part keeps."""
    r = greedy.slot_last[h]
    while r >= 0:
        u = greedy.groups.row[r]
        for i in range(greedy.first[u], greedy.first[u + 1]):
            g = greedy.group_of[i]
            some = min(greedy.left[i], part.keep[g])
            if some:
                add(greedy.assignments, i, pattern, some)
                greedy.left[i] -= some
                part.keep[g] -= some
                greedy.rows_left[u] -= some
        if greedy.rows_left[u] == 0:
            bit = cython.cast(cython.longlong, u & 63)
            greedy.alive[u >> 6] &= _WORD ^ (_ONE << bit)
        r = greedy.before[r]
