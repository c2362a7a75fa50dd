"""Classes that fail, and the rows that fit them. Only rows count.

A class is given by a row that has its values, a set, and the columns of the set that it hides, as bits.
"""

from __future__ import annotations

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.projections.changes import found_at
from kanon_sql.kernels.projections.classes import SetClasses, missing


def key_by(classes: SetClasses, r: cython.longlong, s: cython.longlong, part: cython.ulonglong) -> int:
    """Return the key of a class."""
    return _key(classes, r, s, part)


def short_in(classes: SetClasses, r: cython.longlong, s: cython.longlong, part: cython.ulonglong) -> int:
    """Return how many rows a class is short of."""
    return missing(classes.entry[found_at(classes, _key(classes, r, s, part)), 1], classes.need[s])


def fitting_rows(
    classes: SetClasses,
    r: cython.longlong,
    s: cython.longlong,
    part: cython.ulonglong,
    rows: cython.longlong[::1],
    inside: cython.uchar[::1],
) -> int:
    """Find the rows that have the values of a class, and whether they are in it, both [n]; return how many they are."""
    n = 0
    best = -1
    fits: cython.bint
    alike: cython.bint
    with cython.nogil:
        for i in range(classes.set_start[s], classes.set_start[s + 1]):
            c = classes.member[i]
            if not (part >> c) & 1 and (best < 0 or classes.alike_size[r, c] < classes.alike_size[r, best]):
                best = c
        size = classes.weight.shape[0] if best < 0 else classes.alike_size[r, best]
        for j in range(size):
            q = j if best < 0 else classes.alike[best, classes.alike_start[r, best] + j]
            fits = True
            alike = True
            for i in range(classes.set_start[s], classes.set_start[s + 1]):
                c = classes.member[i]
                if (part >> c) & 1:
                    alike = alike and classes.hidden[q, c] == 1
                elif classes.word[q, c] != classes.word[r, c]:
                    fits = False
                    break
                else:
                    alike = alike and classes.hidden[q, c] == 0
            if fits:
                rows[n] = q
                inside[n] = alike
                n += 1
    return n


def failing_after(classes: SetClasses, r: cython.longlong, bits: cython.ulonglong, found: cython.longlong[:, ::1]) -> int:
    """Find the failing classes that a row left and joined when it changed these columns; return how many they are.

    ``found`` is int64 [2 s, 2]: the set, and the columns that are hidden.
    """
    n = 0
    now: cython.ulonglong
    before: cython.ulonglong
    with cython.nogil:
        for s in range(classes.need.shape[0]):
            now = 0
            before = 0
            for i in range(classes.set_start[s], classes.set_start[s + 1]):
                c = classes.member[i]
                if classes.hidden[r, c]:
                    now |= cython.cast(cython.ulonglong, 1) << c
                if (bits >> c) & 1:
                    before |= cython.cast(cython.ulonglong, 1) << c
            if before == 0:
                continue
            before ^= now
            if missing(classes.entry[found_at(classes, _key(classes, r, s, before)), 1], classes.need[s]) > 0:
                found[n, 0] = s
                found[n, 1] = before
                n += 1
            if missing(classes.entry[found_at(classes, _key(classes, r, s, now)), 1], classes.need[s]) > 0:
                found[n, 0] = s
                found[n, 1] = now
                n += 1
    return n


def _key(classes, r, s, part):
    """Return the key of a class."""
    key: cython.ulonglong = cython.cast(cython.ulonglong, 0)
    for i in range(classes.set_start[s], classes.set_start[s + 1]):
        c = classes.member[i]
        key ^= classes.hidden_word[c] if (part >> c) & 1 else classes.word[r, c]
    return key
