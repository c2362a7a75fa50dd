"""Prices for rows under requirements on sensitive values, and the lower bound that they prove.

As in `kanon_sql.solvers.k_anonymity.lagrangian`, but what an instance gains is bounded by multipliers of the limits that every
class keeps: values that it covers too often are penalized. Prices and multipliers move together, by subgradient steps. From
time to time a rule chooses the multipliers again from the prices alone, so that these are all the evidence of the bound.

Where all limits are about single values of one attribute, small classes keep them with whole rows.

References
----------
Liang, Yuan: On the Complexity of t-Closeness Anonymization and Related Problems (2013), Theorem 9 (the integer program).
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels.requirements import BestClass, Limits, Relaxed, advance, advance_sized, gains, sized_gains, sort_all
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.requirements.limits import limits
from kanon_sql.solvers.sensitive.search_space import SensitiveSearchSpace
from kanon_sql.solvers.sensitive.support import able
from kanon_sql.solvers.threads import WORKERS, Map, mapping
from kanon_sql.table.arrays import Int64
from kanon_sql.table.recoding import Prices

Floats = NDArray[np.float64]

METHOD = "Lagrangian relaxation under the requirements"

_ROUNDS, _STEPS = 8, 16
"""Rounds, and subgradient steps in each."""

LARGEST, _MOST_LEAST = 62, 32
"""Most rows of a class that has whole rows, and the most that the least rows of a class may be for this to pay."""

_WORK, _SIZED_WORK = 1 << 29, 3 << 26
"""Items of all instances looked at in all rounds together, without and with sizes: larger search spaces take fewer rounds."""

_FIRST_STEP, _LAST_STEP = 0.03, 0.003
"""By what share of the best bound so far a step of the prices is to raise it; it falls geometrically."""

_FIRST_MULTIPLIERS, _LAST_MULTIPLIERS = 0.25, 0.05
"""The step length of multipliers in cells, too."""

_LESS = 0.7
"""Part of what rows pay beyond the least in a start that is tried, too, with levels: prices that lead a search ask for much.

