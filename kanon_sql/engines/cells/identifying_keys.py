"""Keys that identify people: a row without a count still shows them."""

from __future__ import annotations

import numpy as np

from kanon_sql.engines.cells.base_cells import BaseCells, row_numbers
from kanon_sql.errors import SourceError
from kanon_sql.model.protection import Protection
from kanon_sql.model.tabulation import Tabulation
from kanon_sql.model.unlisted import Limits
from kanon_sql.model.validation import as_identifier

_SHARED = 3
"""People who have to share a key, at most: tables of counts are made of small rows, such as ages of three in 200 people."""


def refuse_identifying(cells: BaseCells, tabulation: Tabulation, protection: Protection) -> tuple[str, ...]:
    """Return warnings of what the keys of suppressed rows show.

    Parameters
    ----------
    cells : BaseCells
        At least one.
    tabulation, protection
        The table, and its requirement.

    Raises
    ------
    SourceError
        When a key alone singles out more of the people than a column of a release may.

    Notes
    -----
    O(b log b) for b base cells. With ROWS ABSENT, suppressed rows show nothing.
    """
    if protection.rows == "absent":
        return ()
    limits, people = Limits(k=min(protection.k, _SHARED)), int(cells.people.sum())
    shared = limits.shared(people)
    keys = [each for each in tabulation.items if each.kind == "key"]
    names = {place: as_identifier(each.name) for each in keys for place in each.places}
    for key, name in names.items():
        single = _single(cells, (key,), shared)
        if limits.singled_out(single, people):
            raise SourceError(
                f"the key {name} singles out {single / people:.1%} of the people{limits.in_words(shared, people=True)}, "
                "and rows without counts would show it; "
                "nothing was released; hint: leave it out of GROUP BY, group it more coarsely, or write ROWS ABSENT"
            )
    widest = max((tuple(key for key in chosen if key in names) for chosen in tabulation.sets), key=len)
    single = _single(cells, widest)
    if single <= limits.most * people:
        return ()
    listed = ", ".join(names[key] for key in widest)
    return (f"the keys {listed} single out {single / people:.1%} of the people, and rows without counts show them",)


def _single(cells: BaseCells, keys: tuple[int, ...], shared: int = 2) -> int:
    """Return how many people have values of some keys that fewer people share; with 2, that no other person has."""
    rows, count = row_numbers(cells.keys, [keys])
    people = np.bincount(rows[:, 0], cells.people, count)
    return int(people[people < shared].sum())
