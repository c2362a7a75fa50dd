"""Draws a database from a seed: 30 to 80 people in few columns, and 2 to 6 protected tables of them."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from benchmarks.table_attack.statement import COUNTS, Condition, Dimension, Statement

Row = tuple[Any, ...]

APART, TOGETHER, ONE = "one after the other", "BEGIN PROTECTED", "one statement"

_MEASURES = ("pay", "cost")


@dataclass(frozen=True, slots=True)
class Database:
    """A source and the tables that are published of it.

    Attributes
    ----------
    seed : str
        What it was drawn from.
    columns : tuple of str
        The columns of the source.
    rows : tuple of tuple
        Its rows, each a person.
    statements : tuple of Statement
        The tables.
    batches : tuple of (str, tuple of int)
        Which tables are published together, and how, in their order.
    """

    seed: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    statements: tuple[Statement, ...]
    batches: tuple[tuple[str, tuple[int, ...]], ...]

    @property
    def source(self) -> str:
        """Return the statement that makes the source."""
        values = ", ".join(f"({', '.join(map(_literal, row))})" for row in self.rows)
        return f"CREATE TABLE people AS FROM (VALUES {values}) AS t({', '.join(self.columns)})"

    @property
    def n(self) -> int:
        """Return the least count that is asked for most strictly."""
        return max(each.n for each in self.statements)


def _literal(value: object) -> str:
    return "NULL" if value is None else f"'{value}'" if isinstance(value, str) else str(value)


def database(seed: str) -> Database:
    """Draw a database; the same seed gives the same one."""
    random = np.random.default_rng(zlib.crc32(seed.encode()))
    columns, rows = _people(random)
    drawn = _Drawing(random, columns, rows)
    statements = drawn.statements(int(random.choice([2, 3, 4, 5, 6], p=[0.3, 0.3, 0.2, 0.1, 0.1])))
    return Database(seed, columns, rows, statements, _batches(random, len(statements)))


def _people(random: np.random.Generator) -> tuple[tuple[str, ...], tuple[Row, ...]]:
    """Return the columns and rows of a source: values of very different frequency, some NULL."""
    count = int(random.integers(30, 81))
    ages = sorted(random.choice(np.arange(10, 60), int(random.integers(4, 9)), replace=False).tolist())
    domains: dict[str, list[Any]] = {"age": ages}
    more = {
        "sex": ["f", "m"],
        "region": list("abcd"[: random.integers(2, 5)]),
        "zip": sorted(random.choice(["100", "101", "110", "120", "200", "201", "210"], 4, replace=False).tolist()),
        "job": list("xyz"[: random.integers(2, 4)]),
    }
    for name in random.choice(list(more), int(random.integers(1, 4)), replace=False).tolist():
        domains[name] = more[name]
    cells = []
    for name, values in domains.items():
        weight = random.dirichlet(np.full(len(values), float(random.choice([0.6, 1.5, 5]))))
        own = [values[place] for place in random.choice(len(values), count, p=weight)]
        if name not in ("age", "zip") and random.random() < 0.3:
            own = [None if random.random() < 0.1 else value for value in own]
        cells.append(own)
    for _ in _MEASURES:
        empty = random.random() < 0.5
        cells.append([0 if empty and random.random() < 0.4 else int(each) for each in random.geometric(0.1, count)])
    return (*domains, *_MEASURES), tuple(zip(*cells, strict=True))


def _batches(random: np.random.Generator, count: int) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Return how so many tables are published."""
    how = str(random.choice([APART, TOGETHER, ONE, "mixed"], p=[0.35, 0.35, 0.15, 0.15]))
    if how == APART:
        return tuple((APART, (place,)) for place in range(count))
    if how != "mixed":
        return ((how, tuple(range(count))),)
    cut = int(random.integers(1, count))
    first = tuple((APART, (place,)) for place in range(cut))
    return (*first, (str(random.choice([TOGETHER, ONE])), tuple(range(cut, count))))


