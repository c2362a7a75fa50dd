"""Means and medians of one column: the dynamic program against brute force over all divisions of the rows."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from naive import partitions

from kanon_sql.solvers.budget import UNLIMITED, Budget
from kanon_sql.solvers.microaggregation.measurements import Measurements
from kanon_sql.solvers.microaggregation.univariate import solve
from kanon_sql.table.measurements import GRAIN

CASES = 120


def deviation(values: Sequence[int], median: bool) -> Fraction:
    """What a class loses, by the definition."""
    if median:
        middle = sorted(values)[(len(values) - 1) // 2]
        return Fraction(sum(abs(value - middle) for value in values))
    mean = Fraction(sum(values), len(values))
    return sum(((value - mean) ** 2 for value in values), Fraction(0))


def case(seed: int) -> tuple[list[int], int, bool]:
    rng = random.Random(seed)
    values = [rng.randint(0, rng.choice([3, 10, 100])) for _ in range(rng.randint(1, 8))]
    if rng.random() < 0.3:
        values = [rng.choice(values[:2]) for _ in values]
    return values, rng.randint(1, min(3, len(values))), rng.random() < 0.5


def measurements(values: Sequence[int], median: bool) -> tuple[list[int], Measurements]:
    codes = sorted(set(values))
    count = np.array([values.count(code) for code in codes])
    numbers = [Fraction(code, 3) for code in codes]
    return codes, Measurements.of(numbers, np.arange(len(codes)), count, null=-1, median=median)


@pytest.mark.everything
def test_the_optimum_of_small_columns() -> None:
    for seed in range(CASES):
        values, k, median = case(seed)
        codes, column = measurements(values, median)
        found = solve(column, k, UNLIMITED)
        assert found is not None
        classes: dict[int, list[int]] = {}
        for row_type, number, count in zip(found.row_type, found.number, found.count, strict=True):
            classes.setdefault(int(number), []).extend([codes[row_type]] * int(count))
        assert sorted(value for each in classes.values() for value in each) == sorted(values), seed
        assert min(map(len, classes.values())) >= k, seed
        lost = sum((deviation(each, median) for each in classes.values()), Fraction(0))
        divided = (each for each in partitions(values) if all(len(part) >= k for part in each))
        assert lost == min(sum((deviation(part, median) for part in each), Fraction(0)) for each in divided), seed
        total = deviation(values, median)
        share = lost / total if total else Fraction(0)
        pieces = found.row_type.astype(np.int64), found.number, found.count
        assert column.share(*pieces) == share
        assert share * len(values) <= column.loss(*pieces) < share * len(values) + GRAIN


def test_long_runs_of_a_value_are_cut_where_that_helps() -> None:
    _, column = measurements([0] * 50 + [10, 10, 11, 20, 20, 21] + [30] * 41 + [40, 44], median=False)
    found = solve(column, 5, UNLIMITED)
    assert found is not None
    # the last two rows borrow as many of the 41 as they need, and no more
    last = found.number == found.number.max()
    assert found.count[last].tolist() == [3, 1, 1]


def test_all_one_value_and_one_class() -> None:
    _, column = measurements([7] * 9, median=False)
    found = solve(column, 4, UNLIMITED)
    assert found is not None
    assert column.loss(found.row_type.astype(np.int64), found.number, found.count) == 0
    _, column = measurements([1, 2, 9], median=False)
    found = solve(column, 3, UNLIMITED)
    assert found is not None
    assert found.number.tolist() == [0, 0, 0]


@pytest.mark.parametrize("median", [False, True])
def test_time_that_is_over_gives_nothing(median: bool) -> None:
    _, column = measurements(list(range(3000)), median)
    assert solve(column, 5, Budget(seconds=1e-9)) is None
