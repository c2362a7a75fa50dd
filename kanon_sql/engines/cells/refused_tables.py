"""Tables that are refused: their sums show what a person has, or their keys identify people.

Few people add to a row, or a sum is a count of people in disguise. And a row without a count still shows its keys.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanon_sql.engines.cells.base_cells import BaseCells, row_numbers
from kanon_sql.errors import SourceError
from kanon_sql.model.protection import Protection
from kanon_sql.model.tabulation import Tabulation
from kanon_sql.model.unlisted import Limits
from kanon_sql.model.validation import as_identifier
from kanon_sql.table.arrays import Int32, Int64

_FEW = 3
"""People who have to add to a sum: with two, each knows what the other one has. More attackers need more others."""

_SHARED = 3
"""People who have to share a key, at most: tables of counts are made of small rows, such as ages of three in 200 people."""


def refuse_few_contributors(cells: BaseCells, tabulation: Tabulation, protection: Protection) -> None:
    """Refuse sums that a rule should be about, or that should be counts.

    Parameters
    ----------
    cells : BaseCells
        At least one.

    Raises
    ------
    SourceError
        When fewer than three people, or than k, add to the sum of a shown row, unless a rule is about that sum; or when all
        who add to it add the same number, and some add nothing. If people share what they have, it takes two more than those.
    """
    ruled = {rule.measure for rule in protection.rules}
    ancestors, rows = row_numbers(cells.keys, tabulation.sets)
    people = _added(ancestors, cells.people, rows)
    for item in tabulation.items:
        if item.kind != "sum":
            continue
        name, (place,) = as_identifier(item.name), item.places
        some = cells.contributors[:, place]
        contributors = _added(ancestors, some, rows)
        if _counts_people(cells.sums[:, place], some, cells.people):
            raise SourceError(
                f"every contributor adds the same number to the sum {name}, so the sum counts people; nothing was released; "
                f"hint: count these people with FILTER (WHERE {tabulation.sums[place]} > 0), or make the number a key"
            )
        least = min(max(_FEW, 2 + protection.contributors), protection.k)
        if item.name not in ruled and ((contributors > 0) & (contributors < least) & (people >= protection.k)).any():
            raise SourceError(
                f"fewer than {least} people contribute to the sum {name} in a shown row, so their values could be derived; "
                f"nothing was released; hint: add the rule p({name}) >= 10"
            )


def adds_two_numbers(sums: Int64, people: Int64, ends: tuple[Int64, Int64], squares: NDArray[np.float64]) -> bool:
    """Return whether everyone adds one of two numbers, such as 1 and 2.

    Parameters
    ----------
    sums, people : int64 arrays [b]
        For each base cell what its people add, and how many they are.
    ends : tuple of int64 array [b]
        The least and the most that one of them adds.
    squares : float64 array [b]
        The sum of the squares of what each adds.
    """
    low, high = ends[0].min(), ends[1].max()
    if high == low or not np.isin(ends, [low, high]).all() or ((sums - low * people) % (high - low)).any():
        return False
    # of every number between the two, (number - low) * (high - number) is above 0
    least, most = float(low), float(high)
    return bool(np.allclose(squares, (least + most) * sums - least * most * people, rtol=1e-9, atol=0))


def _added(ancestors: Int32, values: Int64, rows: int) -> Int64:
    found = np.zeros(rows, np.int64)
    for column in ancestors.T:
        np.add.at(found, column, values)
    return found


def _counts_people(sums: Int64, contributors: Int64, people: Int64) -> bool:
    """Return whether all contributions are the same number, and some people have none."""
    some = contributors > 0
    if contributors.sum() < _FEW or contributors.sum() == people.sum():
        return False
    each = sums[some] // contributors[some]
    return bool((each * contributors[some] == sums[some]).all() and (each == each[0]).all())


def refuse_identifying(cells: BaseCells, tabulation: Tabulation, protection: Protection) -> tuple[str, ...]:
    """Return warnings of what the keys of suppressed rows show.

    Parameters
    ----------
    cells : BaseCells
        At least one.

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
                "so rows without counts would reveal these people; "
                "nothing was released; hint: remove it from GROUP BY, generalize it, or write ROWS ABSENT"
            )
    widest = max((tuple(key for key in chosen if key in names) for chosen in tabulation.sets), key=len)
    single = _single(cells, widest)
    if single <= limits.most * people:
        return ()
    listed = ", ".join(names[key] for key in widest)
    return (f"the keys {listed} single out {single / people:.1%} of the people, so rows without counts reveal these people",)


def _single(cells: BaseCells, keys: tuple[int, ...], shared: int = 2) -> int:
    """Return how many people have values of some keys that fewer people share; with 2, that no other person has."""
    rows, count = row_numbers(cells.keys, [keys])
    people = np.bincount(rows[:, 0], cells.people, count)
    return int(people[people < shared].sum())
