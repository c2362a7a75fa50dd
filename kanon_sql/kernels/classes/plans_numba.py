"""A plan says which rows are in which class, so that rows move in constant time; a pool, which classes there could be."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

SLOTS = 16
"""Classes over which the rows of one row type may be spread: a cache line of them."""


class Pool(NamedTuple):
    """The instances a search may use, from both sides.

    ``member[start[j] : start[j + 1]]`` are the row types of instance j, ``instance[first[i] : first[i + 1]]`` the instances
    of row type i, cheapest first. ``cost`` [j] and ``price`` [t] are in the units of the prices, ``weight`` [t] are rows.
    """

    start: NDArray[np.int64]
    member: NDArray[np.int32]
    first: NDArray[np.int64]
    instance: NDArray[np.int32]
    cost: NDArray[np.int64]
    price: NDArray[np.int64]
    weight: NDArray[np.int64]


class Plan(NamedTuple):
    """Which rows are in which class: slot s of row type i is place ``i * SLOTS + s``.

    ``where`` (the class, -1 when empty) and ``amount`` by place; ``rows`` and ``head`` (a place, -1 when empty) by class;
    ``after`` and ``before`` chain the places of one class.
    """

    where: NDArray[np.int32]
    amount: NDArray[np.int64]
    rows: NDArray[np.int64]
    head: NDArray[np.int32]
    after: NDArray[np.int32]
    before: NDArray[np.int32]


@njit(cache=True, nogil=True)
def put(plan: Plan, i: int, j: int, count: int) -> bool:
    """Add rows of row type i to class j; False, and nothing done, if its slots are full."""
    free = -1
    for place in range(i * SLOTS, (i + 1) * SLOTS):
        if plan.where[place] == j:
            plan.amount[place] += count
            plan.rows[j] += count
            return True
        if plan.where[place] < 0 and free < 0:
            free = place
    if free < 0:
        return False
    plan.where[free], plan.amount[free] = j, count
    plan.rows[j] += count
    old = plan.head[j]
    plan.after[free], plan.before[free] = old, -1
    if old >= 0:
        plan.before[old] = free
    plan.head[j] = free
    return True


@njit(cache=True, nogil=True)
def take(plan: Plan, i: int, j: int, count: int) -> None:
    """Remove rows of row type i from class j."""
    for place in range(i * SLOTS, (i + 1) * SLOTS):
        if plan.where[place] == j:
            plan.rows[j] -= count
            plan.amount[place] -= count
            if plan.amount[place] == 0:
                plan.where[place] = -1
                if plan.after[place] >= 0:
                    plan.before[plan.after[place]] = plan.before[place]
                if plan.before[place] >= 0:
                    plan.after[plan.before[place]] = plan.after[place]
                else:
                    plan.head[j] = plan.after[place]
            return


@njit(cache=True, nogil=True)
def put_all(plan: Plan, row_type: NDArray[np.int32], number: NDArray[np.int32], count: NDArray[np.int64]) -> int:
    """Add pieces to a plan; return the number of pieces before the first that found no slot."""
    for q in range(len(row_type)):
        if not put(plan, row_type[q], number[q], count[q]):
            return q
    return len(row_type)


@njit(cache=True, nogil=True)
def take_all(plan: Plan, row_type: NDArray[np.int32], number: NDArray[np.int32], count: NDArray[np.int64]) -> None:
    """Remove pieces from a plan."""
    for q in range(len(row_type)):
        take(plan, row_type[q], number[q], count[q])
