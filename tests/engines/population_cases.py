"""Releases with arbitrary masks beside populations, and what the texts of their cells match by definition.

The solver is replaced: it shows whatever a case says. So the audit alone decides, and a reader in plain Python counts again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np

from kanon_sql import pipeline
from kanon_sql.solvers import automatic
from kanon_sql.solvers.problem import Problem
from kanon_sql.table.recoding import Recoding

GONE = "§"
"""What a suppressed cell shows: no label looks like it."""

Cell = str | None


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column: what stands behind its name in the clause, the values that are drawn, and what a label stands for."""

    by: str
    values: list[Cell]
    shows: Callable[[str, str], bool]


@dataclass(frozen=True, kw_only=True)
class Case:
    """Columns, the rows of the table and of its population, tables of hierarchies, and the seed of the masks."""

    seed: int
    columns: dict[str, Column]
    rows: list[tuple[Cell, ...]]
    population: list[tuple[Cell, ...]]
    tables: dict[str, list[tuple[Cell, ...]]]
    linked: str

    @property
    def by(self) -> str:
        """The columns as the clause names them."""
        return ", ".join(f"{name} {column.by}".strip() for name, column in self.columns.items()) + self.linked

    def store(self, con: Any) -> None:
        """Make the tables of the case."""
        for name, rows in {"few": self.rows, "pop": self.population}.items():
            con.execute(f"CREATE OR REPLACE TABLE {name} ({', '.join(f'{column} VARCHAR' for column in self.columns)})")
            if rows:
                con.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(self.columns))})", rows)
        con.execute("CREATE OR REPLACE TABLE own AS FROM few")
        for name, rows in self.tables.items():
            levels = ", ".join(f"level{level} VARCHAR" for level in range(len(rows[0])))
            parents = "value VARCHAR, parent VARCHAR"
            con.execute(f"CREATE OR REPLACE TABLE {name} ({parents if name.endswith('parents') else levels})")
            con.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(rows[0]))})", rows)

    def matching(self, shown: tuple[Cell, ...]) -> list[int]:
        """Return the places of the rows of the population that match what a class shows."""
        return [place for place, person in enumerate(self.population) if self._matches(shown, person)]

    def _matches(self, shown: tuple[Cell, ...], person: tuple[Cell, ...]) -> bool:
        for column, label, value in zip(self.columns.values(), shown, person, strict=True):
            if label in (GONE, value):
                continue
            if label is None or value is None or not column.shows(label, value):
                return False
        return True

    def fewest(self, released: list[tuple[Cell, ...]]) -> int:
        """Return the fewest rows of the population that match a class, of which there is one at least."""
        return min(len(self.matching(shown)) for shown in set(released))

    def presence(self, released: list[tuple[Cell, ...]]) -> Fraction | None:
        """Return the greatest sum of shares of a row of the population; None where a class has more rows than match it."""
        sums = [Fraction(0)] * len(self.population)
        for shown, rows in Counter(released).items():
            match = self.matching(shown)
            if rows > len(match):
                return None
            for place in match:
                sums[place] += Fraction(rows, len(match))
        return max(sums)


def drawn(seed: int) -> Case:
    """Draw a case; the tables are small, so that labels of different levels, values and cells without one meet."""
    draw = Random(f"population {seed}")
    tables: dict[str, list[tuple[Cell, ...]]] = {}
    columns = {}
    for name in "abc"[: draw.choice([1, 2, 2, 3])]:
        columns[name] = draw.choice([_plain, _digits, _intervals, _periods, _levels, _levels, _parents])(draw, name, tables)

    def row(other: float) -> tuple[Cell, ...]:
        return tuple(
            None if draw.random() < 0.07 else f"{draw.choice('xyz9')}" if draw.random() < other else draw.choice(column.values)
            for column in columns.values()
        )

    texts = all(column.by.startswith("IN HIERARCHY") or not column.by for column in columns.values())
    rows = [row(0) for _ in range(draw.randint(0, 9))]
    others = [row(0.15 if texts else 0) for _ in range(draw.choice([0, 4, 12, 30]))]
    population = others + (rows if draw.random() < 0.7 else [])
    linked = " LINKED (a, b)" if len(columns) > 1 and not any(columns[name].by for name in "ab") and draw.random() < 0.5 else ""
    return Case(seed=seed, columns=columns, rows=rows, population=population, tables=tables, linked=linked)


def _plain(draw: Random, *_: object) -> Column:
    return Column(by="", values=list("xyzX"[: draw.randint(1, 4)]), shows=lambda *_: False)


