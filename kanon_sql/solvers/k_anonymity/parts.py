"""Parts of a local search: classes near each other are searched on one core, while another core searches the others.

A part has rows, their classes, and the candidates that these rows can fill, in arrays of its own. Two parts may open the same
instance: together that is one class, at the same cost. After some steps all classes are divided anew, elsewhere.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels import seeded
from kanon_sql.kernels.classes import (
    CandidateClasses,
    Partition,
    RepairWorkspace,
    count_candidates,
    list_candidates,
    put_all,
    rebuild,
    take_all,
)
from kanon_sql.solvers.instances.search_space import RowSearchSpace, pieces
from kanon_sql.solvers.threads import mapping
from kanon_sql.table.arrays import Int32, Int64

_DIVIDED, _MORE = 50_000, 400_000
"""Row types from which on there are two parts, and four. With 120,000 row types, two parts cost 0.06 % more than one, and
four 0.12 %."""

_COLUMNS = 4
"""Columns by whose values classes are divided: those that most classes show, so few instances have rows in two parts."""

_LEAST_HIDDEN = 0.01
"""Share of the classes that hide a column, or more: what less often is chosen among as by chance."""

_LEAST_EXCESS = 0.01
"""Cells above its price for which a piece counts at least when the work is divided."""

_NOISE = 0.05
"""How far the prices are perturbed, so that the same neighbourhood is rebuilt in different ways."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """Some classes of a partition."""

    candidates: CandidateClasses  # the candidates of its rows, in numbers of their own
    partition: Partition  # the classes, in the same numbers
    work: RepairWorkspace  # the scratch arrays of its search
    row_type: Int32  # the row type behind each of these numbers
    number: Int32  # the candidate behind each of these numbers
    # learnt, vain: what the search has learnt of each row type
    learnt: Int64
    vain: Int32
    state: NDArray[np.uint64]  # [1]: of the random numbers

    def pieces(self) -> tuple[Int32, Int32, Int64]:
        """Return the row type, the class and the rows of each piece, in the numbers of the whole."""
        row_type, number, count = pieces(self.partition)
        return self.row_type[row_type], self.number[number], count


class Parts:
    """A partition whose parts are searched in parallel; the result is the same on any number of cores.

    Parameters
    ----------
    space, partition
        Where; the partition changes when the parts are put `together`.
    size : int
        Row types of a neighbourhood.
    seed : int
        Of the random numbers.
    """

    def __init__(self, space: RowSearchSpace, partition: Partition, size: int, seed: int) -> None:
        self.many = 1 + (space.table.row_types >= _DIVIDED) + 2 * (space.table.row_types >= _MORE)
        self._space, self._partition, self._size = space, partition, size
        self._random = np.random.default_rng(seed)
        self._learnt, self._vain = np.array(space.candidates.price), np.zeros(space.table.row_types, np.int32)
        whole = np.arange(space.table.row_types, dtype=np.int32)
        work = RepairWorkspace(space.candidates, space.k, size, self._learnt, self._vain)
        self._parts = [
            _Part(
                candidates=space.candidates,
                partition=partition,
                work=work,
                row_type=whole,
                number=np.arange(len(space.instances), dtype=np.int32),
                learnt=self._learnt,
                vain=self._vain,
                state=seeded(seed),
            )
        ]

    def cost(self) -> int:
        """Return the cost of all classes in units of the table."""
        cost = self._space.instances.cost
        return sum(int(cost[part.number] @ np.asarray(part.partition.rows)) for part in self._parts)

    def rebuild(self, steps: int, threshold: int, threads: ThreadPoolExecutor) -> None:
        """Rebuild so many neighbourhoods, about as many in each part, and accept what costs at most ``threshold`` more."""

        def search(part: _Part) -> None:
            some, k = max(1, steps // len(self._parts)), self._space.k
            rebuild(part.candidates, part.partition, part.work, k, some, _NOISE, threshold, part.state)

        list(mapping(threads, enough=len(self._parts) > 1)(search, self._parts))

    def divide(self, threads: ThreadPoolExecutor) -> None:
        """Divide all classes anew; where a row type has too many classes for one part, the parts stay as they are."""
        if self.many == 1:
            return
        row_type, number, count = self._pieces()
        excess = np.bincount(number, weights=self._excess(row_type, number), minlength=len(self._space.instances))
        sample = np.zeros(len(excess), np.int32)
        sample[number] = row_type
        order = self._order(np.flatnonzero(excess), sample)
        before = np.cumsum(excess[order])
        part = np.zeros(len(excess), np.int64)
        part[order] = np.minimum(before * self.many / before[-1], self.many - 1)
        part_of = part[number]
        states = [seeded(int(seed)) for seed in self._random.integers(0, 1 << 60, self.many)]

        def divided(which: int) -> _Part | None:
            here = np.flatnonzero(part_of == which)
            return self._part(row_type[here], number[here], count[here], states[which])

        parts = list(threads.map(divided, range(self.many)))
        if None not in parts:
            self._parts = [each for each in parts if each is not None]

    def together(self) -> None:
        """Put the parts together; where a row type has too many classes for that, the partition stays as it was."""
        before, after = pieces(self._partition), self._pieces()
        take_all(self._partition, *before)
        placed = put_all(self._partition, *after)
        if placed < len(after[0]):
            take_all(self._partition, *(each[:placed] for each in after))
            put_all(self._partition, *before)

    def _pieces(self) -> tuple[Int32, Int32, Int64]:
        """Return the pieces of all parts, and remember what each has learnt."""
        for part in self._parts:
            self._learnt[part.row_type], self._vain[part.row_type] = part.learnt, part.vain
        row_type, number, count = zip(*(part.pieces() for part in self._parts), strict=True)
        return np.concatenate(row_type), np.concatenate(number), np.concatenate(count)

    def _excess(self, row_type: Int32, number: Int32) -> NDArray[np.float64]:
        """Return what each piece pays above its price, as a share of a cell, and a little more: where there is work."""
        candidates = self._space.candidates
        excess = np.asarray(candidates.cost)[number] - np.asarray(candidates.price)[row_type]
        return np.maximum(excess / self._space.cell, 0) + _LEAST_EXCESS

    def _order(self, open_classes: Int64, sample: Int32) -> Int64:
        """Return the classes in an order in which those that share values follow each other, drawn anew each time."""
        table = self._space.table
        shown = self._space.patterns.shown[self._space.instances.pattern[open_classes]]
        shows = (shown[:, None] >> np.arange(len(table.cost), dtype=np.uint64)) & np.uint64(1) > 0
        hidden = 1 - shows.mean(axis=0)
        columns = np.argsort((hidden + _LEAST_HIDDEN) * self._random.random(len(hidden)))[:_COLUMNS]
        place, values = np.zeros(len(open_classes)), table.cardinality
        for column in columns:
            turned = self._random.permutation(values[column])
            anywhere = self._random.integers(0, values[column], len(open_classes))
            value = np.where(shows[:, column], table.codes[sample[open_classes], column], anywhere)
            place = place * len(turned) + turned[value]
        return open_classes[np.argsort(place + self._random.random(len(place)))]

    def _part(self, row_type: Int32, number: Int32, count: Int64, state: NDArray[np.uint64]) -> _Part | None:
        """Return the part of some pieces; None where a row type has too many classes."""
        space = self._space
        rows = np.zeros(space.table.row_types, np.int64)
        np.add.at(rows, row_type, count)
        types = np.flatnonzero(rows).astype(np.int32)
        own = np.searchsorted(types, row_type).astype(np.int32)
        candidates, chosen = restricted(space.candidates, types, rows[types], number, space.k)
        partition = Partition(len(types), len(chosen))
        if put_all(partition, own, np.searchsorted(chosen, number).astype(np.int32), count) < len(own):
            return None
        learnt, vain = self._learnt[types], self._vain[types]
        return _Part(
            candidates=candidates,
            partition=partition,
            work=RepairWorkspace(candidates, space.k, self._size, learnt, vain),
            row_type=types,
            number=chosen,
            learnt=learnt,
            vain=vain,
            state=state,
        )


def restricted(
    candidates: CandidateClasses, row_type: Int32, rows: Int64, open_classes: Int32, k: int
) -> tuple[CandidateClasses, Int32]:
    """Return the candidates that some rows can fill with k of them, or that are open, and the number of each among all.

    Parameters
    ----------
    candidates : CandidateClasses
        Of all rows.
    row_type, rows : int32, int64 arrays [q]
        Row types, each once, and how many of its rows belong to the part: there they have the numbers 0 to q - 1.
    open_classes : int32 array
        The candidates that are classes of the part.

    Notes
    -----
    O(members of these row types + j).
    """
    j = len(candidates.cost)
    total, count = np.zeros(j, np.int64), np.zeros(j, np.int64)
    count_candidates(candidates, row_type, rows, total, count)
    chosen = np.union1d(np.flatnonzero(total >= k), open_classes).astype(np.int32)
    start, first = np.zeros(len(chosen) + 1, np.int64), np.zeros(len(row_type) + 1, np.int64)
    np.cumsum(count[chosen], out=start[1:])
    number = np.full(j, -1, np.int32)
    number[chosen] = np.arange(len(chosen), dtype=np.int32)
    member, instance = np.empty(int(start.max()), np.int32), np.empty(int(start.max()), np.int32)
    list_candidates(candidates, row_type, number, start[: len(chosen)].copy(), member, first, instance)
    part = CandidateClasses(
        start=start,
        member=member,
        first=first,
        instance=instance,
        cost=np.asarray(candidates.cost)[chosen],
        price=np.asarray(candidates.price)[row_type],
        weight=rows,
    )
    return part, chosen
