"""What is left of a published row without another one: a group of several parts, which may have few people, too.

A table without one of the parts says nothing about the others. But where one of them has n people or more, so has the group. So
of each such group, one part needs a table with more people, unless a published row of few people lies in it: that one has such
a table anyway. If only one part of what is left has people, a table without them will do, too. But if there are parts that
nobody has, these people have to leave the group, and not only go there: such a *rest* is checked once the tables are found.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.cell_table import Bools


def parts_of_differences(
    ancestors: Int32, levels: NDArray[np.int16], people: Int64, unseen: Bools, exchanged: tuple[Int64, Int64], k: int
) -> tuple[Bools, Bools, Int64]:
    """Return rows that nobody sees: of which k people or more are needed, all that is left of another one, and the rests.

    Parameters
    ----------
    ancestors, levels
        As in `CellTable`.
    people : int64 array [r]
        How many people each row has.
    unseen : bool array [r]
        Rows of no table.
    exchanged : (int64 array [r], int64 array [r])
        How many people each row may have by exchanges, at most and at least.
    k : int
        Groups of fewer people are small.

    Notes
    -----
    O(g^2 r log r) for g grouping sets that have such rows. In a row of parts, the group without the largest part is that of
    fewest people; any other one has the largest part in it.
    """
    (found, alone), rests = np.zeros((2, len(people)), np.bool_), [np.zeros((0, 3), np.int64)]
    finer: Bools = np.asarray((levels[:, None] <= levels[None, :]).all(axis=2), np.bool_)
    for place in np.flatnonzero([unseen[column].any() for column in ancestors.T]):
        rows, first = np.unique(ancestors[:, place].astype(np.int64), return_index=True)
        nobody, rows, first = first[people[rows] == 0], rows[people[rows] > 0], first[people[rows] > 0]
        for above in np.flatnonzero(finer[place]):
            if above == place or unseen[ancestors[first, above]].all():
                continue
            between = [each for each in np.flatnonzero(finer[:, above] & finer[place]) if each not in (place, above)]
            parent = ancestors[first, above]
            wider = np.isin(parent, ancestors[nobody, above])
            rests += _mark(found, alone, ancestors[first][:, between], parent, rows, wider, people, unseen, exchanged, k)
    return found, alone, np.concatenate(rests)


def _mark(
    found: Bools,
    alone: Bools,
    between: Int32,
    parent: Int32,
    rows: Int64,
    wider: Bools,
    people: Int64,
    unseen: Bools,
    exchanged: tuple[Int64, Int64],
    k: int,
) -> Iterator[Int64]:
    """Mark a part of each small group that is left of a parent without one part; each part comes with rows between both.

    What is left may be ``wider`` than its only part with people, which is then ``alone``: yield the parent, the part that is
    left out, and that part.
    """
    order = np.lexsort((-people[rows], parent))
    parent, rows, between, wider = parent[order], rows[order], between[order], wider[order]
    own, head = people[rows], np.append(True, np.diff(parent) != 0)
    whose, number = np.cumsum(head) - 1, int(head.sum())
    total, largest = people[parent[head]], np.flatnonzero(head)
    second = np.minimum(largest + 1, len(rows) - 1)
    several = whose[second] == np.arange(number)
    for without, marked in ((largest, second), (second, largest)):
        left = total - own[without]
        small = several & ~unseen[parent[head]] & (left < k)
        most, fewest = (each[rows[without]] for each in exchanged)
        single = small & (left == own[marked]) & (most < total) & (fewest > total - k)
        alone[rows[marked[single]]] = True
        covered = np.zeros(number, np.bool_)
        known = exchanged[0][rows] >= k
        known[without] = False
        covered[whose[known]] = True
        for column in between.T:
            lies = ~unseen[column] & (people[column] < k) & (column != column[without][whose])
            covered[whose[lies]] = True
        small &= ~covered
        found[rows[marked[small & (left > own[marked])]]] = True
        rest = single & ~covered & wider[marked]
        yield np.stack((parent[head], rows[without], rows[marked]), axis=1)[rest].astype(np.int64)
