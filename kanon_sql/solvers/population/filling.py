"""Releases with delta-presence: rows take the cheapest masks that still leave every row of the population its delta.

The masks are tried by their cost. Rows of one mask add to the shares of everybody who matches them. So part of delta is held
back for more expensive masks, else some rows would be unassigned. Then rows move to cheaper masks while the sums allow it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import ceil

import numpy as np

from kanon_sql.model.requirements import DeltaPresence, KMap
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.repair import PartialRecoding
from kanon_sql.solvers.population.cheapest import NOTHING, Counted, cheapest
from kanon_sql.solvers.population.shares import Classes
from kanon_sql.solvers.problem import Problem
from kanon_sql.table.arrays import Int64, Words
from kanon_sql.table.recoding import Recoding, row_cost

_MOST_BYTES, _MOST_MASKS = 1 << 28, 1024
"""Memory for the instances of masks, and masks that are tried."""

_FIRST = 64
"""Masks of a first search, whose release is there early."""

_STRICTER = 16
"""Each k-map that proposes masks asks for so many times as many rows as the one before."""

_SAMPLED = 4096
"""Row types that the k-maps which propose masks are made for, evenly spread over all."""

_RESERVES = tuple(1 / (1 << power) for power in range(9, 0, -1))
"""Parts of delta that the cheapest mask leaves for more expensive ones."""

_BETTER, _IDLE = 0.99, 2
"""Share of the cost of the best release below which one counts as better, and releases in turn that are not, which end it."""

_SWEEPS, _WORTHWHILE = 12, 0.01
"""Sweeps, and the share of the cost that one has to save to be followed by another."""

Pieces = tuple[Int64, Int64, Int64]
"""Row type, mask and rows of each piece."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Filling:
    """The masks with their costs and classes."""

    problem: Problem
    classes: Classes
    cost: Int64

    def fill(self, reserve: float, budget: Budget) -> Pieces | None:
        """Return pieces of all rows; None where some are unassigned, or time ends."""
        self.classes.clear()
        left, highest = self.problem.table.weight.copy(), max(1, int(self.cost.max()))
        found: list[tuple[Int64, int, Int64]] = []
        for mask, cost in enumerate(self.cost.tolist()):
            waiting = np.flatnonzero(left)
            if not len(waiting) or budget.over():
                break
            own = self.classes.groups[mask].own[waiting]
            capacity = self.classes.capacity(mask, own, reserve * (1 - cost / highest) ** 2)
            order = np.lexsort((left[waiting], own))  # small row types first: more of them stay whole
            order = order[capacity[order] > 0]
            waiting, own, capacity = waiting[order], own[order], capacity[order]
            before = np.cumsum(left[waiting]) - left[waiting]
            first = np.flatnonzero(np.append(True, own[1:] != own[:-1])) if len(own) else own
            before -= np.repeat(before[first], np.diff(np.append(first, len(own))))
            count = np.clip(capacity - before, 0, left[waiting])
            taken = np.flatnonzero(count)
            if len(taken):
                self.classes.add(mask, waiting[taken], count[taken])
                left[waiting[taken]] -= count[taken]
                found.append((waiting[taken], mask, count[taken]))
        if left.any():
            return None
        return (
            np.concatenate([row_type for row_type, _, _ in found]),
            np.repeat([mask for _, mask, _ in found], [len(row_type) for row_type, _, _ in found]),
            np.concatenate([count for _, _, count in found]),
        )

    def improved(self, pieces: Pieces, budget: Budget) -> Pieces:
        """Return pieces after moves to cheaper masks, each of which meets the requirement."""
        for number in range(_SWEEPS):
            before = self.total(pieces)
            budget.report("shares", number / _SWEEPS, before)
            for mask in range(len(self.cost)):
                if budget.over():
                    return pieces
                pieces = self._cheaper(mask, pieces)
            if before - self.total(pieces) <= _WORTHWHILE * before:
                break
        return pieces

    def total(self, pieces: Pieces) -> int:
        """Return the cost of pieces."""
        return int(self.cost[pieces[1]] @ pieces[2])

    def _cheaper(self, mask: int, pieces: Pieces) -> Pieces:
        """Return pieces after one of each instance of a mask, the one that saves most there, has moved to it."""
        row_type, at, count = pieces
        classes, cost = self.classes, int(self.cost[mask])
        movable = np.flatnonzero(self.cost[at] > cost)
        own = classes.groups[mask].own[row_type[movable]]
        movable = movable[classes.groups[mask].allowed[own]]
        if not len(movable):
            return pieces
        group = classes.groups[mask].own[row_type[movable]]
        moving = np.minimum(count[movable], classes.capacity(mask, group))
        relief = [np.zeros(len(movable), np.int64) for _ in classes.shared]
        # rows of a class which shows less leave it: whatever matches the finer class matched that one
        finer = (classes.shown[at[movable]] & ~classes.shown[mask]) == 0
        for old in np.unique(at[movable[finer]]).tolist():
            chosen = np.flatnonzero(finer & (at[movable] == old))
            leaving = classes.relief(old, row_type[movable[chosen]], count[movable[chosen]])
            for each, found in zip(relief, leaving, strict=True):
                each[chosen] = found
        whole = classes.capacity(mask, group, relief=relief) >= count[movable]
        moving = np.where(whole, count[movable], moving)
        order = np.lexsort((movable, -(self.cost[at[movable]] - cost) * moving, group))
        best = order[np.append(True, group[order[1:]] != group[order[:-1]])]
        best = best[moving[best] > 0]
        chosen, rows = movable[best], moving[best]
        for old in np.unique(at[chosen]).tolist():
            out = at[chosen] == old
            classes.add(old, row_type[chosen[out]], -rows[out])
        classes.add(mask, row_type[chosen], rows)
        count = count.copy()
        count[chosen] -= rows
        kept = count > 0
        return (
            np.append(row_type[kept], row_type[chosen]),
            np.append(at[kept], np.full(len(chosen), mask)),
            np.append(count[kept], rows),
        )

    def recoding(self, pieces: Pieces) -> Recoding:
        """Return pieces as a release."""
        row_type, at, count = pieces
        return PartialRecoding(
            row_type=row_type.astype(np.int32),
            shown=self.classes.shown[at],
            count=count,
            placed=np.ones(len(count), np.bool_),
        ).recoding()


