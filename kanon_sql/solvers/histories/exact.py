"""Small tables of histories by a constraint program: each person takes one way to be released.

A way is what a person shows: the own columns, and the other columns of each linked row. Each set of rows that it shows has to
be shown by k people, and rows that are not linked have to be those of k people. Ways with a set that too few people could show
are left out first.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.integer_programs.constraint_search import searched
from kanon_sql.table.history_table import HistoryTable, Shown

_MOST_WAYS = 1_500
"""Ways of all people together, up to which a table is small."""

_WORK = 3.0
"""Most work of the search, in its own units of about a second."""

_Cells = tuple[int, ...]
"""The codes that are shown, -1 for a cell that is not."""

_Set = tuple[_Cells, tuple[_Cells, ...]]
"""The own cells of a person and the other cells of some rows, in their order."""


_UNLINKED: _Set = ((), ())
"""What all rows without a token show."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """What a person may show."""

    cost: int  # suppressed cells
    own: _Cells  # the own cells
    rows: tuple[_Cells | None, ...]  # the other cells of each row; None for a row that is not linked

    def sets(self, m: int) -> set[_Set]:
        """Return the sets of at most m linked rows, and an empty one if another row is not linked."""
        linked = sorted(row for row in self.rows if row is not None)
        found: set[_Set] = {(self.own, known) for size in range(1, m + 1) for known in combinations(linked, size)}
        return found if len(linked) == len(self.rows) else found | {_UNLINKED}


def exact(table: HistoryTable, k: int, m: int, report: Callable[[], None]) -> tuple[Shown, int] | None:
    """Return the best release that is found and a lower bound, which is its cost if it is proven; None for a larger table."""
    if not _is_small(table):
        return None
    people = _without_rare([list(_ways(*_history(table, person))) for person in range(table.people)], k, m)
    from kanon_sql.solvers.or_tools import cp_model

    model = cp_model.CpModel()
    takes = [[model.new_bool_var("") for _ in ways] for ways in people]
    showing: dict[_Set, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for person, ways in enumerate(people):
        model.add_exactly_one(takes[person])
        for number, way in enumerate(ways):
            for known in way.sets(m):
                showing[known][person].append(number)
    for found in showing.values():
        shown = {person: sum(takes[person][number] for number in numbers) for person, numbers in found.items()}
        for each in shown.values():
            model.add(sum(shown.values()) >= k * each)
    model.minimize(
        sum(way.cost * take for ways, taken in zip(people, takes, strict=True) for way, take in zip(ways, taken, strict=True))
    )
    solver, status = searched(model, Budget(), report, work=_WORK, workers=1)
    if status not in {cp_model.OPTIMAL, cp_model.FEASIBLE}:
        return None
    chosen = [
        next(way for way, take in zip(ways, taken, strict=True) if solver.boolean_value(take))
        for ways, taken in zip(people, takes, strict=True)
    ]
    return _shown(table, chosen), round(solver.best_objective_bound)


def _is_small(table: HistoryTable) -> bool:
    """Return whether all people together have few ways."""
    if len(table.person) > _MOST_WAYS:
        return False
    ways = (1 << (table.own >= 0).sum(axis=1)).tolist()
    for person, cells in zip(table.person.tolist(), (table.facts >= 0).sum(axis=1).tolist(), strict=True):
        ways[person] *= 1 + (1 << cells)
    return int(sum(ways)) <= _MOST_WAYS


def _rows(table: HistoryTable, person: int) -> list[int]:
    found: list[int] = np.flatnonzero(table.person == person).tolist()
    return found


def _history(table: HistoryTable, person: int) -> tuple[_Cells, list[_Cells]]:
    return tuple(table.own[person].tolist()), [tuple(table.facts[row].tolist()) for row in _rows(table, person)]


def _ways(own: _Cells, rows: list[_Cells]) -> Iterator[_Way]:
    """Yield the ways of a person, of those that show the same only the first."""
    seen: set[tuple[_Cells, tuple[_Cells, ...]]] = set()
    values = sum(cell >= 0 for cell in own) * len(rows) + sum(cell >= 0 for row in rows for cell in row)
    for mine in _looks(own):
        blank = all(cell < 0 for cell in mine)
        choices: list[list[_Cells | None]] = [
            [None, *(look for look in _looks(row) if not blank or any(cell >= 0 for cell in look))] for row in rows
        ]
        for chosen in product(*choices):
            linked = [row for row in chosen if row is not None]
            key = (mine if linked else (), tuple(sorted(linked)))
            if key not in seen:
                seen.add(key)
                shown = sum(cell >= 0 for cell in mine) * len(linked) + sum(cell >= 0 for row in linked for cell in row)
                yield _Way(cost=values - shown, own=mine, rows=chosen)


def _looks(cells: _Cells) -> list[_Cells]:
    """Return what may be shown of some cells, each once."""
    return list(dict.fromkeys(product(*((cell, -1) for cell in cells))))


def _without_rare(people: list[list[_Way]], k: int, m: int) -> list[list[_Way]]:
    """Return the ways without those that show a set which fewer than k people have in any of their ways."""
    while True:
        found = Counter(known for ways in people for known in {known for way in ways for known in way.sets(m)})
        kept = [[way for way in ways if all(found[known] >= k for known in way.sets(m))] for ways in people]
        if sum(map(len, kept)) == sum(map(len, people)):
            return kept
        people = kept


def _shown(table: HistoryTable, chosen: list[_Way]) -> Shown:
    facts, linked = np.zeros(table.facts.shape, np.bool_), np.zeros(len(table.person), np.bool_)
    own = np.array([[cell >= 0 for cell in way.own] for way in chosen], np.bool_).reshape(table.own.shape)
    for person, way in enumerate(chosen):
        for row, cells in zip(_rows(table, person), way.rows, strict=True):
            if cells is not None:
                facts[row], linked[row] = [cell >= 0 for cell in cells], True
    return Shown(own=own, facts=facts, linked=linked)
