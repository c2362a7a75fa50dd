"""Combinations of keys that nobody has and that an attacker has to think possible, as far as the published rows say.

People of a table by age and of one by job may have any age with any job. But an age goes with one decade, and with one answer
to "15 or more": keys of the same columns, and keys that determine each other, are only combined as they occur.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kanon_sql.engines.cells.base_cells import BaseCells, row_numbers
from kanon_sql.engines.cells.published_set import PublishedSet
from kanon_sql.engines.cells.related_keys import components
from kanon_sql.table.arrays import Int64
from kanon_sql.table.cell_table import Bools

_MOST = 50_000
"""Combinations that are looked at: in a table with more, enough of them occur."""


def with_possible_cells(cells: BaseCells, related: Sequence[set[int]], sets: Sequence[PublishedSet]) -> BaseCells:
    """Return base cells together with those that nobody has and that rows of all published sets permit.

    Parameters
    ----------
    cells : BaseCells
        Those of the source.
    related : sequence of set of int
        For each key those that say something about it, see `related_keys`.
    sets : sequence of PublishedSet
        The rows of all tables.

    Notes
    -----
    With more than 50,000 combinations there are no others: fewer tables are then thought possible.
    """
    maximal = [each for each in sets if not any(each.follows_from(other) for other in sets)]
    used = sorted({key for each in sets for key in each.keys})
    if any(set(each.keys) == set(used) and not each.conditions for each in maximal):
        return cells
    # keys of no set go with those that they are about
    used += [key for key in range(cells.keys.shape[1]) if key not in used and related[key].intersection(used)]
    found = np.zeros((1, cells.keys.shape[1]), np.int64)
    joined = set[int]()
    for part in components(related, used):
        own = np.unique(cells.keys[:, part], axis=0)
        if len(found) * len(own) > _MOST * 10:
            return cells
        found = np.repeat(found, len(own), axis=0)
        found[:, part] = np.tile(own, (len(found) // len(own), 1))
        joined |= set(part)
        for each in maximal:
            if set(each.keys) <= joined:
                found = found[_permitted(found, cells.keys, each)]
        if len(found) > _MOST:
            return cells
    rest = [key for key in range(cells.keys.shape[1]) if key not in used]
    if rest:  # keys of no set say nothing
        return cells
    return cells.with_nobody(found[~_among(found, cells.keys)])


def _permitted(found: Int64, keys: Int64, each: PublishedSet) -> Bools:
    """Return which combinations are in a row that exists, or in none of the table."""
    permitted = _among(found[:, list(each.keys)], keys[:, list(each.keys)])
    permitted |= (found[:, list(each.conditions)] != 1).any(axis=1)
    return permitted


def _among(found: Int64, known: Int64) -> Bools:
    """Return which rows are among others."""
    numbers, _ = row_numbers(np.concatenate((known, found)), [tuple(range(known.shape[1]))])
    among: Bools = np.isin(numbers[len(known) :, 0], numbers[: len(known), 0])
    return among
