"""Cells are hidden and shown at random, while classes by sets of columns that are short of rows cost something."""

from __future__ import annotations

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.projections.changes import breaks, changed, found_at, most_short, strict, word_change
from kanon_sql.kernels.projections.classes import SetClasses, crowded, key_of, place_of
from kanon_sql.kernels.projections.row_changes import may, other_row, two_for_one
from kanon_sql.kernels.projections.shortfall import fails, toggle
from kanon_sql.kernels.random import below

_ALIKE = cython.declare(cython.longlong, 2000)
"""Rows of a value that are looked at for those of a class."""

_GROUPS = cython.declare(cython.longlong, 16)
"""Of so many hidden cells that may be shown, one is shown together with others."""

_TRIED = cython.declare(cython.longlong, 8)
"""Sets of columns that are looked at for a class of a row that fails."""


def search(
    classes: SetClasses,
    active: cython.longlong[::1],
    cost: cython.longlong[::1],
    masks: cython.ulonglong[::1],
    penalty: cython.longlong,
    worse: cython.longlong[::1],
    steps: cython.longlong,
    state: cython.ulonglong[::1],
) -> int:
    """Hide and show random cells of the active rows, one or several of a row; return the changes tried while places were left.

    Parameters
    ----------
    classes : SetClasses
        Changes.
    active : int64 array
        The rows that may change.
    cost : int64 array [m]
        Cost of hiding a cell.
    masks : uint64 array [p]
        The columns that the permitted masks show, as bits; a row changes to one of them. Without any, every cell may change.
    penalty : int
        What each row that a class is short of costs; 2^40 lets none be short of any, if none is.
    worse : int64 array [1024]
        A change may cost at most one of these numbers, drawn at random.
    steps : int
        Changes to try.
    state : uint64 array [1]
        Of the random numbers.
    """
    n = 0
    with cython.nogil:
        while n < steps and not crowded(classes):
            if masks.shape[0] > 0:
                _other_mask(classes, active, cost, masks, penalty, worse, state)
            else:
                _step(classes, active, cost, penalty, worse, state)
            n += 1
    return n


def _step(classes, active, cost, penalty, worse, state):
    """Try to hide or show a cell; return what it changes of the cost."""
    columns = cost.shape[0]
    r = active[below(state, active.shape[0])]
    kind = below(state, 6 if classes.plain else 4)
    if kind == 4:
        return other_row(classes, r, cost, penalty, worse, state)
    if kind == 5:
        return two_for_one(classes, r, cost, penalty, worse, state)
    c = below(state, columns)
    other = -1
    if kind == 0:  # a cell of a failing class, of this row or of all its rows
        s = below(state, classes.need.shape[0])
        n = below(state, classes.listed) if classes.listed > 0 else -1
        if n >= 0:
            r = classes.failing[n, 0]
            s = classes.failing[n, 1]
        if not fails(classes, s, place_of(classes, key_of(classes, r, s))):
            if n >= 0:  # not any more: the last of the list takes its place
                classes.listed -= 1
                classes.failing[n, 0] = classes.failing[classes.listed, 0]
                classes.failing[n, 1] = classes.failing[classes.listed, 1]
            return 0
        c = _shown(classes, r, s, state)
        if c >= 0 and may(classes, r, c) and below(state, 2) == 0:
            return _whole_class(classes, r, s, c, cost, penalty, worse, state)
    elif kind < 3:  # a hidden cell, or a swap of one for a shown one
        for _ in range(columns):
            if classes.hidden[r, c]:
                break
            c = c + 1 if c + 1 < columns else 0
        if kind == 1 and classes.hidden[r, c] and not strict(penalty) and may(classes, r, c) and below(state, _GROUPS) == 0:
            s = _barring(classes, r, c, state)
            if s >= 0:
                return _whole_class(classes, r, s, c, cost, penalty, worse, state)
        if kind == 2:
            other = below(state, columns)
            if classes.hidden[r, c] == classes.hidden[r, other] or classes.coarser[c] == other or classes.finer[c] == other:
                return 0
    if c < 0 or not may(classes, r, c) or (other >= 0 and not may(classes, r, other)):
        return 0
    moved = -cost[c] if classes.hidden[r, c] else cost[c]
    if other >= 0:
        moved += -cost[other] if classes.hidden[r, other] else cost[other]
    moved *= classes.weight[r]
    if classes.plain:
        most = worse[below(state, worse.shape[0])]
        if strict(penalty):
            if moved > most or breaks(classes, r, c, other):
                return 0
        elif moved + penalty * changed(classes, r, c, other, most_short(penalty, most - moved)) > most:
            return 0
        toggle(classes, r, c)
        if other >= 0:
            toggle(classes, r, other)
        return moved
    short = toggle(classes, r, c)
    if other >= 0:
        short += toggle(classes, r, other)
    if moved + penalty * short <= worse[below(state, worse.shape[0])]:
        return moved
    toggle(classes, r, c)
    if other >= 0:
        toggle(classes, r, other)
    return 0


