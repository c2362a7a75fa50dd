"""The greedy guided by prices: of all instances, the one whose class gains most from the unassigned rows opens next."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.heap import pop, push
from kanon_sql.kernels.requirements.assignment_list import AssignmentList, add
from kanon_sql.kernels.requirements.candidates import Candidates
from kanon_sql.kernels.requirements.selection import Selection, clear, select


def open_classes(selection: Selection, candidates: Candidates, cost: NDArray[np.int64], loss: float) -> AssignmentList:
    """Open classes that lose at most ``loss`` for each row; the available rows of the selection shrink by them.

    Parameters
    ----------
    cost : int64 array [j]
        What a row costs in each instance.

    Returns
    -------
    AssignmentList
        The classes, by instance.

    Notes
    -----
    A lazy heap: an instance is evaluated again only when it comes to the top.
    """
    most = int(np.diff(np.asarray(candidates.first)[np.asarray(candidates.begin)]).max(initial=0))
    assignments = AssignmentList(len(selection.available) + most)
    heap, key = np.empty(len(cost), np.int64), np.empty(len(cost))
    size = _evaluate(selection, candidates, cost, loss, heap, key)
    while True:
        size = _open(selection, candidates, cost, loss, heap, key, size, assignments)
        if size == 0:
            return assignments
        assignments.reserve(most)


def _evaluate(
    selection: Selection,
    candidates: Candidates,
    cost: cython.longlong[::1],
    loss: cython.double,
    heap: cython.longlong[::1],
    key: cython.double[::1],
) -> int:
    """Put the instances whose classes lose little enough on the heap; return its size. A key is minus the gain."""
    gain: cython.double
    size = 0
    with cython.nogil:
        for j in range(cost.shape[0]):
            clear(selection)
            gain, rows = select(selection, candidates, j, cost[j], -loss * 100.0, 0)
            if rows and gain > -loss * rows:
                size = push(heap, key, size, j, -gain)
    return size


def _open(
    selection: Selection,
    candidates: Candidates,
    cost: cython.longlong[::1],
    loss: cython.double,
    heap: cython.longlong[::1],
    key: cython.double[::1],
    size: cython.longlong,
    assignments: AssignmentList,
) -> int:
    """Open classes until none gains enough, or the pieces might find no space; return the size of the heap."""
    gain: cython.double
    with cython.nogil:
        while size:
            j = heap[0]
            rows = candidates.first[candidates.begin[j + 1]] - candidates.first[candidates.begin[j]]
            if assignments.size + rows > assignments.capacity:
                break
            size = pop(heap, key, size)
            clear(selection)
            gain, rows = select(selection, candidates, j, cost[j], -loss * 100.0, 0)
            if rows == 0 or gain <= -loss * rows:
                continue
            if size and -gain > key[heap[0]]:
                size = push(heap, key, size, j, -gain)
                continue
            _take(selection, candidates, j, assignments)
    return size


def _take(selection, candidates, j, assignments):
    """Let the selected rows form a class."""
    low = candidates.begin[j]
    for s in range(low, candidates.begin[j + 1]):
        end = selection.end[s - low]
        for a in range(candidates.first[s], min(end + 1, candidates.first[s + 1])):
            i = candidates.item[a]
            rows = selection.available[i] if a < end else selection.part[s - low]
            if rows:
                add(assignments, i, j, rows)
                selection.available[i] -= rows
