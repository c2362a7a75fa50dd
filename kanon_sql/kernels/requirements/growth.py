"""Growth: instances draw rows from more expensive classes that have a surplus, several at a time if need be."""

from __future__ import annotations

import numpy as np

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import empty_int32, empty_int64
from kanon_sql.kernels.classes.partition import SLOTS
from kanon_sql.kernels.requirements.assignment import (
    Assignment,
    assign,
    class_meets,
    has_surplus,
    mark_seen,
    tick,
    unassign,
)
from kanon_sql.kernels.requirements.candidates import Candidates, sort_by_price
from kanon_sql.kernels.requirements.selection import Selection, clear, select

_TRIES = cython.declare(cython.longlong, 3)
"""Selections of rows for one instance: a class may have either of two rows as a surplus, but not both."""


@cython.final
@cython.cclass
class Growth:
    """The state of a search by growth.

    Parameters
    ----------
    assignment : Assignment
        Changed by the search.
    candidates : Candidates
        Of all instances.

    Attributes
    ----------
    selection : Selection
        Of the drawn rows; its ``available`` are the rows that may be drawn, its ``price`` what they cost where they are.
    drawn : Candidates
        The rows that one instance may draw.
    source : int32 array [t]
        The class from which rows of each row type may be drawn.
    moves, moved_type, moved_from, moved_rows : int, int32 arrays, int64 array
        The moves into one instance.
    """

    def __init__(self, assignment: Assignment, candidates: Candidates) -> None:
        begin, first = np.asarray(candidates.begin), np.asarray(candidates.first)
        row_types, segments = len(assignment.space.weight), int(np.diff(begin).max(initial=1))
        most = int(np.diff(first[begin]).max(initial=1))
        self.assignment, self.candidates = assignment, candidates
        self.selection = Selection(assignment.required, segments, most)
        self.selection.set_supply(np.zeros(row_types, np.int64), np.zeros(row_types))
        self.drawn = Candidates(
            begin=np.zeros(2, np.int64),
            group=np.empty(segments, np.int32),
            first=np.zeros(segments + 1, np.int64),
            item=np.empty(most, np.int32),
            counter=np.asarray(candidates.counter),
        )
        self.source = empty_int32(row_types)
        self.moves = 0
        self.moved_type, self.moved_from = empty_int32(most), empty_int32(most)
        self.moved_rows = empty_int64(most)


def grow(growth: Growth, chunk: tuple[int, int]) -> int:
    """Let the instances of a chunk draw rows, each what saves most; return what is saved in all.

    Parameters
    ----------
    chunk : tuple of int
        The first instance, and the one behind the last.

    Notes
    -----
    O(items) for each instance near which something has changed since it was last looked at, and what `select` takes.
    """
    first: cython.longlong = chunk[0]
    last: cython.longlong = chunk[1]
    saved = 0
    with cython.nogil:
        for j in range(first, last):
            saved += _grow(growth, j)
    return saved


def _grow(growth, j):
    """Let an instance draw rows; return what is saved."""
    saved = 0
    tick(growth.assignment)
    if _list_drawn(growth, j):
        for s in range(growth.drawn.begin[1]):
            sort_by_price(
                growth.drawn.item,
                growth.drawn.first[s],
                growth.drawn.first[s + 1],
                growth.selection.price,
                growth.selection.scratch,
            )
        for attempt in range(_TRIES):
            _start_from(growth, j)
            rows = select(
                growth.selection, growth.drawn, 0, growth.assignment.space.cost[j], 0.5, growth.assignment.partition.rows[j]
            )[1]
            if rows == 0:
                break
            saved = _draw(growth, j)
            if saved > 0:
                break
    for s in range(growth.drawn.begin[1]):
        for a in range(growth.drawn.first[s], growth.drawn.first[s + 1]):
            growth.selection.available[growth.drawn.item[a]] = 0
    return saved


