"""How many rows classes would be short of if a cell were hidden or shown: nothing is changed. Only rows count."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from kanon_sql.kernels import uncompiled as cython

if not cython.compiled:  # compiled, they come from the .pxd
    from kanon_sql.kernels.projections.classes import key_of


def found_at(classes, key):
    """Return the place of a class, or an empty one that it would get."""
    place = cython.cast(cython.longlong, key & cython.cast(cython.ulonglong, classes.last))
    while classes.entry[place, 0] != cython.cast(cython.longlong, key) and classes.entry[place, 0] != 0:
        place = (place + 1) & classes.last
    return place


def word_change(classes, r, c):
    """Return what hiding or showing a cell changes of the keys of its row."""
    return classes.cell[r, c] ^ (classes.word[r, c] if classes.hidden[r, c] else classes.hidden_word[c])


def changed(classes, r, c, other):
    """Return how many more rows classes would be short of if a cell, or another one, too, were hidden or shown."""
    first = word_change(classes, r, c)
    second = word_change(classes, r, other) if other >= 0 else 0
    n = 0  # all places are found before any is read, so that the processor waits for many of them at once
    for i in range(classes.of_start[c], classes.of_start[c + 1]):
        s = classes.of_set[i]
        find(classes, r, s, first ^ second if other >= 0 and classes.within[s, other] else first, n)
        n += 1
    if other >= 0:
        for i in range(classes.of_start[other], classes.of_start[other + 1]):
            s = classes.of_set[i]
            if not classes.within[s, c]:
                find(classes, r, s, second, n)
                n += 1
    short = 0
    for i in range(n):
        short += short_by(classes, classes.weight[r], classes.need[classes.changing[i]], classes.left[i], classes.joined[i])
    return short


def find(classes, r, s, change, n):
    """Note as the n-th the places of the classes of a row by a set, before its key changes and after."""
    key = key_of(classes, r, s)
    classes.left[n] = found_at(classes, key)
    classes.joined[n] = found_at(classes, key ^ change)
    classes.changing[n] = s


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
    key = key_of(classes, r, s)
    return short_by(classes, classes.weight[r], classes.need[s], found_at(classes, key), found_at(classes, key ^ change)) > 0


def breaks(classes, r, c, other):
    """Return whether some class would get too small, if none is: the set that barred such a change last is looked at first."""
    first = word_change(classes, r, c)
    second = word_change(classes, r, other) if other >= 0 else 0
    s = classes.barred[r, c]
    if s >= 0 and bars(classes, r, s, first ^ second if other >= 0 and classes.within[s, other] else first):
        return True
    for i in range(classes.of_start[c], classes.of_start[c + 1]):
        s = classes.of_set[i]
        if bars(classes, r, s, first ^ second if other >= 0 and classes.within[s, other] else first):
            classes.barred[r, c] = s
            return True
    if other >= 0:
        for i in range(classes.of_start[other], classes.of_start[other + 1]):
            s = classes.of_set[i]
            if not classes.within[s, c] and bars(classes, r, s, second):
                return True
    return False


def missing(rows, need):
    """Return how many rows have to join a class or leave it until it is large enough, or there is none."""
    if rows >= need:
        return 0
    return need - rows if need - rows < rows else rows
