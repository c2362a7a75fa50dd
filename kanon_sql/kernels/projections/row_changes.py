"""Several cells of a row change at once: it hides what another row does, or shows two cells for one.

Only rows count here, not people or sensitive values.
"""

from __future__ import annotations

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.projections.changes import changed_cells, most_short, strict
from kanon_sql.kernels.projections.shortfall import toggle
from kanon_sql.kernels.random import below


def may(classes, r, c):
    """Return whether a cell may be hidden or shown: of levels, finer ones are hidden first, and coarser ones shown first."""
    neighbour = classes.coarser[c] if classes.hidden[r, c] else classes.finer[c]
    return neighbour < 0 or classes.hidden[r, neighbour] != classes.hidden[r, c]


def other_row(classes, r, cost, penalty, worse, state):
    """Let a row hide what another row of the same value hides; return what it changes of the cost."""
    c = below(state, cost.shape[0])
    d = below(state, cost.shape[0])
    if classes.alike_size[r, d] < classes.alike_size[r, c]:
        c = d
    q = classes.alike[c, classes.alike_start[r, c] + below(state, classes.alike_size[r, c])]
    bits: cython.ulonglong = cython.cast(cython.ulonglong, 0)
    for c in range(cost.shape[0]):
        if classes.hidden[r, c] != classes.hidden[q, c]:
            bits |= cython.cast(cython.ulonglong, 1) << c
    return _turned(classes, r, bits, cost, penalty, worse, state)


def two_for_one(classes, r, cost, penalty, worse, state):
    """Try to hide a cell of a row and show two others, none of them of a column with levels; return the change of the cost."""
    columns = cost.shape[0]
    bits: cython.ulonglong = cython.cast(cython.ulonglong, 0)
    for n in range(3):
        c = below(state, columns)
        for _ in range(columns):
            if classes.hidden[r, c] == (n > 0):
                break
            c = c + 1 if c + 1 < columns else 0
        if classes.hidden[r, c] == (n > 0) and classes.finer[c] < 0 and classes.coarser[c] < 0:
            bits |= cython.cast(cython.ulonglong, 1) << c
    return _turned(classes, r, bits, cost, penalty, worse, state)


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
