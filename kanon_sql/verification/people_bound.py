"""The proof of a lower bound by prices where classes also hold rows of k people.

As in `kanon_sql.verification.dual_bound`. An instance without rows of k people holds no class, and gains nothing. An instance
of which all rows can move to another one does not count here either: people are not lost when classes are merged.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kanon_sql.verification.dual_bound import WIDE, Shown, gain, gains
from kanon_sql.verification.sensitive_bound import supports_of

if TYPE_CHECKING:
    from kanon_sql.table.coded_table import Sensitive


def gains_of_people(
    k: int,
    least: int,
    about: Sensitive,
    table: list[list[Any]],
    counts: Sequence[int],
    prices: Sequence[int],
    cost: list[int],
    permitted: Collection[Shown] | None,
) -> int:
    """Return what all instances together gain from the prices at most; see `kanon_sql.verification.dual_bound.gains`.

    Parameters
    ----------
    k, least : int
        Least number of people and of rows of a class.
    about : Sensitive
        Whose rows each row type has; those of equal quasi-identifiers stand next to each other.

    Notes
    -----
    Where masks are too many to go through, rows are counted.
    """
    if permitted is None and len(cost) > WIDE:
        return gains(table, counts, prices, cost, permitted, least)
    total = 0
    for member, spent in supports_of(table, counts, prices, cost, permitted, least):
        people = np.unique(about.codes[member])
        if np.count_nonzero(people != about.empty) >= k:
            total += gain(member.tolist(), counts, prices, spent, least)
    return total