By suppression the first start ends higher: under l(occupation) >= 5 on Adult at 40,526, not 40,274, and opens better classes.
"""

_BACK = 0.3
"""By what part of the way back to the best bound a step is longer where prices prove less: the first may pay far too much."""

_MOMENTUM = 0.8

_LONGEST = 4
"""Cells of the longest step by the rule."""

_NEAR, _NEARER = 0.2, 0.6
"""Part of the longest step that a size may gain less than the best to be tried in the first round, and what is left later."""

_MANY, _CHUNKS = 1 << 13, 16
"""Items of a chunk that a thread works on, and chunks at most: the few instances that gain something take the time."""

_SCALE_BITS, _PRODUCT_BITS = 16, 46
"""Prices are whole numbers of 1/65536 of a unit, fewer where the cost of all cells would need too many bits for products."""

_MOST_MULTIPLIERS = 1 << 25
"""Multipliers of all instances that are kept in memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relaxation:
    """Prices and what they prove."""

    prices: Prices  # the best prices found
    value: int  # the bound they prove, in units of the prices

    @property
    def bound(self) -> int:
        """Return the bound in units of the table: costs are whole numbers of them."""
        return max(0, -(-self.value // self.prices.scale))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Dual:
    """The relaxation of a search space, with the multipliers of its instances int64 [j, e + q + 1] and some threads."""

    space: SensitiveSearchSpace
    limits: Limits
    relaxed: Relaxed
    multipliers: Int64
    scale: int
    threads: ThreadPoolExecutor
    best: BestClass | None = None

    def with_sizes(self) -> _Dual:
        """Return the relaxation in which small classes have whole rows."""
        beyond = Relaxed(self.space.cost * self.scale, self.space.table.weight, LARGEST + 1)
        return replace(self, best=BestClass(len(self.space), beyond))

    def nearer(self, part: float) -> None:
        """Let steps try only sizes that gain at most a part of the longest step of multipliers less than the best."""
        if self.best is not None:
            self.best.slack = int(part * self._longest)

    def value(self, prices: Prices) -> int:
        """Return what prices prove, in their units, with the multipliers of the rule; these are kept."""
        arguments = self.limits, self.space.candidates, self.relaxed, prices.price, self._longest, self.multipliers

        def gained(chunk: tuple[int, int]) -> int:
            found = gains(*arguments, chunk) if self.best is None else sized_gains(*arguments, self.best, chunk)
            return int(found.sum())

        return int(prices.price @ self.space.table.weight) - sum(self._map(gained, self._chunks()))

    def step(self, prices: Prices, length: int) -> tuple[int, Int64]:
        """Return about what prices prove, and the rows of each row type that are covered; take a step with multipliers."""
        chunks = self._chunks()
        covered = [np.zeros(self.space.table.row_types, np.int64) for _ in chunks]
        arguments = self.limits, self.space.candidates, self.relaxed, prices.price

        def gained(chunk: tuple[int, int], own: Int64) -> int:
            if self.best is None:
                return advance(*arguments, length, self.multipliers, chunk, own)
            return advance_sized(*arguments, self._longest, length, self.multipliers, self.best, chunk, own)

        total = int(prices.price @ self.space.table.weight) - sum(self._map(gained, chunks, covered))
        return total, np.sum(covered, axis=0)

    @property
    def _longest(self) -> int:
        return _LONGEST * int(self.space.table.cost.max()) * self.scale

    @property
    def _map(self) -> Map:
        return mapping(self.threads, enough=self.space.start[-1] > _MANY)

    def _chunks(self) -> list[tuple[int, int]]:
        """Divide the instances by their items."""
        start = self.space.start
        if start[-1] <= _MANY:
            return [(0, len(self.space))]
        chunks = min(_CHUNKS, int(start[-1] // _MANY) + 1)
        ends = np.searchsorted(start, np.linspace(0, start[-1], chunks + 1)[1:-1]).tolist()
        return list(zip([0, *ends], [*ends, len(self.space)], strict=True))


def relax(space: SensitiveSearchSpace, price: Floats, upper: int, budget: Budget) -> Relaxation | None:
    """Return prices that prove a good lower bound; None where people count, or the table is too large for the multipliers.

    Parameters
    ----------
    space : SensitiveSearchSpace
        All instances that a cheapest release may need.
    price : float64 array [t]
        What rows may pay at first, in units of the table; with levels, less is tried, too.
    upper : int
        Cost of a known release, in units of the table.

    Notes
    -----
    O(items and edges of all instances) a step, at most 8 rounds of 16, and up to 128 times as much a round for the instances
    that gain something: few. Whole numbers decide: the bound is exact, floats only lead the way.

    What no rows of an instance can meet closes it before all else. An instance whose rows could all move to a cheaper one need
    not be listed, as for k-anonymity: requirements are kept when classes are merged.
    """
    table, requirement = space.table, space.requirement
    if not all(each.relaxes for _, each in requirement.on_attributes):
        return None
    scale = 1 << max(0, min(_SCALE_BITS, _PRODUCT_BITS - int(table.rows * int(table.cost.sum())).bit_length()))
    found = limits(table, requirement.requirements)
    width = len(found.parent) + len(found.most) + 1
    by_row_type = replace(space.instances, start=space.start, member=np.asarray(space.candidates.item))
    space = space.take(np.flatnonzero(able(requirement, by_row_type)))
    if len(space) * width > _MOST_MULTIPLIERS or table.rows >= 1 << 28:
        return None
    cheapest = np.minimum(space.cheapest(), space.price_limit)
    if cheapest.max() >= 1 << 61:  # rows without any instance: no release at all
        return None
    sized = has_sizes(found, requirement.least)
    rounds = max(1, min(_ROUNDS, (_SIZED_WORK if sized else _WORK) // (_STEPS * max(1, len(space.candidates.item)))))
    with ThreadPoolExecutor(max_workers=WORKERS) as threads:
        dual = _Dual(
            space=space,
            limits=found,
            relaxed=Relaxed(space.cost * scale, table.weight, requirement.least),
            multipliers=np.zeros((len(space), width), np.int64),
            scale=scale,
            threads=threads,
        )
        if sized:
            dual = dual.with_sizes()
        least = Relaxation(prices=Prices(price=cheapest * scale, scale=scale), value=int(cheapest @ table.weight) * scale)
        return _ascend(dual, rounds, _start(dual, price, cheapest), least, upper, budget)


def has_sizes(limits: Limits, least: int) -> bool:
    """Return whether classes are looked at by their size: for limits on one attribute, to single values with too many rows.

    At most one of them is about all values together.
    """
    if len(set(limits.attribute)) != 1 or least > _MOST_LEAST:
        return False
    return not any(limits.signed) and max(limits.parent) < 0 and sum(most >= 0 for most in limits.most) <= 1


def _start(dual: _Dual, price: Floats, cheapest: Int64) -> Floats:
    """Return prices or, with levels and if that proves more, some that are nearer to what every row pays at least."""
    most = dual.space.price_limit
    if not dual.space.table.has_ladders:
        return np.minimum(price, most)

    def proven(price: Floats) -> int:
        sort_all(dual.space.candidates, price)
        return dual.value(_whole(price, dual.scale))

    return max(np.minimum(price, most), np.minimum(cheapest + _LESS * (price - cheapest), most), key=proven)


def _ascend(dual: _Dual, rounds: int, price: Floats, best: Relaxation, upper: int, budget: Budget) -> Relaxation:
    """Return the best of known prices and those found from a start by subgradient steps."""
    table, scale = dual.space.table, dual.scale
    most = dual.space.price_limit.astype(np.float64)  # what is not listed gains nothing from such prices
    weight, cell, speed = table.weight.astype(np.float64), int(table.cost.max()) * scale, np.zeros(len(price))
    for number in range(rounds + 1):
        sort_all(dual.space.candidates, price)  # the best rows of each value, which steps look for, come first or nearly
        dual.nearer(_NEAR * _NEARER**number)
        whole = _whole(price, scale)
        value = dual.value(whole)
        if value > best.value:
            best = Relaxation(prices=whole, value=value)
        budget.report("prices", number / rounds, upper, best.bound)
        if number == rounds or best.bound >= upper or (number and budget.over()):
            break
        for step in range(_STEPS):
            done = (number + step / _STEPS) / rounds
            proven, covered = dual.step(_whole(price, scale), int(cell * _between(_FIRST_MULTIPLIERS, _LAST_MULTIPLIERS, done)))
            # Per row: a row type of many rows moves as fast as one of a single row.
            slope = (table.weight - covered) / weight
            norm = max(float((slope * slope * weight).sum()), 1e-9)  # not @, whose idle threads keep the cores busy
            rise = _between(_FIRST_STEP, _LAST_STEP, done) * best.value + _BACK * max(0, best.value - proven)
            speed = _MOMENTUM * speed + rise / scale / norm * slope
            price = np.minimum(price + speed, most)
    return best


def _between(first: float, last: float, done: float) -> float:
    """Return a number that falls geometrically from the first to the last."""
    found: float = first * (last / first) ** done
    return found


def _whole(price: Floats, scale: int) -> Prices:
    return Prices(price=np.rint(price * scale).astype(np.int64), scale=scale)
