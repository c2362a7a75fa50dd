"""The cheapest pattern first, its instances taken whole where they hold rows of enough people; then QI groups move.

People do not add up over rows, so each instance is counted as it is.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.repair import PartialRecoding
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.keys import alike
from kanon_sql.table.patterns import PatternSet
from kanon_sql.table.recoding import Recoding, hidden_bits

MOST_PATTERNS = 1 << 12
"""Listed patterns above which this is not tried."""

_TESTS = 64
"""Parts of a class that are tried to be moved out of it."""


def solve(problem: Problem, budget: Budget) -> Recoding | None:
    """Return a recoding whose classes hold rows of k people; None where none is found.

    Parameters
    ----------
    problem : Problem
        A row type for each QI group and person, and listed patterns.
    budget : Budget
        Time left; after it there is no recoding.

    Notes
    -----
    All rows of a QI group are released alike. O(p t log t) for p patterns.
    """
    table, patterns, requirement = problem.table, problem.patterns, problem.requirement
    if not patterns.listed or len(patterns.shown) > MOST_PATTERNS:
        return None
    groups = _QIGroups.of(problem)
    for place in range(len(patterns.shown)):
        if budget.over():
            return None
        if not place % 16:
            budget.report("people", place / len(patterns.shown))
        if not groups.take(place):
            break
    if not groups.assign_rest():
        return None
    if len(requirement.sensitive) == 1:  # other requirements can be broken by rows that are added
        groups.improve(budget)
    number = groups.classes()
    every = np.arange(table.row_types, dtype=np.int32)
    if not requirement.holds(number[groups.group], every, table.weight).all():
        return None
    return PartialRecoding.of_row_types(
        table, np.ones(table.row_types, np.bool_), patterns.shown[groups.pattern[groups.group]]
    ).recoding()


@dataclass(slots=True, kw_only=True)
class _QIGroups:
    """The QI groups of a table and the pattern of each, -1 where it has none yet."""

    table: CodedTable
    patterns: PatternSet
    requirement: ClassRequirement
    group: Int64  # [t]: the QI group of each row type, ascending
    codes: Int32  # [u, m]: the codes of each QI group
    rows: Int64  # [u]
    types: Int64  # [u + 1]: where its row types begin
    pattern: Int64 = field(init=False)  # [u]: the place of its pattern

    def __post_init__(self) -> None:
        self.pattern = np.full(len(self.rows), -1, np.int64)

    @classmethod
    def of(cls, problem: Problem) -> _QIGroups:
        table = problem.table
        alike, first = table.without_sensitive()
        types = np.append(first, table.row_types)
        group = np.arange(len(first)).repeat(np.diff(types))
        return cls(
            table=table,
            patterns=problem.patterns,
            requirement=problem.requirement,
            group=group,
            codes=alike.codes,
            rows=alike.weight,
            types=types,
        )

    def take(self, place: int) -> bool:
        """Give a pattern to all QI groups whose instance meets the requirement; False if no QI group is left."""
        free = np.flatnonzero(self.pattern < 0)
        if not len(free):
            return False
        number = self._alike(free, place)
        enough = np.bincount(number, self.rows[free])[number] >= self.requirement.least
        free, number = free[enough], number[enough]
        if len(free):
            self.pattern[free[self._met(free, number)[number]]] = place
        return True

    def assign_rest(self) -> bool:
        """Put the QI groups without a pattern into one class, with the classes that cost least to add; False if that fails."""
        left = np.flatnonzero(self.pattern < 0)
        if not len(left):
            return True
        number = self.classes()
        members = _members(number)
        found: tuple[int, Int64, int] | None = None
        for place in range(len(self.patterns.shown)):
            donors = self._donors(left[0], place, number)
            if not donors or not self._same(left, place):
                continue
            total = int(self.rows[left].sum() * self.patterns.cost[place]) + np.cumsum([cost for cost, _ in donors])
            many = 1
            while many <= len(donors) and (found is None or total[many - 1] < found[0]):
                member = np.concatenate([left, *(members[donor] for _, donor in donors[:many])])
                if self._met(member, np.zeros(len(member), np.int64))[0]:
                    found = int(total[many - 1]), member, place
                    break
                many = len(donors) if many < len(donors) < 2 * many else 2 * many
        if found is None:
            return False
        self.pattern[found[1]] = found[2]
        return True

    def improve(self, budget: Budget) -> None:
        """Move QI groups into cheaper classes that are there, where what stays meets the requirement, or nothing stays."""
        number = self.classes()
        target = self._cheapest()
        place = np.where(target < 0, self.pattern, self.pattern[np.maximum(target, 0)])
        saved = self.rows * (self.patterns.cost[self.pattern] - self.patterns.cost[place])
        total = np.bincount(number, saved)
        gone, needed = np.zeros(len(total), np.bool_), np.zeros(len(total), np.bool_)
        members = _members(number)
        for each in np.argsort(-total, kind="stable").tolist():
            if total[each] <= 0 or budget.over():
                return
            member = members[each]
            movers = member[(saved[member] > 0) & ~gone[number[np.maximum(target[member], 0)]]]
            if len(movers) == len(member) and not needed[each]:
                gone[each] = True
            else:
                movers = self._surplus_rows(member, movers[np.argsort(-saved[movers], kind="stable")])
            self.pattern[movers] = place[movers]
            needed[number[target[movers]]] = True

    def classes(self) -> Int64:
        """Return the class of each QI group, int64 [u]; QI groups without a pattern are one class, the last."""
        found = np.zeros(len(self.rows), np.int64)
        first = 0
        for place in [*np.unique(self.pattern[self.pattern >= 0]).tolist(), -1]:
            here = np.flatnonzero(self.pattern == place)
            if len(here):
                found[here] = first + (self._alike(here, place) if place >= 0 else 0)
                first = int(found[here].max()) + 1
        return found

    def _alike(self, groups: Int64, place: int) -> Int64:
        return alike(self.codes[groups], self.table.cardinality, self._hidden(place))

    def _hidden(self, place: int) -> NDArray[np.bool_]:
        bits: NDArray[np.bool_] = hidden_bits(self.patterns.shown[place : place + 1], self.codes.shape[1])[0].astype(np.bool_)
        return bits

    def _met(self, groups: Int64, number: Int64) -> NDArray[np.bool_]:
        """Return which classes of whole QI groups meet the requirement."""
        held = self.types[groups + 1] - self.types[groups]
        row_type = np.repeat(self.types[groups] - np.cumsum(held) + held, held) + np.arange(int(held.sum()))
        return self.requirement.holds(np.repeat(number, held), row_type.astype(np.int32), self.table.weight[row_type])

    def _same(self, groups: Int64, place: int) -> bool:
        """Tell whether QI groups are one instance of a pattern."""
        seen = self.codes[groups][:, ~self._hidden(place)]
        return bool((seen == seen[0]).all())

    def _donors(self, group: int, place: int, number: Int64) -> list[tuple[int, int]]:
        """Return what it costs that a class joins a QI group under a pattern, and the class, for all that can, by cost."""
        shown, cost = self.patterns.shown, self.patterns.cost
        seen = ~self._hidden(place)
        fits = np.flatnonzero((self.pattern >= 0) & (self.codes[:, seen] == self.codes[group, seen]).all(axis=1))
        fits = fits[shown[place] & ~shown[self.pattern[fits]] == 0]
        extra = np.zeros(int(number.max()) + 1, np.int64)
        np.add.at(extra, number[fits], self.rows[fits] * (cost[place] - cost[self.pattern[fits]]))
        return sorted((int(extra[each]), int(each)) for each in np.unique(number[fits]))

    def _cheapest(self) -> Int64:
        """Return for each QI group another one of the cheapest class that it fits in, -1 where its own is as cheap."""
        found = np.full(len(self.rows), -1, np.int64)
        cost = self.patterns.cost[self.pattern]
        every = np.arange(len(self.rows))
        for place in np.unique(self.pattern).tolist():  # patterns are in the order of their costs
            open_to = np.flatnonzero((found < 0) & (cost > self.patterns.cost[place]))
            if not len(open_to):
                continue
            alike_here = self._alike(every, place)
            sample = np.full(int(alike_here.max()) + 1, -1, np.int64)
            mine = np.flatnonzero(self.pattern == place)
            sample[alike_here[mine]] = mine
            found[open_to] = sample[alike_here[open_to]]
        return found

    def _surplus_rows(self, member: Int64, movers: Int64) -> Int64:
        """Return those of some QI groups that a class can lose, the first before others; halves are tried of what it cannot."""
        stays, gone, waiting = member, [movers[:0]], [movers]
        for _ in range(_TESTS):
            if not waiting:
                break
            part = waiting.pop()
            rest = np.setdiff1d(stays, part, assume_unique=True)
            if len(rest) and self._met(rest, np.zeros(len(rest), np.int64))[0]:
                stays = rest
                gone.append(part)
            elif len(part) > 1:
                waiting += [part[len(part) // 2 :], part[: len(part) // 2]]
        return np.concatenate(gone)


def _members(number: Int64) -> list[Int64]:
    """Return the QI groups of each class."""
    return np.split(np.argsort(number, kind="stable"), np.cumsum(np.bincount(number))[:-1])
