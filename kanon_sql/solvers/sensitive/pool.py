"""The pattern instances in which a search under a promise may form classes, and what each row costs at least in them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels.classes.plans_numba import SLOTS, Plan
from kanon_sql.kernels.requirements.picking import Hand, Offers, hand_for
from kanon_sql.kernels.requirements.plans import Classes, Ground, transposed
from kanon_sql.kernels.requirements.pricing import laid_out
from kanon_sql.kernels.requirements.promises import Rules
from kanon_sql.kernels.requirements.trimming import largest_parts
from kanon_sql.model.requirements import LDiversity, SensitiveRequirement, TCloseness
from kanon_sql.solvers.instances.listing import Instances, of_classes, useful
from kanon_sql.solvers.instances.repair import Pieces
from kanon_sql.solvers.sensitive.layout import rules_of
from kanon_sql.solvers.sensitive.looks import looks_of
from kanon_sql.solvers.sensitive.promise import Promise
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import PatternSet

MOST_ITEMS = 1 << 25
"""Row types of all instances together with which a search is not too slow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Instances of looks, cheapest first.

    Parameters
    ----------
    table, patterns, promise
        The problem.
    looks : CodedTable
        The looks of the table.
    first : int64 array [u + 1]
        Where the row types of each look begin.
    instances : Instances
        Of looks.
    offers : Offers
        The same by row types.
    """

    table: CodedTable
    patterns: PatternSet
    promise: Promise
    looks: CodedTable
    first: Int64
    instances: Instances
    offers: Offers

    @classmethod
    def of(cls, table: CodedTable, patterns: PatternSet, promise: Promise) -> Pool | None:
        """Return all instances that could be of use; None if they have too many members.

        Notes
        -----
        What `useful` takes, and O(items) for the items.
        """
        looks, by_look = looks_of(table, promise)
        spread = -(-table.row_types // looks.row_types)
        instances = useful(looks, patterns, promise.least, complete=True, limit=MOST_ITEMS // spread)
        if instances is None:
            return None
        instances = instances.take(np.argsort(instances.cost, kind="stable"))
        return cls._with(table, patterns, promise, looks, by_look.first, instances)

    @classmethod
    def nothing(cls, table: CodedTable, patterns: PatternSet, promise: Promise) -> Pool:
        """Return a pool without instances."""
        looks, by_look = looks_of(table, promise)
        none = Instances(
            start=np.zeros(1, np.int64),
            member=np.empty(0, np.int32),
            pattern=np.empty(0, np.int32),
            cost=np.empty(0, np.int64),
            worth=np.zeros(looks.row_types, np.int64),
        )
        return cls._with(table, patterns, promise, looks, by_look.first, none)

    @classmethod
    def _with(
        cls,
        table: CodedTable,
        patterns: PatternSet,
        promise: Promise,
        looks: CodedTable,
        first: Int64,
        instances: Instances,
    ) -> Pool:
        offers = _offers(instances, first, promise.kind, promise.kinds)
        return cls(
            table=table, patterns=patterns, promise=promise, looks=looks, first=first, instances=instances, offers=offers
        )

    def __len__(self) -> int:
        return len(self.instances)

    @property
    def cost(self) -> Int64:
        """Return the cost of a row in each instance."""
        return self.instances.cost

    @property
    def start(self) -> Int64:
        """Return where the items of each instance begin, int64 [j + 1]."""
        return self.offers.first[self.offers.begin]

    def take(self, chosen: NDArray[np.int64]) -> Pool:
        """Return some of the instances, by their numbers, ascending."""
        instances = self.instances.take(chosen)
        offers = _offers(instances, self.first, self.promise.kind, self.promise.kinds)
        return replace(self, instances=instances, offers=offers)

    def cheapest(self, chosen: Int64 | None = None) -> Int64:
        """Return the cost of the cheapest instance of each row type, or of those chosen, int64 [t]; 2^62 where it has none."""
        found = np.full(self.looks.row_types, 1 << 62)
        instances = self.instances if chosen is None else self.instances.take(chosen)
        np.minimum.at(found, instances.member, np.repeat(instances.cost, np.diff(instances.start)))
        return np.repeat(found, np.diff(self.first))

    def feasible(self) -> tuple[Pool, int]:
        """Return the instances of which some part was found to keep the promise, and what all rows cost at least.

        Notes
        -----
        Each row of a release is in an instance of which some part keeps the promise, so it costs at least the cheapest of its
        instances that may have one. For a requirement of frequency, of the equal distance or of a number of values alone,
        `largest_parts` tells exactly whether there is one; other requirements exclude no instance from the bound.
        """
        promise, weight = self.promise, self.table.weight
        found = largest_parts(promise.rules, self.offers, weight) > 0
        exact = [each for each in promise.requirements if _is_exact(each)]
        if len(exact) == len(promise.requirements) == 1:
            possible = found
        else:
            possible = np.ones(len(self), np.bool_)
            for each in exact:
                (place,) = (place for place, about in enumerate(self.table.sensitive) if about.column == each.sensitive)
                about = self.table.sensitive[place]
                counter = (promise.lows[place] + np.arange(len(about.count)))[:, None].astype(np.int32)
                offers = _offers(self.instances, self.first, about.codes, counter)
                possible &= largest_parts(rules_of(self.table, (each,), promise.least), offers, weight) > 0
        return self.take(np.flatnonzero(found)), int(self.cheapest(np.flatnonzero(possible)) @ weight)

    def ground(self, price: NDArray[np.float64]) -> Ground:
        """Return the instances from both sides, for rows that pay some prices; O(items).

        In the limbo, rows cost more than under any permitted pattern.
        """
        first, instance = transposed(self.start, self.offers.item, self.table.row_types)
        promise, dearest = self.promise, int(self.patterns.cost.max()) + int(self.table.cost.max())
        start, cost = np.append(self.start, self.start[-1]), np.append(self.cost, dearest)
        weight, kinds = self.table.weight, (promise.kind, promise.kinds)
        return Ground(start, self.offers.item, first, instance, cost, weight, price, *kinds)

    def empty(self) -> Classes:
        """Return classes of which none is open."""
        places, j = self.table.row_types * SLOTS, len(self) + 1
        plan = Plan(
            where=np.full(places, -1, np.int32),
            amount=np.zeros(places, np.int64),
            rows=np.zeros(j, np.int64),
            head=np.full(j, -1, np.int32),
            after=np.full(places, -1, np.int32),
            before=np.full(places, -1, np.int32),
        )
        # A class may fall below the least rows while it is taken apart or rebuilt, but hardly all do at once.
        slots = min(j, 2 * self.table.rows // self.promise.least + 1024)
        return Classes(
            plan=plan,
            slot=np.full(j, -1, np.int32),
            held=np.zeros((slots, self.promise.counters), np.int64),
            vacant=np.arange(slots, dtype=np.int32),
            left=np.array([slots]),
            changed=np.zeros(j, np.int64),
            seen=np.full(j, -1, np.int64),
            clock=np.ones(1, np.int64),
            spare=np.zeros((slots, len(self.promise.kinds)), np.int64),
        )

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
        look = np.searchsorted(self.first, pieces.row_type[sample], side="right") - 1
        order = np.argsort(pattern, kind="stable")
        mine = self.instances
        theirs = of_classes(
            self.looks, self.patterns, pattern[order].astype(np.int32), look[order].astype(np.int32), mine.worth
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
        offers = _offers(joined, self.first, self.promise.kind, self.promise.kinds)
        return replace(self, instances=joined, offers=offers), instance


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What a thread needs for itself: rules with its own room, and a hand."""

    rules: Rules
    hand: Hand

    @classmethod
    def of(cls, pool: Pool) -> Desk:
        """Return a new one."""
        rules = pool.promise.rules
        segments = int(np.diff(pool.offers.begin).max(initial=1))
        hand = hand_for(segments, pool.promise.counters)
        return cls(rules=rules._replace(room=rules.room.copy()), hand=hand)


def _is_exact(requirement: SensitiveRequirement) -> bool:
    """Return whether `largest_parts` finds a part for it if there is one."""
    if isinstance(requirement, TCloseness):
        return requirement.metric == "equal"
    return isinstance(requirement, LDiversity) and requirement.variant in ("frequency", "distinct")


def _offers(instances: Instances, first: Int64, kind: Int32, counter: Int32) -> Offers:
    begin, of, ends, item = laid_out(instances.start, instances.member, first, kind, len(counter))
    return Offers(begin, of, ends, item, counter)
