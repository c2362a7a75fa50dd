"""Prices for rows, by subgradient steps: the price of a row falls if it is in too many classes, and rises if it is in none.

As in `kanon_sql.solvers.k_anonymity.lagrangian`, but what an instance covers is a class that meets the
requirement, found by a heuristic: the prices lead a search, and prove nothing.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanon_sql.kernels.requirements import Selection, cover
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.sensitive.search_space import SensitiveSearchSpace
from kanon_sql.solvers.threads import WORKERS, mapping
from kanon_sql.table.arrays import Int64

Floats = NDArray[np.float64]

FEW_COUNTERS = 4
"""Sensitive values up to which more rounds and prices that prove a bound lead to better releases, and take little time.

With the 15 occupations of Adult, the bound of t takes 8 of 16 CPU seconds, and no release is better.
"""

_ROUNDS, _MORE_ROUNDS, _STEPS = 3, 12, 8
"""Rounds for many and for few sensitive values, and subgradient steps in each."""

_WORK, _MORE_WORK = 1 << 26, 3 << 28
"""Items of all instances looked at in all rounds together: larger search spaces take fewer rounds, at least one.

With one round under alpha, classes that prices open cost 38,300 on Adult in levels, and 20,300 with more.
"""

_MANY, _CHUNKS = 1 << 13, 4
"""Items from which on the work is divided among threads, and chunks on any number of cores: their floats are added up."""

_START = 0.25
"""Where between the cheapest instance of a row and what it pays in a known release its price starts."""

_AIM, _RISE, _ABOVE = 0.95, 1.4, 1.5
"""What prices aim at: this share of the cost of a known release; and with few values, so many times what they seem to prove."""

_MARGIN, _NARROWER = 0.5, 0.6
"""Cells for each of the least rows that an instance may lose to be looked at during the first round, and what is left later."""

_FIRST_STEP, _LAST_STEP = 0.4, 0.02
"""The step length, as a share of what the aim asks for, falls geometrically."""

_MOMENTUM = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Guide:
    """What leads a search."""

    price: Floats  # [t]: price of a row of each row type, in units of the table
    surplus: Floats  # [j]: what each instance gains from them, below 0 what it would lose, -inf where it holds no class
    value: float  # what they seem to prove: classes are found by a heuristic


def prices(space: SensitiveSearchSpace, mean_costs: Floats, cost: int, budget: Budget) -> Guide:
    """Return prices at which rows and instances nearly agree.

    Parameters
    ----------
    space : SensitiveSearchSpace
        Where each row has an instance.
    mean_costs : float64 array [t]
        What the rows of each row type pay in a known release, on average.
    cost : int
        What that release costs.

    Notes
    -----
    O(items) for each of at most 12 rounds, and less for each of 8 steps a round, on all cores.
    """
    cheapest = space.cheapest().astype(np.float64)
    least = 0.0 if _many(space) else float(cheapest @ space.table.weight)
    return _adjusted(space, cheapest + _START * (mean_costs - cheapest), _AIM * cost, least, cost, budget)


def raised_prices(space: SensitiveSearchSpace, guide: Guide, cost: int, budget: Budget) -> Guide:
    """Return prices at which more instances gain: they aim at what a good release costs, some way above the bound.

    Parameters
    ----------
    space, cost, budget
        As in `prices`.
    guide : Guide
        What they start from.
    """
    return _adjusted(space, guide.price, _ABOVE * guide.value, 0.0, cost, budget)


def _many(space: SensitiveSearchSpace) -> bool:
    return space.requirement.counters > FEW_COUNTERS


def _adjusted(space: SensitiveSearchSpace, price: Floats, aim: float, least: float, cost: int, budget: Budget) -> Guide:
    """Return the best prices found by subgradient steps that aim at a cost, or above what is proven from a known least on."""
    weight, cells = space.table.weight.astype(np.float64), float(space.table.cost.max())
    most, work = (_ROUNDS, _WORK) if _many(space) else (_MORE_ROUNDS, _MORE_WORK)
    rounds = max(1, min(most, work // (_STEPS * max(1, len(space.candidates.item)))))
    speed, guide = np.zeros(len(price)), Guide(price=price, surplus=np.zeros(len(space)), value=-np.inf)
    begun = budget.share()
    with ThreadPoolExecutor(max_workers=WORKERS) as threads:
        selections = [space.selection(space.table.weight, price) for _ in range(_CHUNKS)]
        for number in range(rounds + 1):
            margin = _MARGIN * _NARROWER**number * space.requirement.least * cells
            value, _, surplus = _covered(space, price, -margin, threads, selections, budget)
            if value > guide.value and not budget.over():
                guide = Guide(price=price.copy(), surplus=surplus, value=value)
            budget.report("prices", number / rounds, cost)
            if number == rounds or budget.over():
                break
            near = space.take(np.flatnonzero(surplus > -margin))
            for step in range(_STEPS):
                value, covered, _ = _covered(near, price, 0.0, threads, selections, budget)
                if budget.over():
                    return guide
                # Per row: a row type of many rows moves as fast as one of a single row.
                slope = (space.table.weight - covered) / weight
                done = max((number + step / _STEPS) / rounds, (budget.share() - begun) / max(1e-9, 1.0 - begun))
                length = _FIRST_STEP * (_LAST_STEP / _FIRST_STEP) ** done
                norm = max(float((slope * slope * weight).sum()), 1e-9)  # not @, whose idle threads keep the cores busy
                wanted = _RISE * max(guide.value, least) if least else aim
                speed = _MOMENTUM * speed + length * max(0.0, wanted - value) / norm * slope
                price = price + speed
    return guide


def guide_at(space: SensitiveSearchSpace, price: Floats, budget: Budget) -> Guide:
    """Return what leads a search at given prices, as far as there is time; O(items)."""
    margin = _MARGIN * space.requirement.least * float(space.table.cost.max())
    with ThreadPoolExecutor(max_workers=WORKERS) as threads:
        selections = [space.selection(space.table.weight, price) for _ in range(_CHUNKS)]
        value, _, surplus = _covered(space, price, -margin, threads, selections, budget)
    return Guide(price=price, surplus=surplus, value=value)


def _covered(
    space: SensitiveSearchSpace,
    price: Floats,
    floor: float,
    threads: ThreadPoolExecutor,
    selections: list[Selection],
    budget: Budget,
) -> tuple[float, Int64, Floats]:
    """Return what the prices seem to prove, the rows of each row type that are covered, and what each instance gains.

    When the time is up, the other instances gain nothing.
    """
    ends = np.searchsorted(space.start, np.linspace(0, space.start[-1], len(selections) + 1)[1:-1]).tolist()
    covered = [np.zeros(space.table.row_types, np.int64) for _ in selections]
    surplus = np.full(len(space), -np.inf)
    # without a limit, a chunk is looked at at once: its floats are added up in one order
    step = space.requirement.judged_at_once(budget, max(1, len(space)))

    def gains(chunk: tuple[int, int], selection: Selection, own: Int64) -> float:
        selection.set_supply(space.table.weight, price)
        gained = 0.0
        for first in range(*chunk, step):
            if budget.over():
                break
            part = first, min(first + step, chunk[1])
            gained += cover(selection, space.candidates, space.cost, part, floor, own, surplus)
        return gained

    chunks = list(zip([0, *ends], [*ends, len(space)], strict=True))
    gained = sum(mapping(threads, enough=len(space.candidates.item) > _MANY)(gains, chunks, selections, covered))
    total: Int64 = np.sum(covered, axis=0)
    return float((price * space.table.weight).sum()) - gained, total, surplus
