"""What every class has to promise where people are counted, not rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kanon_sql.model.requirements import KAnonymity, People, Requirement
from kanon_sql.solvers.sensitive.promise import Promise
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.coded_table import CodedTable, Sensitive


@dataclass(frozen=True, slots=True, kw_only=True)
class Crowd:
    """People, rows, and whatever else is asked of every class.

    Parameters
    ----------
    people : People
        How many people.
    about : Sensitive
        Which person each row type belongs to.
    rest : Promise
        What is asked beside: rows, and the other sensitive attributes.
    """

    people: People
    about: Sensitive
    rest: Promise | None
    least: int

    @classmethod
    def of(cls, table: CodedTable, requirements: Sequence[Requirement]) -> Crowd:
        """Return the promise of a policy's requirements, of which one counts people, about a table."""
        (people,) = (each for each in requirements if isinstance(each, People))
        (about,) = (each for each in table.sensitive if each.column == people.per)
        others = tuple(each for each in table.sensitive if each is not about)
        least = max(each.least_class_size for each in requirements)
        if not others:
            return cls(people=people, about=about, rest=None, least=least)
        kept = [each for each in requirements if each is not people]
        rest = Promise.of(replace(table, sensitive=others), [*kept, KAnonymity(k=least)])
        return cls(people=people, about=about, rest=rest, least=rest.least)

    def holds(self, number: Int64, row_type: Int32, count: Int64) -> NDArray[np.bool_]:
        """Return which classes keep the promise, exactly, bool [c].

        Parameters
        ----------
        number : int64 array [q]
            The class of each piece, from 0.
        row_type, count : int32, int64 arrays [q]
            As in `Recoding`.

        Notes
        -----
        O(q log q), and what the other requirements take.
        """
        classes = int(number.max(initial=-1)) + 1
        rows = np.zeros(classes, np.int64)
        np.add.at(rows, number, count)
        kept = (self.heads(number, row_type) >= self.people.k) & (rows >= self.least)
        if self.rest is not None and kept.any():
            kept &= self.rest.holds(number, row_type, count)
        return kept

    def heads(self, number: Int64, row_type: Int32) -> Int64:
        """Return the people of each class, int64 [c]; an empty cell is nobody."""
        person = self.about.codes[row_type].astype(np.int64)
        known = person != self.about.empty
        pairs = np.unique(number[known] * len(self.about.count) + person[known])
        found: Int64 = np.bincount(pairs // len(self.about.count), minlength=int(number.max(initial=-1)) + 1)
        return found
