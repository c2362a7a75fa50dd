"""The pattern instances in which a search may form classes of sensitive rows, and what each row costs at least in them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels.criteria import Part
from kanon_sql.kernels.requirements import (
    Assignment,
    AssignmentSearchSpace,
    Candidates,
    Selection,
    by_group,
    instances_of,
    largest_parts,
)
from kanon_sql.solvers.budget import UNLIMITED, Budget
from kanon_sql.solvers.instances.listing import SLACK, Instances, gaining, of_classes, useful, usual_cost
from kanon_sql.solvers.instances.repair import PartialRecoding
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement, encoded
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.keys import mixed_radix
from kanon_sql.table.patterns import PatternSet

MOST_ITEMS = 1 << 25
"""Row types of all instances together with which a search is not too slow."""

FEW_PAIRS = 1 << 26
"""Patterns times QI groups up to which all instances are listed, however much they cost."""

_MOST_GAINING = 1 << 26
"""QI groups of all instances together, before those are left out that others dominate, where not all are listed."""

_MOST_NEAR = 1 << 24
"""Row types of all instances together that are kept there."""

_FIRST_SHARE, _MARGINS = 0.97, (0.3, 0.0)
"""What a row pays in the listing, as a share of what it pays in the known release, and the cells more."""

_SCALE = 16
"""Parts of a unit in which it pays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QIGroups:
    """The QI groups of a table: row types that agree on all quasi-identifiers and differ in their sensitive values only."""

    table: CodedTable  # its row types are the QI groups
    first: Int64  # [u + 1]: group u has the row types ``first[u]`` to ``first[u + 1] - 1``

    @classmethod
    def of(cls, table: CodedTable) -> QIGroups:
        """Return the QI groups of a table; O(t m)."""
        merged, first = table.without_sensitive()
        return cls(table=merged, first=np.append(first, table.row_types))

    @property
    def place(self) -> Int64:
        """Return key word and stride of each column, int64 [2, m]."""
        word, stride, _ = mixed_radix(self.table.cardinality)
        return np.stack([word, stride])


