"""The requirement of each set of known columns: rows, people, and sensitive values."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kanon_sql.kernels.criteria import EncodedRequirement
from kanon_sql.model.requirements import KnownColumns, People, SensitiveRequirement, of_known
from kanon_sql.solvers.people.people_requirement import people_of
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement, encoded
from kanon_sql.table.arrays import Int32, Int64, Words
from kanon_sql.table.coded_table import CodedTable, Sensitive
from kanon_sql.table.ladder import COST


@dataclass(frozen=True, slots=True, kw_only=True)
class SetRequirement:
    """The requirement of the classes by a set of columns."""

    rows: int = 1  # the least rows of a class
    people: People | None = None  # the people of a class
    values: tuple[SensitiveRequirement, ...] = ()  # what its sensitive values meet

    def joined(self, other: SetRequirement) -> SetRequirement:
        """Return both together."""
        people = max((each for each in (self.people, other.people) if each), key=lambda each: each.k, default=None)
        values = tuple(dict.fromkeys((*self.values, *other.values)))
        return SetRequirement(rows=max(self.rows, other.rows), people=people, values=values)


Sets = dict[tuple[int, ...], SetRequirement]
"""Sets of coded columns, each with the requirement of its classes."""


def sets_of(requirement: ClassRequirement) -> Sets:
    """Return the sets whose classes count; the requirement of classes by all columns is that of the set of all.

    A column of the source with levels is in a set with all of its coded columns.
    """
    places = {names: each for names, each in requirement.table.ladders.items() if names != COST}
    units = list(places)
    found: Sets = {}

    def ask(known: KnownColumns, requested: SetRequirement) -> None:
        for chosen in known.sets_of(units):
            coded = tuple(place for unit in chosen for place in places[units[unit]])
            found[coded] = found.get(coded, SetRequirement()).joined(requested)

    for each in requirement.known:
        ask(each, _set_requirement(each.least, of_known(each)))
    every = KnownColumns(k=max(1, requirement.k), columns=len(units))
    for direct in requirement.requirements:
        ask(every, _set_requirement(direct.least_class_size, direct))
    if requirement.k > 1:
        ask(every, SetRequirement(rows=requirement.k))
    return found


def _set_requirement(rows: int, of: SensitiveRequirement | None) -> SetRequirement:
    """Return what a requirement asks of a class; without one, rows."""
    people = people_of(of)
    return SetRequirement(rows=rows, people=people, values=() if of is None or people else (of,))


def people_word(table: CodedTable, sets: Sets, row_type: Int64, draw: np.random.Generator) -> tuple[Words, Int64]:
    """Return a random word for the person of each row, 0 for nobody, and the least people of a class by each set."""
    need = np.array([each.people.k if each.people else 0 for each in sets.values()], np.int64)
    people = next((each.people for each in sets.values() if each.people), None)
    if people is None:
        return np.empty(0, np.uint64), need
    about = next(each for each in table.sensitive if each.column == people.per)
    word = draw.integers(1, 1 << 63, len(about.count), np.uint64)
    if about.empty >= 0:
        word[about.empty] = 0
    return word[about.codes[row_type]], need


def values_of(table: CodedTable, sets: Sets, row_type: Int64) -> tuple[EncodedRequirement, Int64, Int32, Int32]:
    """Return the criteria on sensitive values, where those of each set begin, which they are, and the counters of each row."""
    requested = list(dict.fromkeys(requirement for each in sets.values() for requirement in each.values))
    counted = replace(table, sensitive=_of_values(table, requested))
    criteria: dict[SensitiveRequirement, list[int]] = {}
    first = 0
    for each in requested:
        last = first + encoded(counted, [each], 1).criteria
        criteria[each], first = list(range(first, last)), last
    places = [[q for requirement in each.values for q in criteria[requirement]] for each in sets.values()]
    required = encoded(counted, requested, 1)
    start = np.cumsum([0, *map(len, places)]).astype(np.int64)
    chosen = np.array([q for each in places for q in each], np.int32)
    return required, start, chosen, np.ascontiguousarray(np.asarray(required.counter)[row_type])


def _of_values(table: CodedTable, requested: list[SensitiveRequirement]) -> tuple[Sensitive, ...]:
    """Return the sensitive attributes that requirements are about."""
    names = {each.sensitive for each in requested}
    return tuple(each for each in table.sensitive if each.column in names)
