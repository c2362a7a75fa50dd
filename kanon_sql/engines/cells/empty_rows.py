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
from kanon_sql.engines.cells.moved_people import CLOSED, IMPOSSIBLE, MovedPeople
from kanon_sql.engines.cells.published_set import OwnSets
from kanon_sql.engines.cells.unlikely_pairs import UnlikelyPairs
from kanon_sql.errors import PolicyError, SourceError
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.cell_table import Bools, CellTable

_TRIED, _LEAST_TRIED, _ALL_TRIED = 256, 4, 50_000
"""Cells that lend their values and that are tried for a row, at most and at least; between them so many for all rows."""

_BASES, _NEAR = 4, 4_096
"""Base cells of a row that are tried, at most, and lending cells among which as many as are tried are looked for."""

_CHOICES = 4_096
"""Times that rows choose their cells, at most, and so do not see what those choose that choose with them."""

_STUCK, _FIXED = 8, 1 << 20
"""What a lending cell costs in addition that cannot lose a person, and a row that stays shown."""

Key = tuple[int, ...]

Candidates = Sequence[tuple[Int64, Int64]]
"""Base cells that nobody has, by their keys, and for each the base cell that lends it values."""


class EmptyRows:
    """A search for base cells that nobody has, and that give other rows cover.

    Parameters
    ----------
    places : mapping
        The place of each grouping set in it.
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
        gain = np.where(free, 0, np.where(table.shown, _FIXED, table.cost))
        loss = gain + np.where(~table.unseen & (value - table.measures[0].least < 1), _STUCK, 0)
        price = loss[table.ancestors].sum(axis=1)
        price[cells.people == 0] = IMPOSSIBLE
        self._lenders = np.argsort(price, kind="stable")[: int((cells.people > 0).sum())]
        self._pattern, self._unlikely, self._impossible = pattern, unlikely, impossible
        self._moved = MovedPeople(table, places, cells, tables, gain, loss)
        self._taken, self._count = np.zeros((64, cells.keys.shape[1]), np.int64), 0
        self._keys: dict[tuple[int, int], list[Key]] = {}
        self._counted: dict[Key, int] = {}
        self._varied: dict[tuple[Key, Key], Bools] = {}
        self._indexed: dict[Key, tuple[Int32, Int64, Int64]] = {}
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
            self._moved.claim(np.array([value.get(key, 0) for key in range(self._cells.keys.shape[1])]), number)
        for _, value in wanted:
            if not self._take([self._like(value, [each for _, each in wanted])]):
                raise SourceError(
                    "an earlier protected table suppresses an empty row that this one would reveal as empty; nothing was "
                    "released; hint: use fewer keys, or write USING auto (earlier = 'ignore') if nobody sees both tables"
                )
        places = [(number, place) for number, each in enumerate(self._tables) if each.new for place in range(each.plain)]
        lone = [(self._tables[at[0]].sets[at[1]].keys, *each) for at in places for each in self._lone(*at)]
        count = sum(len(cells) for _, _, cells in lone)
        self._tried, together = min(_TRIED, max(_LEAST_TRIED, _ALL_TRIED // max(1, count))), 1 + count // _CHOICES
        for chosen, group, cells in lone:
            uncovered = self._uncovered(chosen, group, cells)  # what covers one of them covers no other
            for begin in range(0, len(uncovered), together):
                # where none is possible, another table shows that nobody is in the rest of the group
                self._take([self._others(chosen, group, cell) for cell in uncovered[begin : begin + together]])
        return self._taken[: self._count]

    def _uncovered(self, chosen: Key, group: Key, cells: Int64) -> list[int]:
        """Return those of some cells, each in a group of its own, for which no other row of the group was taken."""
        keys, taken = self._cells.keys[cells], self._taken[: self._count]
        numbers, count = row_numbers(np.concatenate((keys, taken)), [group])
        whose = np.full(count, -1, np.int64)
        whose[numbers[: len(cells), 0]] = np.arange(len(cells))
        whose = whose[numbers[len(cells) :, 0]]
        other = (whose >= 0) & (taken[:, chosen] != keys[whose][:, chosen]).any(axis=1)
        covered = np.zeros(len(cells), np.bool_)
        covered[whose[other]] = True
        found: list[int] = cells[~covered].tolist()
        return found

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
            if not set(theirs) <= set(mine) and self._groups_of(mine) != self._groups_of(tuple(sorted({*mine, *theirs}))):
                return False
        return True

    def _groups_of(self, keys: Key) -> int:
        """Return how many groups some keys of the base cells make."""
        if keys not in self._counted:
            self._counted[keys] = row_numbers(self._cells.keys, [keys])[1]
        return self._counted[keys]

    def _lone(self, number: int, place: int) -> Iterator[tuple[Key, Int64]]:
        """Yield kinds of groups, and base cells: one of each row that is alone in its group, has people and is suppressed."""
        table = self._tables[number]
        chosen = table.sets[place].keys
        inside = np.flatnonzero(table.meets)
        rows, first = np.unique(self._table.ancestors[inside, self._places[chosen]], return_index=True)
        keys = self._cells.keys[inside[first]]
        hidden = self._pattern[rows] & (self._people[rows] > 0)
        for group in self._groups(number, place):
            numbers, count = row_numbers(keys, [group])
            alone = np.bincount(numbers[:, 0], minlength=count)[numbers[:, 0]] == 1
            cells = inside[first[alone & hidden]]
            cells = cells[self._have_others(chosen, group, cells)]
            if len(cells):
                yield group, cells

    def _others(self, chosen: Key, group: Key, cell: int) -> Candidates:
        """Return what else a row of a group may be."""
        keys, found, members = self._cells.keys, list[tuple[Int64, Int64]](), self._alike(cell, chosen)
        for part, same, other in self._other_keys(chosen, group):
            lenders = self._fitting(cell, same, other)
            for member in members[: max(1, min(_BASES, self._tried // 16)) if self._impossible is None else _TRIED].tolist():
                fresh = np.tile(keys[member], (len(lenders), 1))
                fresh[:, part] = keys[lenders][:, part]
                possible = self._possible(fresh)[: self._tried]
                found.append((fresh[possible], lenders[possible]))
                if self._impossible is not None and len(possible):
                    break
        return found

    def _other_keys(self, chosen: Key, group: Key) -> Iterator[tuple[Sequence[int], Key, Key]]:
        """Yield each part of the keys in which rows of a group differ, with those that are equal there, and the others."""
        for part in self._parts:
            other = tuple(key for key in part if key in chosen and key not in group)
            if other:
                yield part, tuple(key for key in part if key in group), other

    def _have_others(self, chosen: Key, group: Key, cells: Int64) -> Bools:
        """Return for which of some base cells the source has other values that go with their group."""
        found = np.zeros(len(cells), np.bool_)
        for _, same, other in self._other_keys(chosen, group):
            if (same, other) not in self._varied:
                keys = self._cells.keys
                (both, pairs), (number, count) = (row_numbers(keys[self._lenders], [each]) for each in ((*same, *other), same))
                of_pair = np.zeros(pairs, np.int32)
                of_pair[both[:, 0]] = number[:, 0]
                varied = np.zeros(len(keys), np.bool_)
                varied[self._lenders] = np.bincount(of_pair, minlength=count)[number[:, 0]] > 1
                self._varied[same, other] = varied
            found |= self._varied[same, other][cells]
        return found

    def _alike(self, cell: int, keys: Key) -> Int64:
        """Return the base cells with people that are as another one in some keys, the cheapest first."""
        if keys not in self._indexed:
            numbers, count = row_numbers(self._cells.keys, [keys])
            order = self._lenders[np.argsort(numbers[self._lenders, 0], kind="stable")]
            self._indexed[keys] = numbers[:, 0], order, np.searchsorted(numbers[order, 0], np.arange(count + 1))
        number, order, first = self._indexed[keys]
        return order[first[number[cell]] : first[number[cell] + 1]]

    def _fitting(self, cell: int, same: Key, other: Sequence[int]) -> Int64:
        """Return the cheapest base cells with people that are as another one in some keys, and not in all of others."""
        keys, alike, size = self._cells.keys, self._alike(cell, same), 8 * self._tried
        wanted = self._tried if self._impossible is None else _NEAR
        while True:
            cells = alike[:size]
            found: Int64 = cells[(keys[cells][:, other] != keys[cell, other]).any(axis=1)][:wanted]
            if len(found) == wanted or size >= len(alike) or (len(found) and size >= _NEAR):
                return found
            size *= 8

    def _possible(self, fresh: Int64) -> Int64:
        """Return which of some cells somebody may be in, by their keys."""
        return np.arange(len(fresh)) if self._impossible is None else np.flatnonzero(~self._impossible(fresh))

    def _like(self, value: dict[int, int], others: Sequence[dict[int, int]]) -> Candidates:
        """Return what the base cell of an empty row may be, maybe of another one too."""
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
            elif same and len(same) < len(part):
                return []  # nobody shows what the other keys of the part would be
        fresh[:, list(value)] = list(value.values())
        possible = self._possible(fresh)
        return [(fresh[possible], lenders[possible])]

    def _take(self, given: Sequence[Candidates]) -> bool:
        """Take the cheapest of the cells that each of some rows may have; return whether each has one."""
        some = [(row, *each) for row, candidates in enumerate(given) for each in candidates if len(each[0])]
        if not some:
            return False
        row = np.repeat([each for each, _, _ in some], [len(lenders) for _, _, lenders in some])
        fresh, lenders = (np.concatenate([each[place] for each in some]) for place in (1, 2))
        price = self._moved.price(fresh, lenders)
        likely = np.where(self._unlikely().has(fresh), IMPOSSIBLE, price)
        (best, chosen), (least, cheapest) = (_cheapest(each, row, len(given)) for each in (likely, price))
        best, chosen = np.where(best < _FIXED, (best, chosen), (least, cheapest))
        if ((best >= CLOSED) & (best < IMPOSSIBLE)).any():
            raise PolicyError(
                "rows that must be shown reveal that a suppressed row is the only one in its group; hint: remove the finer "
                "grouping sets from SHOW"
            )
        for key in fresh[chosen[best < CLOSED]]:
            if self._count == len(self._taken):
                self._taken = np.concatenate((self._taken, self._taken))
            self._taken[self._count] = key
            self._count += 1
            self._moved.claim(key)
        return bool((best < IMPOSSIBLE).all())


def _cheapest(price: Int64, row: Int64, rows: int) -> tuple[Int64, Int64]:
    """Return the lowest price for each row, and where it is; `IMPOSSIBLE` where there is none."""
    order = np.lexsort((price, row))
    chosen = order[np.minimum(np.searchsorted(row[order], np.arange(rows)), len(order) - 1)]
    return np.where(row[chosen] == np.arange(rows), price[chosen], IMPOSSIBLE), chosen
