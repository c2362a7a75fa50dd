"""Intervals of ordered labels against all divisions, and against the plain dynamic program."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, combinations, repeat

import numpy as np
import pytest

from kanon_sql.errors import InfeasibleError
from kanon_sql.kernels.labels import plus, square
from kanon_sql.solvers.budget import UNLIMITED, Budget, Moment
from kanon_sql.solvers.labels.grouping import Grouping
from kanon_sql.solvers.labels.intervals import Objective, group

OBJECTIVES: tuple[Objective, ...] = ("max", "sum")


def divided(weight: list[int], k: int, objective: Objective, budget: Budget = UNLIMITED) -> tuple[Grouping, list[int]]:
    """Return the division and the rows of its intervals, after a look at what every division must be."""
    labels = np.array(weight, np.int64)
    found = group(labels, k, budget, objective=objective)
    assert set(np.diff(found.group).tolist()) <= {0, 1}
    assert found.group[0] == 0
    rows = found.rows(labels).tolist()
    assert min(rows) >= k
    assert sum(rows) == sum(weight)
    return found, rows


def squares(rows: list[int]) -> int:
    return sum(each * each for each in rows)


def every(weight: list[int], k: int) -> Iterator[list[int]]:
    """Yield the rows of the intervals of each division."""
    n = len(weight)
    for inner in chain.from_iterable(combinations(range(1, n), size) for size in range(n)):
        rows = [sum(weight[i:j]) for i, j in zip((0, *inner), (*inner, n), strict=True)]
        if min(rows) >= k:
            yield rows


def least(weight: list[int], k: int, heaviest: int | None = None) -> tuple[int, int]:
    """Return the lightest heaviest interval, and the least sum of squares with intervals up to the given; O(n^2)."""
    lightest: list[int | None] = [0]
    smallest: list[int | None] = [0]
    for j in range(1, len(weight) + 1):
        rows = [sum(weight[i:j]) for i in range(j)]
        ends = [(i, r) for i, r in enumerate(rows) if r >= k]
        lightest.append(min((max(value, r) for i, r in ends if (value := lightest[i]) is not None), default=None))
        fitting = [(i, r) for i, r in ends if heaviest is None or r <= heaviest]
        smallest.append(min((value + r * r for i, r in fitting if (value := smallest[i]) is not None), default=None))
    assert lightest[-1] is not None
    assert smallest[-1] is not None
    return lightest[-1], smallest[-1]


def case(rng: random.Random, most: int) -> tuple[list[int], int]:
    top = rng.choice([1, 2, 5, 20, 1000, 1 << 35])
    weight = [rng.choice([rng.randint(1, top), 1, top]) for _ in range(rng.randint(1, most))]
    return weight, rng.randint(1, min(sum(weight), rng.choice([top, 3 * top, 10 * top])))


@pytest.mark.everything
def test_no_division_is_better() -> None:
    rng = random.Random(1)
    for _ in range(500):
        weight, k = case(rng, 10)
        divisions = list(every(weight, k))
        found, rows = divided(weight, k, "max")
        assert (max(rows), squares(rows)) == min((max(each), squares(each)) for each in divisions)
        assert (found.lower_bound, found.bound) == (max(rows), "optimal")
        found, rows = divided(weight, k, "sum")
        assert squares(rows) == min(map(squares, divisions))
        assert (found.lower_bound, found.bound) == (squares(rows), "optimal")


@pytest.mark.everything
def test_the_plain_dynamic_program_agrees() -> None:
    rng = random.Random(2)
    for _ in range(3000):
        weight, k = case(rng, 30)
        heaviest, smallest = least(weight, k)
        assert squares(divided(weight, k, "sum")[1]) == smallest
        rows = divided(weight, k, "max")[1]
        assert (max(rows), squares(rows)) == (heaviest, least(weight, k, heaviest)[1])


@pytest.mark.everything
def test_a_limit_may_bring_back_a_start_that_was_never_the_best() -> None:
    """Between an older start that the limit excludes and a newer one that is better only later."""
    rng = random.Random(3)
    for _ in range(1500):
        weight = [rng.choice([1, 1, 2, 3]) for _ in range(rng.randint(5, 40))] + [rng.randint(20, 60)]
        rng.shuffle(weight)
        k = rng.randint(2, 15)
        rows = divided(weight, k, "max")[1]
        heaviest = least(weight, k)[0]
        assert (max(rows), squares(rows)) == (heaviest, least(weight, k, heaviest)[1])


def test_closing_each_interval_at_k_is_not_optimal() -> None:
    weight = [7, 8, 3, 5, 6, 7, 4]
    closed, rows = [], 0
    for each in weight:
        rows += each
        if rows >= 7:
            closed.append(rows)
            rows = 0
    assert max([*closed[:-1], closed[-1] + rows]) == 17
    assert divided(weight, 7, "max")[1] == [7, 11, 11, 11]


def test_the_two_objectives_differ() -> None:
    weight = [8, 9, 3, 7, 5, 8]
    assert divided(weight, 8, "max")[1] == [8, 12, 12, 8]
    assert divided(weight, 8, "sum")[1] == [8, 9, 10, 13]


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_few_labels(objective: Objective) -> None:
    assert divided([5], 5, objective)[1] == [5]
    assert divided([1, 1, 1], 3, objective)[1] == [3]
    assert divided([4, 1, 4], 1, objective)[1] == [4, 1, 4]
    assert len(divided([1] * 1000, 7, objective)[1]) == 142
    with pytest.raises(InfeasibleError, match=r"cover only 6 rows, fewer than k = 7; hint"):
        divided([3, 3], 7, objective)
    with pytest.raises(InfeasibleError, match="0 rows"):
        divided([], 1, objective)


@pytest.mark.parametrize("total", [1 << 40, (1 << 62) - 1])
def test_sums_of_squares_beyond_64_bits(total: int) -> None:
    rng = random.Random(5)
    for _ in range(50):
        weight = [total // rng.choice([20, 50, 90]) - rng.randint(0, 5) for _ in range(20)]
        weight[rng.randrange(20)] = 1
        k = total // rng.choice([4, 10, 30])
        heaviest, smallest = least(weight, k)
        found, rows = divided(weight, k, "sum")
        assert squares(rows) == found.lower_bound == smallest
        rows = divided(weight, k, "max")[1]
        assert (max(rows), squares(rows)) == (heaviest, least(weight, k, heaviest)[1])


def test_words_of_squares() -> None:
    rng = random.Random(6)
    edges = [0, 1, (1 << 31) - 1, 1 << 31, (1 << 61) + 1, (1 << 62) - 1]
    for x in edges + [rng.randrange(1 << rng.randint(1, 62)) for _ in range(500)]:
        high, low = square(x)
        assert (high << 62) + low == x * x
        assert 0 <= low < 1 << 62
        y = rng.randrange((1 << 124) - x * x)
        high, low = plus((high, low), (y >> 62, y & ((1 << 62) - 1)))
        assert (high << 62) + low == x * x + y
        assert 0 <= low < 1 << 62


def test_many_labels() -> None:
    rng = np.random.default_rng(7)
    weight = (rng.pareto(1.5, 100_000) * 5 + 1).astype(np.int64)
    most = group(weight, 500, UNLIMITED, objective="max")
    rows = most.rows(weight)
    assert rows.min() >= 500
    assert rows.max() == most.lower_bound <= weight.max() + 2 * 499
    total = group(weight, 500, UNLIMITED, objective="sum")
    assert squares(total.rows(weight).tolist()) == total.lower_bound <= squares(rows.tolist())


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending(Budget):
    """A budget that answers as listed."""

    answers: Iterator[bool]

    def over(self) -> bool:
        return next(self.answers)


@pytest.mark.parametrize("asked", range(8))
def test_when_the_time_is_up_there_is_a_division_and_a_bound(asked: int) -> None:
    rng = random.Random(8)
    unfinished = 0
    for _ in range(50):
        weight, k = case(rng, 30)
        budget = Ending(answers=chain(repeat(False, asked), repeat(True)))
        found, rows = divided(weight, k, "max", budget)
        heaviest = least(weight, k)[0]
        assert found.lower_bound <= heaviest <= max(rows) <= max(weight) + 2 * (k - 1)
        assert (found.bound == "optimal") <= (found.lower_bound == max(rows))
        unfinished += found.bound != "optimal"
    assert unfinished > 0


def test_progress_is_reported() -> None:
    seen: list[Moment] = []
    rows = divided([7, 8, 3, 5, 6, 7, 4], 7, "max", Budget(progress=seen.append))[1]
    assert [moment.done for moment in seen] == sorted(moment.done for moment in seen)
    for moment in seen:
        assert moment.lower_bound is not None
        assert moment.cost is not None
        assert moment.lower_bound <= max(rows) <= moment.cost