def _list_drawn(growth, j):
    """List the rows that instance j may draw; return whether that may save anything, and something is new since the last."""
    low = growth.candidates.begin[j]
    n = 0
    saves: cython.bint = False
    tested = growth.assignment.seen[j]
    is_new: cython.bint = growth.assignment.changed[j] >= tested
    for s in range(low, growth.candidates.begin[j + 1]):
        for a in range(growth.candidates.first[s], growth.candidates.first[s + 1]):
            i = growth.candidates.item[a]
            place = _most_expensive(growth.assignment, i, j)
            if place < 0:
                continue
            c = growth.assignment.partition.where[place]
            is_new = is_new or growth.assignment.changed[c] >= tested
            if _has_known_surplus(growth.assignment, i, c):
                _add_drawn(growth, n, i, place)
                n += 1
                saves = saves or growth.assignment.space.cost[c] > growth.assignment.space.cost[j]
        growth.drawn.group[s - low] = growth.candidates.group[s]
        growth.drawn.first[s - low + 1] = n
    growth.drawn.begin[1] = growth.candidates.begin[j + 1] - low
    mark_seen(growth.assignment, j)
    return is_new and saves


def _has_known_surplus(assignment, i, c):
    """Return whether class c has a surplus of row type i; it is tested only if the class has changed since the last test."""
    at = assignment.slot[c] * assignment.space.counter.shape[0] + assignment.space.group[i]
    noted = assignment.surplus[at]
    if noted >> 1 <= assignment.changed[c]:
        return has_surplus(assignment, i, c)
    return (noted & 1) == 1


def _add_drawn(growth, n, i, place):
    """Let the rows of row type i at a place be drawn, as item n."""
    c = growth.assignment.partition.where[place]
    growth.selection.available[i] = growth.assignment.partition.amount[place]
    growth.selection.price[i] = growth.assignment.space.cost[c]
    growth.source[i] = c
    growth.drawn.item[n] = i


def _start_from(growth, j):
    """Start a selection from the rows that class j has."""
    at = growth.assignment.slot[j]
    if at < 0:
        clear(growth.selection)
        return
    at *= growth.assignment.required.counters
    for v in range(growth.assignment.required.counters):
        growth.selection.histogram[v] = growth.assignment.histogram[at + v]


def _most_expensive(assignment, i, j):
    """Return where the most expensive rows of row type i are, other than in class j; -1 if nowhere."""
    best = -1
    place = i * SLOTS
    rows = assignment.space.weight[i]
    while rows and place < (i + 1) * SLOTS:
        c = assignment.partition.where[place]
        if c >= 0:
            rows -= assignment.partition.amount[place]
            if c != j and (best < 0 or assignment.space.cost[c] > assignment.space.cost[assignment.partition.where[best]]):
                best = place
        place += 1
    return best


def _draw(growth, j):
    """Move the selected rows as far as they are a surplus; undo it if the requirement is broken then or nothing is saved.

    What is no surplus is not available then. Returns what is saved.
    """
    saved = 0
    growth.moves = 0
    for s in range(growth.drawn.begin[1]):
        end = growth.selection.end[s]
        for a in range(growth.drawn.first[s], min(end + 1, growth.drawn.first[s + 1])):
            i = growth.drawn.item[a]
            wanted = growth.selection.available[i] if a < end else growth.selection.part[s]
            moved = _move(growth, i, j, wanted)
            if moved:
                saved += moved * (growth.assignment.space.cost[growth.source[i]] - growth.assignment.space.cost[j])
            if moved < wanted:
                growth.selection.available[i] = moved
    if saved > 0 and class_meets(growth.assignment, j):
        return saved
    for a in range(growth.moves):
        assign(growth.assignment, growth.moved_type[a], growth.moved_from[a], growth.moved_rows[a])
        unassign(growth.assignment, growth.moved_type[a], j, growth.moved_rows[a])
    return 0


def _move(growth, i, j, wanted):
    """Move rows of row type i to class j while they are a surplus; return how many."""
    c = growth.source[i]
    moved = 0
    while moved < wanted and has_surplus(growth.assignment, i, c) and assign(growth.assignment, i, j, 1):
        unassign(growth.assignment, i, c, 1)
        moved += 1
    if moved:
        growth.moved_type[growth.moves] = i
        growth.moved_from[growth.moves] = c
        growth.moved_rows[growth.moves] = moved
        growth.moves += 1
    return moved
