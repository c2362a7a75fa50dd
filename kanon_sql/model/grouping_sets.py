"""Grouping sets of dimensions, each of which has levels: tuples of the numbers of keys."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

from kanon_sql.errors import PolicyError
from kanon_sql.model.tabulation import MOST_SETS

Sets = list[tuple[int, ...]]
"""The keys of each grouping set; of a dimension those of each of its levels, finest first, and no key for the total."""


def plain(parts: Sequence[Sets]) -> Sets:
    """Return every combination of the levels of some dimensions."""
    if math.prod(map(len, parts)) > MOST_SETS:
        raise PolicyError(f"levels make more than {MOST_SETS} grouping sets; hint: leave levels out")
    return [tuple(key for level in each for key in level) for each in product(*parts)]


def cube(parts: Sequence[Sets]) -> Sets:
    """Return every combination of the levels of some dimensions and their totals."""
    if math.prod(len(part) + 1 for part in parts) > MOST_SETS:
        raise PolicyError(f"CUBE makes more than {MOST_SETS} grouping sets; hint: list the sets to publish")
    return plain([[*part, ()] for part in parts])


def rollup(parts: Sequence[Sets]) -> Sets:
    """Return the levels of the last dimension within all others, then of the one before it, and so on to the total."""
    found: Sets = []
    for last in range(len(parts) - 1, -1, -1):
        above = tuple(key for part in parts[:last] for key in part[0])
        found.extend((*above, *level) for level in parts[last] if level)
    return [*found, ()]
