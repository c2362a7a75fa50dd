"""A part of an instance, by sensitive-value group."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import empty_int32, zeros_int64
from kanon_sql.kernels.criteria.encoded import CriteriaWorkspace, EncodedRequirement


@cython.final
@cython.cclass
class Part:
    """An instance by sensitive-value group, and the part of it that stays.

    Parameters
    ----------
    required : EncodedRequirement
        What a class has to meet.
    counter : int32 array [g, s]
        The counters that a row of each group raises.

    Attributes
    ----------
    groups, group : int, int32 array [g]
        The instance has rows of the groups ``group[:groups]``.
    rows, keep : int64 arrays [g]
        Rows of each group, and of them those that stay.
    histogram : int64 array [V]
        Of the rows that stay.
    work : CriteriaWorkspace
        For the tests.
    """

    def __init__(self, required: EncodedRequirement, counter: NDArray[np.int32]) -> None:
        self.required, self.work, self.counter = required, CriteriaWorkspace(required), counter
        self.groups = 0
        self.group = empty_int32(len(counter))
        self.rows, self.keep = zeros_int64(len(counter)), zeros_int64(len(counter))
        self.histogram = zeros_int64(required.counters)


def keep_all(part):
    """Keep all rows; return how many."""
    total = 0
    for v in range(part.histogram.shape[0]):
        part.histogram[v] = 0
    for a in range(part.groups):
        g = part.group[a]
        part.keep[g] = part.rows[g]
        total += part.rows[g]
        for b in range(part.counter.shape[1]):
            part.histogram[part.counter[g, b]] += part.rows[g]
    return total
