"""What a cascade asks of classes by sets of columns: which fail, and what cells are hidden for them."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from kanon_sql.kernels import uncompiled as cython

if not cython.compiled:  # compiled, they come from the .pxd
    from kanon_sql.kernels.projections.classes import SetClasses, crowded, key_of, place_of
    from kanon_sql.kernels.projections.shortfall import fails, short_of, toggle


def small_by_column(classes: SetClasses, rows: cython.longlong[::1], found: cython.longlong[:, ::1]) -> int:
    """List the failing classes of these rows, count for each cell those by sets with it, int64 [n, m]; return their number."""
    number: cython.longlong = 0
    n: cython.longlong
    r: cython.longlong
    s: cython.longlong
    i: cython.longlong
    found[:] = 0
    with cython.nogil:
        for n in range(rows.shape[0]):
            r = rows[n]
            for s in range(classes.need.shape[0]):
                if fails(classes, s, place_of(classes, key_of(classes, r, s))):
                    if number < classes.failing.shape[0]:
                        classes.failing[number, 0] = r
                        classes.failing[number, 1] = s
                    number += 1
                    for i in range(classes.set_start[s], classes.set_start[s + 1]):
                        found[r, classes.member[i]] += 1
    classes.listed = min(number, classes.failing.shape[0])
    return number


def hide_each(classes: SetClasses, rows: cython.longlong[::1], columns: cython.longlong[::1]) -> int:
    """Hide a shown cell of each of these rows while there are places for classes; return how many."""
    n: cython.longlong = 0
    with cython.nogil:
        while n < rows.shape[0] and not crowded(classes):
            toggle(classes, rows[n], columns[n])
            n += 1
    return n


def short(classes: SetClasses, row: int, number: int) -> int:
    """Return how many rows, people or values the class of a row by a set is short of."""
    return short_of(classes, number, place_of(classes, key_of(classes, row, number)))


def toggled(classes: SetClasses, row: int, column: int) -> int:
    """Hide or show a cell; return how many more rows classes are short of."""
    return toggle(classes, row, column)
