"""Cells that rows hide until every class by known columns has enough rows: the cascade, also the repair of a search."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels.projections import SetClasses, hide_each, short, small_by_column, toggled
from kanon_sql.solvers.budget import Budget
from kanon_sql.table.recoding import hidden_bits

_ROUNDS = 1_000
"""Rounds after which it gives up."""

_FEW = 8
"""If fewer than one row in so many changes, these rows go on until none of them fails; then all are looked at again."""

LOOKUPS = 600_000
"""Classes that are looked up between two looks at the clock, about a tenth of a second."""

_MOST_TRIED = 2_000
"""Rows that are tried for a class."""


def cascade(
    classes: SetClasses,
    cost: NDArray[np.int64],
    over: NDArray[np.int64],
    budget: Budget,
    masks: NDArray[np.uint64] | None = None,
    rounds: int | None = None,
) -> bool:
    """Hide cells until no class is too small, or the time is up; return whether none is.

    Parameters
    ----------
    classes : SetClasses
        Changes; its classes are counted.
    cost : int64 array [m]
        Cost of hiding a cell of each column.
    over : int64 array [n, m]
        Scratch.
    masks : uint64 array [p], optional
        The columns that the permitted masks show, as bits; without them every cell may be hidden.
    rounds : int, optional
        Rounds after which it gives up, where every cell may be hidden.

    Notes
    -----
    In each round every row in a failing class hides the cell that is in most of its failing classes for its cost, or takes the
    mask that hides such cells. Where all cells of a failing class are hidden already, the rows that are nearest to it join it.
    """
    if masks is not None:
        return _by_masks(classes, cost, over, budget, masks)
    finer, every = np.asarray(classes.finer), np.arange(len(classes.weight))
    watched = every
    for _ in range(rounds or _ROUNDS):
        if budget.over() or not classes.ready():
            return False
        if small_by_column(classes, watched, over) == 0:
            if len(watched) == len(every):
                return True
            watched = every
            continue
        hidden = np.asarray(classes.hidden) > 0
        gain = np.where(hidden, 0.0, over / np.maximum(cost, 1))
        barred = np.flatnonzero(finer >= 0)
        gain[:, barred] *= hidden[:, finer[barred]]  # of levels, the finest goes first
        best, rows = gain.argmax(axis=1), np.flatnonzero(gain.max(axis=1) > 0)
        if len(rows) == 0 and not _fill(classes, over):
            return False
        if not _hidden(classes, rows, best[rows], budget):
            return False
        watched = rows if 0 < len(rows) < len(every) // _FEW else every
    return False


def _hidden(classes: SetClasses, rows: NDArray[np.int64], columns: NDArray[np.int64], budget: Budget) -> bool:
    """Hide a shown cell of each of these rows; return whether the table holds the classes, and there was time."""
    done, step = 0, max(1, LOOKUPS // classes_of_a_cell(classes))
    while done < len(rows):
        if budget.over() or not classes.ready():
            return False
        done += hide_each(classes, rows[done : done + step], columns[done : done + step])
    return True


def classes_of_a_cell(classes: SetClasses) -> int:
    """Return how many classes a cell is in, on average of the columns, and each twice: before a change and after it."""
    return 2 * max(1, len(classes.of_set) // (len(classes.of_start) - 1))


def _fill(classes: SetClasses, over: NDArray[np.int64]) -> bool:
    """Let rows that hide most of a wholly hidden failing class hide the rest of it; return whether any did."""
    hidden = np.asarray(classes.hidden) > 0
    row = int(np.flatnonzero(over.max(axis=1) > 0)[0])
    start, member = (np.asarray(each) for each in (classes.set_start, classes.member))
    for number in range(len(start) - 1):
        columns = member[start[number] : start[number + 1]]
        if not hidden[row, columns].all() or short(classes, row, number) == 0:
            continue
        shown = (~hidden[:, columns]).sum(axis=1)
        outside = np.flatnonzero(shown > 0)
        nearest = outside[np.argsort(shown[outside], kind="stable")]
        if _joined(classes, (row, number), nearest.tolist(), columns.tolist()):
            return True
    return False


def _joined(classes: SetClasses, failing: tuple[int, int], rows: list[int], columns: list[int]) -> bool:
    """Let rows join a class that fails until it does not; return whether any did. Those that make it worse stay outside."""
    joined, missing = False, short(classes, *failing)
    few = int(np.asarray(classes.need)[failing[1]])
    for place, row in enumerate(rows):
        if missing == 0 or place > _MOST_TRIED or not classes.ready():
            break
        moved = [column for column in columns if not classes.hidden[row, column]]
        for column in moved:
            toggled(classes, row, column)
        after = short(classes, *failing)
        if after < missing or place < few:  # a class of few rows is short of more with one more
            joined, missing = True, after
            continue
        for column in moved:
            toggled(classes, row, column)
    return joined


def _by_masks(
    classes: SetClasses, cost: NDArray[np.int64], over: NDArray[np.int64], budget: Budget, masks: NDArray[np.uint64]
) -> bool:
    """Let rows in failing classes take masks that hide more, until no class fails; return whether none does."""
    shows, every = hidden_bits(masks, len(cost)) == 0, np.arange(len(classes.weight))
    for _ in range(_ROUNDS):
        if budget.over() or not classes.ready():
            return False
        if small_by_column(classes, every, over) == 0:
            return True
        hidden = np.asarray(classes.hidden).copy()
        rows = np.flatnonzero(over.max(axis=1) > 0)
        states, which = np.unique(hidden[rows], axis=0, return_inverse=True)
        moved = False
        for number, state in enumerate(states > 0):
            mine = rows[which.ravel() == number]
            more = np.flatnonzero(~(shows & state).any(axis=1))  # masks that hide all of it
            fresh = ~shows[more] & ~state
            gained = over[mine] @ fresh.T.astype(np.int64)
            gain = gained / np.maximum(fresh @ cost, 1)
            best = gain.argmax(axis=1) if len(more) else np.zeros(len(mine), np.int64)
            able = np.flatnonzero(gain.max(axis=1, initial=0.0) > 0)
            hidden[mine[able]] = ~shows[more[best[able]]]
            moved = moved or len(able) > 0
        if not moved or not classes.hide(hidden):
            return False
    return False
