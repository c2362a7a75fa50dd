"""A suppressed row is never the only one of a group that may have people, or its group would say what the row says.

A group is what a row says without one of its keys, without keys that say something about each other, or as in a row that adds
it up. It needs another row, of people or empty, unless the source has no other value that goes with the group, or another
table shows that nobody is in any other row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from kanon_sql.errors import CertificateError
from kanon_sql.model.tabulation import is_condition
from kanon_sql.verification.cells.base_cell import BaseCell, Group
from kanon_sql.verification.cells.empty_cells import ImpossibleCells
from kanon_sql.verification.cells.joint_tables import JointTables, sets_in
from kanon_sql.verification.cells.published_system import PublishedSystem
from kanon_sql.verification.cells.related_keys import Pair, parts_of

Keys = frozenset[int]


def check_lone_rows(
    system: PublishedSystem,
    joint: JointTables,
    suppressed: frozenset[int],
    related: set[Pair],
    impossible: ImpossibleCells,
) -> None:
    """Check that each suppressed row of people has another row in each group.

    Raises
    ------
    CertificateError
        When one has none; the error names the row.

    Notes
    -----
    O(r d) for r rows and d keys, and O(b d) for b base cells.
    """
    possible = PossibleRows(system, joint, suppressed)
    parts = list(map(frozenset, parts_of(range(len(joint.whole.keys)), related)))
    everybody = [cell for cell in system.cells if cell.values[0]]
    for place in range(len(joint.solved)):
        own = {number: frozenset(system.grouping_sets[number]) for number in joint.sets_of(place)}
        for number, keys in own.items():
            met = frozenset(key for key in keys if is_condition(joint.whole.keys[key]))
            people = [cell for cell in everybody if all(cell.keys[key] == "true" for key in met)]
            coarser = {each for each in own.values() if all(_coarser(everybody, each & part, keys & part) for part in parts)}
            for group in {each | met for each in {keys - {key} for key in keys} | {keys - part for part in parts} | coarser}:
                if group != keys:
                    lone = _lone(system, number, group, suppressed)
                    values = [_Values(people, part, keys, group) for part in parts if part & keys - group]
                    _refuse(system, lone, values, lambda moved: possible.permit(moved) and not impossible.has(moved))


def _coarser(people: Sequence[BaseCell], group: Keys, keys: Keys) -> bool:
    """Return whether some keys of a part determine others."""
    rows = {_group(cell, keys) for cell in people}
    return len({(_group(cell, keys), _group(cell, group)) for cell in people}) == len(rows)


def _group(cell: BaseCell, keys: Keys) -> Group:
    return tuple(cell.keys[key] for key in sorted(keys))


def _lone(system: PublishedSystem, number: int, group: Keys, suppressed: frozenset[int]) -> Iterator[int]:
    """Yield the suppressed rows of people of a grouping set that have no other row in their group."""
    own = filter(system.is_seen, {rows[number] for rows in system.ancestors})
    of = {row: _group(system.cells[system.members[row][0]], group) for row in own}
    rows = Counter(of.values())
    for row in sorted(suppressed.intersection(of)):
        if rows[of[row]] == 1 and system.values[0][row]:
            yield row


class _Values:
    """What the keys of a part show in rows of a group.

    Parameters
    ----------
    people : sequence of BaseCell
        Base cells with people.
    part, keys, group : frozenset of int
        The part, and the keys of the rows and of the group.
    """

    def __init__(self, people: Sequence[BaseCell], part: Keys, keys: Keys, group: Keys) -> None:
        self._part, self._fixed, self._shown = sorted(part), part & group, part & keys
        self._of: dict[Group, dict[Group, set[Group]]] = {}
        for cell in people:
            shown = self._of.setdefault(_group(cell, self._fixed), {})
            shown.setdefault(_group(cell, self._shown), set()).add(_group(cell, part))

    def permit_another(self, members: Sequence[BaseCell], permitted: Callable[[Group], bool]) -> bool:
        """Return whether somebody of a row may be in another one of the group."""
        others = [
            values
            for shown, found in self._of[_group(members[0], self._fixed)].items()
            if shown != _group(members[0], self._shown)
            for values in found
        ]
        return any(permitted(self._moved(cell, values)) for cell in members for values in others)

    def _moved(self, cell: BaseCell, values: Group) -> Group:
        keys = list(cell.keys)
        for key, value in zip(self._part, values, strict=True):
            keys[key] = value
        return tuple(keys)


def _refuse(
    system: PublishedSystem, lone: Iterator[int], values: Sequence[_Values], permitted: Callable[[Group], bool]
) -> None:
    for row in lone:
        members = [cell for base in system.members[row] if (cell := system.cells[base]).values[0]]
        if any(each.permit_another(members, permitted) for each in values):
            raise CertificateError("empty_cells", f"the suppressed row {row} cannot share a group with any other row")


class PossibleRows:
    """The rows that tables have, and those that they could have: a table without a row for somebody shows that nobody is so.

    Parameters
    ----------
    system : PublishedSystem
        The rows.
    joint : JointTables
        Their tables.
    suppressed : frozenset of int
        The rows that show nothing.

    Notes
    -----
    O(b g) for b base cells and g grouping sets.
    """

    def __init__(self, system: PublishedSystem, joint: JointTables, suppressed: frozenset[int]) -> None:
        self._joint, self._suppressed = joint, suppressed
        self._rows: dict[tuple[int, ...], dict[Group, int]] = {}
        for number, chosen in enumerate(joint.whole.sets):
            found = self._rows[chosen] = {}
            for cell, rows in zip(system.cells, system.ancestors, strict=True):
                if system.is_seen(rows[number]):
                    found[tuple(cell.keys[key] for key in chosen)] = rows[number]
        people = [cell.keys for cell in system.cells if cell.values[0]]
        self._outer = [[joint.whole.keys.index(text) for text in _outer(joint, place)] for place in range(len(joint.tables))]
        self._people = [[keys for keys in people if all(keys[key] == "true" for key in outer)] for outer in self._outer]
        self._values = [[{*column} for column in zip(*own, strict=True)] for own in self._people]

    def permit(self, keys: Group) -> bool:
        """Return whether somebody may have these keys."""
        return all(self._permits(place, keys) for place in range(len(self._joint.tables)))

    def _permits(self, place: int, keys: Group) -> bool:
        """Return whether a table has rows for such people, could have had them as empty rows, or leaves such rows out."""
        if any(keys[key] != "true" for key in self._outer[place]):
            return True
        shape, requested = self._joint.tables[place]
        sets, count = sets_in(self._joint.whole.keys, shape), len(shape.sets)
        new, absent = place < len(self._joint.solved), requested.rows == "absent"
        for number, chosen in enumerate(sets):
            whole, own = self._row(sets[number % count], keys), self._row(chosen, keys)
            if own is not None or any(keys[key] != "true" for key in chosen if is_condition(self._joint.whole.keys[key])):
                continue
            if not self._people[place]:
                return False
            if new:
                possible = all(keys[key] in self._values[place][key] for key in chosen)
            elif number < count:
                possible = absent
            else:
                possible = absent if whole is None else whole in self._suppressed
            if not possible:
                return False
        return True

    def _row(self, chosen: tuple[int, ...], keys: Group) -> int | None:
        return self._rows[chosen].get(tuple(keys[key] for key in chosen))


def _outer(joint: JointTables, place: int) -> list[str]:
    return [text for text in joint.tables[place][0].conditions if text in joint.whole.keys]
