"""Classes of a weaker guarantee, merged until they meet a stronger one.

Two classes that meet a requirement still meet it when they are merged, and so does the whole table: so this ends. Each class
that breaks the requirement joins the class with the least loss among those with which it meets it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.solvers.summaries.partition import SummaryPartition
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.coded_table import CodedTable

_TRIED = 32
"""Classes with which a class that breaks the requirement is tried, those with the least loss first."""

_GOOD = 4
"""Of these, those that are good enough to be taken in the same round as other classes take theirs."""

_MOST_PARTNERS = 8192
"""Classes among which these are looked for: evenly chosen where there are more."""

_PAIRS = 1 << 22
"""Pairs of classes that are compared at once."""

Floats = NDArray[np.float64]


def merged(
    table: CodedTable,
    kinds: Sequence[str],
    null: Int32,
    requirement: ClassRequirement,
    partition: SummaryPartition,
    budget: Budget,
) -> SummaryPartition:
    """Return a partition whose classes meet a requirement, made of another one by merging classes.

    Parameters
    ----------
    table, kinds, null
        How loss is counted: see `SummaryPartition.cost`.
    requirement : ClassRequirement
        The table as one class meets it.
    partition : SummaryPartition
        Classes of which some may break the requirement.
    budget : Budget
        Time left; when it ends, all classes that break the requirement become one, together with others if need be.

    Notes
    -----
    O(b c V) for b classes that break it among c classes with V codes in all columns, at most 8,192 of them.
    """
    row_type, count, number = partition.row_type, partition.count, partition.number
    while True:
        number = np.unique(number, return_inverse=True)[1].astype(np.int64)
        broken = np.flatnonzero(~requirement.holds(number, row_type, count))
        if not len(broken) or not number.any():
            break
        target = np.arange(int(number.max()) + 1)
        if budget.over():
            target[broken] = broken[0]
            if len(broken) == 1:
                target[:] = 0
        else:
            budget.report("merging", 1 - len(broken) / len(target))
            classes = LossOfClasses.of(table, kinds, null, row_type, number, count)
            _choose(classes, requirement, broken, target, (row_type, number, count))
        number = target[number]
    order = np.lexsort((number, row_type))
    row_type, number, count = row_type[order], number[order], count[order]
    fresh = np.flatnonzero(np.append(True, (row_type[1:] != row_type[:-1]) | (number[1:] != number[:-1])))
    return SummaryPartition(row_type=row_type[fresh], number=number[fresh], count=np.add.reduceat(count, fresh))


def _choose(
    classes: LossOfClasses,
    requirement: ClassRequirement,
    broken: Int64,
    target: Int64,
    pieces: tuple[Int32, Int64, Int64],
) -> None:
    """Choose a partner for each class that breaks the requirement, if it has not become one: ``target`` tells both."""
    partner, extra = _nearest(classes, broken)
    meets = _meets_together(requirement, broken, partner, pieces)
    extra = np.where(meets, extra, extra + extra.max(initial=0.0) + 1)  # first those with which it meets the requirement
    order = np.argsort(extra, axis=1, kind="stable")
    partner, extra = np.take_along_axis(partner, order, axis=1), np.take_along_axis(extra, order, axis=1)
    taken = np.zeros(len(target), np.bool_)
    for place in np.argsort(extra[:, 0], kind="stable").tolist():
        own = int(broken[place])
        if taken[own]:
            continue
        free = np.flatnonzero(~taken[partner[place, :_GOOD]])
        # Where all of these have been chosen by others, it chooses anew in the next round.
        if len(free):
            chosen = int(partner[place, free[0]])
            taken[[own, chosen]] = True
            target[own] = chosen


def _nearest(classes: LossOfClasses, broken: Int64) -> tuple[Int64, Floats]:
    """Return for each class that breaks the requirement the others with which it loses least, and by how much more."""
    every = np.arange(len(classes))
    if len(every) > _MOST_PARTNERS:
        every = np.unique(np.linspace(0, len(every) - 1, _MOST_PARTNERS).astype(np.int64))
    tried = min(_TRIED, len(every) - 1) or 1
    partner, extra = np.empty((len(broken), tried), np.int64), np.empty((len(broken), tried))
    step = max(1, _PAIRS // len(every))
    for start in range(0, len(broken), step):
        own = broken[start : start + step]
        more = classes.added(own, every)
        more[own[:, None] == every] = np.inf
        least = np.argpartition(more, tried - 1, axis=1)[:, :tried]
        partner[start : start + step] = every[least]
        extra[start : start + step] = np.take_along_axis(more, least, axis=1)
    return partner, extra


def _meets_together(
    requirement: ClassRequirement, broken: Int64, partner: Int64, pieces: tuple[Int32, Int64, Int64]
) -> NDArray[np.bool_]:
    """Return whether each class meets the requirement together with each of its partners, bool [b, tried]."""
    row_type, number, count = pieces
    order = np.argsort(number, kind="stable")
    start = np.searchsorted(number[order], np.arange(int(number.max()) + 2))
    found = np.empty(partner.shape, np.bool_)
    for column in range(partner.shape[1]):
        pair = np.column_stack([broken, partner[:, column]]).ravel()
        size = start[pair + 1] - start[pair]
        piece = order[np.repeat(start[pair] - np.cumsum(size) + size, size) + np.arange(int(size.sum()))]
        union = np.repeat(np.arange(len(pair)) // 2, size)
        found[:, column] = requirement.holds(union, row_type[piece], count[piece])
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class LossOfClasses:
    """What classes lose, alone and in pairs."""

    rows: Floats  # [c]: rows of each class
    # [c, V]: which codes of the columns each class shows: of a plain column only one that all its rows have
    has: NDArray[np.float32]
    value: NDArray[np.float32]  # [V]: what a row loses less where two classes share a code
    # alone, constant [c]: what a row of two classes loses where they share nothing: the parts of both, and the same for all
    alone: Floats
    constant: float
    low: Floats  # [c, r]: least codes in columns of ranges
    high: Floats  # [c, r]: highest codes in columns of ranges
    step: Floats  # [r]: what a code more in a range costs

    def __len__(self) -> int:
        return len(self.rows)

    @classmethod
    def of(
        cls, table: CodedTable, kinds: Sequence[str], null: Int32, row_type: Int32, number: Int64, count: Int64
    ) -> LossOfClasses:
        """Return the classes of some pieces; O(q m log q)."""
        rows = np.bincount(number, count).astype(np.float64)
        values = table.cardinality
        has, value, alone, constant = [], [], np.zeros(len(rows)), 0.0
        low, high, step = [], [], []
        for c, kind in enumerate(kinds):
            if values[c] == 1:
                continue
            cost, code = float(table.cost[c]), table.codes[row_type, c]
            if kind == "range":
                least, most = np.full(len(rows), np.inf), np.full(len(rows), -np.inf)
                known = code != null[c]
                np.minimum.at(least, number[known], code[known])
                np.maximum.at(most, number[known], code[known])
                low.append(least)
                high.append(most)
                step.append(cost / (float(values[c]) - 1))
                continue
            own = np.zeros((len(rows), int(values[c])), np.float32)
            own[number, code] = 1
            if kind == "set":
                unit = cost / (float(values[c]) - 1)
                alone += unit * own.sum(axis=1)
                constant -= unit
            else:
                own[own.sum(axis=1) > 1] = 0
                unit = cost
                constant += cost
            has.append(own)
            value.append(np.full(own.shape[1], unit, np.float32))
        nothing = np.empty((len(rows), 0))
        return cls(
            rows=rows,
            has=np.concatenate(has, axis=1) if has else nothing.astype(np.float32),
            value=np.concatenate(value) if value else np.empty(0, np.float32),
            alone=alone,
            constant=constant,
            low=np.column_stack(low) if low else nothing,
            high=np.column_stack(high) if high else nothing,
            step=np.array(step),
        )

    def added(self, own: Int64, others: Int64) -> Floats:
        """Return by how much more each of some classes loses together with each of others, float64 [own, others]."""
        shared = (self.has[own] * self.value) @ self.has[others].T
        together = self.constant + self.alone[own][:, None] + self.alone[others] - shared
        for c, step in enumerate(self.step.tolist()):
            low, high = (each[:, c] for each in (self.low, self.high))
            span = np.maximum(high[own][:, None], high[others]) - np.minimum(low[own][:, None], low[others])
            together += step * np.maximum(span, 0)
        lost = self._lost() * self.rows
        found: Floats = together * (self.rows[own][:, None] + self.rows[others]) - lost[own][:, None] - lost[others]
        return found

    def _lost(self) -> Floats:
        """Return what a row of each class loses."""
        span = np.maximum(self.high - self.low, 0) @ self.step
        found: Floats = self.constant + 2 * self.alone - self.has @ self.value + span
        return found
