"""Scratch arrays of destroy and repair: unassigned rows, the closed instances they fit, and the moves made."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import empty_int32, empty_int64, full_int32, zeros_int64
from kanon_sql.kernels.classes.move_log import MoveLog
from kanon_sql.kernels.classes.partition import CandidateClasses, put, take

MOST_INSTANCES = 16384

_MOVES_PER_ROW_TYPE, _MORE_MOVES = 64, 4096
"""A slot of a row type is emptied once, filled once, and moved to a cheaper class by two moves: four for each of 16 slots."""


@cython.final
@cython.cclass
class RepairWorkspace:
    """Scratch arrays of a search, allocated once.

    Parameters
    ----------
    candidates : CandidateClasses
        The candidate classes.
    k : int
        Least rows of a class.
    size : int
        Row types of a neighbourhood.
    learnt : int64 array [t]
        The price of a row of each row type from which a neighbourhood starts: of the candidates, then what repairs made of it.
    vain : int32 array [t]
        How often the neighbourhood of each row type was rebuilt since the cost last fell there.

    Attributes
    ----------
    size, types, row : int, int, int32 array
        Row types that a neighbourhood has at most, about; those of the unassigned rows are ``row[:types]``.
    own, price : int64 arrays
        Of each of them, the unassigned rows, and the price of a row, which the repairs adapt.
    cheapest_open : int32 array
        Of each of them, the cheapest class that stays open, -1 where there is none.
    rows, capped_price, fallback : int64, int64, int32 arrays [t]
        By row type: the rows still unassigned; the price of a row, at most the cost of its cheapest open class; and that class.
    moves : MoveLog
        Those made so far, and those of the cheapest repair.
    top_up : int64 array [k]
        Row types that fill an instance up to k rows.
    closed, instance, begin, entry, value, gaining : int, int32 array, int64 array, int32 array, int64 array, int32 array
        The closed instances that k unassigned rows fit: ``instance[q]``, whose row types are
        ``entry[begin[q] : begin[q + 1]]``, gains ``value[q]`` or less; and which of them may gain something.
    number : int32 array [j]
        While they are listed, the place of an instance among those that are closed, or -1.
    listed, listed_end : int32, int64 arrays
        That place for each closed candidate of the unassigned row types, one after the other, and where those of each end.
    fitting, filled, wanted : int64 arrays
        Rows and entries of each place, and whether it costs some row type less than any open class.
    """

    def __init__(
        self, candidates: CandidateClasses, k: int, size: int, learnt: NDArray[np.int64], vain: NDArray[np.int32]
    ) -> None:
        t, most, moves = len(candidates.weight), 2 * size + 64, _MOVES_PER_ROW_TYPE * size + _MORE_MOVES
        self.size, self.types, self.closed = size, 0, 0
        self.row, self.cheapest_open = empty_int32(most), empty_int32(most)
        self.own, self.price = empty_int64(most), empty_int64(most)
        self.learnt, self.vain = learnt, vain
        self.rows, self.capped_price = zeros_int64(t), empty_int64(t)
        self.fallback = empty_int32(t)
        self.moves = MoveLog(moves)
        self.top_up = empty_int64(k)
        self.instance = empty_int32(MOST_INSTANCES)
        self.begin = empty_int64(MOST_INSTANCES + 1)
        entries = most * int(np.diff(candidates.first).max(initial=0))
        self.entry, self.listed = empty_int32(entries), empty_int32(entries)
        self.listed_end = empty_int64(most)
        self.value, self.gaining = empty_int64(MOST_INSTANCES), empty_int32(MOST_INSTANCES)
        self.number = full_int32(len(candidates.cost), -1)
        self.fitting, self.filled = empty_int64(MOST_INSTANCES), empty_int64(MOST_INSTANCES)
        self.wanted = empty_int64(MOST_INSTANCES)


def undo(partition, moves, first):
    """Take back all moves from the one with this number on."""
    for a in range(moves.count - 1, first - 1, -1):
        if moves.rows[a] < 0:
            put(partition, moves.row_type[a], moves.number[a], -moves.rows[a])
        else:
            take(partition, moves.row_type[a], moves.number[a], moves.rows[a])
    moves.count = first


def replay(partition, moves):
    """Make the kept moves again, in the state in which they were made: each finds its slot."""
    for a in range(moves.kept):
        if moves.kept_rows[a] < 0:
            take(partition, moves.kept_type[a], moves.kept_number[a], -moves.kept_rows[a])
        else:
            put(partition, moves.kept_type[a], moves.kept_number[a], moves.kept_rows[a])
