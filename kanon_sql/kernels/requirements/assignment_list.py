"""A list of pieces, rows of one row type in one class, that grows between calls of a kernel."""

from __future__ import annotations

import numpy as np

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import empty_int32, empty_int64


@cython.final
@cython.cclass
class AssignmentList:
    """The pieces found by a kernel, which stops where the next ones might find no space, and goes on after `reserve`.

    Attributes
    ----------
    size, capacity : int
        Pieces in the list, and the space for them.
    row_type, number : int32 arrays [capacity]
        Row type of each piece, and the number of its instance or pattern.
    count : int64 array [capacity]
        Its rows.
    """

    def __init__(self, capacity: int) -> None:
        self.size, self.capacity = 0, capacity
        self.row_type, self.number = empty_int32(capacity), empty_int32(capacity)
        self.count = empty_int64(capacity)

    def reserve(self, more: int) -> None:
        """Make space for more pieces, and at least for twice as many as before."""
        space = max(more, self.capacity)
        self.row_type = np.concatenate([self.row_type, np.empty(space, np.int32)])
        self.number = np.concatenate([self.number, np.empty(space, np.int32)])
        self.count = np.concatenate([self.count, np.empty(space, np.int64)])
        self.capacity += space


def add(assignments, i, j, rows):
    """Add a piece, for which there is space."""
    assignments.row_type[assignments.size] = i
    assignments.number[assignments.size] = j
    assignments.count[assignments.size] = rows
    assignments.size += 1
