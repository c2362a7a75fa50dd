"""What a statement counts for a protected table: its own keys and sums, and those of earlier tables of the same source."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from kanon_sql.engines.cells.base_cells import BaseCells, largest_of
from kanon_sql.model.protection import Protection
from kanon_sql.model.tabulation import Tabulation


@dataclass(frozen=True, slots=True, kw_only=True)
class Counting:
    """What is counted by one GROUP BY.

    Parameters
    ----------
    tabulation : Tabulation
        The table. Keys and sums behind its own are counted for earlier tables, and are no part of it.
    keys, sums : tuple of str
        SQL of each key, and of what each sum adds up.
    largest : int
        How many of the largest contributions to each sum are counted.
    """

    tabulation: Tabulation
    keys: tuple[str, ...]
    sums: tuple[str, ...]
    largest: int = 0

    def widened(self, others: Iterable[Counting]) -> Counting:
        """Return what is counted so that other tables of the same source follow from it, too."""
        keys = dict(zip(self.tabulation.keys, self.keys, strict=True))
        sums = dict(zip(self.tabulation.sums, self.sums, strict=True))
        largest = self.largest
        for each in others:
            if each.tabulation.source == self.tabulation.source:
                keys = dict(zip(each.tabulation.keys, each.keys, strict=True)) | keys
                sums = dict(zip(each.tabulation.sums, each.sums, strict=True)) | sums
                largest = max(largest, each.largest)
        keys = {key: keys[key] for key in dict.fromkeys((*self.tabulation.keys, *keys))}
        sums = {each: sums[each] for each in dict.fromkeys((*self.tabulation.sums, *sums))}
        return Counting(
            tabulation=replace(self.tabulation, keys=tuple(keys), sums=tuple(sums)),
            keys=tuple(keys.values()),
            sums=tuple(sums.values()),
            largest=largest,
        )

    @property
    def own_keys(self) -> int:
        """Return how many keys are the table's own."""
        return 1 + max((key for chosen in self.tabulation.sets for key in chosen), default=0)

    @property
    def own_sums(self) -> int:
        """Return how many sums are the table's own."""
        return 1 + max((each.places[0] for each in self.tabulation.items if each.kind == "sum"), default=-1)

    def own(self, protection: Protection) -> Counting:
        """Return what is counted for the table alone."""
        shape, keys, sums = self.tabulation, self.own_keys, self.own_sums
        return Counting(
            tabulation=replace(shape, keys=shape.keys[:keys], sums=shape.sums[:sums]),
            keys=self.keys[:keys],
            sums=self.sums[:sums],
            largest=protection.largest,
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
        )


def added_up(cells: BaseCells, keys: Sequence[int], sums: Sequence[int], largest: int) -> BaseCells:
    """Return the base cells of some keys and sums, in the order of the keys.

    Notes
    -----
    O(b log b) for b base cells, or nothing where all is asked for. Behind the first keys alone, rows keep their numbers.
    """
    whole = list(keys) == [*range(cells.keys.shape[1])] and list(sums) == [*range(cells.sums.shape[1])]
    if whole and all(each.shape[1] == largest for each in cells.largest):
        return cells
    found, inverse = np.unique(cells.keys[:, list(keys)], axis=0, return_inverse=True)
    cell = inverse.reshape(-1).astype(np.int64)
    people, added = np.zeros(len(found), np.int64), np.zeros((len(found), len(sums)), np.int64)
    np.add.at(people, cell, cells.people)
    np.add.at(added, cell, cells.sums[:, list(sums)])
    contributions = [largest_of(cell, each, len(found))[:, :largest] for each in map(cells.largest.__getitem__, sums)]
    return BaseCells(keys=found, people=people, sums=added, largest=contributions)


def counted_for(own: Counting, cells: BaseCells, counting: Counting) -> BaseCells:
    """Return the base cells of one counting from those of another that has its keys and sums, in the order of its keys."""
    keys = [counting.tabulation.keys.index(key) for key in own.tabulation.keys]
    sums = [counting.tabulation.sums.index(text) for text in own.tabulation.sums]
    return added_up(cells, keys, sums, own.largest)
