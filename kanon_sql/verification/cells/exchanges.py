"""Groups whose people can exchange keys with others so that no published row changes: they need no witness.

Take some common keys out. The other keys fall into parts: the keys of one published grouping set are in one part, and so are
keys that say something about each other or about the same common key, and all keys of tables with sums. People with the same
common keys may exchange their keys of a part. Of n people with the common keys of a group, let a1, ..., aq have its keys of
each of q parts. Then the group may have min(a1, ..., aq) people, and none if a1 + ... + aq is at most (q - 1) n.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from kanon_sql.model.protection import Protection
from kanon_sql.model.tabulation import Tabulation
from kanon_sql.verification.cells.base_cell import BaseCell, Group
from kanon_sql.verification.cells.joint_tables import sets_in
from kanon_sql.verification.cells.related_keys import Pair, parts_of

Keys = frozenset[int]


class Exchanges:
    """What exchanges open.

    Parameters
    ----------
    tabulation : Tabulation
        The keys and the grouping sets of all tables.
    requested : sequence of (Tabulation, Protection)
        Each table, and its requirement.
    cells : sequence of BaseCell
        The base cells.
    related : set of frozenset of int
        Pairs of keys that say something about each other.
    """

    def __init__(
        self,
        tabulation: Tabulation,
        requested: Sequence[tuple[Tabulation, Protection]],
        cells: Sequence[BaseCell],
        related: set[Pair],
    ) -> None:
        self._cells, self._related, self._tables = cells, related, len(tabulation.sets)
        self._known = any(protection.contributors for _, protection in requested)
        sets = [frozenset(each) for each in tabulation.sets]
        with_sums = frozenset(
            key for shape, _ in requested if shape.sums for chosen in sets_in(tabulation.keys, shape) for key in chosen
        )
        self._sets = [each for each in sets if not any(each < other for other in sets)] + [with_sums]
        self._used = sorted(frozenset().union(*sets))

    def of_rows(
        self, sets: Sequence[Sequence[int]], set_of: Sequence[int], keys: Sequence[Group]
    ) -> dict[int, tuple[int, int]]:
        """Return the fewest and the most people that rows of sets which no table has may have; the others are not in it."""
        found = dict[int, tuple[int, int]]()
        for number, chosen in enumerate(sets[self._tables :], self._tables):
            possible = self._possible(frozenset(chosen))
            for row in (row for row, own in enumerate(set_of) if own == number):
                group = tuple(keys[row][key] for key in sorted(chosen))
                if group in possible:
                    found[row] = possible[group]
        return found

    def _possible(self, chosen: Keys) -> dict[Group, tuple[int, int]]:
        """Return the fewest and the most people that groups by some keys may have."""
        found: dict[Group, tuple[int, int]] = {}
        if self._known:  # whoever knows a base cell would see it change
            return found
        commons = {one & other for one, other in combinations(self._sets, 2)} | {frozenset[int]()}
        for common in (each for each in commons if each <= chosen):
            # where a common key is known, keys that it is about say something about each other
            parts = parts_of(self._used, [*(each - common for each in self._sets), *self._related])
            own = [sorted({*common, *part} & chosen) for part in parts if {*part} & chosen - common]
            if len(own) < 2:
                continue
            sizes, whole = [self._sizes(part) for part in own], self._sizes(sorted(common))
            for cell in self._cells:
                group = tuple(cell.keys[key] for key in sorted(chosen))
                people = [size[tuple(cell.keys[key] for key in part)] for size, part in zip(sizes, own, strict=True)]
                fewest = max(0, sum(people) - (len(own) - 1) * whole[tuple(cell.keys[key] for key in sorted(common))])
                before = found.get(group, (fewest, 0))
                found[group] = min(fewest, before[0]), max(min(people), before[1])
        return found

    def _sizes(self, chosen: Sequence[int]) -> Counter[Group]:
        found: Counter[Group] = Counter()
        for cell in self._cells:
            found[tuple(cell.keys[key] for key in chosen)] += cell.values[0]
        return found
