"""Several cells of a row change at once: it hides what another row does, shows two cells for one, or joins a failing class.

Only rows count here, not people or sensitive values.
"""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from kanon_sql.kernels import uncompiled as cython

if not cython.compiled:  # compiled, they come from the .pxd
    from kanon_sql.kernels.projections.changes import changed_cells, most_short, strict
    from kanon_sql.kernels.projections.classes import toggle
    from kanon_sql.kernels.random import below

_CANDIDATES = cython.declare(cython.longlong, 32)
"""Rows that are looked at for one that can join a class."""


def may(classes, r, c):
    """Return whether a cell may be hidden or shown: of levels, finer ones are hidden first, and coarser ones shown first."""
    beside = classes.coarser[c] if classes.hidden[r, c] else classes.finer[c]
    return beside < 0 or classes.hidden[r, beside] != classes.hidden[r, c]


def other_row(classes, r, cost, penalty, worse, state):
    """Let a row hide what another row of the same value hides; return what it changes of the cost."""
    c = below(state, cost.shape[0])
    d = below(state, cost.shape[0])
    if classes.alike_size[r, d] < classes.alike_size[r, c]:
        c = d
    q = classes.alike[c, classes.alike_start[r, c] + below(state, classes.alike_size[r, c])]
    bits = cython.cast(cython.ulonglong, 0)
    for c in range(cost.shape[0]):
        if classes.hidden[r, c] != classes.hidden[q, c]:
            bits |= cython.cast(cython.ulonglong, 1) << c
    return _turned(classes, r, bits, cost, penalty, worse, state)


def two_for_one(classes, r, cost, penalty, worse, state):
    """Try to hide a cell of a row and show two others, none of them of a column with levels; return the change of the cost."""
    columns = cost.shape[0]
    bits = cython.cast(cython.ulonglong, 0)
    for n in range(3):
        c = below(state, columns)
        for _ in range(columns):
            if classes.hidden[r, c] == (n > 0):
                break
            c = c + 1 if c + 1 < columns else 0
        if classes.hidden[r, c] == (n > 0) and classes.finer[c] < 0 and classes.coarser[c] < 0:
            bits |= cython.cast(cython.ulonglong, 1) << c
    return _turned(classes, r, bits, cost, penalty, worse, state)


def joined(classes, r, s, cost, penalty, worse, state):
    """Let another row join the class of a row by a set; return what it changes of the cost."""
    rarest = -1
    for i in range(classes.set_start[s], classes.set_start[s + 1]):
        c = classes.member[i]
        if not classes.hidden[r, c] and (rarest < 0 or classes.alike_size[r, c] < classes.alike_size[r, rarest]):
            rarest = c
    for _ in range(_CANDIDATES):
        if rarest < 0:
            q = below(state, classes.weight.shape[0])
        else:
            q = classes.alike[rarest, classes.alike_start[r, rarest] + below(state, classes.alike_size[r, rarest])]
        bits = cython.cast(cython.ulonglong, 0)
        for i in range(classes.set_start[s], classes.set_start[s + 1]):
            c = classes.member[i]
            if not classes.hidden[r, c] and classes.word[q, c] != classes.word[r, c]:
                break
            if classes.hidden[q, c] != classes.hidden[r, c]:
                if not may(classes, q, c):
                    break
                bits |= cython.cast(cython.ulonglong, 1) << c
        else:
            if bits != 0:
                return _turned(classes, q, bits, cost, penalty, worse, state)
    return 0


def _turned(classes, r, bits, cost, penalty, worse, state):
    """Try to hide the shown cells of a row in some columns, and to show the hidden ones; return the change of the cost."""
    if bits == 0:
        return 0
    moved = 0
    for c in range(cost.shape[0]):
        if (bits >> c) & 1:
            moved += -cost[c] if classes.hidden[r, c] else cost[c]
    moved *= classes.weight[r]
    most = worse[below(state, worse.shape[0])]
    if strict(penalty) and moved > most:
        return 0
    if moved + penalty * changed_cells(classes, r, bits, most_short(penalty, most - moved)) > most:
        return 0
    for c in range(cost.shape[0]):
        if (bits >> c) & 1:
            toggle(classes, r, c)
    return moved
