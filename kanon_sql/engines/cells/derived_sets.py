"""The groups that rows of several published sets name together: what two of them have in common, and the atoms of all.

The tens of a table and the people of 15 and more of another have 10 to 14 and 15 to 19 in common, whether a table shows them or
not. What is left of one row without another is made of such groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import combinations

from kanon_sql.engines.cells.base_cells import row_numbers
from kanon_sql.errors import PolicyError
from kanon_sql.table.arrays import Int64

_MOST = 1 << 28
"""Base cells times grouping sets, at most."""

Set = tuple[int, ...]


def derived_sets(keys: Int64, sets: Sequence[Set]) -> list[Set]:
    """Return the sets of keys of these groups, without those that are the rows of a published set.

    Parameters
    ----------
    keys : int64 array [b, d]
        The keys of the base cells.
    sets : sequence of tuple of int
        The keys of each published set.

    Raises
    ------
    PolicyError
        When there are too many.

    Notes
    -----
    O(g^2) for g sets, and O(d^2 b log b) for b base cells unless each union of two sets is one of them, as in CUBE and ROLLUP.
    """
    known = {_bits(each) for each in sets}
    unions = {one | other for one, other in combinations(known, 2)} | {reduce(int.__or__, known, 0)}
    if unions <= known:
        return []
    determined = _determined(keys, unions)
    closed = {_closure(each, determined) for each in known}
    found = dict[int, int]()
    for each in sorted(unions - known, key=lambda bits: (bits.bit_count(), bits)):
        closure = _closure(each, determined)
        if closure not in closed:
            found.setdefault(closure, each)
    if len(keys) * (len(known) + len(found)) > _MOST:
        raise PolicyError(
            f"the grouping sets of these tables have too many unions: {len(found):,}; hint: publish fewer grouping sets, or "
            "use CUBE"
        )
    return [tuple(key for key in range(keys.shape[1]) if each >> key & 1) for each in found.values()]


def _bits(keys: Sequence[int]) -> int:
    return sum(1 << key for key in keys)


def _determined(keys: Int64, unions: set[int]) -> list[int]:
    """Return for each key the keys that it determines, as bits: those that are constant in each of its groups."""
    used = [key for key in range(keys.shape[1]) if any(each >> key & 1 for each in unions)]
    values = {key: row_numbers(keys, [(key,)])[1] for key in used}
    found = [0] * keys.shape[1]
    for one, other in ((one, other) for one in used for other in used if one != other and values[other] <= values[one]):
        if row_numbers(keys, [(one, other)])[1] == values[one]:
            found[one] |= 1 << other
    return found


def _closure(bits: int, determined: Sequence[int]) -> int:
    """Return keys together with those that they determine."""
    return bits | reduce(int.__or__, (more for key, more in enumerate(determined) if bits >> key & 1), 0)
