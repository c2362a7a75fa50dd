"""The arguments of `protect`: a table by its keys and its sums, as names and never as SQL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kanon_sql.engines.cells.counting import Counting
from kanon_sql.engines.duckdb.cells.query import protected_query
from kanon_sql.engines.duckdb.names import name_parts, quoted, table_name
from kanon_sql.errors import PolicyError, UnknownColumnError, hint_of
from kanon_sql.model.grouping_sets import Sets, cube, plain, rollup
from kanon_sql.model.protection import Ambiguity, Dominance, Protection
from kanon_sql.model.tabulation import Item, Tabulation
from kanon_sql.model.validation import fraction, same_name

COUNT = "n"
"""The column of the counts."""

_GROUPINGS = {"cube": cube, "rollup": rollup, "plain": plain}


@dataclass(frozen=True, slots=True, kw_only=True)
class TableArguments:
    """What a table shows, and what is asked of it.

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
    recodings : mapping of str to str, optional
        For some keys their levels, as the clause writes them behind IN.
    p : mapping of str to number, optional
        For some sums p of the p % rule.
    dominance : mapping of str to [largest, share], optional
        For some sums the dominance rule.
    options : mapping of str to value
        The other fields of `Protection`.
    """

    table: str
    by: Any
    measures: Any = None
    grouping: Any = "cube"
    recodings: Any = None
    p: Any = None
    dominance: Any = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def query(self, others: Iterable[Counting] = ()) -> str:
        """Return the SQL of the table; ``others`` are released before it.

        Raises
        ------
        PolicyError
            When an argument is not of its kind.
        """
        return protected_query(*self.asked(), f"FROM {table_name(self.table)}", others)

    def asked(self) -> tuple[Counting, Protection]:
        """Return what is counted for the table, and what is asked of it; errors as for `query`."""
        by, sums = self._keys(), self._sums()
        if not isinstance(self.grouping, str) or self.grouping not in _GROUPINGS:
            hint = hint_of(str(self.grouping), _GROUPINGS, "use cube, rollup or plain")
            raise PolicyError(f"unknown grouping; hint: {hint}")
        taken = [same_name(each) for each in (*by, COUNT, *sums)]
        if len(set(taken)) < len(taken):
            raise PolicyError(f"two columns of the table have the same name; hint: counts are called {COUNT}")
        keys: dict[str, str] = {}
        parts, items = [], []
        for name in by:
            levels, total = self._levels(name)
            first = len(keys)
            keys |= levels
            places = tuple(range(first, len(keys)))
            items.append(Item(name=name, kind="key", places=places))
            part: Sets = [(place,) for place in places]
            parts.append([*part, ()] if total else part)
        columns = list(dict.fromkeys(sums.values()))
        items.append(Item(name=COUNT, kind="count"))
        items += [Item(name=name, kind="sum", places=(columns.index(column),)) for name, column in sums.items()]
        names = name_parts(self.table)
        tabulation = Tabulation(
            keys=tuple(keys),
            sums=tuple(map(same_name, columns)),
            sets=tuple(dict.fromkeys(_GROUPINGS[self.grouping](parts))),
            items=tuple(items),
            source=f"from {' . '.join(map(same_name, names))}",
            reads=(same_name(names[-1]),),
        )
        protection = Protection(ambiguity=_ambiguity(self.p, sums), dominance=_dominance(self.dominance, sums), **self.options)
        counting = Counting(
            tabulation=tabulation,
            keys=tuple(keys.values()),
            sums=tuple(map(quoted, columns)),
            largest=protection.largest,
        )
        return counting, protection

    def _keys(self) -> list[str]:
        by = self.by
        if not isinstance(by, list) or not by or not all(isinstance(each, str) for each in by):
            raise PolicyError("by must be a list of columns; hint: by := ['region', 'sex']")
        if len({same_name(each) for each in by}) < len(by):
            raise PolicyError("by names a column twice; hint: name each once")
        named = _mapping("recodings", self.recodings, "MAP {'zip': 'DIGITS (5, 3)'}")
        if len({same_name(each) for each in named}) < len(named):
            raise PolicyError("recodings names a column twice; hint: write all of its levels at once")
        for column in named:
            if same_name(column) not in set(map(same_name, by)):
                raise UnknownColumnError.of(column, by, "a recoding")
        return by

    def _levels(self, key: str) -> tuple[dict[str, str], bool]:
        """Return for each level of a key the text that tells it apart and its SQL, and whether the total is a level."""
        asked = {same_name(each): text for each, text in (self.recodings or {}).items()}
        if same_name(key) not in asked:
            return {same_name(key): quoted(key)}, False
        from kanon_sql.clause.cells.levels import levels_of  # sqlglot is only paid for where there is something to read

        levels = levels_of(key, asked[same_name(key)])
        return dict(levels.labels(same_name(key), quoted(key))), levels.total

    def _sums(self) -> Mapping[str, str]:
        sums = _mapping("measures", self.measures, "MAP {'s': 'income'}")
        if any(not isinstance(each, str) for each in sums.values()):
            raise PolicyError("measures names columns; hint: MAP {'s': 'income'}")
        return sums


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
