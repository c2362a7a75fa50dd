"""Who may be in a row for all that other tables show: a table that has no row for somebody shows that nobody is like that."""

from __future__ import annotations

from kanon_sql.model.tabulation import is_condition
from kanon_sql.verification.cells.base_cell import Group
from kanon_sql.verification.cells.joint_tables import JointTables, sets_in
from kanon_sql.verification.cells.published_system import PublishedSystem


class PossibleRows:
    """The rows that tables have, and those that they could have.

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
