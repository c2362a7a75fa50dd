"""The classes that instances form at some prices of rows, and the rows that they cover."""

from __future__ import annotations

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.requirements.candidates import Candidates, sort_by_price
from kanon_sql.kernels.requirements.selection import Selection, clear, select

_INFINITE = cython.declare(cython.double, float("inf"))


def cover(
    selection: Selection,
    candidates: Candidates,
    cost: cython.longlong[::1],
    chunk: tuple[int, int],
    floor: cython.double,
    covered: cython.longlong[::1],
    surplus: cython.double[::1],
) -> float:
    """Return what the classes of a chunk of instances gain, and add the rows that they cover.

    Parameters
    ----------
    selection, candidates
        The rows of each row type and their prices; the candidates of the chunk are sorted by them.
    cost : int64 array [j]
        What a row costs in each instance.
    chunk : tuple of int
        The first instance, and the one behind the last.
    floor : float
        A gain below which no class is wanted.
    covered : int64 array [t]
        Grows by the rows in the classes.
    surplus : float64 array [j]
        Set to what each instance of the chunk gains: a guess where no price exceeds its cost, -inf where it holds no class.
    """
    first: cython.longlong = chunk[0]
    last: cython.longlong = chunk[1]
    total: cython.double
    with cython.nogil:
        total = _cover(selection, candidates, cost, first, last, floor, covered, surplus)
    return total


def _cover(selection, candidates, cost, chunk_first, chunk_last, floor, covered, surplus):
    total: cython.double = 0.0
    for j in range(chunk_first, chunk_last):
        low = candidates.begin[j]
        high = candidates.begin[j + 1]
        highest: cython.double = -_INFINITE
        for a in range(candidates.first[low], candidates.first[high]):
            highest = max(highest, selection.price[candidates.item[a]])
        surplus[j] = (highest - cost[j]) * selection.required.least
        if highest <= cost[j]:
            continue
        for s in range(low, high):
            sort_by_price(candidates.item, candidates.first[s], candidates.first[s + 1], selection.price, selection.scratch)
        clear(selection)
        surplus[j], rows = select(selection, candidates, j, cost[j], floor, 0)
        if rows == 0 and surplus[j] > floor:
            surplus[j] = -_INFINITE
        if surplus[j] > 0.0:
            total += surplus[j]
            for s in range(low, high):
                for a in range(candidates.first[s], selection.end[s - low]):
                    i = candidates.item[a]
                    covered[i] += selection.available[i]
                if selection.part[s - low]:
                    covered[candidates.item[selection.end[s - low]]] += selection.part[s - low]
    return total
