"""The groups that the published rows of a view name: rows, and intersections and differences of two rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from kanon_sql.solvers.ledger.facts import Fact
from kanon_sql.solvers.ledger.universe import Region, Universe


@dataclass(frozen=True, slots=True)
class Group:
    """A region, perhaps without a part of it.

    Attributes
    ----------
    region : tuple
        The region.
    without : tuple or None
        A part of the region that does not belong to the group; None if the region says it all.
    """

    region: Region
    without: Region | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A group, and the facts of a view that name it: one, or two that are intersected or subtracted."""

    group: Group
    first: int
    second: int = -1
    minus: bool = False


def candidates(universe: Universe, facts: Sequence[Fact], n: int, conditions: set[int]) -> list[Candidate]:
    """Return the groups of a view.

    Parameters
    ----------
    universe : Universe
        The columns.
    facts : sequence of Fact
        What the view knows.
    n : int
        Groups of 1 to n - 1 people are looked for.
    conditions : set of int
        The columns of conditions: two rows may differ in all of them, but in one other column only.
    """
    found: dict[Group, Candidate] = {}
    rows = [place for place, fact in enumerate(facts) if fact.closes is None]
    for place in rows:
        fact = facts[place]
        if fact.lower != fact.upper or 1 <= fact.lower < n:
            found[Group(fact.region)] = Candidate(Group(fact.region), place)
    named = {facts[place].region for place in rows}
    for first, second in _pairs(facts, rows, conditions):
        left, right = dict(facts[first].region), dict(facts[second].region)
        both = dict(left)
        for column, values in right.items():
            both[column] = both.get(column, universe.columns[column].full) & values
        if not all(both.values()):
            continue
        common = universe.region(both)
        if common not in named:
            found.setdefault(Group(common), Candidate(Group(common), first, second))
        for one, other, box in ((first, second, left), (second, first, right)):
            if common != facts[one].region:
                group = _difference(universe, box, both)
                if group.without is not None or group.region not in named:
                    found.setdefault(group, Candidate(group, one, other, minus=True))
    return list(found.values())


def _difference(universe: Universe, box: dict[int, int], part: dict[int, int]) -> Group:
    smaller = [column for column, values in part.items() if values != box.get(column, universe.columns[column].full)]
    if len(smaller) > 1:
        return Group(universe.region(box), universe.region(part))
    (column,) = smaller
    return Group(universe.region(box | {column: box.get(column, universe.columns[column].full) & ~part[column]}))


def _pairs(facts: Sequence[Fact], rows: Sequence[int], conditions: set[int]) -> Iterator[tuple[int, int]]:
    """Yield pairs of rows that differ in one column, or in columns of conditions only."""
    alike: dict[object, list[int]] = defaultdict(list)
    columns = {column for place in rows for column, _ in facts[place].region}
    for place in rows:
        region = facts[place].region
        alike[tuple(each for each in region if each[0] not in conditions)].append(place)
        for column in columns - conditions:
            alike[column, tuple(each for each in region if each[0] != column)].append(place)
    for same in alike.values():
        yield from combinations(same, 2)
