"""Local search: neighbouring classes are destroyed and grown again, thousands of times a second.

One step does what moves and swaps of rows, and merging and splitting of classes, would do one by one.

References
----------
Schrimpf, Schneider, Stamm-Wilbrandt, Dueck: Record Breaking Optimization Results Using the Ruin and Recreate Principle (2000),
with threshold accepting.
"""

from __future__ import annotations

import numpy as np

from kanon_sql.kernels import seeded
from kanon_sql.kernels.classes import BITS, Partition, put_all
from kanon_sql.kernels.summaries import Classes, Histograms, Measure, Shape, class_losses, rebuild
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.solvers.summaries.partition import SummaryPartition
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.coded_table import CodedTable

_ROUNDS = 4
"""Rounds, each with a check of the clock, for each thousand row types."""

_LEAST_ROUNDS, _MOST_ROUNDS = 8, 600
"""Tables of some hundred rows lose 4 % less in 8 rounds than in one, and it takes 0.05 s more."""

_DESTROYED, _LARGEST = 100_000, 4_000
"""Row types destroyed in a round, some hundredths of a second, and in one step."""

_COMPARED = 22_000_000
"""Pairs of row types destroyed together in a round: what counts in large classes."""

INITIAL = 2
"""The initial threshold, in mean losses of a row, from a start that is only cut."""

_COUNTERS = 300
"""Counters of a histogram that take as long as a step for k alone; else a step takes a third more."""

_WIDE, _TOGETHER = 4, 32
"""One round in so many also destroys classes of more row types than usual, if there are any, with so many classes near them.

A few rows that fit nowhere else keep a large class together. With l(occupation) >= 3, Adult in SETS loses 10,100 without this
and 4,000 with it.
"""

LARGE = 16
"""Rows of a class from which classes are also grown by gain: many rows of a class then share each of its values."""


def search(
    table: CodedTable,
    measure: Measure,
    scale: int,
    requirement: ClassRequirement,
    classes: Classes,
    near: Int32,
    bound: int,
    budget: Budget,
    *,
    initial: int = INITIAL,
    first: float = 0.0,
    last: float = 1.0,
) -> None:
    """Rebuild neighbourhoods of the classes; it ends after a number of steps that depends on the table.

    Parameters
    ----------
    table : CodedTable
        t row types, at least k rows.
    measure, scale
        How loss is counted.
    classes : Classes
        Changed.
    near : int32 array [t, s]
        Row types near each, or -1.
    bound : int
        A lower bound in units of ``measure``, at which the search ends.
    initial : int
        Mean losses of a row by which a neighbourhood may become worse at first; 0 where the start is good already.
    first, last : float
        The part of the rounds that is done.
    """
    state, histograms = seeded(budget.seed), None
    if requirement.requirements:
        histograms = Histograms(requirement.encoded, requirement.group_counter, requirement.group)
    share = _COUNTERS / (_COUNTERS * 4 / 3 + requirement.encoded.counters)
    rounds = budget.steps(min(_MOST_ROUNDS, max(_LEAST_ROUNDS, _ROUNDS * table.row_types // 1000)))
    threshold = initial * int(np.sum(classes.loss)) // table.rows
    for done in range(round(first * rounds), round(last * rounds)):
        loss = int(np.sum(classes.loss))
        if loss <= bound or budget.over():
            break
        budget.report("local search", done / rounds, loss // scale, bound // scale)
        usual = _usual_size(requirement, table.rows, int(np.count_nonzero(classes.size)))
        row_types, together = most_of(usual)
        if histograms is not None and done % _WIDE == 0 and np.max(classes.size) > row_types:
            row_types, together = min(int(np.max(classes.size)) + row_types, _LARGEST), _TOGETHER
        steps = steps_of(row_types)
        shape = Shape(
            k=requirement.least,
            classes=together,
            row_types=row_types,
            threshold=threshold * (rounds - 1 - done) // rounds,
            by_gain=usual >= LARGE,
        )
        if histograms is not None:
            steps = 1 + int(steps * share)
        rebuild(table.codes, measure, classes, near, shape, steps, state, histograms)


def planned(table: CodedTable, measure: Measure, k: int, member: Int64, number: Int64, count: Int64) -> Classes:
    """Return classes that can be changed, given by pieces in the order of their classes: row type, class and rows of each."""
    t, most = table.row_types, table.rows // k
    rows = np.zeros(most, np.int64)
    np.add.at(rows, number, count)
    loss = class_losses(table.codes, measure, member, number, rows)
    partition = Partition(t, most, min(BITS, int(table.weight.max() - 1).bit_length()))
    put_all(partition, member.astype(np.int32), number.astype(np.int32), count)
    return Classes(partition=partition, size=np.bincount(number, minlength=most).astype(np.int64), loss=loss)


def divided(partition: Partition) -> SummaryPartition:
    """Return a partition of the search as one of the result."""
    where = np.asarray(partition.where)
    used = np.flatnonzero(where >= 0)
    number = np.unique(where[used], return_inverse=True)[1].astype(np.int64)
    return SummaryPartition(
        row_type=(used >> partition.bits).astype(np.int32), number=number, count=np.asarray(partition.amount)[used]
    )


def most_of(usual: int) -> tuple[int, int]:
    """Return the most row types and classes that are rebuilt at once, of classes of about so many rows."""
    return min(3 * usual + 10, _LARGEST), 2 if usual >= LARGE else 3 if usual > 5 else 4


def steps_of(row_types: int) -> int:
    """Return the steps of a round that rebuild so many row types each."""
    return 1 + min(_DESTROYED // row_types, _COMPARED // row_types**2)


def _usual_size(requirement: ClassRequirement, rows: int, classes: int) -> int:
    """Return about how many rows classes come to have: as few as may be, or as many as they have if more than k is required."""
    return max(requirement.least, rows // classes) if requirement.requirements else requirement.least