class _Drawing:
    """Draws the tables of a source."""

    def __init__(self, random: np.random.Generator, columns: tuple[str, ...], rows: tuple[Row, ...]) -> None:
        self.random = random
        self.values = {name: sorted({row[place] for row in rows} - {None}) for place, name in enumerate(columns)}
        self.nulls = {name for place, name in enumerate(columns) if any(row[place] is None for row in rows)}
        self.others = [name for name in columns if name not in ("age", *_MEASURES)]

    def statements(self, count: int) -> tuple[Statement, ...]:
        """Draw tables that share what tables of a transaction have to share."""
        n, using = int(self.random.integers(3, 6)), str(self.random.choice(["auto", "greedy"], p=[0.7, 0.3]))
        with_sums, with_conditions, with_counted, with_absent = self.random.random(4) < (0.25, 0.6, 0.25, 0.25)
        several = self.random.random() < 0.1
        conditions, shape = self._conditions(), Statement((), rules=bool(self.random.random() < 0.85), using=using)
        found = list[Statement]()
        while len(found) < count:
            own = int(self.random.integers(2, 6)) if several else n
            where = self._one(conditions) if with_conditions and self.random.random() < 0.6 else None
            sums = tuple(each for each in _MEASURES if with_sums and self.random.random() < 0.5)
            counted = ((self._one(conditions), self._one(COUNTS)),) if with_counted and self.random.random() < 0.5 else ()
            shared = replace(shape, where=where, sums=sums, counted=counted, n=own)
            found.append(self._statement(shared, absent=bool(with_absent and self.random.random() < 0.7)))
        return tuple(found)

    def _statement(self, shared: Statement, *, absent: bool) -> Statement:
        dimensions = self._dimensions()
        forms = ["", "CUBE", "ROLLUP", *["GROUPING SETS"] * (len(dimensions) > 1)]
        form, listed = self._one(forms), tuple[tuple[int, ...], ...]()
        if form == "GROUPING SETS":
            plain = [place for place, each in enumerate(dimensions) if not each.digits]
            subsets = [each for size in range(len(plain) + 1) for each in combinations(plain, size)]
            subsets += [(place,) for place, each in enumerate(dimensions) if each.digits]
            chosen = self.random.choice(len(subsets), min(len(subsets), int(self.random.integers(2, 5))), replace=False)
            listed = tuple(subsets[place] for place in sorted(chosen.tolist()))
            used = sorted({place for each in listed for place in each})
            if not used:
                return self._statement(shared, absent=absent)
            dimensions = [dimensions[place] for place in used]
            listed = tuple(tuple(used.index(place) for place in each) for each in listed)
        told = any(each.nulls for each in dimensions) or self.random.random() < 0.2
        return replace(shared, dimensions=tuple(dimensions), form=form, listed=listed, absent=absent, told=bool(told))

    def _dimensions(self) -> list[Dimension]:
        """Draw one to three keys of different names."""
        found = dict[str, Dimension]()
        for _ in range(int(self.random.choice([1, 2, 3], p=[0.45, 0.4, 0.15]))):
            drawn = self._band() if self.random.random() < 0.5 else self._column()
            found.setdefault(drawn.name, drawn)
        return list(found.values())

    def _band(self) -> Dimension:
        """Draw bands of the age."""
        kind, ages = self.random.random(), self.values["age"]
        if kind < 0.4:
            width = self._one([5, 10, 20])
            return _dimension(f"band{width}", f"age // {width} * {width}")
        edge = self._one(ages[1:] or ages)
        if kind < 0.75:
            return _dimension(f"over{edge}", f"age >= {edge}")
        if kind < 0.85:
            return _dimension(f"top{edge}", f"least(age, {edge})")
        other = self._one(ages)
        low, high = min(edge, other), max(edge, other)
        text = f"CASE WHEN age < {low} THEN 'low' WHEN age < {high} THEN 'mid' ELSE 'high' END"
        return _dimension(f"bands{low}_{high}", text)

    def _column(self) -> Dimension:
        """Draw a column, or something of it."""
        name = self._one(self.others)
        if name == "zip":
            return self._zip()
        first = self.values[name][0]
        kind = self.random.random()
        if name in self.nulls and kind < 0.5:
            return _dimension(f"{name}_or", f"coalesce({name}, '?')", name)
        if kind > 0.85:
            edge = self._one(self.values["age"])
            nulls = name in self.nulls
            return Dimension(f"{name}_{edge}", (f"age >= {edge} AND {name} = '{first}'",), frozenset(("age", name)), (), nulls)
        return Dimension(name, (name,), frozenset((name,)), (), name in self.nulls)

    def _zip(self) -> Dimension:
        kind = self.random.random()
        if kind < 0.3:
            return _dimension("zip", "zip", "zip")
        if kind < 0.5:
            return _dimension("area", "left(zip, 1)", "zip")
        digits = self._one([(3, 1), (3, 2), (2, 1), (3, 2, 1), (3, 0), (2, 0)])
        levels = tuple(f"left(zip, {each}) || repeat('*', {3 - each})" for each in digits if each)
        return Dimension("zip", levels, frozenset(("zip",)), digits)

    def _conditions(self) -> list[Condition]:
        """Draw conditions, of which some are nested and some cross."""
        ages, name = self.values["age"], self._one(self.others)
        low, high = sorted((self._one(ages), self._one(ages)))
        first = self.values[name][0]
        age, both = frozenset(("age",)), frozenset(("age", name))
        known = [
            Condition(f"age >= {low}", age),
            Condition(f"age >= {high}", age),
            Condition(f"age < {high}", age),
            Condition(f"age BETWEEN {low} AND {high}", age),
            Condition(f"{name} = '{first}'", frozenset((name,))),
            Condition(f"{name} <> '{first}'", frozenset((name,))),
            Condition(f"age >= {low} AND {name} = '{first}'", both),
            Condition(f"age < {high} OR {name} = '{first}'", both),
        ]
        chosen = self.random.choice(len(known), int(self.random.integers(1, 4)), replace=False)
        return [known[place] for place in chosen.tolist()]

    def _one(self, values: Sequence[Any]) -> Any:
        return values[int(self.random.integers(len(values)))]


def _dimension(name: str, text: str, column: str = "age") -> Dimension:
    return Dimension(name, (text,), frozenset((column,)))
