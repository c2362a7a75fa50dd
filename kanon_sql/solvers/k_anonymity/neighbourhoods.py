"""Large neighbourhoods: some hundred rows with all their classes are assigned anew by the integer program.

Two neighbourhoods that share no class are solved at a time, on two threads. The classes around them stay; rows may move
into those, and new classes may be opened anywhere in the search space.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from kanon_sql.kernels import seeded
from kanon_sql.kernels.classes import Partition, classes_near, put_all, take_all
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.instances.ilp import Assignment, Outcome, solve_program
from kanon_sql.solvers.instances.neighbourhood import Neighbourhood, Placement, expensive_row_type, places_of
from kanon_sql.solvers.instances.search_space import RowSearchSpace
from kanon_sql.solvers.patience import Patience
from kanon_sql.table.arrays import Int32

_ROWS, _CLASSES = 130, 8
"""Rows of a neighbourhood at first, or as many smallest classes as that where this is more."""

_PAIRS, _MORE_PAIRS = 500, 8_000
"""Pairs of a group of rows and an instance beyond which neighbourhoods shrink: at first, and when they grow."""

_NODES = 1
"""Nodes of the search tree of one program at first: the root and its cuts."""

_IDLE = 12
"""Rounds without a gain after which neighbourhoods grow, or the search ends, where the clock does not end it."""

_SECONDS = 3.0
"""Longest time of one program where there is a time limit."""

ROUNDS = 50
"""Pairs of neighbourhoods where the clock does not decide: the local search before leaves little to gain in large tables."""


def improve(space: RowSearchSpace, partition: Partition, bound: int, budget: Budget, rounds: int | None) -> None:
    """Assign neighbourhoods anew until the rounds or the time are over; never to more cost.

    Parameters
    ----------
    space, partition
        Where; the partition is changed.
    bound : int
        A lower bound on the cost of every release, at which the search ends.
    rounds : int, optional
        Pairs of neighbourhoods; None goes on until the time is over.
    """
    random, state = np.random.default_rng(budget.seed), seeded(budget.seed)
    cost, done, idle = space.cost(partition), 0, 0
    rows = most = max(_ROWS * max(1, space.table.rows // space.table.row_types), _CLASSES * space.k)
    quick, patience = True, Patience(budget)
    in_vain: set[bytes] = set()  # neighbourhoods solved since the last gain: where there are few rows, they come again

    def solved(near: Neighbourhood) -> Outcome:
        seconds = math.inf if budget.seconds is None else min(_SECONDS, budget.left())
        return solve_program(near.program, seconds=seconds, nodes=_NODES if quick else None, quick=quick)

    with ThreadPoolExecutor(max_workers=2) as threads:
        while cost > bound and not budget.over() and (rounds is None or done < rounds):
            if rounds is not None and patience.ends(done / rounds, cost, bound):
                break
            lifted = []
            for _ in range(2):
                seed = expensive_row_type(
                    partition, np.asarray(space.candidates.cost), np.asarray(space.candidates.price), random
                )
                placement = _lifted(partition, classes_near(space.candidates, partition, seed, rows, state))
                if placement.key() in in_vain:
                    _put_back(partition, placement)
                elif len(placement.count):
                    lifted.append(placement)
            near = [Neighbourhood.of(space, partition, *placement.by_row_type()) for placement in lifted]
            pairs = max((len(each.program.group) for each in near), default=0)
            if pairs > (_PAIRS if quick else _MORE_PAIRS) and rows > space.k + 1:
                for placement in lifted:
                    _put_back(partition, placement)
                rows = max(rows * 4 // 5, space.k + 1)
                continue
            for placement, around, outcome in zip(lifted, near, threads.map(solved, near), strict=True):
                _apply(space, partition, placement, around, outcome.assignment)
            rows = min(most, rows * 5 // 4 + 1) if lifted else max(rows * 4 // 5, space.k + 1)
            in_vain.update(placement.key() for placement in lifted)
            done += 1
            if space.cost(partition) == cost:
                idle += 1
            else:
                cost, idle = space.cost(partition), 0
                in_vain.clear()
            if idle == _IDLE:
                if rounds is not None:
                    break
                # Small neighbourhoods gain most for their time; when they have nothing left, larger ones may.
                idle, quick, most = 0, False, min(most * 3 // 2, space.table.rows)
                in_vain.clear()
            budget.report("neighbourhoods", budget.share() if rounds is None else done / rounds, cost, bound)


def _lifted(partition: Partition, classes: Int32) -> Placement:
    """Take classes out of the partition."""
    place = np.array([place for number in classes.tolist() for place in places_of(partition, number)], np.int64)
    lifted = Placement.at(partition, place, np.asarray(partition.amount)[place])
    take_all(partition, lifted.row_type, lifted.number, lifted.count)
    return lifted


def _put_back(partition: Partition, placement: Placement) -> None:
    put_all(partition, placement.row_type, placement.number, placement.count)


def _apply(
    space: RowSearchSpace, partition: Partition, placement: Placement, near: Neighbourhood, answer: Assignment | None
) -> None:
    """Put the rows where the answer says if that costs no more, else back."""
    cost = space.instances.cost
    if answer is not None and answer.cost <= int(cost[placement.number] @ placement.count):
        new = near.placed(answer)
        fitted = put_all(partition, new.row_type, new.number, new.count)
        if fitted == len(new.count):
            return
        take_all(partition, new.row_type[:fitted], new.number[:fitted], new.count[:fitted])
    _put_back(partition, placement)
