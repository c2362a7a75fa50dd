"""Values of two keys that nobody has together, if that is no accident: a reader takes them for impossible.

The decade of an age and "35 or more", as two columns of a source, say something about each other though neither determines the
other: nobody is in the 20s and 35 or more. If values went together at random, the people of 35 or more would have more decades.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.engines.cells.base_cells import BaseCells
from kanon_sql.table.arrays import Int64
from kanon_sql.table.cell_table import Bools

_Floats = NDArray[np.float64]

_SHARE, _SURPRISE = 0.6, 7.0
"""The share of all people who have the values that go with a value, as a part of what it is by chance, at most; and the least
surprise of that. Of 600 pairs of random keys, 3 are so."""


class UnlikelyPairs:
    """Such pairs of values.

    Notes
    -----
    O(d^2 b log b) for b base cells and d keys.
    """

    def __init__(self, cells: BaseCells) -> None:
        keys, people = cells.counted.keys, cells.counted.people
        sizes = [np.bincount(column, people).astype(np.float64) for column in keys.T]
        self._seen: dict[tuple[int, int], Int64] = {}
        self._wide = [len(each) for each in sizes]
        for one, other in combinations(range(len(sizes)), 2):
            seen = np.unique(self._codes(keys, one, other))
            first, second = seen // self._wide[other], seen % self._wide[other]
            if _is_confined(sizes[one], sizes[other], first, second) or _is_confined(sizes[other], sizes[one], second, first):
                self._seen[one, other] = seen

    def has(self, keys: Int64) -> Bools:
        """Return which base cells, by their keys, have such values."""
        found = np.zeros(len(keys), np.bool_)
        for pair, seen in self._seen.items():
            codes = self._codes(keys, *pair)
            found |= seen[np.minimum(np.searchsorted(seen, codes), len(seen) - 1)] != codes
        return found

    def relate(self, related: list[set[int]]) -> None:
        """Add the keys that say something about each other, see `related_keys`."""
        for one, other in self._seen:
            related[one].add(other)
            related[other].add(one)

    def _codes(self, keys: Int64, one: int, other: int) -> Int64:
        codes: Int64 = keys[:, one] * self._wide[other] + keys[:, other]
        return codes


def _is_confined(sizes: _Floats, others: _Floats, value: Int64, partner: Int64) -> bool:
    """Return whether people of a value only have few values of another key, which is no accident.

    Parameters
    ----------
    sizes, others : float64 arrays
        How many people each value of both keys has.
    value, partner : int64 arrays
        The pairs that somebody has.

    Notes
    -----
    The n people of a value have values that the share s of all people have. By chance, that is c, the sum of p (1 - exp(-n p))
    over the shares p of all values. The surprise is n log(c / s).
    """
    share = np.bincount(value, others[partner], len(sizes)) / others.sum()
    (size, which), (other, times) = np.unique(sizes, return_inverse=True), np.unique(others / others.sum(), return_counts=True)
    by_chance = ((1 - np.exp(-size[:, None] * other)) * other * times).sum(axis=1)[which.reshape(-1)]
    few = (sizes > 0) & (share <= _SHARE * by_chance)
    return bool((sizes[few] * np.log(by_chance[few] / share[few]) >= _SURPRISE).any())
