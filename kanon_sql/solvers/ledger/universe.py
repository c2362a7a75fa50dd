"""The columns of a ledger, and the region of each published row: a set of elementary values for each column."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from kanon_sql.model.condition_tests import (
    ColumnTest,
    Comparison,
    Every,
    Negated,
    OneOf,
    ParsedCondition,
    Some,
    compares,
    literals,
)
from kanon_sql.model.published_table import PublishedTable
from kanon_sql.model.validation import same_name
from kanon_sql.solvers.ledger.columns import MISSING, Column
from kanon_sql.solvers.ledger.label_ranges import Scale, is_single

Region = tuple[tuple[int, int], ...]
"""Pairs of a column and a set of its values, by column. Columns that are not restricted are left out."""


@dataclass(frozen=True, slots=True)
class Source:
    """A published row: the number of its table among the tables, and its own among the rows."""

    table: int
    row: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RowRegion:
    """A published row, and what it is about."""

    source: Source
    region: Region  # of the row and the condition of its table
    keys: frozenset[int]  # the columns of its labels
    lower: int
    upper: int | None


@dataclass(slots=True)
class Universe:
    """All columns, and the regions of all rows.

    Notes
    -----
    Labels of one column are compared only as far as a reader can. Two tables without a common label may group the same values
    in other ways, so their labels are two columns. So are ranges and texts in one column, except a text for no value.
    A state is a column as well: numbers of two states are about different people, as far as anybody can prove. Where some
    tables have a state, those without one are in a state of their own.
    """

    columns: list[Column] = field(default_factory=list)
    rows: list[RowRegion] = field(default_factory=list)
    conditions: list[Region] = field(default_factory=list)  # of each table

    @classmethod
    def of(cls, tables: Sequence[PublishedTable], conditions: Sequence[ParsedCondition]) -> Universe:
        """Return the universe of tables and their conditions."""
        found = cls()
        names = {same_name(key): key for table in reversed(tables) for key in table.keys}
        places: dict[tuple[int, int, str], tuple[int, int]] = {}  # of a label: its table and key, to a column and values
        parts: dict[tuple[str, str], tuple[int, int]] = {}  # of a part of a condition: its column and text, likewise
        tests: dict[str, dict[str, ColumnTest]] = defaultdict(dict)
        for part in (part for condition in conditions for part in condition):
            if part.test is not None:
                tests[part.column][part.text] = part.test
        for name in sorted({*names, *tests}):
            used = {
                (number, place): {row.keys[place] for row in table.rows} - {None}
                for number, table in enumerate(tables)
                for place, key in enumerate(table.keys)
                if same_name(key) == name
            }
            found._add(names.get(name, name), name, used, tests[name], places, parts)
        states = sorted({table.state for table in tables if table.state is not None})
        state = len(found.columns)
        found.columns.append(Column.of_texts("state", states))
        for number, (table, condition) in enumerate(zip(tables, conditions, strict=True)):
            people = found._people(condition, parts)
            if table.state is not None:
                people[state] = found.columns[state].labels[table.state]
            elif states:
                people[state] = found.columns[state].full & ~sum(found.columns[state].labels.values())
            found.conditions.append(found.region(people))
            for place, row in enumerate(table.rows):
                labels = [places[number, key, label] for key, label in enumerate(row.keys) if label is not None]
                box = dict(people)
                for column, values in labels:
                    box[column] = box.get(column, values) & values
                found.rows.append(
                    RowRegion(
                        source=Source(number, place),
                        region=found.region(box),
                        keys=frozenset(column for column, _ in labels),
                        lower=row.lower,
                        upper=row.upper,
                    )
                )
        return found

    def region(self, box: dict[int, int]) -> Region:
        """Return a region in its one form."""
        return tuple(sorted((column, values) for column, values in box.items() if values != self.columns[column].full))

    def _add(
        self,
        name: str,
        same: str,
        used: dict[tuple[int, int], set[str | None]],
        tests: dict[str, ColumnTest],
        places: dict[tuple[int, int, str], tuple[int, int]],
        parts: dict[tuple[str, str], tuple[int, int]],
    ) -> None:
        """Add the columns of one name: a line for ranges, and one for each system of texts."""
        labels = {label for each in used.values() for label in each if label is not None}
        scale = Scale.of({*labels, *(value for test in tests.values() for value in literals(test))})
        ranges = {label for label in labels if scale.range(label) is not None}
        ordered = {text: test for text, test in tests.items() if compares(test)}
        if any(not is_single(label) for label in ranges) or ordered:
            kept = {
                text: test
                for text, test in tests.items()
                if all(scale.range(value) is not None for value in literals(test)) and all(map(scale.range, _spans(test)))
            }
            missing = {label for label in labels - ranges if label.strip().casefold() in MISSING}
            values = [span for test in kept.values() for span in _spans(test)]
            self._place(
                Column.of_ranges(name, scale, ranges, missing, values), used, ranges | missing, same, kept, places, parts
            )
            labels -= ranges | missing
            tests = {text: test for text, test in tests.items() if text not in kept}
        tests = {text: test for text, test in tests.items() if text not in ordered and not _unclear(test, labels)}
        groups = [
            *({label for label in each if label in labels} for each in used.values()),
            *({*literals(test)} for test in tests.values()),
        ]
        for system in sorted(_systems([{str(label) for label in group} for group in groups if group]), key=len, reverse=True):
            known = {text: test for text, test in tests.items() if {*literals(test)} <= system}
            within = {place: own for place, own in used.items() if own & labels <= system}
            self._place(Column.of_texts(name, system), within, system, same, known, places, parts)

    def _place(
        self,
        column: Column,
        used: dict[tuple[int, int], set[str | None]],
        labels: set[str],
        same: str,
        tests: dict[str, ColumnTest],
        places: dict[tuple[int, int, str], tuple[int, int]],
        parts: dict[tuple[str, str], tuple[int, int]],
    ) -> None:
        number = len(self.columns)
        self.columns.append(column)
        for text, test in tests.items():
            column.tests[text] = column.passed(test)
            parts[same, text] = number, column.tests[text]
        for (table, key), own in used.items():
            places |= {
                (table, key, label): (number, column.labels[label]) for label in own if label is not None and label in labels
            }

    def _people(self, condition: ParsedCondition, parts: dict[tuple[str, str], tuple[int, int]]) -> dict[int, int]:
        """Return the region of those who meet a condition; a part that is not understood gets a column of its own."""
        box: dict[int, int] = {}
        for part in condition:
            place = part.column, part.text
            if place not in parts:
                parts[place] = len(self.columns), 1
                self.columns.append(Column.of_condition(part.text))
            column, values = parts[place]
            values = 2 if part.negated and self.columns[column].opaque else values
            box[column] = box.get(column, values) & values
        return box

    def words(self, region: Region) -> str:
        """Return a region in words."""
        return (
            ", ".join(
                self.columns[column].words(values)
                if self.columns[column].opaque or self.columns[column].words(values) in self.columns[column].tests
                else f"{self.columns[column].name} {self.columns[column].words(values)}"
                for column, values in region
            )
            or "all people"
        )


def _spans(test: ColumnTest) -> Iterator[str]:
    """Yield the ranges that a test names, as labels."""
    if isinstance(test, Comparison):
        yield f"{test.sign} {test.value}"
    elif isinstance(test, OneOf):
        yield from test.values
    else:
        for each in (test.test,) if isinstance(test, Negated) else test.tests:
            yield from _spans(each)


def _unclear(test: ColumnTest, labels: Iterable[str]) -> bool:
    """Return whether a test has a NOT, and a label may stand for no value: nobody can tell whether it fails the test."""
    return _negates(test) and any(label.strip().casefold() in MISSING for label in labels)


def _negates(test: ColumnTest) -> bool:
    return isinstance(test, Negated) or (isinstance(test, Every | Some) and any(map(_negates, test.tests)))


def _systems(groups: Sequence[set[str]]) -> list[set[str]]:
    """Join sets of labels that have one in common, or one that a label with stars contains."""
    found: list[set[str]] = []
    for group in groups:
        joined = set(group)
        apart = []
        for other in found:
            if _related(other, joined):
                joined |= other
            else:
                apart.append(other)
        found = [*apart, joined]
    return found


def _related(left: set[str], right: set[str]) -> bool:
    if any(label.strip().casefold() not in MISSING for label in left & right):
        return True
    stars = [
        (label.rstrip("*"), len(label), other)
        for one, other in ((left, right), (right, left))
        for label in one
        if label.endswith("*")
    ]
    return any(len(each) == length and each.startswith(prefix) for prefix, length, other in stars for each in other)
