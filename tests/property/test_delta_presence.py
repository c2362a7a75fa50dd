"""delta-presence against brute force over the masks of all rows, and against a count in plain Python."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from naive import Row

import kanon_sql
from kanon_sql.errors import InfeasibleError
from kanon_sql.model.requirements import DeltaPresence
from kanon_sql.solvers.guarantees.delta_presence import greatest_sum
from kanon_sql.table.coded_table import Population

COLUMNS = ("a", "b")

Shown = tuple[int | str | None, ...]


def greatest(released: Iterable[Shown], population: Sequence[Shown]) -> Fraction | None:
    """Return the greatest sum of shares of a row of the population, None where a class has more rows; '*' is suppressed."""
    sums = [Fraction(0)] * len(population)
    for looks, rows in Counter(released).items():
        match = [all(cell in ("*", value) for cell, value in zip(looks, row, strict=True)) for row in population]
        if rows > sum(match):
            return None
        for place, matches in enumerate(match):
            sums[place] += Fraction(rows, sum(match)) if matches else 0
    return max(sums, default=Fraction(0))


def drawn(seed: int) -> tuple[list[Row], list[Row], Fraction]:
    """Return the rows of a table, of a population around it, and a delta."""
    rng = random.Random(seed)
    values = (0, 1, 2, None)
    rows: list[Row] = [tuple(rng.choice(values) for _ in COLUMNS) for _ in range(rng.randint(1, 5))]
    others: list[Row] = [tuple(rng.choice((*values[1:], 7)) for _ in COLUMNS) for _ in range(rng.randint(0, 14))]
    return rows, [*rows, *others], Fraction(rng.randint(1, 5), rng.choice((5, 6, 7, 10)))


def table(rows: Sequence[Row]) -> pa.Table:
    return pa.table({name: pa.array([row[c] for row in rows], pa.int64()) for c, name in enumerate(COLUMNS)})


def optimum(rows: Sequence[Row], population: Sequence[Row], delta: Fraction, k: int) -> int | None:
    """Return the fewest suppressed cells of all releases, None where there is none."""
    costs = []
    for masks in product(list(product((False, True), repeat=len(COLUMNS))), repeat=len(rows)):
        released = [
            tuple("*" if hide else value for hide, value in zip(mask, row, strict=True))
            for mask, row in zip(masks, rows, strict=True)
        ]
        found = greatest(released, population)
        if found is not None and found <= delta and min(Counter(released).values()) >= k:
            costs.append(sum(map(sum, masks)))
    return min(costs, default=None)


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(60))
def test_a_release_is_found_where_there_is_one_and_keeps_delta(seed: int) -> None:
    rows, population, delta = drawn(seed)
    k = 1 + seed % 3 // 2
    best = optimum(rows, population, delta, k)

    def release() -> kanon_sql.Release:
        return kanon_sql.anonymize(
            table(rows),
            k=k,
            quasi_identifiers=COLUMNS,
            requirements=[DeltaPresence(delta=delta, population="census")],
            tables={"census": table(population)},
            suppress="*",
        )

    if best is None:
        with pytest.raises(InfeasibleError, match="hint: "):
            release()
        return
    found = release()
    assert found.certificate.lower_bound <= best <= found.certificate.cost
    assert (found.certificate.status.value == "OPTIMAL") == (found.certificate.lower_bound == found.certificate.cost)
    looks = list(zip(*(found.table.column(name).to_pylist() for name in COLUMNS), strict=True))
    texts = [tuple(None if cell is None else str(cell) for cell in row) for row in population]
    kept = greatest(looks, texts)
    assert kept is not None
    assert kept <= delta
    assert min(Counter(looks).values()) >= k


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(40))
def test_the_exact_test_is_the_sum_of_fractions(seed: int) -> None:
    """With few rows of the population no share is rounded, so sums equal fractions; of many rows they are never below."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, (8, 3)).astype(np.int32)
    people = Population(codes=rng.integers(-1, 3, (20, 3)).astype(np.int32), weight=rng.integers(1, 3 + 997 * (seed % 2), 20))
    shown, count = rng.integers(0, 8, 8).astype(np.uint64), rng.integers(1, 3, 8)
    looks = [
        tuple(int(code) if mask >> c & 1 else "*" for c, code in enumerate(row))
        for row, mask, rows in zip(codes, shown.tolist(), count, strict=True)
        for _ in range(rows)
    ]
    everybody = [tuple(row) for row, weight in zip(people.codes.tolist(), people.weight, strict=True) for _ in range(weight)]
    asked = DeltaPresence(delta=Fraction(3, 7), population="census")
    found, exact = greatest_sum(people, codes, shown, count, asked.unit), greatest(looks, everybody)
    if exact is None:
        assert found is None
        return
    assert found is not None
    assert 0 <= Fraction(found, asked.unit) - exact < Fraction(8, 2**52)
    if seed % 2 == 0:
        assert Fraction(found, asked.unit) == exact
    assert (found <= asked.most) == (exact <= asked.delta)
