"""What every class must meet where people are counted, not rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kanon_sql.model.requirements import KAnonymity, People, SensitiveRequirement
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.coded_table import Sensitive


def people_of(requirement: SensitiveRequirement | None) -> People | None:
    """Return a requirement if it counts people."""
    return requirement if isinstance(requirement, People) else None


def persons(requirement: ClassRequirement) -> Sensitive:
    """Return which person each row type belongs to, of a requirement that counts people."""
    (people,) = (each for each in requirement.requirements if isinstance(each, People))
    (about,) = (each for each in requirement.sensitive if each.column == people.per)
    return about


def least_people(requirement: ClassRequirement) -> int:
    """Return of how many people a class has rows at least, of a requirement that counts people."""
    (people,) = (each for each in requirement.requirements if isinstance(each, People))
    return people.k


def of_values(requirement: ClassRequirement) -> list[SensitiveRequirement]:
    """Return the requirements of sensitive values, without the number of people."""
    return [each for each in requirement.requirements if not isinstance(each, People)]


def person_of(requirement: ClassRequirement) -> Int32:
    """Return the person of each row type, int32 [t]; nobody is -1."""
    about = persons(requirement)
    return np.where(about.codes == about.empty, np.int32(-1), about.codes)


def enough_people(requirement: ClassRequirement, number: Int64, row_type: Int32) -> NDArray[np.bool_]:
    """Return which classes hold rows of as many people as a requirement asks for, bool [c]; an empty cell is nobody.

    Parameters
    ----------
    requirement : ClassRequirement
        One that counts people.
    number : int64 array [q]
        The class of each piece, from 0.
    row_type : int32 array [q]
        Its row type.

    Notes
    -----
    O(q log q).
    """
    people = len(persons(requirement).count)
    person = person_of(requirement)[row_type]
    known = person >= 0
    pairs = np.sort(number[known] * people + person[known])  # far faster than `np.unique` of many numbers
    fresh = pairs[np.flatnonzero(np.append(True, pairs[1:] != pairs[:-1])[: len(pairs)])]
    found = np.bincount(fresh // people, minlength=int(number.max(initial=-1)) + 1)
    enough: NDArray[np.bool_] = found >= least_people(requirement)
    return enough


@dataclass(frozen=True, kw_only=True)
class PeopleRequirement(ClassRequirement):
    """People, rows, and every other requirement of a class; one of its attributes tells people apart.

    People do not add up over rows, so no histogram counts them: only `holds` may be called.
    """

    @cached_property
    def _others(self) -> ClassRequirement | None:
        """The requirements of the other sensitive attributes, if there are any."""
        about = persons(self)
        others = tuple(each for each in self.sensitive if each is not about)
        if not others:
            return None
        return ClassRequirement.of(replace(self.table, sensitive=others), [*of_values(self), KAnonymity(k=self.least)])

    def holds(self, number: Int64, row_type: Int32, count: Int64) -> NDArray[np.bool_]:
        """Return which classes meet the requirement, exactly, bool [c]; as for `ClassRequirement`.

        Notes
        -----
        O(q log q), and what the other requirements take.
        """
        rows = np.zeros(int(number.max(initial=-1)) + 1, np.int64)
        np.add.at(rows, number, count)
        found = enough_people(self, number, row_type) & (rows >= self.least)
        if self._others is not None and found.any():
            found &= self._others.holds(number, row_type, count)
        return found