@dataclass(frozen=True, slots=True, kw_only=True)
class SensitiveSearchSpace:
    """Instances of QI groups, cheapest first."""

    problem: Problem  # what is solved
    groups: QIGroups  # of the table
    instances: Instances  # of QI groups
    candidates: Candidates  # the same by row types

    @property
    def table(self) -> CodedTable:
        """Return the table of the problem."""
        return self.problem.table

    @property
    def patterns(self) -> PatternSet:
        """Return the permitted patterns."""
        return self.problem.patterns

    @property
    def requirement(self) -> ClassRequirement:
        """Return what every class must meet."""
        return self.problem.requirement

    @classmethod
    def of(
        cls, problem: Problem, mean_costs: NDArray[np.float64] | None = None, budget: Budget = UNLIMITED
    ) -> SensitiveSearchSpace | None:
        """Return the instances that could be of use; None if they have too many members, or time ends.

        If patterns are many, those that gain nothing at prices a little above ``mean_costs`` are left out: they gain nothing
        from prices up to `price_limit`.

        Notes
        -----
        What `useful` or `gaining` takes, and O(items) for the items.
        """
        table, patterns, least = problem.table, problem.patterns, problem.requirement.least
        groups = QIGroups.of(table)
        instances = None
        if mean_costs is None or groups.table.row_types * len(patterns.shown) <= FEW_PAIRS:
            spread = -(-table.row_types // groups.table.row_types)
            instances = useful(groups.table, patterns, least, slack=None, limit=MOST_ITEMS // spread)
        if instances is None and mean_costs is not None:
            instances = _gaining(groups, problem, np.maximum.reduceat(mean_costs, groups.first[:-1]), budget)
        if instances is None or not len(instances):
            return None
        instances = instances.take(np.argsort(instances.cost, kind="stable"))
        return cls._with(problem, groups, instances)

    @classmethod
    def nothing(cls, problem: Problem) -> SensitiveSearchSpace:
        """Return a search space without instances."""
        groups = QIGroups.of(problem.table)
        none = Instances(
            start=np.zeros(1, np.int64),
            member=np.empty(0, np.int32),
            pattern=np.empty(0, np.int32),
            cost=np.empty(0, np.int64),
            price_limit=np.zeros(groups.table.row_types, np.int64),
        )
        return cls._with(problem, groups, none)

    @classmethod
    def _with(cls, problem: Problem, groups: QIGroups, instances: Instances) -> SensitiveSearchSpace:
        requirement = problem.requirement
        candidates = by_group(instances.start, instances.member, groups.first, requirement.group, requirement.group_counter)
        return cls(problem=problem, groups=groups, instances=instances, candidates=candidates)

    def _of(self, instances: Instances) -> SensitiveSearchSpace:
        return self._with(self.problem, self.groups, instances)

    def __len__(self) -> int:
        return len(self.instances)

    @property
    def cost(self) -> Int64:
        """Return the cost of a row in each instance."""
        return self.instances.cost

    @property
    def start(self) -> Int64:
        """Return where the items of each instance begin, int64 [j + 1]."""
        return np.asarray(self.candidates.first)[np.asarray(self.candidates.begin)]

    @property
    def price_limit(self) -> Int64:
        """Return the price of each row type up to which instances that are not listed gain nothing, int64 [t]."""
        return np.repeat(self.instances.price_limit, np.diff(self.groups.first))

    def take(self, chosen: NDArray[np.int64]) -> SensitiveSearchSpace:
        """Return some of the instances, by their numbers, ascending."""
        return self._of(self.instances.take(chosen))

    def cheapest(self, chosen: Int64 | None = None) -> Int64:
        """Return the cost of the cheapest instance of each row type, or of those chosen, int64 [t]; 2^62 where it has none."""
        found = np.full(self.groups.table.row_types, 1 << 62)
        instances = self.instances if chosen is None else self.instances.take(chosen)
        np.minimum.at(found, instances.member, np.repeat(instances.cost, np.diff(instances.start)))
        return np.repeat(found, np.diff(self.groups.first))

    def feasible(self) -> tuple[SensitiveSearchSpace, int]:
        """Return the instances of which some part was found to meet the requirement, and what all rows cost at least.

        Notes
        -----
        Each row of a release is in an instance of which some part meets the requirement, so it costs at least the cheapest of
        its instances that may have one. For a requirement of frequency, of the equal distance or of a number of values alone,
        `largest_parts` tells exactly whether there is one; other requirements exclude no instance from the bound.
        """
        requirement, weight = self.requirement, self.table.weight
        found = largest_parts(Part(requirement.encoded, requirement.group_counter), self.candidates, weight) > 0
        exact = [(place, each) for place, each in requirement.on_attributes if each.finds_parts]
        if len(exact) == len(requirement.requirements) == 1:
            possible = found
        else:
            possible = np.ones(len(self), np.bool_)
            for place, each in exact:
                about = each.about
                counter = (requirement.lows[place] + np.arange(len(about.count)))[:, None].astype(np.int32)
                part = Part(encoded(self.table, (each.requirement,), requirement.least), counter)
                candidates = by_group(self.instances.start, self.instances.member, self.groups.first, about.codes, counter)
                possible &= largest_parts(part, candidates, weight) > 0
        return self.take(np.flatnonzero(found)), int(
            np.minimum(self.cheapest(np.flatnonzero(possible)), self.price_limit) @ weight
        )

    def priced(self, price: NDArray[np.float64]) -> AssignmentSearchSpace:
        """Return the instances from both sides, for rows that pay some prices; O(items).

        Unassigned rows cost more than under any permitted pattern.
        """
        item = np.asarray(self.candidates.item)
        first, instance = instances_of(self.start, item, self.table.row_types)
        highest_cost = int(self.patterns.cost.max()) + int(self.table.cost.max())
        return AssignmentSearchSpace(
            start=np.append(self.start, self.start[-1]),
            member=item,
            first=first,
            instance=instance,
            cost=np.append(self.cost, highest_cost),
            weight=self.table.weight,
            price=price,
            group=self.requirement.group,
            counter=self.requirement.group_counter,
        )

    def unassigned(self, price: NDArray[np.float64]) -> Assignment:
        """Return an assignment without classes, for rows that pay some prices."""
        # A class may fall below the least rows while it is dissolved or rebuilt, but hardly all do at once.
        slots = min(len(self) + 1, 2 * self.table.rows // self.requirement.least + 1024)
        return Assignment(self.priced(price), self.requirement.encoded, slots)

    def selection(self, available: Int64, price: NDArray[np.float64]) -> Selection:
        """Return a selection among the available rows of each row type, which pay some prices; each thread needs its own."""
        segments = int(np.diff(self.candidates.begin).max(initial=1))
        found = Selection(self.requirement.encoded, segments, int(np.diff(self.candidates.first).max(initial=0)))
        found.set_supply(available, price)
        return found

    def with_classes(self, partial: PartialRecoding) -> tuple[SensitiveSearchSpace, Int32]:
        """Return the search space with the classes of the placed pieces, too, and the instance of each piece, or -1."""
        number = partial.classes(self.table)
        instance = np.full(len(number), -1, np.int32)
        if not partial.placed.any():
            return self, instance
        _, sample = np.unique(number[partial.placed], return_index=True)
        sample = np.flatnonzero(partial.placed)[sample]
        by_word = np.argsort(self.patterns.shown)
        pattern = by_word[np.searchsorted(self.patterns.shown[by_word], partial.shown[sample])]
        group = np.searchsorted(self.groups.first, partial.row_type[sample], side="right") - 1
        order = np.argsort(pattern, kind="stable")
        mine = self.instances
        found_at = pattern[order].astype(np.int32), group[order].astype(np.int32)
        theirs = of_classes(self.groups.table, self.patterns, *found_at, mine.price_limit)
        known, keys = mine.keys(), theirs.keys()
        both, source = np.unique(np.concatenate([known, keys]), return_index=True)
        joined = mine.concatenated(theirs).take(source)
        cheapest_first = np.argsort(joined.cost, kind="stable")
        joined = joined.take(cheapest_first)
        rank = np.empty_like(cheapest_first)
        rank[cheapest_first] = np.arange(len(rank))
        of_class = np.empty(len(order), np.int32)
        of_class[order] = rank[np.searchsorted(both, keys)]
        instance[partial.placed] = of_class[number[partial.placed]]
        return self._of(joined), instance


def _gaining(groups: QIGroups, problem: Problem, mean_costs: NDArray[np.float64], budget: Budget) -> Instances | None:
    """List the instances that gain something where QI groups pay a little more than they do in a known release.

    Where that is too much, those that cost a few cells more than the cheapest instance of one of their rows.
    """
    table, patterns, least = groups.table, problem.patterns, problem.requirement.least
    cell, highest_cost, size = usual_cost(table), int(patterns.cost.max()), np.diff(groups.first)

    def few(found: Instances | None) -> Instances | None:
        return found if found is not None and len(found) and int(size[found.member].sum()) <= _MOST_NEAR else None

    for margin in _MARGINS:
        most = np.floor(np.minimum(_FIRST_SHARE * mean_costs + margin * cell, highest_cost) * _SCALE).astype(np.int64)
        found = few(gaining(table, patterns, least, most=most, scale=_SCALE, limit=_MOST_GAINING, budget=budget))
        if found is not None or budget.over():
            return found
    for slack in range(SLACK, 0, -1):
        found = few(useful(table, patterns, least, slack=slack, limit=_MOST_GAINING, budget=budget))
        if found is not None or budget.over():
            return found
    return None
