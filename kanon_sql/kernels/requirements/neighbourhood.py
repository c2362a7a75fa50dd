"""A neighbourhood of an assignment: unassigned rows, the moves made so far, and the instances that could gain from the rows."""

from __future__ import annotations

import numpy as np

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import empty_float64, empty_int32, empty_int64, full_int32, zeros_int64
from kanon_sql.kernels.classes.move_log import MoveLog
from kanon_sql.kernels.requirements.assignment import Assignment, assign, unassign
from kanon_sql.kernels.requirements.candidates import Candidates
from kanon_sql.kernels.requirements.selection import Selection

_MOST_INSTANCES = cython.declare(cython.longlong, 1 << 12)


@cython.final
@cython.cclass
class Neighbourhood:
    """The state of destroy and repair, allocated once.

    Parameters
    ----------
    assignment : Assignment
        Changed by the search.
    size : int
        Row types of a neighbourhood.

    Attributes
    ----------
    types, row, rows, price : int, int32 array, int64, float64 arrays [t]
        The unassigned rows: ``row[:types]`` are their row types, ``rows`` counts them by row type, ``price`` is that of one.
    own, adapted : int64, float64 arrays
        Of each of these row types, the rows of the neighbourhood and their price, which the repairs adapt.
    moves : MoveLog
        Those made so far, and those of the cheapest repair.
    near, instance, candidates, value : int, int32 array, Candidates, float64 array
        The instances that could gain from unassigned rows, ``instance[:near]``, with those rows as candidates, and what each
        of them gains at most, or gained when it was last evaluated.
    selection : Selection
        Of these rows.
    order : int32 array
        Row types of the unassigned rows by price, highest first.
    number : int32 array [j]
        The place of an instance among the near ones, or -1.
    fitting, begin, filled, entry : int64 arrays, int32 array
        Rows that fit each near instance; its row types, ``entry[begin[q] : begin[q + 1]]``, and how far they are filled in.
    count : int64 array [g]
        Row types counted by group, then the places of their items; 0 between.
    """

    def __init__(self, assignment: Assignment, size: int) -> None:
        space, most, moves = assignment.space, size + 1, 64 * size + 4096
        t, groups = len(space.weight), len(space.counter)
        entries = most * int(np.diff(space.first).max(initial=0))
        self.assignment, self.size = assignment, size
        self.types = self.near = 0
        self.row, self.order = empty_int32(most), empty_int32(most)
        rows, price = np.zeros(t, np.int64), np.zeros(t)
        self.rows, self.price = rows, price
        self.selection = Selection(assignment.required, groups, 0)
        self.selection.set_supply(rows, price)
        self.moves = MoveLog(moves)
        self.own, self.adapted = empty_int64(most), empty_float64(most)
        self.instance, self.value = empty_int32(_MOST_INSTANCES), empty_float64(_MOST_INSTANCES)
        self.fitting, self.filled = empty_int64(_MOST_INSTANCES), empty_int64(_MOST_INSTANCES)
        self.number = full_int32(len(space.cost), -1)
        self.begin, self.entry = zeros_int64(_MOST_INSTANCES + 1), empty_int32(entries)
        self.count = zeros_int64(groups)
        self.candidates = Candidates(
            begin=np.zeros(_MOST_INSTANCES + 1, np.int64),
            group=np.empty(entries, np.int32),
            first=np.zeros(entries + 1, np.int64),
            item=np.empty(entries, np.int32),
            counter=np.asarray(space.counter),
        )


def list_near(assignment, work):
    """List the instances that could gain from unassigned rows, with their most gain, and those rows by group and price."""
    n = _sort_rows(work)
    _list_instances(assignment, work, n)
    _list_entries(assignment, work, n)
    for q in range(work.near):
        work.number[work.instance[q]] = -1
        work.value[q] = _most_gain(assignment, work, q)
        _group_entries(assignment, work, q)


