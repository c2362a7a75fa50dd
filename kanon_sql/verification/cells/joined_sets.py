"""The groups that rows of several grouping sets name together: each has to be a row of the system, so that it is protected.

Rows of two grouping sets have people in common, and so have rows of all. These groups are the rows of a grouping set of the
tables, or a certificate lists a grouping set for them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from itertools import combinations

from kanon_sql.errors import CertificateError
from kanon_sql.model.tabulation import Tabulation
from kanon_sql.verification.cells.exchanges import Exchanges
from kanon_sql.verification.cells.published_system import PublishedSystem

Keys = frozenset[int]

Rest = tuple[int, int]
"""A row of a table, and the part that is left out."""


def check_listed(tabulation: Tabulation, joined_sets: Sequence[tuple[int, ...]]) -> None:
    """Check that each listed grouping set has the keys of two sets of the tables, or of all.

    Raises
    ------
    CertificateError
        When one has others, or is listed twice.
    """
    permitted = {tuple(sorted(each)) for each in _missing(tabulation)}
    if len({*joined_sets}) < len(joined_sets) or not permitted.issuperset(joined_sets):
        raise CertificateError("joined_sets", "a set is listed twice, or does not join grouping sets of a table")


def check_complete(system: PublishedSystem, exchanges: Exchanges) -> None:
    """Check that the groups by the keys of each two grouping sets, and by those of all, are rows of the system.

    Groups that an exchange of keys opens need not be.

    Raises
    ------
    CertificateError
        When a grouping set is missing; the error names its keys.

    Notes
    -----
    O(g^2) for g grouping sets, and O(b g) for b base cells and each union of two sets that is not in the system.
    """
    listed = {frozenset(each) for each in system.grouping_sets}
    counts = Counter(system.sets)
    for union in sorted(map(sorted, _missing(system.tabulation) - listed)):
        groups = [tuple(cell.keys[key] for key in union) for cell in system.cells]
        count = len({*groups})
        # as many rows as groups, and as many pairs of both: each group is a row
        same = (place for place, rows in counts.items() if rows == count and _pairs(system, place, groups) == count)
        if next(same, None) is None and not _is_open(system, tuple(union), exchanges):
            keys = ", ".join(system.tabulation.keys[key] for key in union)
            raise CertificateError("joined_sets", f"the overlaps of rows by {keys} are missing")


def _is_open(system: PublishedSystem, union: tuple[int, ...], exchanges: Exchanges) -> bool:
    """Return whether the groups of some keys, and what is left of rows without one of them, need no witness."""
    whole = PublishedSystem(system.tabulation, system.requested, system.cells, [union], exchanges)
    groups = {row for row in range(whole.rows) if whole.grouping_sets[whole.sets[row]] == union}
    rests = (rest for rest in small_rests(whole) if rest[1] in groups)
    return not any(map(whole.needs_witness, groups)) and all(covered(whole, rest) for rest in rests)


def _missing(tabulation: Tabulation) -> set[Keys]:
    """Return the keys of each two grouping sets, and of all, unless they are those of a grouping set."""
    known = {frozenset(each) for each in tabulation.sets}
    return ({one | other for one, other in combinations(known, 2)} | {reduce(Keys.union, known)}) - known


def _pairs(system: PublishedSystem, place: int, groups: Sequence[tuple[str | None, ...]]) -> int:
    """Return how many pairs of a group and a row of a grouping set there are."""
    return len({(rows[place], group) for rows, group in zip(system.ancestors, groups, strict=True)})


class SmallRests:
    """Groups of too few people: what is left of a row without a part that nobody sees, as readers of both can compute.

    Each needs a witness with more people or with none in it, whichever row that is of.

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
