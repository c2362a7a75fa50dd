"""Empty rows that are suppressed with others, so that no suppressed row is the only possible one of its group.

A table has one row of astronauts, and suppresses it. Anyone who knows an astronaut then knows what else the row says. If the
table suppresses another row of astronauts, which nobody is in, it may be either. An empty row hides nothing, so it costs
nothing. But for all that is shown, somebody may be in it: it has a witness.

A *group* is what a row says without some of its keys: without one, without keys that say something about each other, or as in
a coarser row of the table. It needs no second row if the source has no other value that goes with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from kanon_sql.engines.cells.base_cells import BaseCells, row_numbers
from kanon_sql.engines.cells.own_sets import OwnSets
from kanon_sql.engines.cells.unlikely_pairs import UnlikelyPairs
from kanon_sql.errors import PolicyError, SourceError
from kanon_sql.table.arrays import Int64
from kanon_sql.table.cell_table import Bools, CellTable

_TRIED, _LEAST_TRIED, _ALL_TRIED = 256, 4, 50_000
"""Cells that lend their values and that are tried for a row, at most and at least; between them so many for all rows."""

_BASES, _NEAR = 4, 4_096
"""Base cells of a row that are tried, at most, and lending cells that are looked at first."""

_STUCK, _FIXED, _CLOSED = 8, 1 << 20, 1 << 40
"""What a lending cell costs in addition that cannot lose a person, a row that stays shown, and an empty one that has to be."""

Key = tuple[int, ...]


class EmptyRows:
    """A search for base cells that nobody has, and that give other rows cover.

    Parameters
    ----------
    table : CellTable
        The system.
    places : mapping
        The place of each grouping set in it.
    cells : BaseCells
        Its base cells.
    parts : sequence of sequence of int
        The keys, in parts that say nothing about each other.
    tables : sequence of OwnSets
        All tables.
    pattern : bool array [r]
        The rows that are suppressed.
    unlikely : callable
        Returns the values that readers think impossible together: cells with them only give cover where no others do.
    impossible : callable, optional
        Returns in which base cells, by their keys, nobody can be.
    """

    def __init__(
        self,
        table: CellTable,
        places: Mapping[Key, int],
        cells: BaseCells,
        parts: Sequence[Sequence[int]],
        tables: Sequence[OwnSets],
        pattern: Bools,
        unlikely: Callable[[], UnlikelyPairs],
        impossible: Callable[[Int64], Bools] | None = None,
    ) -> None:
        self._table, self._places, self._cells, self._parts, self._tables = table, places, cells, parts, tables
        self._people, value = table.values(0), table.values(0)
        free = pattern | table.unseen
        self._cost = np.where(free, 0, np.where(table.shown, _FIXED, table.cost))
        stuck = ~table.unseen & (value - table.measures[0].least < 1)
        self._loss = self._cost + np.where(stuck, _STUCK, 0)
        price = self._loss[table.ancestors].sum(axis=1)
        price[cells.people == 0] = _CLOSED
        self._lenders = np.argsort(price, kind="stable")[: int((cells.people > 0).sum())]
        self._pattern, self._unlikely, self._impossible = pattern, unlikely, impossible
        self._rows: dict[int, dict[Key, int]] = {}
        self._covered = set[tuple[int, int, Key, Key]]()
        self._found = list[Key]()
        self._keys: dict[tuple[int, int], list[Key]] = {}
        self._tried = _TRIED

    def missing(self, wanted: Sequence[tuple[int, dict[int, int]]] = ()) -> Int64:
        """Return the keys of base cells that have to be added, int64 array [n, d].

        Parameters
        ----------
        wanted : sequence of (int, dict of int to int)
            Empty rows that tables have and the system lacks: the number of the table, and the values of its keys.

        Raises
        ------
        PolicyError
            When rows that have to be shown say that nobody else is in the group of a suppressed row.
        """
        for number, value in wanted:
            for own in self._tables[number].sets:
                if all(value.get(key) == 1 for key in own.conditions):
                    self._rows_of(own.keys).setdefault(tuple(value[key] for key in own.keys), -1)
        for _, value in wanted:
            if not self._take(self._like(value, [each for _, each in wanted])):
                raise SourceError(
                    "an earlier protected table suppresses an empty row that this one would show to be empty; nothing was "
                    "released; hint: use fewer keys, or USING auto (earlier = 'ignore') if nobody sees both tables"
                )
        places = [(number, place) for number, each in enumerate(self._tables) if each.new for place in range(each.plain)]
        lone = [(*at, *each) for at in places for each in self._lone(*at)]
        self._tried = min(_TRIED, max(_LEAST_TRIED, _ALL_TRIED // max(1, len(lone))))
        for number, place, group, cell in lone:
            if (number, place, group, tuple(self._cells.keys[cell, group].tolist())) not in self._covered:
                self._take(self._others(self._tables[number].sets[place].keys, group, cell))
        return np.array(self._found, np.int64).reshape(len(self._found), self._cells.keys.shape[1])

    def _groups(self, number: int, place: int) -> list[Key]:
        """Return the keys of the groups of the rows of a grouping set."""
        if (number, place) not in self._keys:
            table, own = self._tables[number], self._tables[number].sets[place]
            keys, fixed = set(own.keys), set(own.conditions)
            found = [keys - {key} for key in own.keys] + [keys - set(part) for part in self._parts]
            found += [
                set(each.keys) for each in table.sets[: table.plain] if each is not own and self._coarser(each.keys, own.keys)
            ]
            self._keys[number, place] = list(
                dict.fromkeys(tuple(sorted(each | fixed)) for each in found if each | fixed != keys)
            )
        return self._keys[number, place]

    def _coarser(self, keys: Key, own: Key) -> bool:
        """Return whether each row of a grouping set lies in one row of another one: part by part, its keys determine those."""
        for part in self._parts:
            mine, theirs = (tuple(key for key in part if key in each) for each in (own, keys))
            if not set(theirs) <= set(mine):
                _, rows = row_numbers(self._cells.keys, [mine])
                _, pairs = row_numbers(self._cells.keys, [tuple(sorted({*mine, *theirs}))])
                if pairs != rows:
                    return False
        return True

    def _lone(self, number: int, place: int) -> Iterator[tuple[Key, int]]:
        """Yield groups with a single row of a grouping set, if it has people and is suppressed, each with a base cell of it."""
        table = self._tables[number]
        chosen = table.sets[place].keys
        inside = np.flatnonzero(table.meets)
        rows, first = np.unique(self._table.ancestors[inside, self._places[chosen]], return_index=True)
        keys = self._cells.keys[inside[first]]
        hidden = self._pattern[rows] & (self._people[rows] > 0)
        for group in self._groups(number, place):
            numbers, count = row_numbers(keys, [group])
            alone = np.bincount(numbers[:, 0], minlength=count)[numbers[:, 0]] == 1
            for at in np.flatnonzero(alone & hidden).tolist():
                yield group, int(inside[first[at]])

    def _others(self, chosen: Key, group: Key, cell: int) -> list[tuple[Int64, Int64]]:
        """Return what else a row of a group may be: keys of empty cells, and the cells that lend them values."""
        keys, found = self._cells.keys, list[tuple[Int64, Int64]]()
        place = self._places[chosen]
        members = np.flatnonzero(
            (self._table.ancestors[:, place] == self._table.ancestors[cell, place]) & (self._cells.people > 0)
        )
        for part in self._parts:
            same = [key for key in part if key in group]
            other = [key for key in part if key in chosen and key not in group]
            if not other:
                continue
            lenders = self._fitting(self._lenders[:_NEAR], cell, same, other)
            if not len(lenders):
                lenders = self._fitting(self._lenders[_NEAR:], cell, same, other)
            for member in members[: max(1, min(_BASES, self._tried // 16)) if self._impossible is None else _TRIED].tolist():
                fresh = np.tile(keys[member], (len(lenders), 1))
                fresh[:, part] = keys[lenders][:, part]
                possible = self._possible(fresh)[: self._tried]
                found.append((fresh[possible], lenders[possible]))
                if self._impossible is not None and len(possible):
                    break
        return found

    def _fitting(self, cells: Int64, cell: int, same: Sequence[int], other: Sequence[int]) -> Int64:
        """Return the first cells that are as another one in some keys, and not in all of others."""
        keys = self._cells.keys
        lending = keys[cells]
        fits = (lending[:, same] == keys[cell, same]).all(axis=1) & (lending[:, other] != keys[cell, other]).any(axis=1)
        found: Int64 = cells[fits][: self._tried if self._impossible is None else _NEAR]
        return found

    def _possible(self, fresh: Int64) -> Int64:
        """Return which of some cells somebody may be in, by their keys."""
        return np.arange(len(fresh)) if self._impossible is None else np.flatnonzero(~self._impossible(fresh))

    def _like(self, value: dict[int, int], others: Sequence[dict[int, int]]) -> list[tuple[Int64, Int64]]:
        """Return what the base cell of an empty row may be, maybe of another one too: keys, and cells that lend them values."""
        own, lenders = self._cells.keys, self._lenders[:_TRIED]
        fresh = own[lenders]
        for each in others[:_TRIED]:
            both = own[lenders[:1]].copy()
            both[:, list(each)] = list(each.values())
            fresh, lenders = np.concatenate((fresh, both)), np.append(lenders, lenders[0])
        for part in self._parts:
            same = [key for key in part if key in value]
            alike = np.flatnonzero((own[:, same] == [value[key] for key in same]).all(axis=1))
            if same and len(alike):
                fresh[:, part] = own[alike[0], part]
        fresh[:, list(value)] = list(value.values())
        possible = self._possible(fresh)
        return [(fresh[possible], lenders[possible])]

    def _take(self, given: Sequence[tuple[Int64, Int64]]) -> bool:
        """Take the cheapest of some cells; return whether one is possible."""
        likely = [(fresh[kept], lenders[kept]) for fresh, lenders in given for kept in (~self._unlikely().has(fresh),)]
        best, chosen = self._cheapest(likely)
        if best >= _FIXED:
            best, chosen = self._cheapest(given)
        if chosen is None:
            return False
        if best >= _CLOSED:
            raise PolicyError(
                "rows that must be shown say that a suppressed row is the only one of its group; hint: leave the finer "
                "grouping sets out of SHOW"
            )
        self._found.append(chosen)
        self._enter(chosen)
        return True

    def _cheapest(self, given: Sequence[tuple[Int64, Int64]]) -> tuple[int, Key | None]:
        """Return the cheapest of some cells, and what it costs."""
        best, chosen = _CLOSED << 8, None
        for fresh, lenders in given:
            for key, lender in zip(map(tuple, fresh.tolist()), lenders.tolist(), strict=True):
                price = self._price(key, lender, best)
                if price < best:
                    best, chosen = price, key
        return best, chosen

    def _enter(self, chosen: Key) -> None:
        """Count the rows of an empty cell as rows."""
        for number, table in enumerate(self._tables):
            for place, own in enumerate(table.sets):
                if all(chosen[key] == 1 for key in own.conditions):
                    self._rows_of(own.keys).setdefault(tuple(chosen[key] for key in own.keys), -1)
                    for group in self._groups(number, place) if place < table.plain else ():
                        self._covered.add((number, place, group, tuple(chosen[key] for key in group)))

    def _price(self, key: Key, lender: int, most: int) -> int:
        """Return what it costs to move a person from a cell to an empty one; ``most`` or more if a row stands against it."""
        price, seen = 0, set[Key]()
        for table in self._tables:
            added = list[bool]()
            for place, own in enumerate(table.sets):
                meets = all(key[each] == 1 for each in own.conditions)
                row = self._rows_of(own.keys).get(tuple(key[each] for each in own.keys), -2) if meets else -1
                added.append(row == -2)
                if row == -2 and not self._may_be_added(table, key, place, added):
                    return most
                price += _CLOSED if row == -2 and own.keys in table.shown else 0
                other = int(self._table.ancestors[lender, self._places[own.keys]])
                if own.keys in seen or row == other:
                    continue
                seen.add(own.keys)
                price += int(self._loss[other]) + (1 if row == -2 else int(self._cost[row]) if row >= 0 else 0)
                if price >= most:
                    return most
        return price

    def _may_be_added(self, table: OwnSets, key: Key, place: int, added: Sequence[bool]) -> bool:
        """Return whether a table can have an empty row: its values occur, or a published table leaves such rows out."""
        if not table.new:  # a row with a count under a condition of 0 is not left out
            return table.absent and (place < table.plain or added[(place - table.plain) % table.plain])
        own = self._cells.keys[table.meets & (self._cells.people > 0)]
        return all((own[:, each] == key[each]).any() for each in table.sets[place].keys)

    def _rows_of(self, chosen: Key) -> dict[Key, int]:
        """Return the rows of a grouping set by their keys."""
        place = self._places[chosen]
        if place not in self._rows:
            rows, first = np.unique(self._table.ancestors[:, place], return_index=True)
            keys = map(tuple, self._cells.keys[first][:, chosen].tolist())
            self._rows[place] = dict(zip(keys, rows.tolist(), strict=True))
        return self._rows[place]
