"""The search space of k-anonymity: candidate classes, and recodings as partitions in which a search can move rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_sql.kernels.classes import SLOTS, CandidateClasses, Partition, put_all
from kanon_sql.solvers.budget import UNLIMITED
from kanon_sql.solvers.instances.listing import Instances, of_classes
from kanon_sql.solvers.instances.partition import Classes, released
from kanon_sql.solvers.instances.repair import PartialRecoding
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import PatternSet
from kanon_sql.table.recoding import Prices, Recoding


@dataclass(frozen=True, slots=True, kw_only=True)
class RowSearchSpace:
    """Where a search works: a table, the instances it may use, and prices that guide it."""

    # table, patterns, k: the problem
    table: CodedTable
    patterns: PatternSet
    k: int
    instances: Instances  # the classes that may be opened
    candidates: CandidateClasses  # the same for the kernels

    @classmethod
    def of(cls, table: CodedTable, patterns: PatternSet, k: int, instances: Instances, prices: Prices) -> RowSearchSpace:
        """Return the search space with the given instances; O(members)."""
        from kanon_sql.kernels.instances import of_row_types

        cheapest_first = np.argsort(instances.cost, kind="stable").astype(np.int32)
        first, instance = of_row_types(instances.start, instances.member, cheapest_first, table.row_types)
        candidates = CandidateClasses(
            start=instances.start,
            member=instances.member,
            first=first,
            instance=instance,
            cost=instances.cost * prices.scale,
            price=prices.price,
            weight=table.weight,
        )
        return cls(table=table, patterns=patterns, k=k, instances=instances, candidates=candidates)

    @property
    def cell(self) -> int:
        """Return about what a hidden cell costs, in units of the prices."""
        return int(np.max(self.candidates.cost, initial=0)) // max(1, len(self.table.columns))

    def empty(self) -> Partition:
        """Return a partition without classes."""
        return Partition(self.table.row_types, len(self.instances))

    def cost(self, partition: Partition) -> int:
        """Return the cost of a partition in units of the table."""
        return int(self.instances.cost @ np.asarray(partition.rows))

    def partial(self, partition: Partition) -> PartialRecoding:
        """Return the recoding that a partition says; rows of classes below k and rows without a class are unassigned."""
        row_type, number, count = pieces(partition)
        stands = np.asarray(partition.rows)[number] >= self.k
        row_type, number, count = row_type[stands], number[stands], count[stands]
        left = self.table.weight.copy()
        np.subtract.at(left, row_type, count)
        unassigned = np.flatnonzero(left).astype(np.int32)
        shown = self.patterns.shown[self.instances.pattern[number]]
        return PartialRecoding(
            row_type=np.concatenate([row_type, unassigned]),
            shown=np.concatenate([shown, np.zeros(len(unassigned), np.uint64)]),
            count=np.concatenate([count, left[unassigned]]),
            placed=np.concatenate([np.ones(len(count), np.bool_), np.zeros(len(unassigned), np.bool_)]),
        )


def pieces(partition: Partition) -> tuple[Int32, Int32, Int64]:
    """Return the row type, the class and the rows of each piece of a partition."""
    where = np.asarray(partition.where)
    used = np.flatnonzero(where >= 0)
    return (used // SLOTS).astype(np.int32), where[used], np.asarray(partition.amount)[used]


def tightened(table: CodedTable, patterns: PatternSet, k: int, recoding: Recoding) -> Recoding:
    """Return the recoding with each class under the cheapest pattern that its rows agree on; never more expensive."""
    partial = PartialRecoding.of(recoding)
    classes = Classes(row_type=recoding.row_type, count=recoding.count, number=partial.classes(table))
    return released(table, patterns, k, classes, UNLIMITED)


def as_partition(space: RowSearchSpace, recoding: Recoding, prices: Prices) -> tuple[RowSearchSpace, Partition]:
    """Return a search space that also has the classes of a recoding, and the partition that is the recoding.

    Notes
    -----
    O(t m log t), and O(m) for each row type that shares the rarest value of a class which was not listed.
    """
    table, patterns = space.table, space.patterns
    number, pattern, sample = _looks(table, patterns, recoding)
    index = space.instances.find(pattern, sample)
    new = np.flatnonzero(index < 0)
    index[new] = len(space.instances) + np.arange(len(new))
    more = of_classes(table, patterns, pattern[new], sample[new], space.instances.price_limit)
    wider = RowSearchSpace.of(table, patterns, space.k, space.instances.concatenated(more), prices)
    partition = wider.empty()
    # Rows that find no slot, because their row type is spread over too many classes, are unassigned; the caller compares.
    put_all(partition, recoding.row_type, index[number].astype(np.int32), recoding.count)
    return wider, partition


def _looks(table: CodedTable, patterns: PatternSet, recoding: Recoding) -> tuple[Int64, Int32, Int32]:
    """Return the class of each piece, and of each class the pattern (ascending) and one of its row types."""
    number = PartialRecoding.of(recoding).classes(table)
    _, sample = np.unique(number, return_index=True)
    by_word = np.argsort(patterns.shown)
    pattern = by_word[np.searchsorted(patterns.shown[by_word], recoding.shown[sample])]
    order = np.argsort(pattern, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank[number], pattern[order].astype(np.int32), recoding.row_type[sample[order]]
