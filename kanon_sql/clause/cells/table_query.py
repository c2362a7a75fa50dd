"""The query in front of PROTECT, taken apart: what it reads, its keys, its grouping sets, and what it adds up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from sqlglot import TokenType

from kanon_sql.clause.cells.levels import read_levels
from kanon_sql.clause.cells.measures import read_added
from kanon_sql.clause.cells.place import end_of, parts_of
from kanon_sql.clause.cells.select_list import Column, measure_hint, named_at, plain_text, read_column, show_keys, text_of
from kanon_sql.clause.cells.sources import reads_of, single_table, tables_above, with_above
from kanon_sql.clause.script import Script
from kanon_sql.clause.select import AGGREGATES, name_at, read_select
from kanon_sql.errors import PolicyError
from kanon_sql.model.tabulation import MOST_SETS, Item, Sets, Tabulation, condition_key, cube, holds, rollup
from kanon_sql.model.validation import as_identifier, same_name

_MEASURES = "PROTECT supports only count(*) and sum(...)"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableQuery:
    """A query that makes a table."""

    tabulation: Tabulation  # the table
    keys: tuple[str, ...]  # SQL of each key
    sums: tuple[str, ...]  # of what each sum adds up
    source: str  # FROM, as it is written
    above: str  # the WITH in front of it, as it is written
    where: str  # the condition of WHERE, as it is written; empty if there is none
    table: str | None  # the table that is all that they read, if it is one
    person: str | None  # the column in count(DISTINCT column), where people are counted


def read_table_query(script: Script, start: int, clause: int) -> TableQuery:
    """Take the query apart that begins at ``start`` and ends before the word PROTECT at ``clause``.

    Raises
    ------
    ClauseError
        When the query does more than count and add up by keys.
    """
    return _Reading(script, start, clause).query()


@dataclass(slots=True)
class _Reading:
    script: Script
    start: int
    clause: int
    columns: list[Column] = field(default_factory=list)
    keys: dict[str, str] = field(default_factory=dict)
    sums: dict[str, str] = field(default_factory=dict)
    person: str | None = None
    where: str = ""

    def query(self) -> TableQuery:
        script = self.script
        parts = parts_of(script, self.start, self.clause)
        items = read_select(script, self.start, self.clause).items
        if items is None:
            raise script.error("PROTECT needs a SELECT list; hint: write SELECT region, count(*) AS n", self.start)
        if script.word(parts["SELECT"] + 1) == "DISTINCT":
            raise script.error("DISTINCT cannot be combined with PROTECT; hint: remove it", parts["SELECT"] + 1)
        self.columns = [read_column(script, *item) for item in items]
        sets = self._sets(parts["GROUP"] + 2, end_of(parts, "GROUP", self.clause))
        read, end = parts["FROM"], end_of(parts, "FROM", self.clause)
        condition = (parts["WHERE"] + 1, end_of(parts, "WHERE", self.clause)) if "WHERE" in parts else (0, 0)
        self.where = plain_text(script, *condition)
        shown = tuple(self._item(column) for column in self.columns)
        above = tables_above(script, self.start, self.clause)
        table = None if above else single_table(script, read + 1, max(end, condition[1]))
        tabulation = Tabulation(
            keys=tuple(self.keys),
            sums=tuple(self.sums),
            sets=tuple(dict.fromkeys(tuple(sorted(each)) for each in sets)),
            items=shown,
            source=" ".join([plain_text(script, read, end), *above]),
            reads=reads_of(script, self.start, self.clause),
            condition=self.where,
        )
        return TableQuery(
            tabulation=tabulation,
            keys=tuple(self.keys.values()),
            sums=tuple(self.sums.values()),
            source=text_of(script, read, end),
            above=with_above(script, self.start, self.clause),
            where=text_of(script, *condition) if "WHERE" in parts else "",
            table=table,
            person=self.person,
        )

    def _sets(self, start: int, end: int) -> Sets:
        """Return the grouping sets of GROUP BY, as numbers of keys."""
        script = self.script
        if script.word(start) == "ALL" and start + 1 == end:
            plain = [column for column in self.columns if not self._is_measure(column)]
            return [tuple(self._key(column.start, column.end) for column in plain)]
        found: Sets = [()]
        for element in self._separated(start, end):
            sets = self._element(*element)
            if len(found) * len(sets) > MOST_SETS:
                raise script.error(
                    f"GROUP BY produces more than {MOST_SETS} grouping sets; hint: list the sets to publish", start
                )
            found = [(*one, *other) for one, other in product(found, sets)]
        return [tuple(dict.fromkeys(each)) for each in found]

    def _element(self, start: int, end: int) -> Sets:
        script = self.script
        opens, sets = start + 1, script.words(start, "GROUPING", "SETS")
        if sets:
            return [each for part in self._separated(start + 3, end - 1) for each in self._element(*part)]
        if script.word(start) in {"CUBE", "ROLLUP"} and script.spelled(opens) == "(" and script.partner[opens] == end - 1:
            parts = [self._levels(*part) for part in self._separated(opens + 1, end - 1)]
            try:
                return cube(parts) if script.word(start) == "CUBE" else rollup(parts)
            except PolicyError as problem:
                raise script.error(str(problem), start) from problem
        return self._levels(start, end)

    def _levels(self, start: int, end: int) -> Sets:
        """Return the keys of one expression, or of several in brackets; of levels those of each, finest first."""
        read = read_levels(self.script, start, end)
        if read is None:
            return [self._group(start, end)]
        place, levels = read
        column = self._column_of(start, place)
        first, last = (start, place) if column is None else (column.start, column.end)
        labels = dict(levels.labels(plain_text(self.script, first, last), text_of(self.script, first, last)))
        self.keys |= labels
        found: Sets = [(list(self.keys).index(each),) for each in labels]
        if column is not None:
            show_keys(self.script, column, tuple(key for level in found for key in level), start, end)
        return [*found, ()] if levels.total else found

    def _group(self, start: int, end: int) -> tuple[int, ...]:
        """Return the keys of one expression, or of several in brackets."""
        if self.script.spelled(start) == "(" and self.script.partner[start] == end - 1:
            return tuple(self._key(*part) for part in self._separated(start + 1, end - 1))
        return (self._key(start, end),)

    def _separated(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        if start >= end:
            return
        first = start
        for place in self.script.level(start, end):
            if self.script.spelled(place) == ",":
                yield first, place
                first = place + 1
        yield first, end

    def _key(self, start: int, end: int) -> int:
        """Return the number of the key that an expression of GROUP BY is."""
        script = self.script
        if start >= end:
            raise script.error("expected a key; hint: write GROUP BY CUBE (region, sex)", start)
        column = self._column_of(start, end)
        if column is not None:
            start, end = column.start, column.end
        if any(script.spelled(place) == "?" for place in range(start, end)):
            raise script.error("parameters are not supported in keys; hint: use them in WHERE", start, end - 1)
        spelled = plain_text(script, start, end)
        self.keys.setdefault(spelled, text_of(script, start, end))
        number = list(self.keys).index(spelled)
        if column is not None:
            show_keys(script, column, (number,), start, end)
        return number

    def _column_of(self, start: int, end: int) -> Column | None:
        """Return the item of the SELECT list that an expression of GROUP BY means: by number, name or text."""
        script = self.script
        if end == start + 1 and script.kind(start) is TokenType.NUMBER:
            number = script.spelled(start)
            if not number.isdecimal() or not 1 <= int(number) <= len(self.columns):
                raise script.error(
                    f"GROUP BY {number} is not one of the {len(self.columns)} columns; hint: write GROUP BY 1", start
                )
            return self.columns[int(number) - 1]
        spelled = plain_text(script, start, end)
        same = [column for column in self.columns if plain_text(script, column.start, column.end) == spelled]
        if same:
            return same[0]
        name = name_at(script, end - 1) if end == start + 1 or script.spelled(end - 2) == "." else None
        for column in self.columns:
            if name is None or same_name(column.name) != name:
                continue
            inside = {name_at(script, place) for place in range(column.start, column.end)}
            plain = column.end == column.start + 1 or script.spelled(column.end - 2) == "."
            if column.named and name in inside and not plain:
                shown = as_identifier(column.name)
                raise script.error(
                    f"{shown} is both a column of the source and a name in the SELECT list; hint: rename it in the SELECT list",
                    start,
                    end - 1,
                )
            return column
        return None

    def _is_measure(self, column: Column) -> bool:
        script = self.script
        return any(
            script.word(place) in AGGREGATES | {"GROUPING", "GROUPING_ID"} and script.spelled(place + 1) == "("
            for place in range(column.start, column.end)
        )

    def _item(self, column: Column) -> Item:
        """Return what a column of the SELECT list shows."""
        script, start, end = self.script, column.start, column.end
        if column.keys:
            return Item(name=column.name, kind="key", places=column.keys)
        word = script.word(start)
        if script.spelled(start + 1) == "(" and word in AGGREGATES | {"GROUPING", "GROUPING_ID"}:
            last = script.partner[start + 1]
            if script.word(last + 1) == "OVER" and last + 1 < end:
                raise script.error(f"OVER cannot be combined with PROTECT; hint: {measure_hint(word)}", last + 1)
            filtered = None
            if script.words(last + 1, "FILTER") and script.spelled(last + 2) == "(" and script.partner[last + 2] == end - 1:
                filtered = last + 3 + (script.word(last + 3) == "WHERE"), end - 1
            if last == end - 1 or filtered is not None:
                return self._call(column, word, (start + 2, last), filtered)
        if self._is_measure(column):
            raise script.error(
                "an expression over counts and sums cannot be protected; hint: protect count(*) and sum(...), and compute "
                "it in an outer query",
                start,
                end - 1,
            )
        spelled = plain_text(script, start, end)
        if spelled in self.keys:
            return Item(name=column.name, kind="key", places=(list(self.keys).index(spelled),))
        raise script.error(
            f"the column {as_identifier(column.name)} is not a key, a count or a sum; hint: add it to GROUP BY",
            start,
            end - 1,
        )

    def _call(self, column: Column, word: str, arguments: tuple[int, int], filtered: tuple[int, int] | None) -> Item:
        script, (start, end) = self.script, arguments
        if word in {"GROUPING", "GROUPING_ID"}:
            keys = tuple(key for part in self._separated(start, end) for key in self._known_keys(*part))
            return Item(name=column.name, kind="grouping", places=keys)
        if (
            word == "COUNT"
            and filtered is None
            and script.word(start) == "DISTINCT"
            and start + 2 == end
            and (person := named_at(script, start + 1))
        ):
            self.person = person
            return Item(name=column.name, kind="count")
        added = read_added(script, word, start, end, filtered)
        if added is not None and added.value:
            self.sums.setdefault(added.value_text, added.value)
            return Item(name=column.name, kind="sum", places=(list(self.sums).index(added.value_text),))
        if added is not None and added.condition_text not in ("", self.where):  # all rows meet the condition of WHERE
            key = condition_key(added.condition_text)
            self.keys.setdefault(key, holds(added.condition))
            return Item(name=column.name, kind="count", places=(list(self.keys).index(key),))
        if added is not None:
            return Item(name=column.name, kind="count")
        raise script.error(
            f"{script.spelled(column.start)}(...) cannot be protected: {_MEASURES}; hint: {measure_hint(word)}", start - 2
        )

    def _known_keys(self, start: int, end: int) -> tuple[int, ...]:
        column = self._column_of(start, end)
        if column is not None and column.keys:
            return column.keys
        before = len(self.keys)
        number = self._key(start, end)
        if len(self.keys) > before:
            raise self.script.error("GROUPING needs a key of GROUP BY; hint: add the key to GROUP BY", start, end - 1)
        return (number,)