def _digits(draw: Random, *_: object) -> Column:
    values: list[Cell] = [*draw.sample(["981", "982", "971", "98", "97", "9", "98*", "9**", "1*", "12"], draw.randint(2, 6))]

    def shows(label: str, value: str) -> bool:
        return any(label == value[:count] + "*" * (len(value) - count) for count in range(1, len(value)))

    return Column(by=draw.choice(["IN DIGITS", "IN DIGITS", "IN DIGITS (2, 1)"]), values=values, shows=shows)


def _intervals(draw: Random, *_: object) -> Column:
    values: list[Cell] = [str(draw.randint(-3, 25)) for _ in range(draw.randint(2, 6))]

    def shows(label: str, value: str) -> bool:
        if not label.startswith("["):
            return False
        low, high = map(Fraction, label[1:-1].split(", "))
        return low <= Fraction(value) < high

    return Column(by=draw.choice(["IN INTERVALS (5, 10)", "IN INTERVALS (2, 4, 20)"]), values=values, shows=shows)


def _periods(draw: Random, *_: object) -> Column:
    values: list[Cell] = [f"20{draw.choice(['19', '20'])}-0{draw.randint(1, 6)}-0{draw.randint(1, 3)}" for _ in range(5)]

    def shows(label: str, value: str) -> bool:
        year, month, _ = value.split("-")
        return label in (f"{year}-{month}", f"{year}-Q{(int(month) + 2) // 3}", year, f"{year[:3]}0s")

    return Column(by="IN INTERVALS (month, quarter, year, decade)", values=values, shows=shows)


def _levels(draw: Random, name: str, tables: dict[str, list[tuple[Cell, ...]]]) -> Column:
    """Draw a hierarchy of levels whose labels are often those of other levels, or values."""
    values = list("pqrstu"[: draw.randint(2, 6)])
    depth, names = draw.randint(1, 3), ["p", "q", "x", "m", "n", "*", "P", "é"]
    label: list[dict[str, str]] = [{value: value for value in values}]
    for _ in range(depth):
        below = sorted({*label[-1].values()})
        above = dict(zip(below, (draw.choice(names[: draw.randint(2, 8)]) for _ in below), strict=True))
        label.append({value: above[label[-1][value]] for value in values})
    root = draw.choice(["*", "all", "p"])
    tables[f"h{name}"] = [(*(each[value] for each in label), root) for value in values]
    labels = {value: {each[value] for each in label} | {root} for value in values}
    return Column(by=f"IN HIERARCHY h{name}", values=[*values], shows=lambda shown, value: shown in labels.get(value, ()))


def _parents(draw: Random, name: str, tables: dict[str, list[tuple[Cell, ...]]]) -> Column:
    """Draw a tree of values and parents: inner nodes are values too, and ways to the root differ in length."""
    nodes = ["root", *"pqrstu"[: draw.randint(2, 6)]]
    parent = {node: draw.choice(nodes[:place]) for place, node in enumerate(nodes) if place}
    tables[f"h{name}parents"] = [*parent.items()]

    def shows(shown: str, value: str) -> bool:
        while value in parent:
            value = parent[value]
            if value == shown:
                return True
        return False

    return Column(by=f"IN HIERARCHY h{name}parents", values=[*nodes[1:]], shows=shows)


@contextmanager
def arbitrary(monkeypatch: Any, seed: int) -> Iterator[None]:
    """Replace all solvers by one that shows what a seed says, whatever is asked; nothing but the audit looks at it."""

    def placed(_: object, problem: Problem, *__: object) -> Recoding:
        draw, table, patterns = Random(f"masks {seed}"), problem.table, problem.patterns.shown
        few = [draw.randrange(len(patterns)) for _ in range(draw.choice([1, 2, 3, 8]))]
        pieces = []
        for row_type, weight in enumerate(table.weight.tolist()):
            parts = Counter(draw.choice(few) for _ in range(weight)) if draw.random() < 0.3 else {draw.choice(few): weight}
            pieces += [(row_type, patterns[pattern], rows) for pattern, rows in sorted(parts.items())]
        row_type, shown, count = zip(*pieces, strict=True)
        return Recoding(
            row_type=np.array(row_type, np.int32), shown=np.array(shown, np.uint64), count=np.array(count, np.int64)
        )

    with monkeypatch.context() as patch:
        patch.setattr(automatic, "placed", placed)
        patch.setattr(pipeline, "check_population", lambda *_: None)
        patch.setattr("kanon_sql.solvers.guarantees.population_requirement.MatchedRequirement.require_feasible", lambda _: None)
        yield
