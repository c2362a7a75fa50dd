"""Candidate classes, and the assignment of rows to classes with their histograms: moves in O(1), tests in O(V)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import full_int32, full_int64, zeros_int64
from kanon_sql.kernels.classes.partition import SLOTS, Partition, put, take
from kanon_sql.kernels.criteria.dispatch import meets
from kanon_sql.kernels.criteria.encoded import CriteriaWorkspace, EncodedRequirement


@cython.final
@cython.cclass
class AssignmentSearchSpace:
    """The instances that a search may use, from both sides.

    Parameters
    ----------
    start, member : int64 array [j + 1], int32 array
        ``member[start[j] : start[j + 1]]`` are the row types of instance j.
    first, instance : int64 array [t + 1], int32 array
        ``instance[first[i] : first[i + 1]]`` are the instances of row type i, cheapest first.
    cost : int64 array [j]
        What a row costs in each instance.
    weight, price : int64, float64 arrays [t]
        Rows of each row type, and the price of a row.
    group : int32 array [t]
        The sensitive-value group of each row type.
    counter : int32 array [g, s]
        The counters that a row of each group raises.
    """

    def __init__(
        self,
        *,
        start: NDArray[np.int64],
        member: NDArray[np.int32],
        first: NDArray[np.int64],
        instance: NDArray[np.int32],
        cost: NDArray[np.int64],
        weight: NDArray[np.int64],
        price: NDArray[np.float64],
        group: NDArray[np.int32],
        counter: NDArray[np.int32],
    ) -> None:
        self.start, self.member, self.first, self.instance = start, member, first, instance
        self.cost, self.weight, self.price, self.group, self.counter = cost, weight, price, group, counter


@cython.final
@cython.cclass
class Assignment:
    """Which rows are in which class, and the histograms of the classes.

    Parameters
    ----------
    space : AssignmentSearchSpace
        The classes; the last of them, ``unassigned``, is for rows without a class and meets anything.
    required : EncodedRequirement
        What the others have to meet.
    slots : int
        The most classes that may be open.

    Attributes
    ----------
    partition : Partition
        The rows of each class.
    slot : int32 array [j]
        The histogram of class j begins at ``histogram[slot[j] * V]``; -1 where it is not open.
    histogram : int64 array [slots * V]
        Histograms of the open classes.
    vacancies, vacant : int, int32 array [slots]
        ``vacant[:vacancies]`` are the slots not in use.
    clock : int
        Advances with the search; see `tick`.
    changed, seen : int64 arrays [j]
        When a class last changed, and when it was last looked at.
    surplus : int64 array [slots * g]
        By slot and group, twice the time of the last test whether the class has a surplus row of the group, and 1 more
        if it has.
    work : CriteriaWorkspace
        For the tests; only one thread may use an assignment.
    """

    def __init__(self, space: AssignmentSearchSpace, required: EncodedRequirement, slots: int) -> None:
        j = len(space.cost)
        self.space, self.required, self.work = space, required, CriteriaWorkspace(required)
        self.partition, self.unassigned = Partition(len(space.weight), j), j - 1
        self.slot, self.histogram = full_int32(j, -1), zeros_int64(slots * required.counters)
        self.vacancies, self.vacant = slots, np.arange(slots, dtype=np.int32)
        self.clock = 1
        self.changed, self.seen = zeros_int64(j), full_int64(j, -1)
        self.surplus = zeros_int64(slots * len(space.counter))


def tick(assignment):
    """Advance the clock."""
    assignment.clock += 1


def mark_seen(assignment, j):
    """Note that class j is tested now."""
    assignment.seen[j] = assignment.clock


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
def assign(assignment: Assignment, i: cython.longlong, j: cython.longlong, rows: cython.longlong) -> cython.bint:
    """Add rows of row type i to class j; False, and nothing done, if there is no slot for them."""
    slot = assignment.slot[j]
    counters = assignment.required.counters
    if (slot < 0 and assignment.vacancies == 0) or not put(assignment.partition, i, j, rows):
        return False
    if slot < 0:
        assignment.vacancies -= 1
        slot = assignment.vacant[assignment.vacancies]
        assignment.slot[j] = slot
        for v in range(slot * counters, (slot + 1) * counters):
            assignment.histogram[v] = 0
    _count(assignment, slot, assignment.space.group[i], rows)
    assignment.changed[j] = assignment.clock
    return True


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
def unassign(assignment: Assignment, i: cython.longlong, j: cython.longlong, rows: cython.longlong) -> cython.void:
    """Remove rows of row type i from class j."""
    take(assignment.partition, i, j, rows)
    _count(assignment, assignment.slot[j], assignment.space.group[i], -rows)
    assignment.changed[j] = assignment.clock
    if assignment.partition.rows[j] == 0:
        assignment.vacant[assignment.vacancies] = assignment.slot[j]
        assignment.vacancies += 1
        assignment.slot[j] = -1


def has_surplus(assignment, i, c):
    """Return whether class c meets its requirement without a row of row type i, and note it."""
    slot = assignment.slot[c]
    group = assignment.space.group[i]
    found: cython.bint = c == assignment.unassigned
    if not found:
        _count(assignment, slot, group, -1)
        found = meets(
            assignment.required,
            assignment.work,
            assignment.histogram,
            slot * assignment.required.counters,
            assignment.partition.rows[c] - 1,
        )
        _count(assignment, slot, group, 1)
    assignment.surplus[slot * assignment.space.counter.shape[0] + group] = 2 * assignment.clock + (1 if found else 0)
    return found


def class_meets(assignment, j):
    """Return whether the open class j meets its requirement."""
    at = assignment.slot[j] * assignment.required.counters
    return meets(assignment.required, assignment.work, assignment.histogram, at, assignment.partition.rows[j])


def _count(assignment, slot, group, rows):
    """Count rows of a group in a histogram."""
    at = slot * assignment.required.counters
    for b in range(assignment.space.counter.shape[1]):
        assignment.histogram[at + assignment.space.counter[group, b]] += rows


def assign_all(
    assignment: Assignment, row_type: cython.int[::1], instance: cython.int[::1], count: cython.longlong[::1]
) -> None:
    """Put pieces into classes; those that find no slot are unassigned, and so are other rows of their row type then."""
    unassigned: cython.longlong = assignment.unassigned
    with cython.nogil:
        for q in range(row_type.shape[0]):
            i = row_type[q]
            if assign(assignment, i, instance[q], count[q]) or assign(assignment, i, unassigned, count[q]):
                continue
            j = assignment.partition.where[i * SLOTS]
            rows = assignment.partition.amount[i * SLOTS]
            unassign(assignment, i, j, rows)
            assign(assignment, i, unassigned, rows + count[q])


def instances_of(
    start: NDArray[np.int64], member: NDArray[np.int32], row_types: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the instances of each row type, ascending: ``first`` and ``instance`` of `AssignmentSearchSpace`; O(members)."""
    place, instance = np.zeros(row_types + 2, np.int64), np.empty(len(member), np.int32)
    _transpose(start, member, place, instance)
    return place[: row_types + 1], instance


def _transpose(
    start: cython.longlong[::1], member: cython.int[::1], place: cython.longlong[::1], instance: cython.int[::1]
) -> None:
    """Counting sort: counts are kept two places later, so that each place ends where the next row type begins."""
    with cython.nogil:
        for a in range(member.shape[0]):
            place[member[a] + 2] += 1
        for a in range(2, place.shape[0]):
            place[a] += place[a - 1]
        for j in range(start.shape[0] - 1):
            for a in range(start[j], start[j + 1]):
                instance[place[member[a] + 1]] = j
                place[member[a] + 1] += 1
