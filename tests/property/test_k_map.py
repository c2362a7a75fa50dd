"""k-map against brute force: each row takes its cheapest mask, alone and beside guarantees about rows."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from naive import Row, partitions

import kanon_sql
from kanon_sql.errors import InfeasibleError
from kanon_sql.model.requirements import KMap
from kanon_sql.solvers.guarantees.k_map import matches
from kanon_sql.solvers.population.cheapest import NOTHING, Counted, cheapest
from kanon_sql.table.coded_table import Population
from kanon_sql.table.patterns import PatternSet

COLUMNS = ("a", "b", "c")


def matching(population: Sequence[Row], row: Row, shown: Sequence[int]) -> int:
    """Count the rows of a population that have what a row shows; NULL has NULL."""
    return sum(all(other[c] == row[c] for c in shown) for other in population)


def masks(columns: int) -> list[tuple[int, ...]]:
    return [mask for size in range(columns + 1) for mask in combinations(range(columns), size)]


def drawn(seed: int) -> tuple[list[Row], list[Row], random.Random]:
    """Return the rows of a table and of a population, with empty cells, and values that the other has not."""
    rng = random.Random(seed)
    values = (0, 1, 2, None)
    rows: list[Row] = [tuple(rng.choice(values) for _ in COLUMNS) for _ in range(rng.randint(1, 6))]
    return rows, [tuple(rng.choice((*values[1:], 7)) for _ in COLUMNS) for _ in range(rng.randint(0, 12))], rng


def table(rows: Sequence[Row]) -> pa.Table:
    return pa.table({name: pa.array([row[c] for row in rows], pa.int64()) for c, name in enumerate(COLUMNS)})


def shown_matches(released: pa.Table, population: Sequence[Row]) -> list[int]:
    """Return what each released row matches, by the texts that a reader sees; '*' is suppressed."""
    rows = zip(*(released.column(name).to_pylist() for name in COLUMNS), strict=True)
    texts = [tuple(None if cell is None else str(cell) for cell in row) for row in population]
    return [matching(texts, row, [c for c, cell in enumerate(row) if cell != "*"]) for row in rows]


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(60))
def test_each_row_takes_its_cheapest_mask(seed: int) -> None:
    rows, population, rng = drawn(seed)
    k, weights = rng.randint(1, 4), [Fraction(rng.randint(1, 3)) for _ in COLUMNS]
    cheapest_of = [
        min(
            (sum(weights[c] for c in range(3) if c not in mask) for mask in masks(3) if matching(population, row, mask) >= k),
            default=None,
        )
        for row in rows
    ]

    def release() -> kanon_sql.Release:
        return kanon_sql.anonymize(
            table(rows),
            quasi_identifiers=COLUMNS,
            weights=dict(zip(COLUMNS, weights, strict=True)),
            requirements=[KMap(k=k, population="census")],
            tables={"census": table(population)},
            suppress="*",
        )

    if None in cheapest_of:
        with pytest.raises(InfeasibleError, match=f"the population has {len(population)} rows?;"):
            release()
        return
    found = release()
    assert found.certificate.cost == found.certificate.lower_bound == sum(cheapest_of)
    assert found.certificate.status.value == "OPTIMAL"
    assert min(shown_matches(found.table, population)) >= k


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(60))
def test_beside_k_anonymity_every_class_has_both(seed: int) -> None:
    rows, population, rng = drawn(seed)
    k, least = rng.randint(1, 3), 2

    def cost(members: list[Row]) -> int | None:
        agreed = [mask for mask in masks(3) if all(len({row[c] for row in members}) == 1 for c in mask)]
        hidden = [3 - len(mask) for mask in agreed if matching(population, members[0], mask) >= k]
        return min(hidden, default=None) and min(hidden) * len(members) if hidden else None

    optimum = None
    for classes in partitions(rows):
        if all(len(each) >= least for each in classes):
            costs = [0 if cost(each) == 0 else cost(each) for each in classes]
            if None not in costs and (optimum is None or sum(costs) < optimum):
                optimum = sum(costs)
    for algorithm in ("refine", "greedy"):

        def release(algorithm: str = algorithm) -> kanon_sql.Release:
            return kanon_sql.anonymize(
                table(rows),
                k=least,
                quasi_identifiers=COLUMNS,
                requirements=[KMap(k=k, population="census")],
                tables={"census": table(population)},
                suppress="*",
                algorithm=algorithm,
            )

        if optimum is None:
            with pytest.raises(InfeasibleError, match="hint"):
                release()
            continue
        found = release()
        assert found.certificate.lower_bound <= optimum <= found.certificate.cost
        assert min(shown_matches(found.table, population)) >= k
        looks = Counter(zip(*(found.table.column(name).to_pylist() for name in COLUMNS), strict=True))
        assert min(looks.values()) >= least


def test_levels_that_follow_from_finer_ones_are_searched_alike() -> None:
    rng = np.random.default_rng(6)
    for _ in range(40):
        leaf, other = rng.integers(0, 12, (2, 300)).astype(np.int32)
        codes = np.stack([leaf, leaf // 2, leaf // 6, other, other // 4], axis=1)
        everybody = Counted(codes=np.where(rng.random((90, 1)) < 0.1, -1, codes[:90]), weight=rng.integers(1, 4, 90), least=4)
        counted = [everybody, Counted(codes=codes, weight=np.ones(300, np.int64), least=3)]
        shown = np.array([one | many for one in (0b111, 0b110, 0b100, 0) for many in (0b11000, 0b10000, 0)], np.uint64)
        cost = (~shown[:, None] >> np.arange(5, dtype=np.uint64) & np.uint64(1)).astype(np.int64) @ np.array([1, 2, 4, 2, 3])
        order = np.argsort(cost, kind="stable")
        listed = PatternSet(shown=shown[order], cost=cost[order])
        found = [
            cheapest(codes, np.array([1, 2, 4, 2, 3]), listed, counted, ladders=ladders)
            for ladders in ((), ([0, 1, 2], [3, 4]))
        ]
        assert (found[0].cost == found[1].cost).all()
        assert (found[0].shown == found[1].shown).all()
        people = Population(codes=everybody.codes, weight=everybody.weight)
        drawn = rng.choice(shown, 300)
        assert (matches(people, codes, drawn) == matches(people, codes, drawn, ([0, 1, 2], [3, 4]))).all()


@pytest.mark.parametrize("size", [3, 90_000])
def test_matches_are_counted_under_each_mask(size: int) -> None:
    rng = np.random.default_rng(7)
    codes = rng.integers(0, size, (200, 3)).astype(np.int32)
    picked = codes[rng.integers(0, 200, 400)]
    everybody = Population(
        codes=np.where(rng.random(picked.shape) < 0.2, -1, picked).astype(np.int32), weight=rng.integers(1, 5, 400)
    )
    shown = rng.integers(0, 8, 200).astype(np.uint64)
    counted = [
        sum(
            int(weight)
            for other, weight in zip(everybody.codes, everybody.weight, strict=True)
            if all(other[column] == row[column] for column in range(3) if int(mask) >> column & 1)
        )
        for row, mask in zip(codes, shown, strict=True)
    ]
    assert matches(everybody, codes, shown).tolist() == counted
    nobody = Population(codes=np.empty((0, 3), np.int32), weight=np.empty(0, np.int64))
    assert not matches(nobody, codes, shown).any()
    assert not len(matches(everybody, codes[:0], shown[:0]))


def test_masks_that_are_not_listed_are_searched_alike() -> None:
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 3, (20, 5)).astype(np.int32)
    population = Counted(codes=rng.integers(-1, 3, (60, 5)).astype(np.int32), weight=rng.integers(1, 4, 60), least=4)
    cost = np.array([3, 1, 2, 2, 1])
    every = np.arange(32, dtype=np.uint64)
    bits = (every[:, None] >> np.arange(5, dtype=np.uint64)) & np.uint64(1)
    order = np.argsort((1 - bits.astype(np.int64)) @ cost, kind="stable")
    listed = PatternSet(shown=every[order], cost=((1 - bits.astype(np.int64)) @ cost)[order])
    unlisted = PatternSet(shown=np.empty(0, np.uint64), cost=np.empty(0, np.int64))
    found = [cheapest(codes, cost, patterns, [population]) for patterns in (listed, unlisted)]
    assert (found[0].cost == found[1].cost).all()
    assert found[0].complete
    assert found[1].complete
    some = PatternSet(shown=every[[7]], cost=np.array([3]))
    only = cheapest(codes, cost, some, [population])
    assert ((only.cost == NOTHING) | (only.shown == 7)).all()
    assert (only.cost == NOTHING).any()
