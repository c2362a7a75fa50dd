"""The pattern instances in which a search under a promise may form classes, and what each row costs at least in them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels.requirements.assignment import Assignment, SearchSpace, instances_of
from kanon_sql.kernels.requirements.candidates import Candidates, by_group
from kanon_sql.kernels.requirements.largest_part import Part, largest_parts
from kanon_sql.kernels.requirements.selection import Selection
from kanon_sql.model.requirements import LDiversity, SensitiveRequirement, TCloseness
from kanon_sql.solvers.instances.listing import Instances, of_classes, useful
from kanon_sql.solvers.instances.repair import Pieces
from kanon_sql.solvers.sensitive.layout import encoded
from kanon_sql.solvers.sensitive.promise import Promise
from kanon_sql.solvers.sensitive.qi_groups import QIGroups
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import PatternSet

MOST_ITEMS = 1 << 25
"""Row types of all instances together with which a search is not too slow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Instances of QI groups, cheapest first.

    Parameters
    ----------
    table, patterns, promise
        The problem.
    groups : QIGroups
        Of the table.
    instances : Instances
        Of QI groups.
    candidates : Candidates
        The same by row types.
    """

    table: CodedTable
    patterns: PatternSet
    promise: Promise
    groups: QIGroups
    instances: Instances
    candidates: Candidates

    @classmethod
    def of(cls, table: CodedTable, patterns: PatternSet, promise: Promise) -> Pool | None:
        """Return all instances that could be of use; None if they have too many members.

        Notes
        -----
        What `useful` takes, and O(items) for the items.
        """
        groups = QIGroups.of(table)
        spread = -(-table.row_types // groups.table.row_types)
        instances = useful(groups.table, patterns, promise.least, complete=True, limit=MOST_ITEMS // spread)
        if instances is None:
            return None
        instances = instances.take(np.argsort(instances.cost, kind="stable"))
        return cls._with(table, patterns, promise, groups, instances)

    @classmethod
    def nothing(cls, table: CodedTable, patterns: PatternSet, promise: Promise) -> Pool:
        """Return a pool without instances."""
        groups = QIGroups.of(table)
        none = Instances(
            start=np.zeros(1, np.int64),
            member=np.empty(0, np.int32),
            pattern=np.empty(0, np.int32),
            cost=np.empty(0, np.int64),
            worth=np.zeros(groups.table.row_types, np.int64),
        )
        return cls._with(table, patterns, promise, groups, none)

    @classmethod
    def _with(
        cls,
        table: CodedTable,
        patterns: PatternSet,
        promise: Promise,
        groups: QIGroups,
        instances: Instances,
    ) -> Pool:
        candidates = by_group(instances.start, instances.member, groups.first, promise.kind, promise.kinds)
        return cls(table=table, patterns=patterns, promise=promise, groups=groups, instances=instances, candidates=candidates)

    def _of(self, instances: Instances) -> Pool:
        return self._with(self.table, self.patterns, self.promise, self.groups, instances)

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

    def take(self, chosen: NDArray[np.int64]) -> Pool:
        """Return some of the instances, by their numbers, ascending."""
        return self._of(self.instances.take(chosen))

    def cheapest(self, chosen: Int64 | None = None) -> Int64:
        """Return the cost of the cheapest instance of each row type, or of those chosen, int64 [t]; 2^62 where it has none."""
        found = np.full(self.groups.table.row_types, 1 << 62)
        instances = self.instances if chosen is None else self.instances.take(chosen)
        np.minimum.at(found, instances.member, np.repeat(instances.cost, np.diff(instances.start)))
        return np.repeat(found, np.diff(self.groups.first))

    def feasible(self) -> tuple[Pool, int]:
        """Return the instances of which some part was found to keep the promise, and what all rows cost at least.

        Notes
        -----
        Each row of a release is in an instance of which some part keeps the promise, so it costs at least the cheapest of its
        instances that may have one. For a requirement of frequency, of the equal distance or of a number of values alone,
        `largest_parts` tells exactly whether there is one; other requirements exclude no instance from the bound.
        """
        promise, weight = self.promise, self.table.weight
        found = largest_parts(Part(promise.encoded, promise.kinds), self.candidates, weight) > 0
        exact = [each for each in promise.requirements if _is_exact(each)]
        if len(exact) == len(promise.requirements) == 1:
            possible = found
        else:
            possible = np.ones(len(self), np.bool_)
            for each in exact:
                (place,) = (place for place, about in enumerate(self.table.sensitive) if about.column == each.sensitive)
                about = self.table.sensitive[place]
                counter = (promise.lows[place] + np.arange(len(about.count)))[:, None].astype(np.int32)
                part = Part(encoded(self.table, (each,), promise.least), counter)
                candidates = by_group(self.instances.start, self.instances.member, self.groups.first, about.codes, counter)
                possible &= largest_parts(part, candidates, weight) > 0
        return self.take(np.flatnonzero(found)), int(self.cheapest(np.flatnonzero(possible)) @ weight)

    def space(self, price: NDArray[np.float64]) -> SearchSpace:
        """Return the instances from both sides, for rows that pay some prices; O(items).

        Unassigned rows cost more than under any permitted pattern.
        """
        item = np.asarray(self.candidates.item)
        first, instance = instances_of(self.start, item, self.table.row_types)
        dearest = int(self.patterns.cost.max()) + int(self.table.cost.max())
        return SearchSpace(
            start=np.append(self.start, self.start[-1]),
            member=item,
            first=first,
            instance=instance,
            cost=np.append(self.cost, dearest),
            weight=self.table.weight,
            price=price,
            group=self.promise.kind,
            counter=self.promise.kinds,
        )

    def unassigned(self, price: NDArray[np.float64]) -> Assignment:
        """Return an assignment without classes, for rows that pay some prices."""
        # A class may fall below the least rows while it is dissolved or rebuilt, but hardly all do at once.
        slots = min(len(self) + 1, 2 * self.table.rows // self.promise.least + 1024)
        return Assignment(self.space(price), self.promise.encoded, slots)

    def selection(self, available: Int64, price: NDArray[np.float64]) -> Selection:
        """Return a selection among the available rows of each row type, which pay some prices; each thread needs its own."""
        segments = int(np.diff(self.candidates.begin).max(initial=1))
        found = Selection(self.promise.encoded, segments, int(np.diff(self.candidates.first).max(initial=0)))
        found.set_supply(available, price)
        return found

    def with_classes(self, pieces: Pieces) -> tuple[Pool, Int32]:
        """Return the pool with the classes of the placed pieces, too, and the instance of each piece, -1 where not placed."""
        number = pieces.classes(self.table)
        instance = np.full(len(number), -1, np.int32)
        if not pieces.placed.any():
            return self, instance
        _, sample = np.unique(number[pieces.placed], return_index=True)
        sample = np.flatnonzero(pieces.placed)[sample]
        by_word = np.argsort(self.patterns.shown)
        pattern = by_word[np.searchsorted(self.patterns.shown[by_word], pieces.shown[sample])]
        group = np.searchsorted(self.groups.first, pieces.row_type[sample], side="right") - 1
        order = np.argsort(pattern, kind="stable")
        mine = self.instances
        theirs = of_classes(
            self.groups.table, self.patterns, pattern[order].astype(np.int32), group[order].astype(np.int32), mine.worth
        )
        known, keys = mine.keys(), theirs.keys()
        both, source = np.unique(np.concatenate([known, keys]), return_index=True)
        joined = mine.beside(theirs).take(source)
        cheapest_first = np.argsort(joined.cost, kind="stable")
        joined = joined.take(cheapest_first)
        rank = np.empty_like(cheapest_first)
        rank[cheapest_first] = np.arange(len(rank))
        of_class = np.empty(len(order), np.int32)
        of_class[order] = rank[np.searchsorted(both, keys)]
        instance[pieces.placed] = of_class[number[pieces.placed]]
        return self._of(joined), instance


def _is_exact(requirement: SensitiveRequirement) -> bool:
    """Return whether `largest_parts` finds a part for it if there is one."""
    if isinstance(requirement, TCloseness):
        return requirement.metric == "equal"
    return isinstance(requirement, LDiversity) and requirement.variant in ("frequency", "distinct")
