"""What a cascade asks of classes by sets of columns: which fail, or always would, and what cells are hidden for them."""

from __future__ import annotations

import numpy as np

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.projections.classes import SetClasses, crowded, key_of, keys_by, place_of
from kanon_sql.kernels.projections.shortfall import fails, short_of, toggle


def small_by_column(classes: SetClasses, rows: cython.longlong[::1], found: cython.longlong[:, ::1]) -> int:
    """List the failing classes of these rows, count for each cell those by sets with it, int64 [n, m]; return their number."""
    cells: cython.ulonglong[:, ::1] = np.ascontiguousarray(np.asarray(classes.cell)[np.asarray(rows)].T)
    keys: cython.ulonglong[::1] = np.empty(len(rows), np.uint64)
    seen: cython.ulonglong[::1] = classes.seen_key
    bad: cython.longlong[::1] = classes.seen_rows
    number = 0
    found[:] = 0
    seen[:] = 0
    with cython.nogil:
        for s in range(classes.need.shape[0]):
            keys_by(classes, s, cells, keys)
            for n in range(keys.shape[0]):
                at = cython.cast(cython.longlong, keys[n] & cython.cast(cython.ulonglong, seen.shape[0] - 1))
                if seen[at] != keys[n]:
                    seen[at] = keys[n]
                    bad[at] = fails(classes, s, place_of(classes, keys[n]))
                if bad[at] == 0:
                    continue
                if number < classes.failing.shape[0]:
                    classes.failing[number, 0] = rows[n]
                    classes.failing[number, 1] = s
                number += 1
                for i in range(classes.set_start[s], classes.set_start[s + 1]):
                    found[rows[n], classes.member[i]] += 1
    classes.listed = min(number, classes.failing.shape[0])
    return number


def note_rare(classes: SetClasses) -> None:
    """Note which classes too few rows could be in. The classes are counted, and all rows show what they may."""
    cells: cython.ulonglong[:, ::1] = np.ascontiguousarray(np.asarray(classes.cell).T)
    keys: cython.ulonglong[::1] = np.empty(len(classes.weight), np.uint64)
    rare: cython.uchar[::1] = np.zeros(len(classes.entry), np.uint8)
    with cython.nogil:
        for s in range(classes.need.shape[0]):
            keys_by(classes, s, cells, keys)
            for n in range(keys.shape[0]):
                place = place_of(classes, keys[n])
                rare[place] = classes.entry[place, 1] < classes.need[s]
    classes.rare = np.asarray(classes.entry)[np.asarray(rare) > 0, 0]
    classes.count()


def hide_each(classes: SetClasses, rows: cython.longlong[::1], columns: cython.longlong[::1]) -> int:
    """Hide a shown cell of each of these rows while there are places for classes; return how many."""
    n = 0
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
