"""One mask for the whole table, with and without suppressed rows, against brute force over all masks and all sets of rows."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations, repeat

import numpy as np
import pytest
from solving import check, coded, plain

from kanon_sql.errors import InfeasibleError
from kanon_sql.solvers.budget import UNLIMITED, Budget, Moment
from kanon_sql.solvers.k_anonymity.full_domain import solve
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import PatternSet, ordered, permitted
from kanon_sql.table.recoding import Recoding

Row = tuple[int, ...]
Masks = Sequence[frozenset[int]]

UNLISTED = PatternSet(shown=np.empty(0, np.uint64), cost=np.empty(0, np.int64))
OPTIMAL = "optimal among full-domain recodings"


def every_mask(m: int) -> list[frozenset[int]]:
    return [frozenset(each) for size in range(m + 1) for each in combinations(range(m), size)]


def stands(rows: Iterable[Row], shown: Iterable[int], k: int) -> bool:
    return min(Counter(tuple(row[c] for c in shown) for row in rows).values(), default=k) >= k


def cheapest(rows: list[Row], k: int, most: int, masks: Masks, weights: Sequence[Fraction]) -> Fraction | None:
    """Return the least cost of a full-domain recoding; None if there is none."""
    costs = []
    for shown in set(masks):
        hidden = sum((weights[c] for c in range(len(weights)) if c not in shown), Fraction(0))
        for size in [0, *range(k, most + 1)] if frozenset() in masks else [0]:
            kept = (set(range(len(rows))) - set(left) for left in combinations(range(len(rows)), size))
            if any(stands([rows[r] for r in each], shown, k) for each in kept):
                costs.append((len(rows) - size) * hidden + size * sum(weights))
                break
    return min(costs, default=None)


def patterns_of(table: CodedTable, masks: Masks) -> PatternSet:
    return ordered(table, np.unique(np.array([sum(1 << c for c in mask) for mask in masks], np.uint64)))


def solved(table: CodedTable, patterns: PatternSet, k: int, most: int = 0, budget: Budget = UNLIMITED) -> tuple[Recoding, int]:
    """Return a recoding that is checked to be a full-domain one, and how many of its rows are suppressed."""
    recoding = solve(plain(table, patterns, k, most), budget)
    check(table, recoding, k)
    assert (recoding.lower_bound, recoding.bound) == (0, "trivial")
    assert not patterns.listed or np.isin(recoding.shown, patterns.shown).all()
    shown = set(recoding.shown.tolist())
    suppressed = int(recoding.count[recoding.shown == 0].sum()) if len(shown) > 1 else 0
    assert len(shown - {0}) <= 1
    assert suppressed <= most
    assert (f"with {suppressed} rows suppressed" in recoding.remark) == (suppressed > 0)
    return recoding, suppressed


def case(seed: int) -> tuple[list[Row], int, int, Masks, list[Fraction]]:
    """Draw a table of 2 to 9 rows and 1 to 4 columns, some nested, k, a limit on suppressed rows, masks and weights."""
    rng = random.Random(seed)
    m, values = rng.randint(1, 4), rng.choice([2, 3, 4])
    rows = [tuple(rng.randrange(values) for _ in range(m)) for _ in range(rng.choice([2, 3, 4, 5, 6, 7, 8, 9]))]
    if rng.random() < 0.3:  # some rows are many
        rows = sorted(rng.choices(rows[:3], k=len(rows)))
    masks = every_mask(m)
    kind = rng.choice(["every", "some", "nested"])
    if kind == "some":
        masks = rng.sample(masks, rng.randint(1, len(masks)))
    if kind == "nested" and m > 1:  # the columns 0, 1, ... become coarser and coarser
        depth = rng.randint(2, m)
        rows = [tuple(row[0] >> c if c < depth else row[c] for c in range(m)) for row in rows]
        masks = [mask for mask in masks if all(c + 1 in mask for c in mask if c + 1 < depth)]
    weights = [rng.choice([Fraction(1), Fraction(1), Fraction(3), Fraction(5, 2)]) for _ in range(m)]
    return rows, rng.randint(1, min(4, len(rows))), rng.choice([0, 1, 3, len(rows), len(rows)]), masks, weights


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("block", range(5))
def test_the_cost_is_the_optimum(block: int) -> None:
    seen = Counter[str]()
    for seed in range(160 * block, 160 * (block + 1)):
        rows, k, most, masks, weights = case(seed)
        best = cheapest(rows, k, most, masks, weights)
        table, _ = coded(rows, k=k, weights={f"c{c}": weight for c, weight in enumerate(weights)})
        ways = [patterns_of(table, masks)] + [UNLISTED] * (len(masks) == 1 << len(weights))
        for patterns in ways:
            if best is None:
                with pytest.raises(InfeasibleError, match=r"in classes below k = \d, but at most 0 may be suppressed; hint"):
                    solved(table, patterns, k, most)
                seen["infeasible"] += 1
                continue
            recoding, suppressed = solved(table, patterns, k, most)
            assert table.exact_cost(recoding.cost(table)) == best
            assert recoding.remark.startswith(OPTIMAL)
            seen["suppressed"] += suppressed > 0
            seen["joined"] += suppressed > k
            seen["shown"] += 0 < best < len(rows) * sum(weights)
    assert seen["infeasible"] >= 5
    assert seen["suppressed"] >= 20
    assert seen["joined"] >= 3
    assert seen["shown"] >= 40


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(60))
def test_nested_columns_without_a_list_of_masks(seed: int) -> None:
    """A coarser column is free where a finer one is shown, so the best mask shows all coarser ones by itself."""
    rng = random.Random(seed)
    n, k = rng.randint(4, 9), rng.randint(1, 3)
    most = rng.choice([0, k, n])
    values = [[rng.randrange(8) for _ in range(2)] for _ in range(n)]
    rows = [tuple(value >> level for value in row for level in range(3)) for row in values]
    chains = [[frozenset(range(first + level, first + 3)) for level in range(4)] for first in (0, 3)]
    masks = [one | other for one in chains[0] for other in chains[1]]
    table, _ = coded(rows, k=k)
    recoding, _ = solved(table, UNLISTED, k, most)
    assert recoding.cost(table) == cheapest(rows, k, most, masks, [Fraction(1)] * 6)
    levels = {frozenset(c for c in range(6) if shown >> c & 1) for shown in recoding.shown.tolist()}
    assert levels <= set(masks)


def test_suppressed_rows_are_none_or_k() -> None:
    one_left, _ = coded([(0,)] * 5 + [(1,)] * 4 + [(2,)], k=2)
    patterns = patterns_of(one_left, every_mask(1))
    assert [solved(one_left, patterns, 2, most)[1] for most in (0, 1, 2, 3, 10)] == [0, 0, 2, 2, 2]  # a row is suppressed
    recoding, _ = solved(one_left, patterns, 2, 2)
    assert recoding.count.sum() == 10
    assert recoding.cost(one_left) == 2
    no_surplus, _ = coded([(0,)] * 3 + [(1,)] * 2 + [(2,)], k=2)
    patterns = patterns_of(no_surplus, every_mask(1))
    assert solved(no_surplus, patterns, 2, 2)[1] == 2
    no_surplus, _ = coded([(0,)] * 3 + [(1,)] * 3 + [(2,)], k=3)
    patterns = patterns_of(no_surplus, every_mask(1))
    assert [solved(no_surplus, patterns, 3, most)[1] for most in (3, 4, 7)] == [0, 4, 4]  # a class is given up


def test_surplus_rows_of_several_classes() -> None:
    rows = [(v,) for v in range(4) for _ in range(6)] + [(4,)]
    table, _ = coded(rows, k=5)
    recoding, suppressed = solved(table, patterns_of(table, every_mask(1)), 5, 24)
    assert (suppressed, recoding.cost(table)) == (5, 5)


def disjoint(n: int, k: int, hyperedges: Sequence[frozenset[int]]) -> int:
    """Return the largest number of disjoint hyperedges that leave no vertex over, or k of them at least."""
    return max(
        size
        for size in range(len(hyperedges) + 1)
        if n - size * k == 0 or n - size * k >= k
        for chosen in combinations(hyperedges, size)
        if len(frozenset().union(*chosen)) == size * k
    )


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(24))
def test_attributes_of_a_hypergraph(seed: int) -> None:
    """Meyerson and Williams, Theorem of section 3.1: k-uniform hyperedges as binary columns show a matching, and no more.

    A row is a vertex, a column a hyperedge: 1 where the vertex is in it. Columns that are shown are disjoint hyperedges,
    each of them a class, and the vertices left over are one more.
    """
    rng = random.Random(seed)
    k = rng.choice([3, 3, 4])
    n, m = rng.randint(2 * k, 13), rng.randint(3, 9)
    hyperedges = sorted({frozenset(rng.sample(range(n), k)) for _ in range(m)}, key=sorted)
    rows = [tuple(int(v in edge) for edge in hyperedges) for v in range(n)]
    table, policy = coded(rows, k=k)
    best = n * (len(hyperedges) - disjoint(n, k, hyperedges))
    for patterns in (permitted(table, policy), UNLISTED):
        recoding, _ = solved(table, patterns, k)
        assert recoding.cost(table) == best
        assert recoding.remark == OPTIMAL


@pytest.mark.everything
def test_a_planted_matching_among_60_attributes() -> None:
    rng = random.Random(1)
    vertices = rng.sample(range(60), 60)
    planted = [frozenset(vertices[place : place + 3]) for place in range(0, 60, 3)]
    hyperedges = rng.sample([*planted, *(frozenset(rng.sample(range(60), 3)) for _ in range(40))], 60)
    table, policy = coded([tuple(int(v in edge) for edge in hyperedges) for v in range(60)], k=3)
    assert len(table.columns) == 60
    recoding, _ = solved(table, permitted(table, policy), 3)
    assert recoding.cost(table) == 60 * (60 - 20)
    assert recoding.remark == OPTIMAL


def level_wise(codes: np.ndarray, k: int) -> int:
    """Return the most columns that can be shown for all rows: sets of columns, one larger than the other."""
    level = [()]
    size = 0
    while True:
        wider = [(*chosen, c) for chosen in level for c in range(chosen[-1] + 1 if chosen else 0, codes.shape[1])]
        powers = int(codes.max() + 1) ** np.arange(size + 1)
        level = [chosen for chosen in wider if (rows := np.bincount(codes[:, chosen] @ powers))[rows > 0].min() >= k]
        if not level:
            return size
        size += 1


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(("values", "most"), [(3, 0), (3, 4), (6, 0)])
def test_30_random_columns(values: int, most: int) -> None:
    codes = np.random.default_rng(values).integers(0, values, (500, 30))
    table, policy = coded([tuple(row) for row in codes.tolist()], k=5)
    recoding, _ = solved(table, permitted(table, policy), 5, most)  # most is below k: no row can be suppressed
    assert recoding.cost(table) == 500 * (30 - level_wise(codes, 5))
    assert recoding.remark == OPTIMAL


@pytest.mark.everything
def test_more_columns_than_are_listed_cost_no_more_than_a_list_of_some() -> None:
    rng = np.random.default_rng(4)
    codes = rng.choice(4, (400, 20), p=[0.85, 0.1, 0.03, 0.02])
    table, policy = coded([tuple(row) for row in codes.tolist()], k=4)
    some = patterns_of(table, [*every_mask(3), *(frozenset(range(c, 20)) for c in range(20))])
    for most in (0, 12, 40):
        recoding, _ = solved(table, permitted(table, policy), 4, most)
        listed, _ = solved(table, some, 4, most)
        assert recoding.remark.startswith(OPTIMAL)
        assert recoding.cost(table) <= listed.cost(table)


@pytest.mark.parametrize("patterns", [None, UNLISTED])
def test_extremes(patterns: PatternSet | None) -> None:
    def cost(rows: list[Row], k: int, most: int = 0) -> int:
        table, policy = coded(rows, k=k)
        return solved(table, patterns or permitted(table, policy), k, most)[0].cost(table)

    assert cost([(1, 2)] * 6, 6) == 0
    assert cost([(1, 2)] * 3 + [(1, 3)] * 3, 6, 6) == 6
    assert cost([(v, v) for v in range(6)], 2, 6) == 12
    assert cost([(v, v) for v in range(6)], 1, 6) == 0
    assert cost([(v, v) for v in range(6)], 6) == 12
    assert cost([(0,)], 1) == 0
    assert cost([(0,)] * 4 + [(1,)], 2) == 5
    assert cost([(0,)] * 4 + [(1,)], 2, 2) == 2


def test_masks_that_suit_no_table_are_refused_with_the_numbers() -> None:
    table, _ = coded([(0, 0)] * 4 + [(0, 1), (1, 1)], k=2)
    with pytest.raises(InfeasibleError, match=r"one leaves 1 row in classes below k = 2, but at most 0 may be suppressed"):
        solved(table, patterns_of(table, [frozenset({0}), frozenset({0, 1})]), 2, 6)
    with pytest.raises(InfeasibleError, match=r"found in time: the most general one leaves 1 row in classes below k = 2; hint"):
        solved(table, patterns_of(table, [frozenset({0})]), 2, 0, Budget(seconds=0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending(Budget):
    """A budget that answers as listed."""

    answers: Iterator[bool]

    def over(self) -> bool:
        return next(self.answers)


@pytest.mark.sweep
@pytest.mark.parametrize("columns", [8, 18])
@pytest.mark.parametrize("asked", [0, 1, 5, 8, 20, 40])
@pytest.mark.parametrize("most", [0, 20])
def test_when_the_time_is_up_there_is_a_release(columns: int, asked: int, most: int) -> None:
    rng = np.random.default_rng(5)
    codes = rng.choice(3, (200, columns), p=[0.8, 0.15, 0.05])
    table, policy = coded([tuple(row) for row in codes.tolist()], k=3)
    budget = Ending(answers=chain(repeat(False, asked), repeat(True)))
    recoding, _ = solved(table, permitted(table, policy), 3, most, budget)
    best, _ = solved(table, permitted(table, policy), 3, most)
    assert best.cost(table) <= recoding.cost(table) <= 200 * columns
    assert best.cost(table) == recoding.cost(table) or not recoding.remark.startswith(OPTIMAL)
    assert asked > 5 or recoding.remark.startswith("the best of the full-domain recodings searched")


@pytest.mark.parametrize("patterns", [None, UNLISTED])
def test_progress_is_reported_and_may_interrupt(patterns: PatternSet | None) -> None:
    def stop(moment: Moment) -> None:
        raise KeyboardInterrupt

    rng = np.random.default_rng(6)
    table, policy = coded([tuple(row) for row in rng.integers(0, 3, (100, 6)).tolist()], k=3)
    moments: list[Moment] = []
    solved(table, patterns or permitted(table, policy), 3, 100, Budget(progress=moments.append))
    assert [moment.done for moment in moments] == sorted(moment.done for moment in moments)
    assert all(0 <= moment.done <= 1 and moment.cost is not None and moment.lower_bound is None for moment in moments)
    with pytest.raises(KeyboardInterrupt):
        solved(table, patterns or permitted(table, policy), 3, 0, Budget(progress=stop))
