"""How many rows classes would be short of if a cell were hidden or shown: nothing is changed. Only rows count."""

from __future__ import annotations

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.projections.classes import key_of, missing

_NEVER = cython.declare(cython.longlong, 1 << 40)
"""A penalty above the gain of any change: no class may then get short of rows."""

_SLACK = cython.declare(cython.longlong, 1)
"""Rows that sets looked at later may make up for."""

_AT_ONCE = cython.declare(cython.longlong, 12)
"""Sets whose classes are looked up together."""


def strict(penalty):
    """Return whether no class may get short of rows."""
    return penalty >= _NEVER


def most_short(penalty, affordable):
    """Return how many rows the first sets may be short of, so that others are looked at: those ``affordable``, and more."""
    if penalty >= _NEVER:
        return 0
    return _SLACK + (affordable // penalty if affordable > 0 else 0)


def found_at(classes, key):
    """Return the place of a class, or an empty one that it would get."""
    place = cython.cast(cython.longlong, key & cython.cast(cython.ulonglong, classes.last))
    while classes.entry[place, 0] != cython.cast(cython.longlong, key) and classes.entry[place, 0] != 0:
        place = (place + 1) & classes.last
    return place


def word_change(classes, r, c):
    """Return what hiding or showing a cell changes of the keys of its row."""
    return classes.cell[r, c] ^ (classes.word[r, c] if classes.hidden[r, c] else classes.hidden_word[c])


def changed(classes, r, c, other, most):
    """Return how many more rows classes would be short of if a cell, or another one, too, were hidden or shown.

    If some sets alone are short of more than ``most``, the others are not looked at.
    """
    first: cython.ulonglong = word_change(classes, r, c)
    second: cython.ulonglong = word_change(classes, r, other) if other >= 0 else 0
    start = classes.of_start[c]
    size = classes.of_start[c + 1] - start
    part = classes.barred[r, c]  # the sets that barred the change last are looked at first
    if part < 0:
        part = 0
    short = 0
    done = 0
    while done < size:
        n = 0  # all places are found before any is read, so that the processor waits for many of them at once
        begin = part
        while n < _AT_ONCE and done < size:
            s = classes.of_set[start + part]
            find(classes, r, s, first ^ second if other >= 0 and classes.within[s, other] else first, n)
            n += 1
            done += 1
            part = part + 1 if part + 1 < size else 0
        short += _short(classes, r, n)
        if short > most:
            classes.barred[r, c] = begin
            return short
    n = 0
    if other >= 0:
        for i in range(classes.of_start[other], classes.of_start[other + 1]):
            s = classes.of_set[i]
            if not classes.within[s, c]:
                find(classes, r, s, second, n)
                n += 1
    return short + _short(classes, r, n)


def changed_cells(classes, r, bits, most):
    """Return the same for the cells of a row in the columns of these bits."""
    sets = classes.need.shape[0]
    s = classes.barring[r]
    short = 0
    done = 0
    while done < sets:
        n = 0
        begin = s
        while n < _AT_ONCE and done < sets:
            key: cython.ulonglong = cython.cast(cython.ulonglong, 0)
            change: cython.ulonglong = cython.cast(cython.ulonglong, 0)
            for i in range(classes.set_start[s], classes.set_start[s + 1]):
                c = classes.member[i]
                key ^= classes.cell[r, c]
                if (bits >> c) & 1:
                    change ^= word_change(classes, r, c)
            if change != 0:
                classes.left[n] = found_at(classes, key)
                classes.joined[n] = found_at(classes, key ^ change)
                classes.changing[n] = s
                n += 1
            done += 1
            s = s + 1 if s + 1 < sets else 0
        short += _short(classes, r, n)
        if short > most:
            classes.barring[r] = begin
            return short
    return short


def find(classes, r, s, change, n):
    """Note as the n-th the places of the classes of a row by a set, before its key changes and after."""
    key: cython.ulonglong = key_of(classes, r, s)
    classes.left[n] = found_at(classes, key)
    classes.joined[n] = found_at(classes, key ^ change)
    classes.changing[n] = s


def _short(classes, r, n):
    """Return how many more rows the classes by the first n sets that were noted are short of."""
    short = 0
    for i in range(n):
        short += short_by(classes, classes.weight[r], classes.need[classes.changing[i]], classes.left[i], classes.joined[i])
    return short


def short_by(classes, weight, need, left, joined):
    """Return how many more rows two classes are short of when a row leaves the one and joins the other."""
    short = 0
    rows = classes.entry[left, 1]
    if rows < need + weight:
        short = missing(rows - weight, need) - missing(rows, need)
    rows = classes.entry[joined, 1]
    if rows < need:
        short += missing(rows + weight, need) - missing(rows, need)
    return short


def bars(classes, r, s, change):
    """Return whether a class would get too small if the key of a row by a set changed, if none is."""
    key: cython.ulonglong = key_of(classes, r, s)
    return short_by(classes, classes.weight[r], classes.need[s], found_at(classes, key), found_at(classes, key ^ change)) > 0


def breaks(classes, r, c, other):
    """Return whether some class would get too small, if none is: the sets that barred such a change last go first."""
    first: cython.ulonglong = word_change(classes, r, c)
    second: cython.ulonglong = word_change(classes, r, other) if other >= 0 else 0
    start = classes.of_start[c]
    size = classes.of_start[c + 1] - start
    part = classes.barred[r, c]
    if part < 0:
        part = 0
    for i in range(size):
        s = classes.of_set[start + part]
        if bars(classes, r, s, first ^ second if other >= 0 and classes.within[s, other] else first):
            classes.barred[r, c] = part
            return True
        part = part + 1 if part + 1 < size else 0
    if other >= 0:
        for i in range(classes.of_start[other], classes.of_start[other + 1]):
            s = classes.of_set[i]
            if not classes.within[s, c] and bars(classes, r, s, second):
                return True
    return False
