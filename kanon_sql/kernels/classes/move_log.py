"""Moves of rows into classes and out of them: so that a search can take them back, or make the best of them again."""

from __future__ import annotations

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import empty_int32, empty_int64


@cython.final
@cython.cclass
class MoveLog:
    """The moves made so far, and a part of them that was kept.

    Parameters
    ----------
    most : int
        Moves there is space for.

    Attributes
    ----------
    count, row_type, number, rows : int, int32 arrays, int64 array
        Move a puts ``rows[a]`` rows of row type ``row_type[a]`` into class ``number[a]``; below 0, it takes them out.
    kept, kept_type, kept_number, kept_rows : int, int32 arrays, int64 array
        The same of the moves that were kept.
    """

    def __init__(self, most: int) -> None:
        self.count = self.kept = 0
        self.row_type, self.number, self.rows = empty_int32(most), empty_int32(most), empty_int64(most)
        self.kept_type, self.kept_number = empty_int32(most), empty_int32(most)
        self.kept_rows = empty_int64(most)


def log(moves, i, j, rows):
    """Note a move: rows of row type i into class j, or out of it where they are below 0."""
    moves.row_type[moves.count] = i
    moves.number[moves.count] = j
    moves.rows[moves.count] = rows
    moves.count += 1


def added_cost(moves, cost, first):
    """Return what the moves from the one with this number on add to the cost, if a row of class j costs ``cost[j]``."""
    added = 0
    for a in range(first, moves.count):
        added += moves.rows[a] * cost[moves.number[a]]
    return added


def add_by_row_type(moves, cost, first, total):
    """Add to ``total[i]`` what the moves from the one with this number on cost the rows of row type i."""
    for a in range(first, moves.count):
        total[moves.row_type[a]] += moves.rows[a] * cost[moves.number[a]]


def keep(moves, first):
    """Keep the moves from the one with this number on, in place of those kept before."""
    moves.kept = moves.count - first
    for a in range(moves.kept):
        moves.kept_type[a] = moves.row_type[first + a]
        moves.kept_number[a] = moves.number[first + a]
        moves.kept_rows[a] = moves.rows[first + a]
