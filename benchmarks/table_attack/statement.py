"""A protected table as its author writes it, and as a reader without the product takes its text."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

Sets = tuple[tuple[tuple[int, int], ...], ...]
"""Grouping sets: for each, the places of its dimensions and of their levels."""


COUNTS = (
    "count(*) FILTER (WHERE {})",
    "sum(CAST(({}) AS INTEGER))",
    "sum(CASE WHEN {} THEN 1 ELSE 0 END)",
    "count_if({})",
)
"""How a count under a condition is written."""


@dataclass(frozen=True, slots=True)
class Condition:
    """SQL of a condition, and the columns in it."""

    sql: str
    reads: frozenset[str]


@dataclass(frozen=True, slots=True)
class Dimension:
    """A key of GROUP BY.

    Attributes
    ----------
    name : str
        Its column in the table.
    levels : tuple of str
        SQL of each level in plain DuckDB, the finest first; most dimensions have one.
    reads : frozenset of str
        The columns in it.
    digits : tuple of int
        What ``IN DIGITS`` names, 0 for a total; empty without levels.
    nulls : bool
        Whether it may be NULL.
    """

    name: str
    levels: tuple[str, ...]
    reads: frozenset[str]
    digits: tuple[int, ...] = ()
    nulls: bool = False

    @property
    def item(self) -> str:
        """Return its item in the SELECT list."""
        return self.name if self.digits or self.levels[0] == self.name else f"{self.levels[0]} AS {self.name}"

    @property
    def grouped(self) -> str:
        """Return how GROUP BY names it."""
        return f"{self.name} IN DIGITS ({', '.join(map(str, self.digits))})" if self.digits else self.name

    @property
    def total(self) -> bool:
        """Return whether one of its levels is the total."""
        return 0 in self.digits


@dataclass(frozen=True, slots=True)
class Statement:
    """A protected table.

    Attributes
    ----------
    dimensions : tuple of Dimension
        Its keys.
    form : {'', 'CUBE', 'ROLLUP', 'GROUPING SETS'}
        How GROUP BY combines them.
    listed : tuple of tuple of int
        The dimensions of each set of GROUPING SETS.
    where : Condition, optional
        Which people it is about.
    sums : tuple of str
        The columns that it adds up.
    counted : tuple of (Condition, str)
        Conditions of further counts, and how each is written.
    n : int
        The least count.
    absent : bool
        Whether suppressed rows are left out.
    told : bool
        Whether GROUPING tells totals from NULL; only needed where a key may be NULL.
    rules : bool
        Whether the p % rule holds for its sums.
    using : str
        The algorithm.
    """

    dimensions: tuple[Dimension, ...]
    form: str = ""
    listed: tuple[tuple[int, ...], ...] = ()
    where: Condition | None = None
    sums: tuple[str, ...] = ()
    counted: tuple[tuple[Condition, str], ...] = ()
    n: int = 5
    absent: bool = False
    told: bool = False
    rules: bool = False
    using: str = "auto"

    @property
    def reads(self) -> frozenset[str]:
        """Return the columns of the source that its keys and its condition mention."""
        parts = [each.reads for each in (*self.dimensions, *(condition for condition, _ in self.counted))]
        return frozenset().union(*parts, self.where.reads if self.where else ())

    @property
    def sets(self) -> Sets:
        """Return its grouping sets, from the definition of SQL; a level is a key of its own."""
        places = range(len(self.dimensions))
        levels = [[((place, level),) for level in range(len(self.dimensions[place].levels))] for place in places]
        if self.form == "GROUPING SETS":
            whole = [[*own, ()] if each.total else own for own, each in zip(levels, self.dimensions, strict=True)]
            found = [joined for each in self.listed for joined in product(*(whole[place] for place in each))]
            return tuple(dict.fromkeys(sum(each, ()) for each in found))
        if self.form == "ROLLUP":
            chain = [joined for end in places for joined in _prefixes(levels, end)]
            return ((), *chain)
        totals = [self.form == "CUBE" or each.total for each in self.dimensions]
        parts = [[*own, ()] if total else own for own, total in zip(levels, totals, strict=True)]
        return tuple(dict.fromkeys(sum(each, ()) for each in product(*parts)))

    @property
    def query(self) -> str:
        """Return the protected query."""
        items = [each.item for each in self.dimensions]
        items += [f"GROUPING({each.name}) AS g_{each.name}" for each in self.grouping]
        items += ["count(*) AS n", *(f"sum({each}) AS s_{each}" for each in self.sums)]
        items += [text.format(each.sql) + f" AS c{place}" for place, (each, text) in enumerate(self.counted)]
        names = [each.grouped for each in self.dimensions]
        inside = ", ".join([self._set(each, names) for each in self.listed] or names)
        where = f" WHERE {self.where.sql}" if self.where else ""
        grouped = f"{self.form} ({inside})" if self.form else inside
        absent = " ROWS ABSENT" if self.absent else ""
        using = "" if self.using == "auto" else f" USING {self.using}"
        rules = "".join(f" AND p(s_{each}) >= 10" for each in self.sums if self.rules)
        protect = f"PROTECT n >= {self.n} PER ROW{rules}{absent}{using}"
        return f"SELECT {', '.join(items)} FROM people{where} GROUP BY {grouped} {protect}"

    @property
    def grouping(self) -> tuple[Dimension, ...]:
        """Return the dimensions of which GROUPING is shown."""
        return tuple(each for each in self.dimensions if self.told and not each.digits)

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of the columns of the table."""
        keys = [each.name for each in self.dimensions]
        measures = [*(f"s_{each}" for each in self.sums), *(f"c{place}" for place in range(len(self.counted)))]
        return (*keys, *(f"g_{each.name}" for each in self.grouping), "n", *measures)

    @staticmethod
    def _set(places: tuple[int, ...], names: list[str]) -> str:
        alone = len(places) == 1 and " IN DIGITS " in names[places[0]]
        return names[places[0]] if alone else f"({', '.join(names[place] for place in places)})"


def _prefixes(levels: list[list[tuple[tuple[int, int], ...]]], end: int) -> list[tuple[tuple[int, int], ...]]:
    """Return the sets of ROLLUP that end with a dimension: those before it at their finest level."""
    before = sum((own[0] for own in levels[:end]), ())
    return [(*before, *level) for level in levels[end]]
