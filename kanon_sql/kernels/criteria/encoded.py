"""Requirements on the sensitive values of a class, encoded for loops."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import uncompiled as cython
from kanon_sql.kernels.arrays import empty_float64, empty_int64, zeros_float64
from kanon_sql.kernels.criteria.earth_movers import Transport

FREQUENCY = 0
DISTINCT = 1
ENTROPY = 2
RECURSIVE = 3
SHARES = 4
EQUAL = 5
TREE = 6
MATRIX = 7
COUNT = 8

_LOGS = np.arange(1024) * np.log(np.maximum(1, np.arange(1024)))
"""x log x of the sizes of most classes."""


@cython.final
@cython.cclass
class EncodedRequirement:
    """What every class has to meet: a least size, and criteria on its histogram, which has a counter for each sensitive value.

    Parameters
    ----------
    rows, least : int
        Rows of the whole table, and least rows of a class.
    total : int64 array [V]
        Rows of the whole table by counter, attribute by attribute.
    of_first : int
        Counters of the first attribute.
    criteria : int64 array [q, 10]
        One row for each criterion; its columns are the first ten attributes below.
    share : float64 array
        The shares of the whole table by counter; behind them, by edge of each tree distance.
    data : int64 array
        Data of limits and distances. Of shares: the counters that are limited, the numerators and denominators of their
        greatest shares, and those of their least. Along a tree: the lengths of its edges, children first, their parents
        (-1 below the root), the rows of the whole table below them, and for each value the lowest edge above it (-1: none).
        Of a matrix: its rows.
    counter : int32 array [t, s]
        The counters that a row of each row type raises, one of each attribute.

    Attributes
    ----------
    kind : int64 array [q]
        ``FREQUENCY`` to ``COUNT``.
    low, high : int64 arrays [q]
        A criterion is about the counters from ``low`` to ``high - 1``.
    num, den : int64 arrays [q]
        The threshold is ``num / den``.
    extra : int64 array [q]
        The counter that a count names, the number of limits to shares, l of recursive diversity, or the scale of a distance.
    exact : int64 array [q]
        Whether 64 bits suffice; where they do not, floats decide, and doubt is failure.
    data_start, edges, share_start : int64 arrays [q]
        Where the data of limits or a distance begin; the number of edges, and where their shares begin.
    counters, criteria : int
        How many there are.
    """

    def __init__(
        self,
        *,
        rows: int,
        least: int,
        total: NDArray[np.int64],
        of_first: int,
        criteria: NDArray[np.int64],
        share: NDArray[np.float64],
        data: NDArray[np.int64],
        counter: NDArray[np.int32],
    ) -> None:
        self.rows, self.least, self.of_first = rows, least, of_first
        self.counters, self.criteria = len(total), len(criteria)
        self.kind, self.low, self.high, self.num, self.den, self.extra, self.exact = np.ascontiguousarray(criteria.T[:7])
        self.data_start, self.edges, self.share_start = np.ascontiguousarray(criteria.T[7:])
        self.total, self.share, self.data, self.counter = total, share, data, counter


@cython.final
@cython.cclass
class CriteriaWorkspace:
    """Scratch arrays and results of tests; each thread needs its own.

    Parameters
    ----------
    required : EncodedRequirement
        What is tested.

    Attributes
    ----------
    top : int64 array
        Places of the greatest counters; see `tail`.
    below : int64 array [e]
        Rows below each edge of a tree.
    more, less : float64 arrays [e]
        How the work along a tree changes with a row more, or less, below each edge.
    added, removed : float64 arrays [V]
        Results of `shortfall`: by how much it shrinks with a row more, or less, at each counter.
    logs : float64 array
        x log x of small numbers.
    transport : Transport
        For matrices.
    """

    def __init__(self, required: EncodedRequirement) -> None:
        kind, extra = np.asarray(required.kind), np.asarray(required.extra)
        edges = int(np.asarray(required.edges).max(initial=0))
        values = np.asarray(required.high) - np.asarray(required.low)
        self.top = empty_int64(int(extra[kind == RECURSIVE].max(initial=1)))
        self.below = empty_int64(edges)
        self.more, self.less = empty_float64(edges), empty_float64(edges)
        self.added, self.removed = zeros_float64(required.counters), zeros_float64(required.counters)
        self.logs = _LOGS
        self.transport = Transport(int(values[kind == MATRIX].max(initial=0)))
