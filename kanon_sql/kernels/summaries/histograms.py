"""Histograms of the classes that are grown in a neighbourhood, and the requirement that they have to meet."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import zeros_int32, zeros_int64, zeros_uint8
from kanon_sql.kernels.criteria.dispatch import may_meet, meets
from kanon_sql.kernels.criteria.encoded import MATRIX, CriteriaWorkspace, EncodedRequirement

_CLASSES = 64
"""Most new classes of a neighbourhood: where a requirement is strict, classes may become many times smaller."""

_FURTHER = 2
"""More places: of a class that was given up, and of the class of the rows that are left."""


@cython.final
@cython.cclass
class Histograms:
    """The histograms of new classes, and the requirement that they have to meet.

    Parameters
    ----------
    required : EncodedRequirement
        The requirement on each class.
    counter : int32 array [g, s]
        The counters that a row of each sensitive-value group raises.
    group_of : int32 array [t]
        The sensitive-value group of each row type.

    Attributes
    ----------
    work : CriteriaWorkspace
        Scratch arrays of tests.
    classes, places : int
        Most classes that are grown, and places for classes.
    counters, held : int, int64 array [places * V]
        The histogram of class p is ``held[p * V : (p + 1) * V]``, where V is the number of counters.
    group : int32 array [t]
        The group of each unassigned row type.
    closed : uint8 array [g]
        Whether rows of a group do not fit the class that is grown.
    tests, test_cost : int
        Tests made so far, and about how many counters a test looks at; a transport takes as long as many.
    """

    def __init__(self, required: EncodedRequirement, counter: NDArray[np.int32], group_of: NDArray[np.int32]) -> None:
        self.required, self.work = required, CriteriaWorkspace(required)
        self.counter, self.group_of = counter, group_of
        self.classes, self.counters = _CLASSES, required.counters
        self.places = _CLASSES + _FURTHER
        self.held = zeros_int64(self.places * required.counters)
        self.group, self.closed = zeros_int32(len(group_of)), zeros_uint8(len(counter))
        values = (np.asarray(required.high) - np.asarray(required.low))[np.asarray(required.kind) == MATRIX]
        self.tests, self.test_cost = 0, required.counters + int((values**3 // 4).sum())


def clear_histogram(histograms, p):
    """Let class p have no rows."""
    for v in range(p * histograms.counters, (p + 1) * histograms.counters):
        histograms.held[v] = 0


def add(histograms, p, g, rows):
    """Count rows of a group in class p; below 0, they leave it."""
    for b in range(histograms.counter.shape[1]):
        histograms.held[p * histograms.counters + histograms.counter[g, b]] += rows


def class_meets(histograms, p, rows):
    """Return whether class p of some rows meets the requirement."""
    return meets(histograms.required, histograms.work, histograms.held, p * histograms.counters, rows)


def open_groups(histograms):
    """Let rows of all groups fit."""
    for g in range(histograms.closed.shape[0]):
        histograms.closed[g] = 0


def joining(histograms, p, g, most, rows, size):
    """Return how many rows of a group may join class p of some rows that shall have ``size``, at most so many."""
    at = p * histograms.counters
    while most:
        add(histograms, p, g, most)
        may: cython.bint = may_meet(histograms.required, histograms.work, histograms.held, at, rows + most, size)
        add(histograms, p, g, -most)
        if may:
            break
        most //= 2
    return most
