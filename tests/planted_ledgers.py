"""Ledgers with planted disclosures, and a program of its own that says what they prove: it knows people, not labels."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

from ortools.sat.python import cp_model

from kanon_sql.model.published_table import PublishedRow, PublishedTable

Person = tuple[Any, ...]
"""Age, sex, place, state, and whether a condition is met that nobody can read. None is no value."""

Set = Callable[[Person], bool]

AGES = [None, *range(-1, 25)]
SEXES = [None, "F", "M", "X"]
PLACES = [None, "11", "12", "13", "21", "22", "99"]
STATES = [None, "left", "stayed", "moved"]
PEOPLE = [*product(AGES, SEXES, PLACES, STATES, (None, True, False))]
"""Everybody who could be counted. Some have values that no table names."""


def between(low: int, high: int) -> Set:
    return lambda person: person[0] is not None and low <= person[0] <= high


BANDS = {
    "tens": {"0-9": between(0, 9), "10-19": between(10, 19), "20+": between(20, 99)},
    "fives": {f"{low} to {low + 4}": between(low, low + 4) for low in range(0, 25, 5)},
    "halves": {"under 15": between(-9, 14), "15 and over": between(15, 99)},
    "thirds": {"[0, 8)": between(0, 7), "[8, 16)": between(8, 15), ">= 16": between(16, 99)},
}

LABELS: dict[str, list[dict[str, Set]]] = {
    "age": [*BANDS.values()],
    "sex": [{sex: lambda person, sex=sex: person[1] == sex for sex in ("F", "M")}],
    "place": [
        {place: lambda person, place=place: person[2] == place for place in PLACES[1:6]},
        {f"{one}*": lambda person, one=one: person[2] is not None and person[2][0] == one for one in "12"},
    ],
    "state": [{state: lambda person, state=state: person[3] == state for state in ("left", "stayed")}],
}

CONDITIONS: dict[str | None, Set] = {
    None: lambda person: True,
    **{f"age >= {age}": between(age, 99) for age in (12, 13, 15, 18)},
    "AGE < 12": between(-9, 11),
    "NOT age >= 12": between(-9, 11),
    "age BETWEEN 10 AND 14": between(10, 14),
    "sex = 'F'": lambda person: person[1] == "F",
    "sex <> 'F'": lambda person: person[1] not in (None, "F"),
    "state IN ('stayed')": lambda person: person[3] == "stayed",
    "ill(person, day)": lambda person: person[4] is True,
    "not ILL(person,  day)": lambda person: person[4] is False,
    "age >= 12 AND sex = 'F'": lambda person: person[1] == "F" and between(12, 99)(person),
}


@dataclass
class Ledger:
    """Tables, whom each row counts, and the groups that were planted."""

    n: int
    people: list[Person]
    tables: list[PublishedTable] = field(default_factory=list)
    counted: dict[tuple[int, tuple[str | None, ...]], Set] = field(default_factory=dict)
    planted: list[tuple[str, frozenset[Person]]] = field(default_factory=list)
    found: dict[Any, frozenset[Person]] = field(default_factory=dict)  # who could be in groups that were asked for

    def publish(
        self, keys: Sequence[tuple[str, int]], condition: str | None, *, base: int = 1, least: int = 1, totals: bool = True
    ) -> int:
        """Publish a table: counts below n are marked, others exact or rounded to the nearest multiple."""
        number, meets, rows = len(self.tables) + 1, CONDITIONS[condition], []
        systems = [LABELS[key][system] for key, system in keys]
        for labels in product(*([*system, *([None] if totals else [])] for system in systems)):
            inside = [system[label] for system, label in zip(systems, labels, strict=True) if label is not None]
            counts = lambda person, inside=tuple(inside): meets(person) and all(each(person) for each in inside)  # noqa: E731
            count = sum(map(counts, self.people))
            if count == 0 and least:
                continue
            if count < self.n:
                rows.append(PublishedRow(keys=labels, lower=least, upper=None, suppressed=True))
            else:
                near = (count + base // 2) // base * base
                rows.append(PublishedRow(keys=labels, lower=near - base // 2, upper=near + (base - 1) // 2))
            self.counted[number, labels] = counts
        self.tables.append(
            PublishedTable(
                number=number,
                name=f"{number}.csv",
                keys=tuple(key for key, _ in keys),
                rows=tuple(rows),
                condition=condition,
                absent=bool(self.absent(rows, systems)),
            )
        )
        return number

    def absent(self, rows: Sequence[PublishedRow], systems: Sequence[dict[str, Set]]) -> bool:
        return any(label not in {row.keys[place] for row in rows} for place, system in enumerate(systems) for label in system)

    def keep(self, who: Set, most: int) -> None:
        """Leave people out until at most so many of a group are there."""
        there = [person for person in self.people if who(person)]
        for person in there[most:]:
            self.people.remove(person)

    def members(self, operation: str, rows: Iterable[tuple[int, tuple[str | None, ...]]]) -> frozenset[Person]:
        """Return who could be in a group."""
        known = tuple(rows)
        if (operation, known) not in self.found:
            self.found[operation, known] = self._members(operation, known)
        return self.found[operation, known]

    def _members(self, operation: str, rows: Iterable[tuple[int, tuple[str | None, ...]]]) -> frozenset[Person]:
        first, *others = (self.counted[row] for row in rows)
        if operation == "row":
            return frozenset(filter(first, PEOPLE))
        both = operation == "both"
        return frozenset(person for person in PEOPLE if first(person) and others[0](person) == both)


def planted(seed: int, most: int = 30) -> Ledger:
    """Return a ledger with planted differences, between tables that do nobody any harm."""
    draw = random.Random(seed)
    size = draw.randint(150, 600)
    people = [
        (
            draw.randint(0, 24),
            draw.choice("FM"),
            draw.choice(PLACES[1:6]),
            draw.choice(["left", *["stayed"] * 3]),
            draw.random() < 0.6,
        )
        for _ in range(size)
    ]
    ledger = Ledger(n=draw.choice([3, 5, 10]), people=people)
    kinds = draw.sample(["complement", "nested", "bands", "month", "digits", "rounded"], draw.choice([1, 1, 2]))
    small = draw.randint(1, ledger.n - 1)
    tables: list[tuple[Any, ...]] = []
    pairs: list[tuple[str, int, tuple[Any, ...], int, tuple[Any, ...]]] = []

    def plant(kind: str, one: tuple[Any, ...], labels: tuple[Any, ...], other: tuple[Any, ...], parts: tuple[Any, ...]) -> None:
        pairs.append((kind, len(tables), labels, len(tables) + 1, parts))
        tables.extend([one, other])

    sex = draw.choice("FM")
    own = CONDITIONS[f"sex = '{sex}'"] if sex == "F" else CONDITIONS["sex <> 'F'"]
    for kind in kinds:
        if kind == "complement":
            ledger.keep(lambda person: own(person) and person[4] is not True, small)
            keys = [("sex", 0)]
            plant(kind, (keys, None), (sex,), (keys, "ill(person, day)"), (sex,))
            tables.append((keys, "not ILL(person,  day)"))
        elif kind == "nested":
            ledger.keep(lambda person: own(person) and person[0] == 12, small)
            plant(kind, ([("sex", 0)], "age >= 12"), (sex,), ([("sex", 0)], "age >= 13"), (sex,))
        elif kind == "bands":
            ledger.keep(lambda person: own(person) and 10 <= person[0] <= 14, small)
            plant(
                kind,
                ([("age", 0), ("sex", 0)], None),
                ("10-19", sex),
                ([("age", 0), ("sex", 0)], "age >= 15"),
                ("10-19", sex),
            )
        elif kind == "month":
            place = draw.choice(PLACES[1:6])
            ledger.keep(lambda person, place=place: person[2] == place and person[3] != "stayed", small)
            plant(kind, ([("place", 0)], None), (place,), ([("place", 0)], "state IN ('stayed')"), (place,))
        elif kind == "digits":
            ledger.keep(lambda person: person[2] == "22", small)
            plant(kind, ([("place", 1)], None), ("2*",), ([("place", 0)], None), ("21",))
        elif ledger.n >= 5:
            ledger.keep(lambda person: own(person) and person[0] < 12, draw.randint(2, 3))
            plant(kind, ([("sex", 0)], None), (sex,), ([("sex", 0)], "age >= 12", 3), (sex,))
    others = draw.randint(0, max(0, draw.randint(2, most) - len(tables)))
    for _ in range(others):
        keys = [(key, draw.randrange(len(LABELS[key]))) for key in draw.sample([*LABELS], draw.choice([1, 1, 2, 2, 3]))]
        tables.append((keys, draw.choice([*CONDITIONS]), draw.choice([1, 1, 1, 3])))
    for keys, condition, *base in tables:
        rounded = base[0] if base else 1
        ledger.publish(keys, condition, base=rounded, least=draw.choice([1, 1, 0]), totals=draw.random() < 0.7)
    for kind, one, labels, other, parts in pairs:
        rows = (one + 1, labels), (other + 1, parts)
        if all(_shown(ledger, row) for row in rows) and _small(ledger, *rows):
            ledger.planted.append((kind, ledger.members("without", rows)))
    return ledger


def _row(ledger: Ledger, row: tuple[int, tuple[str | None, ...]]) -> PublishedRow | None:
    return next((each for each in ledger.tables[row[0] - 1].rows if each.keys == row[1]), None)


def _shown(ledger: Ledger, row: tuple[int, tuple[str | None, ...]]) -> bool:
    found = _row(ledger, row)
    return found is not None and not found.suppressed


def _small(ledger: Ledger, one: tuple[int, tuple[str | None, ...]], other: tuple[int, tuple[str | None, ...]]) -> bool:
    first, second = _row(ledger, one), _row(ledger, other)
    assert first is not None
    assert second is not None
    assert first.upper is not None
    assert second.upper is not None
    return first.lower - second.upper >= 1 and first.upper - second.lower < ledger.n


class Oracle:
    """What tables prove of any group, by an integer program over everybody who could be counted."""

    def __init__(self, ledger: Ledger, rows: Iterable[tuple[int, tuple[str | None, ...], str | None]] | None = None) -> None:
        self._n, sums = ledger.n, list[tuple[frozenset[Person], int, int | None]]()
        wanted = None if rows is None else {*rows}
        for table in ledger.tables:
            for row in table.rows:
                if wanted is None or (table.number, row.keys, None) in wanted:
                    inside = ledger.members("row", [(table.number, row.keys)])
                    sums.append((inside, row.lower, row.upper))
                if not table.absent:
                    sums += self._complete(ledger, table, row, wanted)
        self._sums = sums

    @cached_property
    def _alike(self) -> dict[tuple[int, ...], list[Person]]:
        """People by the sums that they are in."""
        alike: dict[tuple[int, ...], list[Person]] = {}
        for person in PEOPLE:
            alike.setdefault(tuple(place for place, each in enumerate(self._sums) if person in each[0]), []).append(person)
        return alike

    @property
    def bounded(self) -> frozenset[Person]:
        """Return those whose number has an upper bound."""
        return frozenset().union(*(inside for inside, _, high in self._sums if high is not None))

    def _complete(self, ledger: Ledger, table: PublishedTable, total: PublishedRow, wanted: Any) -> Any:
        """A table without rows left out lists all values of a key below its totals, if these are no larger than their rows."""
        for place, key in enumerate(table.keys):
            if wanted is not None and (table.number, total.keys, key) not in wanted:
                continue
            lists = {}
            for row in table.rows:
                if row.keys[place] is not None:
                    lists.setdefault((*row.keys[:place], None, *row.keys[place + 1 :]), []).append(row)
            totals = [(row, lists[row.keys]) for row in table.rows if row.keys in lists]
            fits = all(
                any(each.upper is None for each in parts) or sum(each.upper or 0 for each in parts) >= row.lower
                for row, parts in totals
            )
            if fits and total.keys in lists:
                left = set(ledger.members("row", [(table.number, total.keys)]))
                for row in lists[total.keys]:
                    left -= ledger.members("row", [(table.number, row.keys)])
                yield frozenset(left), 0, 0

    @property
    def nobody(self) -> frozenset[Person]:
        """Return those who are shown not to be there: groups that differ in them only are the same."""
        return frozenset().union(*(inside for inside, _, high in self._sums if high == 0))

    def small(self, group: frozenset[Person]) -> bool:
        """Return whether every table that agrees with the rows has 1 to n - 1 people in the group."""
        return self.possible(None) and not self.possible((group, 0, 0)) and not self.possible((group, self._n, None))

    def possible(self, goal: tuple[frozenset[Person], int, int | None] | None) -> bool:
        model = cp_model.CpModel()
        top = max((low for _, low, _ in self._sums), default=0) + self._n
        totals: list[list[Any]] = [[] for _ in self._sums]
        wanted = []
        for marks, people in self._alike.items():
            most = min((high for high in (self._sums[place][2] for place in marks) if high is not None), default=top)
            inside = sum(person in goal[0] for person in people) if goal else 0
            for there, own in ((inside, True), (len(people) - inside, False)):
                if there:
                    variable = model.new_int_var(0, most, "")
                    for place in marks:
                        totals[place].append(variable)
                    if own:
                        wanted.append(variable)
        for total, (_, low, high) in zip(totals, self._sums, strict=True):
            model.add(sum(total) >= low)
            if high is not None:
                model.add(sum(total) <= high)
        if goal:
            model.add(sum(wanted) >= goal[1])
            if goal[2] is not None:
                model.add(sum(wanted) <= goal[2])
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        status = solver.solve(model)
        assert status in (cp_model.OPTIMAL, cp_model.FEASIBLE, cp_model.INFEASIBLE)
        return status != cp_model.INFEASIBLE
