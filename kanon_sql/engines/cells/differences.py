"""What is left of a published row without another one: a group of several parts, which may have few people, too.

A table without one of the parts says nothing about the others. But where one of them has n people or more, so has the group. So
of each such group, one part needs a table with more people, unless a published row of few people lies in it: that one has such
a table anyway.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.cell_table import Bools


def parts_of_differences(
    ancestors: Int32, levels: NDArray[np.int16], people: Int64, unseen: Bools, more: Bools, k: int
) -> Bools:
    """Return the rows that nobody sees of which a table with k people or more is needed.

    Parameters
    ----------
    ancestors, levels
        As in `CellTable`.
    people : int64 array [r]
        How many people each row has.
    unseen : bool array [r]
        Rows of no table.
    more : bool array [r]
        Rows of which such a table is known.
    k : int
        Groups of fewer people are small.

    Notes
    -----
    O(g^2 r log r) for g grouping sets that have such rows. In a row of parts, the group without the largest part is that of
    fewest people; any other one has the largest part in it.
    """
    found = np.zeros(len(people), np.bool_)
    finer: Bools = np.asarray((levels[:, None] <= levels[None, :]).all(axis=2), np.bool_)
    for place in np.flatnonzero([unseen[column].any() for column in ancestors.T]):
        rows, first = np.unique(ancestors[:, place].astype(np.int64), return_index=True)
        rows, first = rows[people[rows] > 0], first[people[rows] > 0]
        for above in np.flatnonzero(finer[place]):
            if above == place or unseen[ancestors[first, above]].all():
                continue
            between = [each for each in np.flatnonzero(finer[:, above] & finer[place]) if each not in (place, above)]
            _mark(found, ancestors[first][:, between], ancestors[first, above], rows, people, unseen, more, k)
    return found


def _mark(found: Bools, between: Int32, parent: Int32, rows: Int64, people: Int64, unseen: Bools, more: Bools, k: int) -> None:
    """Mark a part of each small group that is left of a parent without one part; each part comes with rows between both."""
    order = np.lexsort((-people[rows], parent))
    parent, rows, between = parent[order], rows[order], between[order]
    own, head = people[rows], np.append(True, np.diff(parent) != 0)
    whose, number = np.cumsum(head) - 1, int(head.sum())
    total, largest = people[parent[head]], np.flatnonzero(head)
    second = np.minimum(largest + 1, len(rows) - 1)
    several = whose[second] == np.arange(number)
    for without, marked in ((largest, second), (second, largest)):
        left = total - own[without]
        small = several & ~unseen[parent[head]] & (left < k) & (left > own[marked])
        covered = np.zeros(number, np.bool_)
        known = more[rows]
        known[without] = False
        covered[whose[known]] = True
        for column in between.T:
            lies = ~unseen[column] & (people[column] < k) & (column != column[without][whose])
            covered[whose[lies]] = True
        found[rows[marked[small & ~covered]]] = True
