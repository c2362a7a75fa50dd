"""Which sets of columns to count once, so that most row types need not be counted under most patterns."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from kanon_sql.table.arrays import Int32, Int64, Words

_PATTERNS_PER_SET = 8
"""Counting a set of columns pays when this many patterns need it."""

_COUNTED = 1 << 26
"""Row types times triples that are counted in about half a second."""


def sieve(codes: Int32, cardinality: Int64, weight: Int64, k: int, patterns: int) -> tuple[Words, Words]:
    """Return sets of one to three columns, and for each the rows whose values in it are shared by k rows.

    Returns
    -------
    tuple of uint64 arrays [j], [j, ceil(t / 64)]
        Triples are only counted where there are many patterns.
    """
    from kanon_sql.kernels.instances import frequent_sets

    columns = codes.shape[1]
    triples = columns * (columns - 1) * (columns - 2) // 6
    largest = 3 if patterns >= _PATTERNS_PER_SET * triples and triples * len(codes) <= _COUNTED else 2
    sets = np.array(
        [
            sum(1 << column for column in chosen)
            for size in range(1, largest + 1)
            for chosen in combinations(range(columns), size)
        ],
        np.uint64,
    )
    return sets, frequent_sets(codes, cardinality, weight, k, sets)
