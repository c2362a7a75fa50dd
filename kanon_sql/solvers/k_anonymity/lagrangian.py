"""Prices for rows: the Lagrangian relaxation of the assignment of rows to pattern instances, by subgradient steps.

Every row type i pays a price p_i per row, and an instance opens where the prices of k or more of its rows cover their cost.
The sum of all prices less what the instances gain is a lower bound on the cost of every release, for any prices (weak
duality); good prices bring it within one or two per cent of the optimum, and tell which classes to open.

References
----------
Chakaravarthy, Pandit, Sabharwal: On the Complexity of the k-Anonymization Problem (2010), section 4 (the integer program).
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.listing import Instances
from kanon_sql.solvers.threads import WORKERS, mapping
from kanon_sql.table.arrays import Int64
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.recoding import Prices

METHOD = "Lagrangian relaxation"

_ROUNDS, _STEPS = {0: 10, 50_000: 8, 400_000: 6}, 10
"""Rounds, by the row types from which on there are so many, and subgradient steps in each. Two rounds more raise the bound of
120,000 row types by 0.1 %."""

_MORE_STEPS = 20
"""Steps in each round that raises the bound of known prices. Adult-2, k = 5: 37,592 to 37,642 in 0.8 s; the linear program
proves 37,651."""

_WORK = 1 << 28
"""Members of all instances looked at in all rounds together: larger tables take fewer rounds."""

_MARGIN, _NARROWER = 0.5, 0.6
"""Cells for each of k rows that an instance may lose to be looked at during the first round, and what is left a round later."""

_FIRST_STEP, _LAST_STEP = 1.0, 0.003
"""The step length, as a share of what the gap asks for, falls geometrically."""

_MOMENTUM = 0.7

_MANY = 1 << 16
"""Members from which on the work is divided among threads."""

_SCALE_BITS = 16
"""Prices are whole numbers of 1/65536 of a unit, fewer where sums could overflow."""


Relisting = Callable[[int, NDArray[np.float64], Int64], tuple[Instances, Int64] | None]
"""Takes the number of the round, the prices and what they may rise to, in parts of 1/scale; returns instances to look at and
what prices may rise to from now on, or None to go on with those of the round before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relaxation:
    """Prices and what they prove."""

    prices: Prices  # the best prices found
    value: int  # the bound they prove, in units of the prices
    surplus: Int64  # [j]: what each instance gains from them, below 0 what it would lose, in units of the prices
    instances: Instances  # the instances, j of them; those that are not listed gain nothing from the prices
    most: Int64  # [t]: prices up to which they gain nothing, in the same units

    @property
    def bound(self) -> int:
        """Return the bound in units of the table: costs are whole numbers of them."""
        return -(-self.value // self.prices.scale)


def scale_of(table: CodedTable) -> int:
    """Return the whole numbers that prices have for a unit."""
    return 1 << max(0, min(_SCALE_BITS, 61 - int(table.rows * int(table.cost.sum())).bit_length()))


def relax(
    table: CodedTable,
    instances: Instances,
    k: int,
    upper: int,
    budget: Budget,
    price: NDArray[np.float64] | None = None,
    relisted: Relisting | None = None,
    steps: int = _STEPS,
) -> Relaxation:
    """Return prices that prove a good lower bound.

    Parameters
    ----------
    table : CodedTable
        t row types.
    instances : Instances
        Prices never exceed what instances that are not listed cost, so those gain nothing.
    upper : int
        Cost of a known release, in units of the table.
    price : float array [t], optional
        To begin with; else what the cheapest instance of each row type costs.
    relisted : Relisting, optional
        Lists instances anew for the prices of a round.
    steps : int
        Steps in each round.

    Notes
    -----
    O(members) a round and less a step, on all cores; at most 10 rounds. The first prices, each row's cheapest instance, prove
    the sum of those costs. Whole numbers decide: the bound is exact, floats only lead the way.
    """
    scale = scale_of(table)
    most = _most(instances, scale)
    weight = table.weight.astype(np.float64)
    most_rounds = _ROUNDS[max(least for least in _ROUNDS if least <= table.row_types)]
    rounds = max(3, min(most_rounds, _WORK // max(1, len(instances.member))))
    price = instances.cheapest().astype(np.float64) if price is None else price
    speed = np.zeros(table.row_types)
    nothing = Prices(price=np.zeros(table.row_types, np.int64), scale=scale)
    surplus = np.full(len(instances), -1, np.int64)
    best = Relaxation(prices=nothing, value=-1, surplus=surplus, instances=instances, most=most)
    with ThreadPoolExecutor(max_workers=WORKERS) as threads:
        for number in range(rounds + 1):
            if relisted is not None and (found := relisted(number, price, most)):
                instances, most = found
            whole = _whole(price, scale, most)
            surplus = _surplus(table, instances, k, whole, threads)
            value = int(whole.price @ table.weight) - int(surplus[surplus > 0].sum())
            if value > best.value:
                best = Relaxation(prices=whole, value=value, surplus=surplus, instances=instances, most=most)
            budget.report("prices", number / rounds, upper, best.bound)
            if number == rounds or best.bound >= upper or (number and budget.over()):
                break
            # What is far from opening now will not open within a few steps; the next round looks at all of them again.
            margin = _MARGIN * _NARROWER**number * k * float(table.cost.max()) * scale
            near = instances.take(np.flatnonzero(surplus >= -margin))
            for step in range(steps):
                value, covered = _evaluate(table, near, k, _whole(price, scale, most), threads)
                # Per row: a row type of many rows moves as fast as one of a single row.
                slope = (table.weight - covered) / weight
                length = _FIRST_STEP * (_LAST_STEP / _FIRST_STEP) ** ((number + step / steps) / rounds)
                norm = max(
                    float((slope * slope * weight).sum()), 1e-9
                )  # `@` would spin on all cores, and round as they divide it
                speed = _MOMENTUM * speed + length * (upper - value / scale) / norm * slope
                price = np.minimum(price + speed, most / scale)
    return best


def raised(table: CodedTable, relaxed: Relaxation, k: int, upper: int, budget: Budget) -> Relaxation:
    """Return what more steps from known prices prove; arguments as for `relax`."""
    listed = relaxed.instances, relaxed.most
    price = relaxed.prices.price / relaxed.prices.scale
    steps = budget.steps(_MORE_STEPS)
    return relax(table, relaxed.instances, k, upper, budget, price, lambda number, *_: None if number else listed, steps)


def evaluated(table: CodedTable, instances: Instances, k: int, prices: Prices) -> Relaxation:
    """Return what known prices prove where the classes may be any of the instances; O(members)."""
    with ThreadPoolExecutor(max_workers=WORKERS) as threads:
        surplus = _surplus(table, instances, k, prices, threads)
    value = int(prices.price @ table.weight) - int(surplus[surplus > 0].sum())
    return Relaxation(prices=prices, value=value, surplus=surplus, instances=instances, most=_most(instances, prices.scale))


def _surplus(table: CodedTable, instances: Instances, k: int, prices: Prices, threads: ThreadPoolExecutor) -> Int64:
    """Return what each instance would gain from the prices, below 0 what it would lose, int64 [j], in their units."""
    from kanon_sql.kernels.instances import instance_gains

    cost, chunks = instances.cost * prices.scale, _chunks(instances)

    def gains(chunk: tuple[int, int]) -> Int64:
        found: Int64 = instance_gains(instances.start, instances.member, cost, table.weight, prices.price, k, chunk)
        return found

    return np.concatenate(list(mapping(threads, enough=len(chunks) > 1)(gains, chunks)))


def _evaluate(
    table: CodedTable, instances: Instances, k: int, prices: Prices, threads: ThreadPoolExecutor
) -> tuple[int, Int64]:
    """Return what the prices prove, in their units, and the rows of each row type that the instances cover, int64 [t]."""
    from kanon_sql.kernels.instances import relaxed

    cost, chunks = instances.cost * prices.scale, _chunks(instances)
    covered = [np.zeros(table.row_types, np.int64) for _ in chunks]

    def gains(chunk: tuple[int, int], own: Int64) -> int:
        return int(relaxed(instances.start, instances.member, cost, table.weight, prices.price, k, chunk, own))

    total = int(prices.price @ table.weight) - sum(mapping(threads, enough=len(chunks) > 1)(gains, chunks, covered))
    return total, np.sum(covered, axis=0)


def _chunks(instances: Instances) -> list[tuple[int, int]]:
    """Divide the instances among the threads, by their members."""
    if len(instances.member) <= _MANY:
        return [(0, len(instances))]
    ends = np.searchsorted(instances.start, np.linspace(0, len(instances.member), WORKERS + 1)[1:-1]).tolist()
    return list(zip([0, *ends], [*ends, len(instances)], strict=True))


def _most(instances: Instances, scale: int) -> Int64:
    """Return the prices up to which instances that are not listed gain nothing, in parts of 1/scale."""
    return np.minimum(instances.price_limit, 1 << 44) * scale


def _whole(price: NDArray[np.float64], scale: int, most: Int64) -> Prices:
    return Prices(price=np.minimum(np.rint(price * scale).astype(np.int64), most), scale=scale)
