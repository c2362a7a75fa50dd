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


Told = tuple[object, Row]
"""A row of a release with tokens: the token, None for nobody, and what it shows in the quasi-identifiers."""


def candidates(releases: Sequence[Iterable[Told]], people: Iterable[object] | None = None) -> list[int]:
    """Return how many people have the same history as each person of the last release, sorted; see `HistoryRisk`.

    Of earlier releases, people count whose history was that of somebody in the last one until then. With ``people``, only these
    are asked for, and those whose history was the same as theirs; they are counted among all.
    """
    histories = [divided(told) for told in releases]
    *earlier, now = histories
    past = {token: tuple(each.get(token) for each in earlier) for each in histories for token in each}
    asked = set(now) if people is None else set(people) & set(now)
    alike = {past[token] for token in asked}
    left = {token for each in earlier for token in each if token not in now and past[token] in alike}
    whole = {token: (past[token], now.get(token)) for token in past}
    size = Counter(whole.values())
    return sorted(size[whole[token]] for token in asked | left)


def divided(told: Iterable[Told]) -> dict[object, frozenset[tuple[Row, int]]]:
    """Return for each token of a release what its rows show, each as often as it occurs."""
    shown: dict[object, Counter[Row]] = {}
    for token, row in told:
        if token is not None:
            shown.setdefault(token, Counter())[row] += 1
    return {token: frozenset(each.items()) for token, each in shown.items()}
