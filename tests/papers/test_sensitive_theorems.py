"""The theorems about t-closeness and 2-diversity as tests.

References
----------
Liang, Yuan: On the Complexity of t-Closeness Anonymization and Related Problems (2013).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations

import instances
import numpy as np
import pytest
from instances import SensitiveInstance
from naive import class_cost
from requirement_oracle import equal as equal_values
from requirement_oracle import moved
from sensitive_cases import Attribute, Case, Ground, Solve, solved
from solving import coded
from solving import plain as rows_only

from kanon_sql.model.distances import Distance, MatrixDistance, equal
from kanon_sql.model.requirements import LDiversity, TCloseness
from kanon_sql.solvers.budget import UNLIMITED
from kanon_sql.solvers.k_anonymity import subset_dp as k_subset_dp
from kanon_sql.solvers.sensitive import matching, optimal, subset_dp
from kanon_sql.table.patterns import permitted


def distance(values: int, apart: Ground | None = None) -> tuple[Distance, Ground]:
    """Return the equal distance of some values, or the one of a matrix."""
    if apart is None:
        return equal(values), [[Fraction(i != j) for j in range(values)] for i in range(values)]
    scale = max(each.denominator for row in apart for each in row)
    return MatrixDistance(cost=np.array([[int(each * scale) for each in row] for row in apart], np.int64), scale=scale), apart


def close(rows: Sequence[tuple[str, ...]], values: list[int], t: Fraction, apart: Ground | None = None) -> Case:
    """Return a table that has to be t-close, with every mask."""
    names = [str(value) for value in range(max(values) + 1)]
    metric = "equal" if apart is None else "main.distances"
    return Case(
        rows=list(rows),
        k=1,
        masks=None,
        weights=[Fraction(1)] * len(rows[0]),
        attributes={"s": Attribute(values=values, names=names, distances={metric: distance(len(names), apart)})},
        requirements=[TCloseness(sensitive="s", t=t, metric=metric)],
    )


def sets(*members: str) -> list[frozenset[int]]:
    return [frozenset(map(int, each)) for each in members]


THIRD = Fraction(1, 3)
MATCHINGS: dict[str, SensitiveInstance] = {
    "6: one triple": instances.three_sets_matching(1, sets("012"), Fraction(0)),
    "6: a matching of 2": instances.three_sets_matching(2, sets("024", "135", "025"), Fraction(1, 4)),
    "6: no matching of 2": instances.three_sets_matching(2, sets("024", "125", "035"), Fraction(3, 10)),
    "6: a matching of 3": instances.three_sets_matching(3, sets("036", "147", "258", "037", "146"), Fraction(1, 10)),
    "6: no matching of 3": instances.three_sets_matching(3, sets("036", "047", "058", "136", "246"), Fraction(8, 25)),
    "6: a matching of 4": instances.three_sets_matching(
        4, [frozenset(each) for each in ((0, 4, 8), (1, 5, 9), (2, 6, 10), (3, 7, 11), (0, 5, 10), (1, 4, 11))], Fraction(0)
    ),
    "7: one triple, t = 1/3": instances.four_values_matching(1, sets("012"), THIRD),
    "7: one triple, t = 2/5": instances.four_values_matching(1, sets("012"), Fraction(2, 5)),
    "7: a matching of 2": instances.four_values_matching(2, sets("024", "135", "025"), THIRD),
    "7: no matching of 2": instances.four_values_matching(2, sets("024", "125", "035"), THIRD),
}


@pytest.mark.sweep
@pytest.mark.parametrize("name", MATCHINGS)
def test_optimal_proves_the_claim(name: str) -> None:
    known = MATCHINGS[name]
    table, recoding = solved(optimal.solve, close(known.rows, known.values, known.t, known.apart))
    assert recoding.cost(table) == recoding.lower_bound == known.optimum


@pytest.mark.sweep
@pytest.mark.parametrize("name", [name for name, known in MATCHINGS.items() if len(known.rows) <= 15])
def test_the_subsets_of_the_rows_prove_the_claim(name: str) -> None:
    known = MATCHINGS[name]
    table, recoding = solved(subset_dp.solve, close(known.rows, known.values, known.t, known.apart))
    assert recoding.cost(table) == known.optimum


@pytest.mark.parametrize("name", MATCHINGS)
def test_a_matching_costs_3_n_times_m_minus_1(name: str) -> None:
    known = MATCHINGS[name]
    n, m = sum(value < 3 for value in known.values) // 3, len(known.rows[0])
    assert (known.optimum <= 3 * n * (m - 1)) == ("no matching" not in name)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("solve", [optimal.solve, subset_dp.solve], ids=["optimal", "subset_dp"])
def test_lemma_1_with_distinct_values_t_closeness_is_k_anonymity(seed: int, solve: Solve) -> None:
    rng = random.Random(seed)
    n, m = rng.randint(5, 11), rng.randint(2, 4)
    k = rng.randint(2, 4)
    rows = [tuple(rng.choice("abc") for _ in range(m)) for _ in range(n)]
    table, recoding = solved(solve, close(rows, list(range(n)), 1 - Fraction(k, n)))
    plain, policy = coded(rows, k=k)
    least = k_subset_dp.solve(rows_only(plain, permitted(plain, policy), k), UNLIMITED).lower_bound
    assert recoding.cost(table) == recoding.lower_bound == least


@cache
def falls_apart(counts: tuple[int, ...]) -> bool:
    """Whether rows, counted by value, can be divided into twos and threes of different values."""
    left = [value for value, count in enumerate(counts) if count]
    if not left:
        return True
    first, *others = left
    return any(
        falls_apart(tuple(count - (value in (first, *more)) for value, count in enumerate(counts)))
        for size in (1, 2)
        for more in combinations(others, size)
    )


def test_lemma_2_a_diverse_class_falls_apart_into_twos_and_threes_of_different_values() -> None:
    def histograms(values: int, rows: int) -> list[tuple[int, ...]]:
        if not values:
            return [()]
        return [(count, *rest) for count in range(rows + 1) for rest in histograms(values - 1, rows - count)]

    tried: Counter[bool] = Counter()
    for counts in histograms(4, 9):
        if sum(counts):
            diverse = 2 * max(counts) <= sum(counts)
            assert falls_apart(counts) == diverse
            tried[diverse] += 1
    assert min(tried.values()) > 100


TABLE_1 = [
    ("98765", "38", "Bachelor", 0),
    ("98654", "39", "Doctorate", 1),
    ("98543", "32", "Master", 1),
    ("97654", "65", "Bachelor", 2),
    ("96689", "45", "Bachelor", 0),
    ("97427", "33", "Bachelor", 0),
    ("96552", "54", "Bachelor", 1),
    ("97017", "69", "Doctorate", 2),
    ("97023", "55", "Master", 2),
    ("97009", "62", "Bachelor", 2),
]
"""Viral infection, heart disease and cancer are 0, 1 and 2; each digit is a quasi-identifier of its own."""

DIGITS = [(*zipcode, *age, education) for zipcode, age, education, _ in TABLE_1]
DISEASES = [disease for _, _, _, disease in TABLE_1]
TABLE_3 = [(1, 2), (3, 5, 8, 9), (4, 6, 7, 10)]
TABLE_5 = [(1, 2, 4), (3, 5, 8, 9), (6, 7, 10)]


def apart_from_all(group: Sequence[int]) -> Fraction:
    """The earth mover's distance of a group of Table 1, by the numbers of its rows, from the whole table."""
    held = Counter(DISEASES[number - 1] for number in group)
    return moved(held, Counter(DISEASES), equal_values)


