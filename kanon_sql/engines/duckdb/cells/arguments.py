"""The arguments of `protect`: a table by its keys and its sums, as names and never as SQL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

from kanon_sql.engines.cells.counting import Counting
from kanon_sql.engines.duckdb.cells.query import protected_query
from kanon_sql.engines.duckdb.names import name_parts, quoted, table_name
from kanon_sql.errors import PolicyError, hint_of
from kanon_sql.model.protection import Ambiguity, Dominance, Protection
from kanon_sql.model.tabulation import Item, Tabulation
from kanon_sql.model.validation import fraction, same_name

COUNT = "n"
"""The column of the counts."""

_GROUPINGS = ("cube", "rollup", "plain")


def protect_query(
    table: str,
    by: Any,
    measures: Any,
    grouping: Any,
    percent: Any,
    dominance: Any,
    others: Iterable[Counting] = (),
    **options: Any,
) -> str:
    """Return the SQL of a protected table; ``others`` are released before it, the rest is as for `asked_table`."""
    counting, protection = asked_table(table, by, measures, grouping, percent, dominance, **options)
    return protected_query(counting, protection, f"FROM {table_name(table)}", others)


def asked_table(
    table: str, by: Any, measures: Any, grouping: Any, percent: Any, dominance: Any, **options: Any
) -> tuple[Counting, Protection]:
    """Return what is counted for a table, and what is asked of it.

    Parameters
    ----------
    table : str
        A possibly qualified name.
    by : list of str
        The keys.
    measures : mapping of str to str, optional
        For each sum the name of its column.
    grouping : {'cube', 'rollup', 'plain'}
        The grouping sets: every combination of keys, keys left out from the right, or all keys only.
    percent : mapping of str to number, optional
        For some sums p of the p % rule.
    dominance : mapping of str to [largest, share], optional
        For some sums the dominance rule.
    **options
        The other fields of `Protection`.

    Raises
    ------
    PolicyError
        When an argument is not of its kind.
    """
    if not isinstance(by, list) or not by or not all(isinstance(each, str) for each in by):
        raise PolicyError("by must be a list of columns; hint: by := ['region', 'sex']")
    if len({same_name(each) for each in by}) < len(by):
        raise PolicyError("by names a column twice; hint: name each once")
    if grouping not in _GROUPINGS:
        raise PolicyError(f"unknown grouping; hint: {hint_of(grouping, _GROUPINGS, 'use cube, rollup or plain')}")
    sums = _mapping("measures", measures, "MAP {'s': 'income'}")
    if any(not isinstance(each, str) for each in sums.values()):
        raise PolicyError("measures names columns; hint: MAP {'s': 'income'}")
    taken = [same_name(each) for each in (*by, COUNT, *sums)]
    if len(set(taken)) < len(taken):
        raise PolicyError(f"two columns of the table have the same name; hint: counts are called {COUNT}")
    numbers = tuple(range(len(by)))
    sets = {
        "cube": [each for size in range(len(by), -1, -1) for each in combinations(numbers, size)],
        "rollup": [numbers[:size] for size in range(len(by), -1, -1)],
        "plain": [numbers],
    }[grouping]
    columns = list(dict.fromkeys(sums.values()))
    items = [Item(name=name, kind="key", places=(place,)) for place, name in enumerate(by)]
    items.append(Item(name=COUNT, kind="count"))
    items += [Item(name=name, kind="sum", places=(columns.index(column),)) for name, column in sums.items()]
    parts = name_parts(table)
    tabulation = Tabulation(
        keys=tuple(map(same_name, by)),
        sums=tuple(map(same_name, columns)),
        sets=tuple(sets),
        items=tuple(items),
        source=f"from {' . '.join(map(same_name, parts))}",
        reads=(same_name(parts[-1]),),
    )
    protection = Protection(ambiguity=_ambiguity(percent, sums), dominance=_dominance(dominance, sums), **options)
    counting = Counting(
        tabulation=tabulation,
        keys=tuple(map(quoted, by)),
        sums=tuple(map(quoted, columns)),
        largest=protection.largest,
    )
    return counting, protection


def _mapping(name: str, value: Any, hint: str) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(each, str) for each in value):
        raise PolicyError(f"{name} must be a MAP; hint: {hint}")
    return value


def _known(name: str, measure: str, sums: Mapping[str, Any]) -> str:
    if measure not in sums:
        raise PolicyError(f"{name} names no sum of the table; hint: {hint_of(measure, sums, 'name one of measures')}")
    return measure


def _ambiguity(value: Any, sums: Mapping[str, Any]) -> tuple[Ambiguity, ...]:
    given = _mapping("p", value, "MAP {'s': 10}")
    return tuple(Ambiguity(measure=_known("p", name, sums), percent=fraction(each, "p")) for name, each in given.items())


def _dominance(value: Any, sums: Mapping[str, Any]) -> tuple[Dominance, ...]:
    found, hint = [], "MAP {'s': [1, 0.8]}"
    for name, pair in _mapping("dominance", value, hint).items():
        if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2:
            raise PolicyError(f"dominance needs the number of contributors and their share; hint: {hint}")
        largest = fraction(pair[0], "the number of contributors")
        if largest.denominator != 1:
            raise PolicyError(f"the number of contributors must be a whole number; hint: {hint}")
        found.append(
            Dominance(
                measure=_known("dominance", name, sums),
                largest=int(largest),
                share=fraction(pair[1], "the share of the largest contributors"),
            )
        )
    return tuple(found)
