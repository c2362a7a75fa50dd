"""Views: the facts about some columns, and the atoms that they tell apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from kanon_sql.solvers.ledger.facts import Fact
from kanon_sql.solvers.ledger.universe import Region, Universe

MOST_ATOMS = 200_000
"""Combinations of elementary values that a view may have."""

_MOST_ENTRIES = 400_000_000
"""Facts times atoms of a view."""

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(slots=True)
class View:
    """A set of columns with the facts that restrict no other one.

    Attributes
    ----------
    inside : array of bool
        For each fact the atoms that it counts. Atoms that no fact tells apart are one.
    lower, upper : array of int
        The bounds of each fact; -1 is without limit.
    whole : bool
        Whether the view has all that it should have. Groups of another one are never called safe.
    """

    facts: list[Fact]
    whole: bool
    inside: Array = field(repr=False)
    lower: Array = field(repr=False)
    upper: Array = field(repr=False)

    @classmethod
    def of(cls, universe: Universe, facts: list[Fact], *, whole: bool) -> View | None:
        """Return the view of these facts; None if it has too many atoms."""
        columns = sorted(set[int]().union(*(fact.columns for fact in facts)))
        masks: dict[int, set[int]] = {column: set() for column in columns}
        for fact in facts:
            for region in (fact.region, *fact.without):
                for column, values in region:
                    masks[column].add(values)
        parts = {column: _Classes.of(universe.columns[column].size, sorted(masks[column])) for column in columns}
        atoms = 1
        for part in parts.values():
            atoms *= part.count
        if atoms > MOST_ATOMS or atoms * len(facts) > 16 * _MOST_ENTRIES:
            return None
        grid = _Grid(parts, atoms)
        indices = [grid.of_fact(fact) for fact in facts]
        random = np.random.default_rng(1).integers(0, 1 << 63, size=len(facts), dtype=np.int64)
        codes = np.zeros(atoms, dtype=np.int64)
        for place, index in enumerate(indices):
            codes[index] ^= random[place]
        _, alike, sizes = np.unique(codes, return_inverse=True, return_counts=True)
        if len(sizes) * len(facts) > _MOST_ENTRIES:
            return None
        inside = np.zeros((len(facts), len(sizes)), dtype=bool)
        for place, index in enumerate(indices):
            inside[place, alike[index]] = True
            if sizes[inside[place]].sum() != len(index):
                raise RuntimeError("two atoms have the same code")  # one in 10^9 ledgers
        return cls(
            facts=facts,
            whole=whole,
            inside=inside,
            lower=np.array([fact.lower for fact in facts], dtype=np.int64),
            upper=np.array([-1 if fact.upper is None else fact.upper for fact in facts], dtype=np.int64),
        )

    @classmethod
    def too_large(cls, facts: list[Fact]) -> View:
        """Return a view that is not looked at: it has no atoms."""
        none = np.zeros(len(facts), dtype=np.int64)
        return cls(facts=facts, whole=False, inside=np.zeros((len(facts), 0), dtype=bool), lower=none, upper=none)


@dataclass(frozen=True, slots=True)
class _Classes:
    """The values of a column that the facts of a view tell apart."""

    count: int
    of_mask: dict[int, Array]  # the classes in each set of values

    @classmethod
    def of(cls, size: int, masks: Sequence[int]) -> _Classes:
        codes = [sum(1 << place for place, mask in enumerate(masks) if mask >> value & 1) for value in range(size)]
        classes = {code: number for number, code in enumerate(dict.fromkeys(codes))}
        inside = {mask: [number for code, number in classes.items() if code >> place & 1] for place, mask in enumerate(masks)}
        return cls(count=len(classes), of_mask={mask: np.array(found, dtype=np.int64) for mask, found in inside.items()})


class _Grid:
    """The product of the classes of all columns."""

    def __init__(self, parts: dict[int, _Classes], atoms: int) -> None:
        self._parts, self._atoms, self._strides = parts, atoms, dict[int, int]()
        for column, part in parts.items():
            atoms //= part.count
            self._strides[column] = atoms

    def of_fact(self, fact: Fact) -> Array:
        found = self._of_region(fact.region)
        if fact.without:
            left = np.zeros(self._atoms, dtype=bool)
            left[found] = True
            for region in fact.without:
                left[self._of_region(region)] = False
            found = np.flatnonzero(left)
        return found

    def _of_region(self, region: Region) -> Array:
        restricted = dict(region)
        index: Array = np.zeros(1, dtype=np.int64)
        for column, part in self._parts.items():
            places = part.of_mask[restricted[column]] if column in restricted else np.arange(part.count)
            index = (index[:, None] + self._strides[column] * places[None, :]).reshape(-1)
        return index


def views(universe: Universe, facts: Sequence[Fact]) -> Iterator[View]:
    """Yield the views of a ledger: one for each largest set of columns that the labels of a row restrict.

    Notes
    -----
    A view that has too many atoms is looked at with each pair of its condition columns, or with the labels of each of its
    tables alone. What was left out is lost, so no group of such a view is called safe.
    """
    conditions = {column for region in universe.conditions for column, _ in region}
    keys = {row.keys - conditions for row in universe.rows}
    largest = [each for each in keys if not any(each < other for other in keys)]
    seen: set[frozenset[int]] = set()
    for each in sorted(largest, key=sorted):
        yield from _with(universe, facts, each, conditions, keys, seen, whole=True)


def _with(
    universe: Universe,
    facts: Sequence[Fact],
    keys: frozenset[int],
    conditions: set[int],
    smaller: set[frozenset[int]],
    seen: set[frozenset[int]],
    *,
    whole: bool,
) -> Iterator[View]:
    columns = keys | conditions
    if columns in seen:
        return
    seen.add(columns)
    inside = [fact for fact in facts if fact.columns <= columns]
    view = View.of(universe, inside, whole=whole) if inside else None
    if view is not None:
        yield view
    elif inside:
        yield View.too_large(inside)
        if len(conditions) > 2:
            for pair in combinations(sorted(conditions), 2):
                yield from _with(universe, facts, keys, set(pair), smaller, seen, whole=False)
        elif conditions:
            yield from _with(universe, facts, keys, set(), smaller, seen, whole=False)
        else:
            below = [each for each in smaller if each < keys]
            for each in (each for each in below if not any(each < other for other in below)):
                yield from _with(universe, facts, each, conditions, smaller, seen, whole=False)
