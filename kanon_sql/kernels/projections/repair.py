"""The best way for a row to hide or show some cells: what else it hides or shows. Only rows count, and no column has levels."""

from __future__ import annotations

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.projections.changes import found_at, short_by, word_change
from kanon_sql.kernels.projections.classes import SetClasses
from kanon_sql.kernels.projections.shortfall import toggle

_MORE = cython.declare(cython.longlong, 3)
"""Cells that change in addition to those that have to."""


def best_change(
    classes: SetClasses,
    r: cython.longlong,
    bits: cython.ulonglong,
    kept: cython.ulonglong,
    cost: cython.longlong[::1],
    penalty: cython.longlong[::1],
) -> tuple[int, int]:
    """Return what it costs that a row changes the given cells and others that make good for it, and all of these, as bits.

    Parameters
    ----------
    classes : SetClasses
        Not changed.
    r : int
        The row.
    bits, kept : int
        The columns that have to change, and those that must not.
    cost : int64 array [m]
        Cost of hiding a cell.
    penalty : int64 array [s]
        What each row that a class by a set is short of costs.
    """
    lowest = 0
    one: cython.ulonglong
    with cython.nogil:
        for c in range(cost.shape[0]):
            if (bits >> c) & 1:
                lowest += _moved(classes, r, c, cost)
        for s in range(classes.need.shape[0]):
            classes.now[s] = _short(classes, r, s, bits)
            lowest += penalty[s] * classes.now[s]
        for n in range(_MORE):
            best = -1
            least = 0
            for c in range(cost.shape[0]):
                one = cython.cast(cython.ulonglong, 1) << c
                if (bits | kept) & one:
                    continue
                extra_cost = _too(classes, r, c, bits | one, cost, penalty, least)
                if extra_cost < least:
                    best = c
                    least = extra_cost
            if best < 0:
                break
            bits |= cython.cast(cython.ulonglong, 1) << best
            lowest += least
            for i in range(classes.of_start[best], classes.of_start[best + 1]):
                s = classes.of_set[i]
                classes.now[s] = _short(classes, r, s, bits)
    return lowest, bits


def turn(classes: SetClasses, r: cython.longlong, bits: cython.ulonglong) -> None:
    """Hide the shown cells of a row in some columns, and show the hidden ones."""
    with cython.nogil:
        for c in range(classes.cell.shape[1]):
            if (bits >> c) & 1:
                toggle(classes, r, c)


def _too(classes, r, c, bits, cost, penalty, most):
    """Return what it costs that a cell changes, too; if that is not below ``most``, something that is not."""
    extra_cost = _moved(classes, r, c, cost)
    start = classes.of_start[c]
    size = classes.of_start[c + 1] - start
    for i in range(size):
        s = classes.of_set[start + i]
        extra_cost -= penalty[s] * classes.now[s]
    part = classes.barred[r, c]  # the sets that barred the change last are looked at first
    if part < 0:
        part = 0
    for _ in range(size):
        if extra_cost >= most:
            classes.barred[r, c] = part
            return extra_cost
        s = classes.of_set[start + part]
        extra_cost += penalty[s] * _short(classes, r, s, bits)
        part = part + 1 if part + 1 < size else 0
    return extra_cost


def _moved(classes, r, c, cost):
    """Return what hiding or showing a cell changes of the cost."""
    return (-cost[c] if classes.hidden[r, c] else cost[c]) * classes.weight[r]


def _short(classes, r, s, bits):
    """Return how many more rows the classes of a row by a set are short of when the row changes the cells of these columns."""
    key: cython.ulonglong = cython.cast(cython.ulonglong, 0)
    change: cython.ulonglong = cython.cast(cython.ulonglong, 0)
    for i in range(classes.set_start[s], classes.set_start[s + 1]):
        c = classes.member[i]
        key ^= classes.cell[r, c]
        if (bits >> c) & 1:
            change ^= word_change(classes, r, c)
    if change == 0:
        return 0
    return short_by(classes, classes.weight[r], classes.need[s], found_at(classes, key), found_at(classes, key ^ change))
