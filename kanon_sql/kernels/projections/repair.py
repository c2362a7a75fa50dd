"""The best way for a row to hide or show some cells: what else it hides or shows. Only rows count, and no column has levels."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from kanon_sql.kernels import uncompiled as cython

if not cython.compiled:  # compiled, they come from the .pxd
    from kanon_sql.kernels.projections.changes import changed_cells
    from kanon_sql.kernels.projections.classes import SetClasses
    from kanon_sql.kernels.projections.shortfall import toggle

_MORE = cython.declare(cython.longlong, 3)
"""Cells that change beside those that have to."""


def best_change(
    classes: SetClasses,
    r: cython.longlong,
    bits: cython.ulonglong,
    kept: cython.ulonglong,
    cost: cython.longlong[::1],
    penalty: cython.longlong,
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
    penalty : int
        What each row that a class is short of costs.
    """
    c: cython.longlong
    n: cython.longlong
    best: cython.longlong
    value: cython.longlong
    lowest: cython.longlong
    one: cython.ulonglong
    with cython.nogil:
        lowest = _value(classes, r, bits, cost, penalty, 1 << 60)
        for n in range(_MORE):
            best = -1
            for c in range(cost.shape[0]):
                one = cython.cast(cython.ulonglong, 1) << c
                if (bits | kept) & one:
                    continue
                value = _value(classes, r, bits | one, cost, penalty, lowest)
                if value < lowest:
                    best = c
                    lowest = value
            if best < 0:
                break
            bits |= cython.cast(cython.ulonglong, 1) << best
    return lowest, bits


def turn(classes: SetClasses, r: cython.longlong, bits: cython.ulonglong) -> None:
    """Hide the shown cells of a row in some columns, and show the hidden ones."""
    c: cython.longlong
    with cython.nogil:
        for c in range(classes.cell.shape[1]):
            if (bits >> c) & 1:
                toggle(classes, r, c)


def _value(classes, r, bits, cost, penalty, lowest):
    """Return what a change of a row costs; if that is not below ``lowest``, something above it."""
    moved = 0
    for c in range(cost.shape[0]):
        if (bits >> c) & 1:
            moved += -cost[c] if classes.hidden[r, c] else cost[c]
    moved *= classes.weight[r]
    return moved + penalty * changed_cells(classes, r, bits, 1 + (lowest - moved) // penalty)
