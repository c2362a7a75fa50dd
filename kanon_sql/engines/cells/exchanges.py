"""Groups that people could join or leave by exchanging keys, so that no published row changes.

Let no published set have keys of two parts, except for some common keys, and no key of one part say anything about another
part, nor two of them about the same common key. Two people with the same common keys may then exchange their keys of a part:
each published row stays as it is, whatever is suppressed. Let a group have common keys and keys of q parts. If a1, ..., aq of
the n people with its common keys have its keys of each part, it may have as many people as the least of them, and as few as
a1 + ... + aq - (q - 1) n.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from kanon_sql.engines.cells.base_cells import row_numbers
from kanon_sql.engines.cells.published_set import PublishedSet
from kanon_sql.engines.cells.related_keys import components
from kanon_sql.table.arrays import Int64

Set = tuple[int, ...]


def exchanged(
    keys: Int64, people: Int64, chosen: Set, published: Sequence[PublishedSet], related: Sequence[set[int]]
) -> tuple[Int64, Int64]:
    """Return for each base cell how many people its group may have, at most and at least, as far as exchanges say.

    Parameters
    ----------
    keys, people : int64 arrays [b, d], [b]
        The keys and the people of the base cells.
    chosen : tuple of int
        The keys of the groups.
    published : sequence of PublishedSet
        All of them.
    related : sequence of set of int
        See `related_keys`.
    """
    most, fewest = np.zeros(len(people), np.int64), np.full(len(people), people.sum())
    used = sorted({key for each in published for key in each.keys})
    maximal = {each.keys for each in published if not any(set(each.keys) < set(other.keys) for other in published)}
    # a person has one number of each sum, so all keys of tables with sums stay together
    maximal.add(tuple({key for each in published if each.sums for key in each.keys}))
    commons: set[frozenset[int]] = {frozenset(one) & frozenset(other) for one, other in combinations(maximal, 2)} | {
        frozenset()
    }
    for common in sorted((each for each in commons if each <= set(chosen)), key=sorted):
        together = [set(each) for each in related]
        for each in maximal:
            for key in set(each) - common:
                together[key] |= set(each) - common
        # keys that say something about a common one say something about each other where that is known
        parts = components(together, used)
        own = [tuple(key for key in part if key in chosen and key not in common) for part in parts]
        own = [(*sorted(common), *part) for part in own if part]
        if len(own) < 2:
            continue
        sizes = np.stack([_size(keys, people, each) for each in own])
        whole = _size(keys, people, tuple(sorted(common)))
        most = np.maximum(most, sizes.min(axis=0))
        fewest = np.minimum(fewest, np.maximum(sizes.sum(axis=0) - (len(own) - 1) * whole, 0))
    return most, fewest


def _size(keys: Int64, people: Int64, chosen: Set) -> Int64:
    """Return the people of the group of each base cell."""
    numbers, rows = row_numbers(keys, [chosen])
    total = np.zeros(rows, np.int64)
    np.add.at(total, numbers[:, 0], people)
    found: Int64 = total[numbers[:, 0]]
    return found
