"""Pricing of all pairs and triples of row types: what they cost, which are near, and which a linear program does not have."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from operator import mul

import numpy as np

from kanon_sql.kernels.partitions import (
    FORBIDDEN,
    TRIPLE_SURCHARGE_BITS,
    Duals,
    Simplices,
    class_costs,
    nearest,
    pairs_below,
    triples_below,
)
from kanon_sql.solvers.matching.odd_set_program import Floats, Optimum
from kanon_sql.solvers.threads import WORKERS
from kanon_sql.table.arrays import Int32, Int64
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import PatternSet

_NEAREST = 6
"""Nearest row types of each row type."""

_NEW = 10
"""Classes of a row type that one pricing returns, the best ones."""

_UNIT_BITS = 32
"""Costs are counted in 1 / 2^32 of a step, fewer bits where sums could overflow."""

_NEGLIGIBLE = 20
"""Bits of a reduced cost below which a class does not enter the program."""

_MOST = 1 << 20
"""Pairs, and triples, that a pricing returns: with more, it proves nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What classes of two or three rows cost."""

    simplices: Simplices  # the row types; costs in steps, and in small fractions of a step where tie-breaks are added to them
    step: int  # the greatest common divisor of all costs, in units of the table
    most: int  # what all rows cost at most, in units of the table

    @classmethod
    def of(cls, table: CodedTable, patterns: PatternSet, apart: Int64) -> Costs:
        """Return the costs under the permitted patterns; ``apart`` as in `match`."""
        every = patterns.cost if patterns.listed else table.cost
        step = int(np.gcd.reduce(every)) or 1
        highest_cost = int(patterns.cost[-1] if patterns.listed else table.cost.sum())
        most = table.rows * highest_cost
        unit = 1 << max(0, min(_UNIT_BITS, 56 - (most // step).bit_length()))
        cheapest = _cheapest(patterns, len(table.columns))
        simplices = Simplices(
            codes=table.codes,
            weight=table.weight,
            apart=apart,
            cost=table.cost // step,
            cheapest=np.where(cheapest < FORBIDDEN, cheapest // step, FORBIDDEN),
            unit=unit,
            spread=unit // (2 * table.rows),
        )
        return cls(simplices=simplices, step=step, most=most)

    @property
    def weight(self) -> Int64:
        """Return the rows of each row type, int64 [t]."""
        return np.asarray(self.simplices.weight)

    @property
    def penalty(self) -> float:
        """Return the steps that a row without a class costs in a program: half a row costs more than all classes."""
        return float(4 * (self.most // self.step + 1))

    @property
    def tie_breaks(self) -> int:
        """Return what tie-breaks add to a matching at most: half of the spread a row, a quarter of a step, and for triples."""
        rows, spread = int(self.weight.sum()), self.simplices.spread
        return rows * spread // 2 + rows * ((spread >> TRIPLE_SURCHARGE_BITS) + 1) // 3

    def spread(self, member: Int32) -> Floats:
        """Return what classes, int32 [g, 3], cost with tie-breaks, in steps."""
        return class_costs(self.simplices, member) / self.simplices.unit

    def steps(self, member: Int32) -> Int64:
        """Return what classes cost, in steps; -1 where they are none."""
        return class_costs(self.simplices, member) // self.simplices.unit  # tie-breaks add less than a step

    def rounded_up(self, value: int) -> int:
        """Return a lower bound on costs with tie-breaks as one in units of the table."""
        return max(0, -((self.tie_breaks - value) // self.simplices.unit)) * self.step


def _cheapest(patterns: PatternSet, columns: int) -> Int64:
    """Return the cost of the cheapest pattern within each set of columns, int64 [2^m]; empty where patterns are not listed."""
    if not patterns.listed:
        return np.empty(0, np.int64)
    cheapest = np.full(1 << columns, FORBIDDEN)
    cheapest[patterns.shown.astype(np.int64)] = patterns.cost
    for column in range(columns):
        halves = cheapest.reshape(-1, 2, 1 << column)
        np.minimum(halves[:, 1], halves[:, 0], out=halves[:, 1])
    return cheapest


def nearest_pairs(costs: Costs, rows: Int64 | None = None) -> Int32:
    """Return each row type with its nearest ones, int32 [g, 3], the third -1.

    Parameters
    ----------
    costs : Costs
        The row types.
    rows : int64 array [t], optional
        Rows of each row type that there are; those without any are left out.
    """
    s, chosen = costs.simplices, np.arange(len(costs.weight), dtype=np.int32)
    if rows is not None:
        chosen = np.flatnonzero(rows).astype(np.int32)
        s = Simplices(
            codes=np.asarray(s.codes)[chosen],
            weight=rows[chosen],
            apart=np.asarray(s.apart)[chosen],
            cost=s.cost,
            cheapest=s.cheapest,
            unit=s.unit,
            spread=s.spread,
        )
    found = np.empty((len(chosen), _NEAREST), np.int32)
    with ThreadPoolExecutor(max_workers=WORKERS) as threads:
        parts = threads.map(lambda start: nearest(s, _NEAREST, start, WORKERS), range(WORKERS))
        for start, part in enumerate(parts):
            found[start::WORKERS] = part
    there = found >= 0
    pair = np.stack([np.repeat(chosen, there.sum(axis=1)), chosen[found[there]]], axis=1)
    return _with_third(np.unique(np.sort(pair, axis=1), axis=0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pricing:
    """The result of pricing all classes."""

    member: Int32  # [g, 3]: classes that the program does not have yet: those of a reduced cost below 0, of each row type some
    value: int  # a lower bound on the cost of all matchings, with tie-breaks
    duals: Duals  # prices that prove it: no class has a reduced cost below 0


def price_classes(costs: Costs, optimum: Optimum) -> Pricing:
    """Price all classes, at the prices of an optimum of the program.

    Notes
    -----
    O(t^2 m) time, divided among the cores; memory O(t) in practice.
    """
    s = costs.simplices
    price = np.rint(optimum.price * s.unit).astype(np.int64)
    cut_price = np.maximum(0, np.rint(optimum.cut_price * s.unit)).astype(np.int64)
    total = np.append(0, np.cumsum(cut_price[optimum.cut]))
    of_cuts = total[optimum.first[1:]] - total[optimum.first[:-1]]

    def priced(lower: Int64) -> Duals:
        return Duals(price=price + of_cuts - lower, cut_price=cut_price, first=optimum.first, cut=optimum.cut)

    pair, reduced = _pairs(costs, priced(np.zeros_like(price)), 0)
    # At a lower price of its first row type no pair is below 0, and then no triple; what that loses is counted.
    lower = np.zeros_like(price)
    np.maximum.at(lower, pair[:, 0], -reduced)
    triple, below = _triples(costs, priced(lower), 0, _MOST, pair)
    lower_still = np.zeros_like(price)
    np.maximum.at(lower_still, triple[:, 0], -below)
    lower += lower_still
    value = int(cut_price.sum()) + sum(map(mul, (price - lower).tolist(), costs.weight.tolist()))
    member, reduced = np.concatenate([_with_third(pair), triple]), np.concatenate([reduced, below])
    return Pricing(
        member=_few_each(member, reduced, -(s.unit >> _NEGLIGIBLE), len(price)),
        value=0 if max(len(pair), len(triple)) > _MOST else value,
        duals=priced(lower),
    )


def classes_below(costs: Costs, duals: Duals, slack: int, limit: int) -> Int32 | None:
    """Return all classes of a reduced cost below ``slack``, int32 [g, 3]; None if they are more than ``limit``.

    Notes
    -----
    At prices as `price_classes` returns them. O(t^2 m), and O(m) for every two of the pairs below twice the slack that share a
    row type.
    """
    pair, reduced = _pairs(costs, duals, slack)
    if len(pair) > _MOST:
        return None
    triple, _ = _triples(costs, duals, slack, limit, pair)
    member = np.concatenate([_with_third(pair[reduced < slack]), triple])
    return None if len(member) > limit else member


def _pairs(costs: Costs, duals: Duals, slack: int) -> tuple[Int32, Int64]:
    """Return what `pairs_below` finds, in ascending order, found by several threads."""
    s = costs.simplices
    with ThreadPoolExecutor(max_workers=WORKERS) as threads:
        found = threads.map(lambda start: pairs_below(s, duals, slack, _MOST, start, WORKERS), range(WORKERS))
        pair, reduced = (np.concatenate(part) for part in zip(*found, strict=True))
    order = np.lexsort((pair[:, 1], pair[:, 0]))
    return pair[order], reduced[order]


def _triples(costs: Costs, duals: Duals, slack: int, limit: int, pair: Int32) -> tuple[Int32, Int64]:
    first = np.searchsorted(pair[:, 0], np.arange(len(costs.weight) + 1)).astype(np.int64)
    triple, reduced = triples_below(costs.simplices, duals, slack, limit, first, np.ascontiguousarray(pair[:, 1]))
    return triple, reduced


def _few_each(member: Int32, reduced: Int64, below: int, types: int) -> Int32:
    """Return the classes below a reduced cost, of each row type some, the lowest first."""
    chosen: list[int] = []
    taken = [0] * types
    order = np.argsort(reduced, kind="stable")
    for place in order[: np.searchsorted(reduced[order], below)].tolist():
        rows = [row for row in member[place].tolist() if row >= 0]
        if min(taken[row] for row in rows) < _NEW:
            chosen.append(place)
            for row in rows:
                taken[row] += 1
    return member[chosen]


def _with_third(pair: Int32) -> Int32:
    return np.concatenate([pair, np.full((len(pair), 1), -1, np.int32)], axis=1)