def _sort_rows(work):
    """Sort the row types of unassigned rows by price; return how many there are."""
    n = 0
    for f in range(work.types):
        i = work.row[f]
        if work.rows[i]:
            place = n
            while place > 0 and work.price[work.order[place - 1]] < work.price[i]:
                work.order[place] = work.order[place - 1]
                place -= 1
            work.order[place] = i
            n += 1
    return n


def _list_instances(assignment, work, n):
    """List and number the instances that cost less than some price and that enough rows fit."""
    many = 0
    for f in range(n):
        i = work.order[f]
        for a in range(assignment.space.first[i], assignment.space.first[i + 1]):
            j = assignment.space.instance[a]
            if work.number[j] < 0:
                # Rows come by price, the highest first: where the first price is too low, all are.
                if assignment.space.cost[j] >= work.price[i] or many == _MOST_INSTANCES:
                    continue
                work.number[j] = many
                work.instance[many] = j
                work.fitting[many] = 0
                many += 1
            work.fitting[work.number[j]] += work.rows[i]
    work.near = 0
    for q in range(many):
        j = work.instance[q]
        work.number[j] = -1
        if assignment.partition.rows[j] + work.fitting[q] >= assignment.required.least:
            work.number[j] = work.near
            work.instance[work.near] = j
            work.near += 1


def _list_entries(assignment, work, n):
    """List the row types that fit each near instance."""
    for q in range(work.near):
        work.filled[q] = 0
    for f in range(n):
        for a in range(assignment.space.first[work.order[f]], assignment.space.first[work.order[f] + 1]):
            q = work.number[assignment.space.instance[a]]
            if q >= 0:
                work.filled[q] += 1
    for q in range(work.near):
        work.begin[q + 1] = work.begin[q] + work.filled[q]
        work.filled[q] = work.begin[q]
    for f in range(n):
        for a in range(assignment.space.first[work.order[f]], assignment.space.first[work.order[f] + 1]):
            q = work.number[assignment.space.instance[a]]
            if q >= 0:
                work.entry[work.filled[q]] = work.order[f]
                work.filled[q] += 1


def _most_gain(assignment, work, q):
    """Return what the near instance q gains at most: from its most expensive rows, at least as many as are missing."""
    j = work.instance[q]
    missing = assignment.required.least - assignment.partition.rows[j]
    gain: cython.double = 0.0
    for a in range(work.begin[q], work.begin[q + 1]):
        i = work.entry[a]
        surplus: cython.double = work.price[i] - assignment.space.cost[j]
        if surplus <= 0.0 and missing <= 0:
            break
        gain += surplus * (work.rows[i] if surplus > 0.0 else min(missing, work.rows[i]))
        missing -= work.rows[i]
    return gain


def _group_entries(assignment, work, q):
    """Set the segments and items of the near instance q."""
    low = work.candidates.begin[q]
    high = low
    for a in range(work.begin[q], work.begin[q + 1]):
        g = assignment.space.group[work.entry[a]]
        if work.count[g] == 0:
            work.candidates.group[high] = g
            high += 1
        work.count[g] += 1
    work.candidates.begin[q + 1] = high
    for s in range(low, high):
        g = work.candidates.group[s]
        work.candidates.first[s + 1] = work.candidates.first[s] + work.count[g]
        work.count[g] = work.candidates.first[s]
    for a in range(work.begin[q], work.begin[q + 1]):
        g = assignment.space.group[work.entry[a]]
        work.candidates.item[work.count[g]] = work.entry[a]
        work.count[g] += 1
    for s in range(low, high):
        work.count[work.candidates.group[s]] = 0


def undo(assignment, moves, first):
    """Take back all moves from the one with this number on."""
    for a in range(moves.count - 1, first - 1, -1):
        if moves.rows[a] < 0:
            assign(assignment, moves.row_type[a], moves.number[a], -moves.rows[a])
        else:
            unassign(assignment, moves.row_type[a], moves.number[a], moves.rows[a])
    moves.count = first


def replay(assignment, moves):
    """Make the kept moves again, in the state in which they were made."""
    for a in range(moves.kept):
        assign(assignment, moves.kept_type[a], moves.kept_number[a], moves.kept_rows[a])
