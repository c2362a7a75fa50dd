"""Patterns for wide tables: found from the side of the rows that agree, where 2^m patterns cannot be listed."""

from __future__ import annotations

import numpy as np

from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import PatternSet, ordered

_SEEDS = 4096
_OTHERS = 2048
_PATTERNS = 1 << 29
"""Patterns times row types that the greedy gets through in some seconds; fewer seeds on larger tables."""

_STEPS = 12
"""Up to 2^11 nearest rows: patterns from fine to coarse."""


def sampled_patterns(table: CodedTable) -> PatternSet:
    """Return the patterns that evenly spread row types share with their nearest others, and the all-suppressed one.

    Notes
    -----
    At most 49,154 patterns; O(m) times 2^23 at most, whatever the size of the table.
    """
    from kanon_sql.kernels.instances import shared_patterns

    count = min(_SEEDS, max(1, _PATTERNS // (_STEPS * table.row_types)))
    seeds = np.unique(np.linspace(0, table.row_types - 1, count).astype(np.int64))
    others = np.unique(np.linspace(0, table.row_types - 1, _OTHERS).astype(np.int64))
    found = shared_patterns(table.codes, table.weight, table.cost, seeds, others, _STEPS)
    everything = np.uint64((1 << len(table.columns)) - 1)
    return ordered(table, np.unique(np.append(found.ravel(), [np.uint64(0), everything])))
