"""What a row loses in the cheapest class of k rows that holds it, against brute force over all classes."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from solving import coded

from kanon_sql.kernels.summaries import Measure, nearest
from kanon_sql.solvers.summaries import nearest as near_row_types
from kanon_sql.solvers.summaries.measure import measured
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.verification.classes_bound import all_pay_at_most_the_cheapest

CASES = 200


def table_of(seed: int) -> tuple[CodedTable, list[str], NDArray[np.int32], int]:
    """Draw a table of at most 9 row types, the kinds of its columns, the codes of NULL, and k."""
    rng = random.Random(seed)
    m = rng.randint(1, 4)
    values = [[*"abcdefgh"[: rng.randint(1, 8)], *([None] if rng.random() < 0.5 else [])] for _ in range(m)]
    rows = [tuple(rng.choice(each) for each in values) for _ in range(rng.randint(2, 9))]
    rows += [rng.choice(rows) for _ in range(rng.choice([0, 0, 3]))]
    costs = {f"c{c}": rng.choice([1, 3]) for c in range(m)}
    table, _ = coded(rows, weights=costs)
    null = [int(table.cardinality[c]) - 1 if any(row[c] is None for row in rows) else -1 for c in range(m)]
    return table, [rng.choice(["plain", "set", "range"]) for _ in values], np.array(null, np.int32), rng.randint(2, len(rows))


def loss(codes: NDArray[np.int32], measure: Measure) -> int:
    """Return what each row of a class loses, by the definition."""
    total = 0
    for c, kind in enumerate(np.asarray(measure.kind).tolist()):
        null, shown = int(measure.null[c]), set(codes[:, c].tolist())
        numbers = shown - {null}
        steps = [min(1, len(shown) - 1), max(numbers, default=0) - min(numbers, default=0) + (null in shown), len(shown) - 1]
        total += int(measure.step[c]) * (0 if len(shown) == 1 else steps[kind])
    return total


def cheapest(table: CodedTable, measure: Measure, i: int, k: int) -> int:
    """Return what a row loses in the cheapest class of k rows with row type i, by trying all sets of row types."""
    sets = [each for size in range(1, k + 1) for each in combinations(range(table.row_types), size) if i in each]
    return min(loss(table.codes[list(each)], measure) for each in sets if table.weight[list(each)].sum() >= k)


@pytest.mark.sweep
@pytest.mark.parametrize("part", range(4))
def test_that_of_brute_force(part: int) -> None:
    raised = 0
    for seed in range(part, CASES, 4):
        table, kinds, null, k = table_of(seed)
        measure, scale = measured(table, kinds, null)
        order = np.arange(table.row_types)
        found = near_row_types.nearby(table, measure, scale, k, order, classes=True).prices.price.tolist()
        assert found == [cheapest(table, measure, i, k) for i in order.tolist()], seed
        raised += sum(found) > int(near_row_types.nearby(table, measure, scale, k, order).prices.price.sum())
    assert raised > CASES / 20


@pytest.mark.sweep
@pytest.mark.parametrize(("kept", "steps"), [(2, 1000), (64, 1), (64, 20), (3, 30)])
def test_a_search_of_few_row_types_or_that_does_not_end_proves_less(kept: int, steps: int) -> None:
    less = 0
    for seed in range(CASES // 2):
        table, kinds, null, k = table_of(seed)
        measure, _ = measured(table, kinds, null)
        order, near = np.arange(table.row_types), np.empty((table.row_types, 1), np.int32)
        found = nearest(table.codes, table.weight, measure, k, order, 1, 9, near, kept, np.empty(0, np.int32), steps)
        exact = [cheapest(table, measure, i, k) for i in order.tolist()]
        assert all(each <= other for each, other in zip(found.tolist(), exact, strict=True)), seed
        less += found.tolist() != exact
    assert less


def holds(table: CodedTable, kinds: list[str], null: NDArray[np.int32], prices: list[int], k: int, unit: int) -> bool:
    weights, counts = [Fraction(cost) for cost in table.cost.tolist()], table.weight.tolist()
    return all_pay_at_most_the_cheapest(table.codes, kinds, null.tolist(), weights, counts, prices, k, unit)


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("part", range(4))
def test_the_proof_accepts_what_brute_force_finds_and_no_more(part: int) -> None:
    for seed in range(part, CASES, 4):
        table, kinds, null, k = table_of(seed)
        measure, scale = measured(table, kinds, null)
        most = [cheapest(table, measure, i, k) for i in range(table.row_types)]
        assert holds(table, kinds, null, most, k, scale), seed
        assert holds(table, kinds, null, [each // 2 for each in most], k, scale), seed
        for i in range(table.row_types):
            dearer = [each + (i == j) for j, each in enumerate(most)]
            assert not holds(table, kinds, null, dearer, k, scale), (seed, i)