def _barring(classes, r, c, state):
    """Return a set by which a hidden cell of a row cannot be shown alone; -1 if some sets at random are none."""
    change: cython.ulonglong = word_change(classes, r, c)
    size = classes.of_start[c + 1] - classes.of_start[c]
    for _ in range(_TRIED if size else 0):
        s = classes.of_set[classes.of_start[c] + below(state, size)]
        if classes.entry[found_at(classes, key_of(classes, r, s) ^ change), 1] + classes.weight[r] < classes.need[s]:
            return s
    return -1


def _shown(classes, r, s, state):
    """Return a column of a set that a row shows; -1 if there is none."""
    first = classes.set_start[s]
    size = classes.set_start[s + 1] - first
    start = below(state, size)
    for i in range(size):
        c = classes.member[first + (start + i) % size]
        if not classes.hidden[r, c]:
            return c
    return -1


def _whole_class(classes, r, s, c, cost, penalty, worse, state):
    """Try to hide a column in all rows of a class, or to show it in those of one value; return what it changes of the cost."""
    best = c
    for i in range(classes.set_start[s], classes.set_start[s + 1]):
        other = classes.member[i]
        if not classes.hidden[r, other] and classes.alike_size[r, other] < classes.alike_size[r, best]:
            best = other
    if classes.alike_size[r, best] > _ALIKE:
        return 0
    key: cython.ulonglong = key_of(classes, r, s)
    n = 0
    for i in range(classes.alike_start[r, best], classes.alike_start[r, best] + classes.alike_size[r, best]):
        other = classes.alike[best, i]
        if classes.word[other, c] == classes.word[r, c] and key_of(classes, other, s) == key:
            if n == classes.members.shape[0]:
                return 0
            classes.members[n] = other
            n += 1
    moved = 0
    short = 0
    for i in range(n):
        other = classes.members[i]
        moved += (-cost[c] if classes.hidden[other, c] else cost[c]) * classes.weight[other]
        short += toggle(classes, other, c)
    if moved + penalty * short <= worse[below(state, worse.shape[0])]:
        return moved
    for i in range(n):
        toggle(classes, classes.members[i], c)
    return 0


def _other_mask(classes, active, cost, masks, penalty, worse, state):
    """Try another mask for a row; return what it changes of the cost."""
    r = active[below(state, active.shape[0])]
    mask: cython.ulonglong = masks[below(state, masks.shape[0])]
    moved = 0
    short = 0
    changed: cython.ulonglong = 0
    for c in range(cost.shape[0]):
        shown: cython.uchar = (mask >> c) & 1
        if shown == classes.hidden[r, c]:
            moved += -cost[c] if shown else cost[c]
            changed |= cython.cast(cython.ulonglong, 1) << c
            short += toggle(classes, r, c)
    moved *= classes.weight[r]
    if moved + penalty * short <= worse[below(state, worse.shape[0])]:
        return moved
    for c in range(cost.shape[0]):
        if (changed >> c) & 1:
            toggle(classes, r, c)
    return 0
