"""Which rows are in which class, with the histogram of each class, so that rows move and promises are tested in little time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kanon_sql.kernels.classes.plans_numba import SLOTS, Plan, put, take
from kanon_sql.kernels.requirements.promises import Rules, meets


class Ground(NamedTuple):
    """The instances that a search may use, from both sides.

    ``member[start[j] : start[j + 1]]`` are the row types of instance j, of ``cost[j]`` a row; ``instance[first[i] : first[i +
    1]]`` are the instances of row type i, cheapest first. Its ``weight[i]`` rows pay ``price[i]`` and are of ``kind[i]``; kind
    g raises the counters ``counter[g]``.
    """

    start: NDArray[np.int64]
    member: NDArray[np.int32]
    first: NDArray[np.int64]
    instance: NDArray[np.int32]
    cost: NDArray[np.int64]
    weight: NDArray[np.int64]
    price: NDArray[np.float64]
    kind: NDArray[np.int32]
    counter: NDArray[np.int32]


class Classes(NamedTuple):
    """The classes that are open: their rows, and the histogram of class j, ``held[slot[j]]``.

    ``slot[j]`` is -1 where j is not open; ``vacant[: left[0]]`` are the slots not in use. ``changed[j]`` is when j last changed
    by the ``clock[0]``, and ``seen[j]`` when it was last looked at. ``spare[slot[j], g]`` is twice the time when it was last
    asked whether the class can spare a row of kind g, and 1 more if it can. Behind all instances there is one more class, the
    limbo, for rows without a class: it promises nothing.
    """

    plan: Plan
    slot: NDArray[np.int32]
    held: NDArray[np.int64]
    vacant: NDArray[np.int32]
    left: NDArray[np.int64]
    changed: NDArray[np.int64]
    seen: NDArray[np.int64]
    clock: NDArray[np.int64]
    spare: NDArray[np.int64]


@njit(cache=True, nogil=True)
def enter(ground: Ground, classes: Classes, i: int, j: int, rows: int) -> bool:
    """Put rows of row type i into class j; False, and nothing done, if they find no slot."""
    if not put(classes.plan, i, j, rows):
        return False
    if classes.slot[j] < 0:
        classes.left[0] -= 1
        classes.slot[j] = classes.vacant[classes.left[0]]
        classes.held[classes.slot[j]] = 0
    for counter in ground.counter[ground.kind[i]]:
        classes.held[classes.slot[j], counter] += rows
    classes.changed[j] = classes.clock[0]
    return True


@njit(cache=True, nogil=True)
def spares(rules: Rules, ground: Ground, classes: Classes, i: int, c: int) -> bool:
    """Return whether class c keeps the promise without a row of row type i, or is the limbo, and note it."""
    slot, kind = classes.slot[c], ground.kind[i]
    held, counter = classes.held[slot], ground.counter
    for b in range(counter.shape[1]):
        held[counter[kind, b]] -= 1
    kept = c == len(classes.slot) - 1 or meets(rules.law, rules.room, held, classes.plan.rows[c] - 1)
    for b in range(counter.shape[1]):
        held[counter[kind, b]] += 1
    classes.spare[slot, kind] = 2 * classes.clock[0] + kept
    return kept


@njit(cache=True, nogil=True)
def quit_class(ground: Ground, classes: Classes, i: int, j: int, rows: int) -> None:
    """Take rows of row type i out of class j."""
    take(classes.plan, i, j, rows)
    for counter in ground.counter[ground.kind[i]]:
        classes.held[classes.slot[j], counter] -= rows
    classes.changed[j] = classes.clock[0]
    if classes.plan.rows[j] == 0:
        classes.vacant[classes.left[0]] = classes.slot[j]
        classes.left[0] += 1
        classes.slot[j] = -1


@njit(cache=True, nogil=True)
def enter_all(
    ground: Ground,
    classes: Classes,
    row_type: NDArray[np.int32],
    instance: NDArray[np.int32],
    count: NDArray[np.int64],
    limbo: int,
) -> None:
    """Put pieces into classes, and those that find no slot into the limbo, where their row type has a slot from then on."""
    for q in range(len(row_type)):
        if enter(ground, classes, row_type[q], instance[q], count[q]) or enter(ground, classes, row_type[q], limbo, count[q]):
            continue
        place = row_type[q] * SLOTS
        j, rows = classes.plan.where[place], classes.plan.amount[place]
        quit_class(ground, classes, row_type[q], j, rows)
        enter(ground, classes, row_type[q], limbo, rows + count[q])


@njit(cache=True, nogil=True)
def transposed(start: NDArray[np.int64], member: NDArray[np.int32], t: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the instances of each row type, ascending, as ``first`` and ``instance``; O(members)."""
    first = np.zeros(t + 1, np.int64)
    for i in member:
        first[i + 1] += 1
    for i in range(t):
        first[i + 1] += first[i]
    instance = np.empty(len(member), np.int32)
    filled = first[:t].copy()
    for j in range(len(start) - 1):
        for i in member[start[j] : start[j + 1]]:
            instance[filled[i]] = j
            filled[i] += 1
    return first, instance
