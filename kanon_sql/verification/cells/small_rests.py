"""What is left of a row without a part of it that nobody sees: a group as well, which readers of both can compute."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kanon_sql.verification.cells.published_system import PublishedSystem

Rest = tuple[int, int]
"""A row of a table, and the part that is left out."""


class SmallRests:
    """Such groups of too few people; each needs a witness with more people or with none in it, whichever row that is of.

    Parameters
    ----------
    system : PublishedSystem
        The rows of the tables, and the groups that they name together.
    """

    def __init__(self, system: PublishedSystem) -> None:
        self._system = system
        self._open = set(small_rests(system))
        self._by_row: dict[int, list[Rest]] = {}
        for rest in self._open:
            for row in rest:
                self._by_row.setdefault(row, []).append(rest)

    def witnessed(self, added: Mapping[int, int]) -> None:
        """Take what a witness adds to the people of each row that it changes."""
        people, k = self._system.values[0], self._system.k
        for rest in {rest for row in added for rest in self._by_row.get(row, ())} & self._open:
            row, part = rest
            left = people[row] + added.get(row, 0) - people[part] - added.get(part, 0)
            if left == 0 or left >= k:
                self._open.discard(rest)

    @property
    def first(self) -> Rest | None:
        """Return the first group that no witness was about; None if there is none."""
        return min(self._open, default=None)


def covered(system: PublishedSystem, rest: Rest) -> bool:
    """Return whether a row of too few people lies in a group that is left: a witness of that row is one of the group."""
    row, part = rest
    inside = {*system.members[row]} - {*system.members[part]}
    others = {each for base in inside for each in system.ancestors[base] if system.is_seen(each)}
    return any(0 < system.values[0][each] < system.k and inside.issuperset(system.members[each]) for each in others)


def small_rests(system: PublishedSystem) -> Iterator[Rest]:
    """Yield these groups, unless one of their parts may have n people or more by an exchange of keys."""
    people, tables = system.values[0], len(system.tabulation.sets)
    unseen = sorted({system.sets[row] for row in range(system.rows) if not system.is_seen(row)})
    for number in unseen:
        for above in range(tables):
            if {*system.grouping_sets[above]} < {*system.grouping_sets[number]}:
                for row in filter(system.is_seen, {rows[above] for rows in system.ancestors}):
                    parts = [part for part in system.parts(row, number) if people[part]]
                    for part in parts if len(parts) > 1 else ():
                        left, others = people[row] - people[part], {*parts} - {part}
                        if left < system.k and system.open.isdisjoint(others) and not _exchanged(system, row, part, others):
                            yield row, part


def _exchanged(system: PublishedSystem, row: int, part: int, others: set[int]) -> bool:
    """Return whether the part may be the whole row, or k people less, if only one other part has people."""
    fewest, most = system.exchanged.get(part, (system.values[0][row], 0))
    return len(others) == 1 and (most >= system.values[0][row] or fewest <= system.values[0][row] - system.k)
