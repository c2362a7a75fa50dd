"""Rows of other classes join one that breaks its promise, until it keeps it: rows that can be spared, then whole classes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kanon_sql.kernels.requirements.lacks import lack
from kanon_sql.kernels.requirements.promises import LEAST, Rules, meets

_SMALL = 1e-9

_SHARE = 4
"""Of the classes that seem to be needed, one part of so many is dissolved before all are looked at again."""


class Donors(NamedTuple):
    """Pieces of classes: ``kind``, ``copies`` and class ``number`` [q] of each.

    Pieces of kind g are ``order[first[g] : first[g + 1]]``, cheapest first; a row of class c costs ``extra[c]`` more where it
    goes. Class c has ``rows[c]`` and the histogram ``held[c]``, which shrink. Kind g raises ``counter[g]``.
    """

    kind: NDArray[np.int32]
    copies: NDArray[np.int64]
    number: NDArray[np.int64]
    order: NDArray[np.int64]
    first: NDArray[np.int64]
    extra: NDArray[np.int64]
    rows: NDArray[np.int64]
    held: NDArray[np.int64]
    counter: NDArray[np.int32]


@njit(cache=True, nogil=True)
def mend(rules: Rules, donors: Donors, held: NDArray[np.int64], rows: int, gives: NDArray[np.int64]) -> int:
    """Let rows join a class with ``rows`` and the histogram ``held`` [V] until it keeps the promise.

    Parameters
    ----------
    held : int64 array [V]
        Grows with the class.
    gives : int64 array [q]
        Set to the rows that each piece gives.

    Returns
    -------
    int
        The rows that the class has then; 0 if it breaks the promise with all rows of all classes.

    Notes
    -----
    O(g V) for each row that is spared; O(c V) for some classes that are dissolved.
    """
    gives[:] = 0
    at = donors.first.copy()
    change = np.zeros((2, len(held)), np.float64)
    while not meets(rules.law, rules.room, held, rows):
        lacks = lack(rules.law, rules.share, rules.room, held, rows, change)
        best = _spared(rules, donors, change, at, gives)
        if best >= 0:
            gives[best] += 1
            rows += 1
            _count(donors, held, best, 1)
            _count(donors, donors.held[donors.number[best]], best, -1)
            donors.rows[donors.number[best]] -= 1
            continue
        some = _dissolved(donors, change, lacks)
        if len(some) == 0:
            return 0
        for c in some:
            held += donors.held[c]
            rows += donors.rows[c]
            donors.rows[c] = 0
        for q in range(len(gives)):
            if donors.rows[donors.number[q]] == 0:
                gives[q] = donors.copies[q]
    return rows


@njit(cache=True, nogil=True)
def _count(donors: Donors, held: NDArray[np.int64], q: int, rows: int) -> None:
    for place in donors.counter[donors.kind[q]]:
        held[place] += rows


@njit(cache=True, nogil=True)
def _spared(rules: Rules, donors: Donors, change: NDArray[np.float64], at: NDArray[np.int64], gives: NDArray[np.int64]) -> int:
    """Return the piece whose row mends most for its cost and can be spared by its class, -1 if there is none."""
    best, key = -1, np.inf
    for g in range(len(donors.counter)):
        more = 0.0
        for place in donors.counter[g]:
            more += change[0, place]
        if more <= _SMALL:
            continue
        while at[g] < donors.first[g + 1]:
            q = donors.order[at[g]]
            c = donors.number[q]
            if donors.extra[c] >= key * more:
                break
            if gives[q] < donors.copies[q] and donors.rows[c] > rules.law[LEAST]:
                _count(donors, donors.held[c], q, -1)
                can = meets(rules.law, rules.room, donors.held[c], donors.rows[c] - 1)
                _count(donors, donors.held[c], q, 1)
                if can:
                    best, key = q, donors.extra[c] / more
                    break
            at[g] += 1
    return best


@njit(cache=True, nogil=True)
def _dissolved(donors: Donors, change: NDArray[np.float64], lacks: float) -> NDArray[np.int64]:
    """Return the classes that mend most for their cost, as many as surely are needed; the cheapest if none seems to help."""
    classes = len(donors.rows)
    score = np.full(classes, -np.inf)
    helps = np.zeros(classes, np.float64)
    cheapest = -1
    for c in range(classes):
        if donors.rows[c] == 0:
            continue
        for v in range(donors.held.shape[1]):
            helps[c] += donors.held[c, v] * change[0, v]
        cost = donors.rows[c] * donors.extra[c]
        if helps[c] > _SMALL:
            score[c] = helps[c] / max(cost, 1e-3)
        if cheapest < 0 or cost < donors.rows[cheapest] * donors.extra[cheapest]:
            cheapest = c
    if cheapest < 0:
        return np.empty(0, np.int64)
    order = np.argsort(-score, kind="mergesort")
    if score[order[0]] == -np.inf:
        return np.full(1, cheapest, np.int64)
    many, reached = 1, helps[order[0]]
    while many < classes and score[order[many]] > -np.inf and reached + helps[order[many]] <= lacks / _SHARE:
        reached += helps[order[many]]
        many += 1
    return order[:many]
