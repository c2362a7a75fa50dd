"""One row stands for each person: then people add up like rows, and the solvers of sensitive attributes can count them.

A class holds rows of at least as many people as rows that stand for one. Where all rows of a person look alike, which row that
is makes no difference; else a little more is required than in the policy.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kanon_sql.model.requirements import REPRESENTATIVE, KAnonymity
from kanon_sql.solvers.instances.repair import PartialRecoding
from kanon_sql.solvers.people.people_requirement import persons
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.coded_table import CodedTable, Sensitive
from kanon_sql.table.keys import alike
from kanon_sql.table.recoding import Recoding


@dataclass(frozen=True, slots=True, kw_only=True)
class Represented:
    """A table in which rows are distinguished by whether they stand for a person, no more."""

    table: CodedTable  # with representative or other row in the place of people
    row_type: Int64  # [q]: the row types of the whole table behind the row types of this one, in the order of ``owner``
    count: Int64  # [q]: the rows of each
    owner: Int64  # [q]: the row type of this table, ascending

    @classmethod
    def of(cls, requirement: ClassRequirement) -> Represented:
        """Choose a representative row of each person: one that looks like as many others as possible; O(t log t)."""
        table, about = requirement.table, persons(requirement)
        others = [each for each in table.sensitive if each is not about]
        columns = np.column_stack([*(each.codes for each in others), table.codes])  # the last count most
        group = alike(columns, columns.max(axis=0).astype(np.int64) + 1, np.zeros(columns.shape[1], np.bool_))
        groups, start = table.without_sensitive()
        company = groups.weight.repeat(np.diff(start, append=table.row_types))
        person = about.codes
        known = np.flatnonzero(person != about.empty)
        order = known[np.lexsort((known, -company[known], person[known]))]
        first = order[np.append(True, person[order[1:]] != person[order[:-1]])] if len(order) else order
        representative = np.zeros(table.row_types, np.int64)
        representative[first] = 1
        row_type = np.tile(np.arange(table.row_types), 2)
        count = np.append(table.weight - representative, representative)
        combination = np.append(2 * group, 2 * group + 1)
        held = np.flatnonzero(count)
        held = held[np.lexsort((row_type[held], combination[held]))]
        row_type, count = row_type[held], count[held]
        combinations, sample, owner = np.unique(combination[held], return_index=True, return_inverse=True)
        weight = np.zeros(len(combinations), np.int64)
        np.add.at(weight, owner, count)
        there, code = np.unique(combinations % 2, return_inverse=True)
        rows = np.zeros(len(there), np.int64)
        np.add.at(rows, code, weight)
        named = {REPRESENTATIVE: len(there) - 1} if there[-1] else {}
        nobody = -1 if named else 0  # without such rows, each value would be a person
        stands = Sensitive(column=about.column, codes=code.astype(np.int32), count=rows, named=named, empty=nobody)
        chosen = row_type[sample]
        merged = replace(
            table,
            codes=np.ascontiguousarray(table.codes[chosen]),
            weight=weight,
            origin=table.origin[chosen],
            sensitive=(*(replace(each, codes=each.codes[chosen]) for each in others), stands),
        )
        return cls(table=merged, row_type=row_type, count=count, owner=owner.astype(np.int64))

    def requirement(self, requested: ClassRequirement) -> ClassRequirement:
        """Return what classes of this table must meet so that those of the whole table meet a requirement."""
        return ClassRequirement.of(self.table, (KAnonymity(k=requested.k), *requested.requirements))

    def spread(self, recoding: Recoding) -> Recoding:
        """Return a recoding of this table as one of the whole table; O(q log q)."""
        row_type, piece, count = self.behind(recoding.row_type, recoding.count)
        pieces = PartialRecoding(
            row_type=row_type, shown=recoding.shown[piece], count=count, placed=np.ones(len(count), np.bool_)
        )
        return replace(pieces.recoding(), remark=recoding.remark)

    def behind(self, row_type: Int32, count: Int64) -> tuple[Int32, Int64, Int64]:
        """Return the rows of the whole table behind pieces of this one, which have all of its rows.

        Returns
        -------
        tuple of (row_type, piece, count)
            Int32, int64, int64 arrays: so many rows of a row type of the whole table are in a piece.
        """
        order = np.argsort(row_type, kind="stable")
        ends = [np.cumsum(self.count), np.cumsum(count[order])]
        end = np.sort(np.concatenate(ends))
        end = end[np.append(True, end[1:] != end[:-1])]
        own, piece = (np.searchsorted(each, end) for each in ends)
        return self.row_type[own].astype(np.int32), order[piece], np.diff(end, prepend=0)