def filled(problem: Problem, presence: list[DeltaPresence], mapped: list[KMap], budget: Budget) -> Recoding | None:
    """Return the cheapest release found that keeps delta-presence and k-maps; None where rows are unassigned.

    Parameters
    ----------
    problem : Problem
        Its classes have no other requirement.
    presence, mapped
        The requirement.

    Notes
    -----
    O(m (t + p)) for a release or a sweep over m masks, and what `Classes` takes. Only whole numbers decide.
    """
    shown = _proposed(problem, presence, mapped, budget.half())
    found: list[Recoding] = []
    for most in sorted({min(_FIRST, len(shown)), len(shown)}):
        if not found or not budget.over():
            found += _best_of(problem, presence, mapped, shown[:most], budget)
    return min(found, key=lambda each: each.cost(problem.table), default=None)


def _best_of(
    problem: Problem, presence: list[DeltaPresence], mapped: list[KMap], shown: Words, budget: Budget
) -> list[Recoding]:
    """Return the best release of some masks that the reserves lead to, if there is one."""
    cost = row_cost(shown, problem.table.cost)
    order = np.lexsort((shown, cost))
    filling = _Filling(problem=problem, classes=Classes(problem.table, shown[order], presence, mapped), cost=cost[order])
    best: Pieces | None = None
    delta, idle = float(min(each.delta for each in presence)), 0
    for number, share in enumerate((0.0, *_RESERVES)):
        budget.report("shares", number / (1 + len(_RESERVES)), None if best is None else filling.total(best))
        pieces = filling.fill(share * delta, budget)
        if pieces is not None:
            pieces = filling.improved(pieces, budget)
            idle = 0 if best is None or filling.total(pieces) < _BETTER * filling.total(best) else idle + 1
            best = min(filter(None, (best, pieces)), key=filling.total)
        if idle == _IDLE or budget.over():
            break
    return [] if best is None else [filling.recoding(best)]


def _proposed(problem: Problem, presence: list[DeltaPresence], mapped: list[KMap], budget: Budget) -> Words:
    """Return the masks to try, the most useful ones first: all, or of very many those that most rows show in some k-maps."""
    table, patterns = problem.table, problem.patterns
    names = [*(each.population for each in presence), *(each.population for each in mapped)]
    types = table.row_types + sum(len(table.populations[name].weight) for name in names)
    most = max(2, min(_MOST_MASKS, _MOST_BYTES // (4 * types)))
    if patterns.listed and len(patterns.shown) <= most:
        step = -(-len(patterns.shown) // _FIRST)
        return patterns.shown[np.argsort(np.arange(len(patterns.shown))[::-1] % step, kind="stable")]  # one of each price
    rows: Counter[int] = Counter()
    factor = 1
    sampled = np.unique(np.linspace(0, table.row_types - 1, min(_SAMPLED, table.row_types)).astype(np.int64))
    everybody = [table.populations[each.population] for each in presence]
    while not budget.over():
        counted = [
            Counted(codes=each.codes, weight=each.weight, least=min(each.rows, ceil(factor / about.delta)))
            for each, about in zip(everybody, presence, strict=True)
        ]
        found = cheapest(table.codes[sampled], table.cost, patterns, counted, budget, table.ladders.values())
        known = found.cost < NOTHING
        for mask, weight in zip(found.shown[known].tolist(), table.weight[sampled[known]].tolist(), strict=True):
            rows[mask] += weight
        if all(each.least == about.rows for each, about in zip(counted, everybody, strict=True)):
            break
        factor *= _STRICTER
    chosen = [mask for mask, _ in sorted(rows.items(), key=lambda each: (-each[1], each[0])) if mask]
    nothing = [0] if not patterns.listed or 0 in patterns.shown else []
    return np.array([*nothing, *chosen][:most], np.uint64)