def cost_of(groups: Sequence[Sequence[int]]) -> int:
    return int(sum(class_cost([DIGITS[number - 1] for number in group]) for group in groups))


def test_table_3_is_diverse_but_at_a_distance_of_two_fifths() -> None:
    drawn = close(DIGITS, DISEASES, Fraction(3, 10))
    assert [apart_from_all(group) for group in TABLE_3] == [Fraction(2, 5), Fraction(1, 10), Fraction(1, 10)]
    assert [drawn.kept([number - 1 for number in group]) for group in TABLE_3] == [False, True, True]
    requirement = drawn.coded().requirement
    held = np.array([[sum(DISEASES[number - 1] == disease for number in group) for disease in range(3)] for group in TABLE_3])
    assert requirement.met(held).tolist() == [False, True, True]
    assert all(max(row) * 2 <= sum(row) for row in held.tolist())


def test_table_5_is_at_a_distance_of_a_tenth() -> None:
    assert [apart_from_all(group) for group in TABLE_5] == [Fraction(1, 15), Fraction(1, 10), Fraction(1, 15)]


@pytest.mark.sweep
@pytest.mark.parametrize("t", [Fraction(3, 10), Fraction(1, 10), Fraction(1, 15), Fraction(0)])
def test_table_1_costs_no_more_than_table_5(t: Fraction) -> None:
    drawn = close(DIGITS, DISEASES, t)
    table, recoding = solved(optimal.solve, drawn)
    assert recoding.cost(table) == recoding.lower_bound
    assert recoding.cost(table) == solved(subset_dp.solve, drawn)[1].cost(table)
    assert t < Fraction(1, 10) or recoding.cost(table) <= cost_of(TABLE_5)


def test_theorem_11_table_1_is_2_diverse_at_no_more_than_table_3() -> None:
    drawn = replace(close(DIGITS, DISEASES, Fraction(1)), requirements=[LDiversity(sensitive="s", l=2)])
    found = [solved(solve, drawn) for solve in (matching.solve, optimal.solve, subset_dp.solve)]
    assert len({recoding.cost(table) for table, recoding in found}) == 1
    table, recoding = found[0]
    assert recoding.cost(table) == recoding.lower_bound <= cost_of(TABLE_3)
