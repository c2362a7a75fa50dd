"""The arguments of `protect`: a table by its keys and its sums, as names and never as SQL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kanon_sql.engines.cells.counting import Counting
from kanon_sql.engines.cells.named_rows import with_named_rows
from kanon_sql.engines.duckdb.cells.query import protected_query
from kanon_sql.engines.duckdb.names import name_parts, quoted, table_name
from kanon_sql.errors import PolicyError, UnknownColumnError, hint_of
from kanon_sql.model.protection import Protection
from kanon_sql.model.stored_protection import StoredProtection
from kanon_sql.model.surfaces import Surface
from kanon_sql.model.tabulation import Item, Sets, Tabulation, cube, named_table, plain, rollup
from kanon_sql.model.validation import by_name, same_name

COUNT = "n"
"""The column of the counts."""

_GROUPINGS = {"cube": cube, "rollup": rollup, "plain": plain}


@dataclass(frozen=True, slots=True, kw_only=True)
class TableArguments:
    """What a table shows, and its requirement."""

    table: str  # a possibly qualified name
    by: Any  # the keys
    measures: Any = None  # for each sum the name of its column
    # 'cube', 'rollup' or 'plain': every combination of keys, keys left out from the right, or all keys only
    grouping: Any = "cube"
    recodings: Any = None  # for some keys their levels, as the clause writes them behind IN
    policy: StoredProtection | None = None  # its requirement
    # the same without a policy, as `Protection.of` takes it; an option that is None has not been given
    options: Mapping[str, Any] = field(default_factory=dict)
    surface: Surface = "function"  # The surface. Errors name its options.
    known_as: tuple[str, ...] = ()  # the parts of the name of the source if ``table`` is a copy or a view of it

    def query(self, others: Iterable[Counting] = (), *, held: bool = True) -> str:
        """Return the SQL of the table; ``others`` are released before it, ``held`` as for `protected_query`.

        Raises
        ------
        PolicyError
            When an argument is not of its kind.
        """
        return protected_query(*self.requested(), f"FROM {table_name(self.table)}", others, held=held, surface=self.surface)

    def requested(self) -> tuple[Counting, Protection]:
        """Return what is counted for the table, and its requirement; errors as for `query`."""
        by, sums = self._keys(), self._sums()
        if not isinstance(self.grouping, str) or self.grouping not in _GROUPINGS:
            hint = hint_of(str(self.grouping), _GROUPINGS, "use cube, rollup or plain")
            raise PolicyError(f"unknown grouping {self.grouping!r}; hint: {hint}")
        taken = [same_name(each) for each in (*by, COUNT, *sums)]
        if len(set(taken)) < len(taken):
            raise PolicyError(
                f"two columns in the table have the same name; hint: rename one of them (the count column is called {COUNT})"
            )
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
        columns = list(dict.fromkeys(map(same_name, sums.values())))
        items.append(Item(name=COUNT, kind="count"))
        items += [Item(name=name, kind="sum", places=(columns.index(same_name(column)),)) for name, column in sums.items()]
        names = self.known_as or tuple(name_parts(self.table))
        tabulation = Tabulation(
            keys=tuple(keys),
            sums=tuple(columns),
            sets=tuple(dict.fromkeys(_GROUPINGS[self.grouping](parts))),
            items=tuple(items),
            source=f"from {' . '.join(map(same_name, names))}",
            reads=(named_table(map(same_name, names)),),
        )
        protection = self._protection(tabulation)
        counting = Counting(
            tabulation=tabulation,
            keys=tuple(keys.values()),
            sums=tuple(map(quoted, columns)),
            largest=protection.largest,
        )
        return with_named_rows(counting, protection), protection

    def _keys(self) -> list[str]:
        by = self.by
        if not isinstance(by, list) or not by or not all(isinstance(each, str) for each in by):
            raise PolicyError("by must be a list of columns; hint: pass by := ['region', 'sex']")
        if len({same_name(each) for each in by}) < len(by):
            raise PolicyError("by lists a column twice; hint: list each column once")
        named = by_name(self.recodings, "recodings", "MAP {'zip': 'DIGITS (5, 3)'}")
        if len({same_name(each) for each in named}) < len(named):
            raise PolicyError("recodings lists a column twice; hint: write all its levels in one entry")
        for column in named:
            if same_name(column) not in set(map(same_name, by)):
                raise UnknownColumnError.of(column, by, "a recoding")
        return by

    def _levels(self, key: str) -> tuple[dict[str, str], bool]:
        """Return for each level of a key the text that tells it apart and its SQL, and whether the total is a level."""
        requested = {same_name(each): text for each, text in (self.recodings or {}).items()}
        if same_name(key) not in requested:
            return {same_name(key): quoted(key)}, False
        from kanon_sql.clause.cells.levels import levels_of  # sqlglot is only loaded where there is something to read

        levels = levels_of(key, requested[same_name(key)])
        return dict(levels.labels(same_name(key), quoted(key))), levels.total

    def _protection(self, tabulation: Tabulation) -> Protection:
        given = {name: value for name, value in self.options.items() if value is not None}
        if self.policy is not None:
            if given:
                raise PolicyError(f"{next(iter(given))} is already part of {self.policy}; hint: omit it")
            return self.policy.protection_for(tabulation, self.policy.protection.per)
        found = Protection.of(**given)
        keys = [each.name for each in tabulation.items if each.kind == "key"]
        for name in (name for names in found.show for name in names):
            if tabulation.named(name, "key") is None:
                raise UnknownColumnError.of(name, keys, "show")
        sums = [each.name for each in tabulation.items if each.kind == "sum"]
        found.check_cost(sums)
        for name, rules in (("p", found.ambiguity), ("dominance", found.dominance)):
            for rule in rules:
                if rule.measure not in sums:
                    hint = hint_of(rule.measure, sums, "use a sum from measures")
                    raise PolicyError(f"{name} does not use a sum in the table; hint: {hint}").command(
                        f"add --measures {rule.measure}=COLUMN"
                    )
        return found

    def _sums(self) -> Mapping[str, str]:
        sums = by_name(self.measures, "measures", "MAP {'s': 'income'}")
        if any(not isinstance(each, str) for each in sums.values()):
            raise PolicyError("measures must map names to columns; hint: pass MAP {'s': 'income'}")
        return sums


def check_columns(named: Iterable[str], columns: list[str]) -> None:
    """Refuse columns that the source does not have.

    Raises
    ------
    PolicyError
        When there is one.
    """
    known = {same_name(name) for name in columns}
    for each in named:
        if isinstance(each, str) and same_name(each) not in known:
            there = f"the columns are {', '.join(map(repr, columns))}"
            raise PolicyError(f"unknown column {each!r}; hint: {hint_of(each, columns, there)}")
