"""What linked histories cost at least, proven again in plain Python; see the page about the certificate.

A row costs what it hides: at least so much that rows of k people show the same, next to the own columns that its person shows.
If two rows are known, the same holds for each pair of rows. A person with n rows has each row in n - 1 pairs, so the person
costs at least what its pairs cost, divided by n - 1. The cheapest choice of own columns is what each person costs at least.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, product
from typing import Any

Cells = tuple[int | None, ...]

_Shown = tuple[int, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The rows of one person as codes; None is an empty cell."""

    own: Cells  # the own columns of the person
    rows: Sequence[Cells]  # the other columns of each row


def proven(people: Sequence[History], k: int, *, pairs: bool) -> int:
    """Return what every release of the histories costs at least.

    Parameters
    ----------
    people : sequence of History
        All people.
    k : int
        The least number of people.
    pairs : bool
        Whether two rows of a person may be known.

    Notes
    -----
    O(2^a (2^f r + 4^f s)) for a own columns, f others, r rows, and s pairs of rows of one person.
    """
    if not people:
        return 0
    choices = list(_subsets(range(len(people[0].own))))
    return sum(map(min, zip(*(list(_costs(people, k, own, pairs=pairs)) for own in choices), strict=True)))


def _costs(people: Sequence[History], k: int, chosen: Sequence[int], *, pairs: bool) -> Iterator[int]:
    """Yield what each person costs at least who shows some of the own columns."""
    own = [_shown(each.own, chosen) for each in people]
    facts = list(_subsets(range(len(people[0].rows[0]))))
    both = list(zip(own, people, strict=True))
    alone = {fact: _enough((_keys_of_rows(mine, each.rows, fact) for mine, each in both), k) for fact in facts}
    ways_of_two = list(product(facts, facts)) if pairs else []
    together = {two: _enough((_keys_of_pairs(mine, each.rows, two) for mine, each in both), k) for two in ways_of_two}
    for mine, each in both:
        values = [sum(cell is not None for cell in (*each.own, *row)) for row in each.rows]
        single = [
            min([value, *(value - len(chosen) - len(fact) for fact in facts if (mine, _shown(row, fact)) in alone[fact])])
            for value, row in zip(values, each.rows, strict=True)
        ]
        cost = sum(single)
        if pairs and len(each.rows) > 1:
            total = 0
            for one, other in combinations(range(len(each.rows)), 2):
                ways = [values[one] + values[other], values[one] + single[other], single[one] + values[other]]
                for two in ways_of_two:
                    key = (mine, _shown(each.rows[one], two[0]), _shown(each.rows[other], two[1]))
                    if key in together[two]:
                        ways.append(values[one] + values[other] - 2 * len(chosen) - len(two[0]) - len(two[1]))
                total += min(ways)
            cost = max(cost, -(-total // (len(each.rows) - 1)))
        yield cost


def _keys_of_rows(own: _Shown, rows: Sequence[Cells], fact: Sequence[int]) -> Iterator[tuple[Any, ...]]:
    """Yield what each row of a person shows."""
    return ((own, _shown(row, fact)) for row in rows)


def _keys_of_pairs(own: _Shown, rows: Sequence[Cells], two: tuple[Sequence[int], Sequence[int]]) -> Iterator[tuple[Any, ...]]:
    """Yield what two rows of a person show, in both orders."""
    first, second = ([_shown(row, fact) for row in rows] for fact in two)
    for one, other in combinations(range(len(rows)), 2):
        yield own, first[one], second[other]
        yield own, first[other], second[one]


def _enough(keys: Iterable[Iterable[tuple[Any, ...]]], k: int) -> set[tuple[Any, ...]]:
    """Return the keys without an empty cell that k people have."""
    counts: dict[tuple[Any, ...], int] = {}
    for of_person in keys:
        for key in {key for key in of_person if None not in key}:
            counts[key] = counts.get(key, 0) + 1
    return {key for key, people in counts.items() if people >= k}


def _shown(cells: Cells, chosen: Sequence[int]) -> _Shown:
    """Return some cells; None if one of them is empty."""
    found = tuple(cell for place in chosen if (cell := cells[place]) is not None)
    return found if len(found) == len(chosen) else None


def _subsets(places: Iterable[int]) -> Iterator[tuple[int, ...]]:
    listed = list(places)
    return chain.from_iterable(combinations(listed, size) for size in range(len(listed) + 1))
