"""Cells that rows hide until every class by known columns has enough rows: the cascade, also the repair of a search."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels.projections.classes import SetClasses

_ROUNDS = 400
"""Rounds after which it gives up."""

_PART = 50
"""Of more than one row in so many that change at once, all classes are counted again."""


def cascade(classes: SetClasses, cost: NDArray[np.int64], over: NDArray[np.int64]) -> bool:
    """Hide cells until no class is too small; return whether none is.

    Parameters
    ----------
    classes : SetClasses
        Changes; its classes are counted.
    cost : int64 array [m]
        Cost of hiding a cell of each column.
    over : int64 array [n, m]
        Scratch.

    Notes
    -----
    In each round every row in a small class hides the cell that is in most of its small classes for its cost. Where all cells
    of a small class are hidden already, the rows that are nearest to it join it.
    """
    for _ in range(_ROUNDS):
        if classes.crowded and not classes.count():
            return False
        if classes.small_by_column(over) == 0:
            return True
        hidden = np.asarray(classes.hidden) > 0
        worth = np.where(hidden, 0.0, over / np.maximum(cost, 1))
        best, rows = worth.argmax(axis=1), np.flatnonzero(worth.max(axis=1) > 0)
        if len(rows) == 0 and not _fill(classes, over):
            return False
        if len(rows) > len(hidden) // _PART:
            changed = np.asarray(classes.hidden).copy()
            changed[rows, best[rows]] = 1
            if not classes.hide(changed):
                return False
        else:
            for row in rows.tolist():
                classes.toggled(row, int(best[row]))
    return False


def _fill(classes: SetClasses, over: NDArray[np.int64]) -> bool:
    """Let the rows that hide most of a wholly hidden small class hide the rest of it; return whether there are such rows."""
    hidden = np.asarray(classes.hidden) > 0
    row = int(np.flatnonzero(over.max(axis=1) > 0)[0])
    start, member, need = (np.asarray(each) for each in (classes.set_start, classes.member, classes.need))
    weight = np.asarray(classes.weight)
    for number in range(len(need)):
        columns = member[start[number] : start[number + 1]]
        if not hidden[row, columns].all():
            continue
        shown = (~hidden[:, columns]).sum(axis=1)
        missing = int(need[number] - weight[shown == 0].sum())
        if missing <= 0:
            continue
        outside = np.flatnonzero(shown > 0)
        nearest = outside[np.argsort(shown[outside], kind="stable")][:missing]
        for other in nearest.tolist():
            for column in columns.tolist():
                if not hidden[other, column]:
                    classes.toggled(other, column)
        return len(nearest) > 0
    return False
