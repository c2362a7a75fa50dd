"""What a statement counts for a protected table: its own keys and sums, and those of other tables of the same source."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from kanon_sql.engines.cells.base_cells import BaseCells, largest_of
from kanon_sql.model.named_rows import shows_keys
from kanon_sql.model.protection import Protection
from kanon_sql.model.tabulation import Tabulation, holds, is_condition


@dataclass(frozen=True, slots=True, kw_only=True)
class Counting:
    """What is counted by one GROUP BY."""

    tabulation: Tabulation  # The table. Keys and sums behind its own are counted for other tables, and are no part of it.
    keys: tuple[str, ...]  # SQL of each key
    sums: tuple[str, ...]  # of what each sum adds up
    largest: int = 0  # how many of the largest contributions to each sum are counted
    where: str = ""  # SQL of the condition; empty if there is none

    def widened(self, others: Iterable[Counting]) -> Counting:
        """Return what is counted so that other tables of the same source follow from it, too.

        If some have another condition, all rows of the source are counted, and each condition is a key.
        """
        alike = [self, *(each for each in others if each.tabulation.source == self.tabulation.source)]
        by_condition = len({each.tabulation.condition for each in alike}) > 1
        keys, sums = dict[str, str](), dict[str, str]()
        for each in reversed(alike):
            keys |= zip(each.tabulation.keys, each.keys, strict=True)
            sums |= zip(each.tabulation.sums, each.sums, strict=True)
            if by_condition:
                keys |= dict.fromkeys(each.tabulation.conditions, holds(each.where))
        keys = {key: keys[key] for key in dict.fromkeys((*self.tabulation.keys, *keys))}
        sums = {each: sums[each] for each in dict.fromkeys((*self.tabulation.sums, *sums))}
        return Counting(
            tabulation=replace(self.tabulation, keys=tuple(keys), sums=tuple(sums)),
            keys=tuple(keys.values()),
            sums=tuple(sums.values()),
            largest=max(each.largest for each in alike),
            where=self.where,
        )

    @property
    def condition(self) -> int | None:
        """Return the key that says which rows are the table's own; None if all that are counted are."""
        keys = self.tabulation.keys
        return next((keys.index(text) for text in self.tabulation.conditions if text in keys), None)

    @property
    def everybody(self) -> str:
        """Return the condition that everyone who is counted meets, as the tabulation spells it; empty if there is none."""
        return self.tabulation.condition if self.condition is None else ""

    @property
    def own_keys(self) -> int:
        """Return how many keys the rows of the table have."""
        return 1 + max((key for chosen in self.tabulation.sets for key in chosen), default=0)

    @property
    def own_sums(self) -> int:
        """Return how many sums are the table's own."""
        return 1 + max((each.places[0] for each in self.tabulation.items if each.kind == "sum"), default=-1)

    def own(self, protection: Protection) -> Counting:
        """Return what is counted for the table alone."""
        shape, sums = self.tabulation, self.own_sums
        named = shows_keys(protection.rows_by_values, shape).values()
        keys = 1 + max((key for chosen, _ in shape.groups for key in chosen), default=0)
        keys = max([keys, *(1 + shape.keys.index(text) for text in named)])
        return Counting(
            tabulation=replace(shape, keys=shape.keys[:keys], sums=shape.sums[:sums]),
            keys=self.keys[:keys],
            sums=self.sums[:sums],
            largest=protection.largest,
            where=self.where,
        )

    def to_json(self) -> str:
        """Return the canonical text."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Counting:
        """Read the text of `to_json`."""
        data = json.loads(text)
        return cls(
            tabulation=Tabulation.from_dict(data["tabulation"]),
            keys=tuple(data["keys"]),
            sums=tuple(data["sums"]),
            largest=data["largest"],
            where=data.get("where", ""),
        )


def added_up(cells: BaseCells, keys: Sequence[int], sums: Sequence[int], largest: int) -> BaseCells:
    """Return the base cells of some keys and sums, in the order of the keys.

    Notes
    -----
    O(b log b) for b base cells, or nothing if all are requested. Behind the first keys alone, rows keep their numbers.
    """
    whole = list(keys) == [*range(cells.keys.shape[1])] and list(sums) == [*range(cells.sums.shape[1])]
    if whole and all(each.shape[1] == largest for each in cells.largest):
        return cells
    found, inverse = np.unique(cells.keys[:, list(keys)], axis=0, return_inverse=True)
    cell = inverse.reshape(-1).astype(np.int64)
    people, (added, some) = np.zeros(len(found), np.int64), np.zeros((2, len(found), len(sums)), np.int64)
    np.add.at(people, cell, cells.people)
    np.add.at(added, cell, cells.sums[:, list(sums)])
    np.add.at(some, cell, cells.contributors[:, list(sums)])
    contributions = [largest_of(cell, each, len(found))[:, :largest] for each in map(cells.largest.__getitem__, sums)]
    return BaseCells(keys=found, people=people, sums=added, contributors=some, largest=contributions)


def counted_for(own: Counting, cells: BaseCells, counting: Counting) -> BaseCells:
    """Return the base cells of one counting from those of another that has its keys and sums, in the order of its keys.

    If conditions are keys of the other one, only the cells that meet its own condition count.
    """
    shape = counting.tabulation
    keys = [shape.keys.index(key) for key in own.tabulation.keys]
    sums = [shape.sums.index(text) for text in own.tabulation.sums]
    conditions = [shape.keys.index(text) for text in own.tabulation.conditions if text in shape.keys]
    if not conditions:
        return added_up(cells, keys, sums, own.largest)
    found = added_up(cells.some(np.flatnonzero((cells.keys[:, conditions] == 1).all(axis=1))), keys, sums, own.largest)
    ranks = [
        column if is_condition(key) else np.unique(column, return_inverse=True)[1].reshape(-1)
        for key, column in zip(own.tabulation.keys, found.keys.T, strict=True)
    ]
    return replace(found, keys=np.stack(ranks, axis=1).astype(np.int64))
