"""Slow oracles: what the package must agree with, in the fewest words that are obviously right.

A row is a tuple of values, a mask the set of the columns it shows (by position); NULL is None, a value like any other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import TypeVar

import pyarrow as pa

Row = tuple[object, ...]
T = TypeVar("T")


def partitions(rows: Sequence[T]) -> Iterator[list[list[T]]]:
    """Yield every way to divide the rows into classes."""
    if not rows:
        yield []
        return
    for classes in partitions(rows[1:]):
        yield [[rows[0]], *classes]
        for place, each in enumerate(classes):
            yield [*classes[:place], [rows[0], *each], *classes[place + 1 :]]


def class_cost(
    rows: Sequence[Row], masks: Iterable[Iterable[int]] | None = None, weights: Sequence[Fraction] | None = None
) -> Fraction | None:
    """Return the least cost of releasing the rows as one class; None if no mask permits it."""
    columns = range(len(rows[0]))
    agreeing = {c for c in columns if len({row[c] for row in rows}) == 1}
    permitted = [agreeing] if masks is None else [set(mask) for mask in masks if set(mask) <= agreeing]
    hidden = [[c for c in columns if c not in shown] for shown in permitted]
    return min((len(rows) * sum((weights[c] if weights else Fraction(1)) for c in each) for each in hidden), default=None)


def optimum(
    rows: Sequence[Row],
    k: int,
    masks: Sequence[Iterable[int]] | None = None,
    weights: Sequence[Fraction] | None = None,
) -> Fraction | None:
    """Return the least cost of a k-anonymous release; None if there is none. For at most 9 rows."""
    cost = cache(lambda places: class_cost([rows[place] for place in places], masks, weights))  # of a set of rows
    best = None
    for classes in partitions(range(len(rows))):
        if all(len(each) >= k for each in classes):
            costs = [cost(tuple(each)) for each in classes]
            if None not in costs and (best is None or sum(costs) < best):
                best = sum(costs)
    return best


def class_sizes(table: pa.Table, quasi_identifiers: Sequence[str]) -> Counter[Row]:
    """Count the rows of each equivalence class of a released table, without a database; NULL and NaN are categories."""
    columns = [[repr(value) for value in table.column(name).to_pylist()] for name in quasi_identifiers]
    return Counter(zip(*columns, strict=True))


def smallest_class(table: pa.Table, quasi_identifiers: Sequence[str]) -> int:
    """Return the k of a table."""
    return min(class_sizes(table, quasi_identifiers).values())
