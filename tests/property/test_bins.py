"""Bins of unordered labels: every solver's factor, and every bound, against all partitions."""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest

from kanon_sql.errors import InfeasibleError, PolicyError
from kanon_sql.solvers.budget import UNLIMITED, Budget, Moment
from kanon_sql.solvers.labels import balanced, bin_exact, bin_scheme, fold, plain_spread, spread
from kanon_sql.solvers.labels.bin_cover import BinCover, label_sets
from kanon_sql.solvers.labels.descending import Descending
from kanon_sql.solvers.labels.grouping import Grouping
from kanon_sql.table.arrays import Int64

FACTORS = {fold: 3, plain_spread: 3, spread: Fraction(5, 2), balanced: Fraction(5, 2), bin_exact: 1}
SOLVERS = (*FACTORS, bin_scheme)
EPSILONS = (Fraction(1, 5), Fraction(1, 4), Fraction(2, 5), Fraction(1, 2))
CASES = 360


def partitions(n: int) -> Int64:
    """All partitions of n labels as group numbers, int64 [Bell(n), n]."""
    found = [[0]]
    for _ in range(n - 1):
        found = [[*each, group] for each in found for group in range(max(each) + 2)]
    return np.array(found)


PARTITIONS = {n: partitions(n) for n in range(1, 9)}


def optimum(weight: Int64, k: int) -> int:
    """The least heaviest bin of all partitions into bins of k or more."""
    group = PARTITIONS[len(weight)]
    load = np.stack([(group == number) @ weight for number in range(len(weight))], axis=1)
    kept = ((load == 0) | (load >= k)).all(axis=1)
    return int(load[kept].max(axis=1).min())


def case(seed: int) -> tuple[Int64, int]:
    """Draw 1 to 8 labels, often with oversize ones or some that are about half of k, and k."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 9)), int(rng.integers(1, 41))
    kind = seed % 5
    if kind == 0:
        weight = rng.integers(1, 21, n)
    elif kind == 1:
        weight = rng.integers(1, 2 * k + 2, n)
    elif kind == 2:
        weight = np.where(rng.random(n) < 0.3, rng.integers(k, 5 * k + 1, n), rng.integers(1, k + 1, n))
    elif kind == 3:
        weight = rng.integers(max(1, k // 2 - 3), k // 2 + 5, n)
    else:
        weight = rng.choice([3, 6, 12, 15], n)
    return weight, min(k, int(weight.sum()))


def checked(found: Grouping, weight: Int64, k: int) -> int:
    """Return the heaviest bin of a division, after a look at everything that it claims."""
    rows = found.rows(weight)
    assert found.group.shape == weight.shape
    assert rows.sum() == weight.sum()
    assert rows.min() >= k
    _, first = np.unique(found.group, return_index=True)
    assert (np.diff(first) > 0).all()
    assert len(first) == len(rows)
    assert found.lower_bound <= rows.max()
    return int(rows.max())


@pytest.fixture(scope="module")
def cases() -> list[tuple[Int64, int, int]]:
    return [(*case(seed), optimum(*case(seed))) for seed in range(CASES)]


@pytest.mark.sweep
@pytest.mark.parametrize("solver", FACTORS, ids=lambda solver: solver.__name__.rpartition(".")[2])
def test_factors_and_bounds(solver: object, cases: list[tuple[Int64, int, int]]) -> None:
    for weight, k, best in cases:
        found = solver.group(weight, k, UNLIMITED)
        assert best <= checked(found, weight, k) <= FACTORS[solver] * best
        assert found.lower_bound <= best
        if solver is bin_exact:
            assert found.lower_bound == best


def test_theorem_5(cases: list[tuple[Int64, int, int]]) -> None:
    for weight, k, _ in cases:
        for solver in (fold, plain_spread):
            assert checked(solver.group(weight, k, UNLIMITED), weight, k) <= max(k - 1 + weight.max(), 3 * k - 3)


def test_the_cases_reach_all_of_theorem_8(cases: list[tuple[Int64, int, int]]) -> None:
    taken: Counter[str] = Counter()
    for weight, k, _ in cases:
        items = Descending.of(weight, k)
        place, load = fold.filled(items.weight, items.k)
        left = items.weight[place == fold.LEFT]
        if len(left):
            swapped = items.weight[items.weight < items.k][0]
            fills = len(load) > 2 and swapped + left[1:].sum() >= items.k and (items.weight[place >= 0] < items.k).any()
            taken["few" if len(load) < 3 else "three" if 2 * left[0] <= items.k else "swap" if fills else "one"] += 1
    assert set(taken) == {"few", "three", "swap", "one"}


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_scheme_keeps_inequality_4(epsilon: Fraction, cases: list[tuple[Int64, int, int]]) -> None:
    packed = 0
    for weight, k, best in cases:
        descending = np.sort(weight)[::-1]
        place = bin_scheme.relaxed(descending, k, epsilon, UNLIMITED)
        load = np.zeros(int(place.max()) + 1, np.int64)
        np.add.at(load, place, descending)
        assert load.min() >= (1 - 2 * epsilon) * k
        assert load.max() <= (1 + epsilon) * (best + epsilon * k)
        packed += not np.array_equal(place, fold.group(descending, k, UNLIMITED).group)
        found = bin_scheme.group(weight, k, UNLIMITED, epsilon=epsilon)
        assert best <= checked(found, weight, k) <= max(3 * k - 3, (1 + epsilon) * (best + epsilon * k) + k - 1)
        assert found.lower_bound <= best
    assert packed >= 30


@pytest.mark.everything
def test_three_partition() -> None:
    """Theorem 3: the optimum is k if and only if the weights divide into triples of k."""
    outcomes = set()
    for seed in range(30):
        rng = np.random.default_rng(seed)
        triples, k = int(rng.integers(2, 4)), 40
        weight = rng.integers(11, 20, 3 * triples)
        while weight.sum() != triples * k:
            weight[rng.integers(len(weight))] = rng.integers(11, 20)
        possible = divides(weight.tolist(), k)
        found = bin_exact.group(weight, k, UNLIMITED)
        heaviest = checked(found, weight, k)
        assert (heaviest == k) is possible
        assert found.lower_bound == heaviest
        if not possible:
            assert heaviest >= -(-triples * k // (triples - 1))
        outcomes.add(possible)
    assert outcomes == {True, False}


def test_few_labels_are_divided_exactly() -> None:
    """Twelve labels of which four triples have 100 rows each: moves and swaps alone end at 134."""
    for rows in (
        [26, 36, 36, 28, 28, 40, 34, 33, 26, 47, 39, 27],
        [36, 33, 32, 30, 39, 35, 39, 31, 30, 37, 27, 31],
        [37, 35, 46, 31, 34, 38, 26, 27, 28, 30, 33, 35],
    ):
        weight = np.array(rows)
        found = balanced.group(weight, 100, UNLIMITED)
        assert checked(found, weight, 100) == found.lower_bound == 100
        weight[0] += 1  # then no division has bins of 100 rows only
        found = balanced.group(weight, 100, UNLIMITED)
        assert checked(found, weight, 100) == found.lower_bound > 100
        assert not divides(weight.tolist(), 100)


@pytest.mark.sweep
@pytest.mark.parametrize("labels", [12, 18, 24, 30, 60, 90])
@pytest.mark.parametrize("seed", range(30))
def test_three_partitions_are_found_by_default(labels: int, seed: int) -> None:
    """Theorem 3: triples of k rows are hidden among labels that have more than a quarter of k, and less than half."""
    rng = np.random.default_rng([labels, seed])
    k = (100, 1_000, 10_000)[seed % 3]
    triples: list[tuple[int, int, int]] = []
    while 3 * len(triples) < labels:
        first, second = rng.integers(k // 4 + 1, (k + 1) // 2, 2).tolist()
        if k < 4 * (k - first - second) < 2 * k:
            triples.append((first, second, k - first - second))
    weight = rng.permutation(np.array(triples).ravel())
    found = balanced.group(weight, k, UNLIMITED)
    assert checked(found, weight, k) == found.lower_bound == k


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(60))
def test_a_cover_proves_what_is_true(seed: int) -> None:
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 60))
    weight = rng.integers(1, (20, 40, 100)[seed % 3], int(rng.integers(4, 13)))
    if weight.sum() < k:
        return
    items = Descending.of(weight, k)
    cover = BinCover(items=items, place=spread.spread(items), work=60)
    cover.search(UNLIMITED)
    load = items.loads(cover.place)
    best = checked(balanced.group(weight, k, UNLIMITED), weight, k)  # of so few labels the optimum
    assert load.min() >= items.k
    assert items.unit * cover.bound == items.unit * cover.cost == items.unit * load.max() == best


def test_sets_of_labels_are_listed_once_each() -> None:
    rng = np.random.default_rng(5)
    for _ in range(60):
        weight = np.sort(rng.integers(1, 12, int(rng.integers(1, 9))))[::-1]
        k = int(rng.integers(1, 20))
        most = k + int(rng.integers(0, 15))
        size, count = (each[::-1].copy() for each in np.unique(weight, return_counts=True))
        sets = label_sets(size, count, k, most)
        assert sets is not None
        listed = [tuple(size[each[each >= 0]].tolist()) for each in sets]
        subsets = {tuple(weight[[*each]].tolist()) for n in range(1, 9) for each in combinations(range(len(weight)), n)}
        assert sorted(listed) == sorted(each for each in subsets if k <= sum(each) <= most)
    assert label_sets(np.arange(400, 100, -1), np.ones(300, np.int64), 5_000, 5_010) is None


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(20))
def test_few_labels_are_divided_as_well_as_in_any_way(seed: int) -> None:
    rng = np.random.default_rng(seed)
    weight = rng.integers(1, 30, int(rng.integers(2, 6)))
    k = int(rng.integers(1, weight.sum() + 1))
    best = min(
        max(loads)
        for place in product(range(len(weight)), repeat=len(weight))
        if min(loads := [sum(weight[np.array(place) == each].tolist()) for each in set(place)]) >= k
    )
    found = balanced.group(weight, k, UNLIMITED)
    assert checked(found, weight, k) == found.lower_bound == best


def divides(weight: list[int], k: int) -> bool:
    """Whether the weights divide into triples of k."""
    if not weight:
        return True
    first, *others = weight
    return any(
        first + others[i] + others[j] == k and divides([w for p, w in enumerate(others) if p not in (i, j)], k)
        for j in range(len(others))
        for i in range(j)
    )


@pytest.mark.sweep
@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: solver.__name__.rpartition(".")[2])
class TestEverySolver:
    def test_too_few_rows_are_refused(self, solver: object) -> None:
        with pytest.raises(InfeasibleError, match="the labels cover only 9 rows, fewer than k = 10; hint: "):
            solver.group(np.array([2, 3, 4]), 10, UNLIMITED)

    def test_one_label(self, solver: object) -> None:
        found = solver.group(np.array([7]), 7, UNLIMITED)
        assert (found.group.tolist(), found.lower_bound) == ([0], 7)

    @pytest.mark.parametrize(("n", "rows", "k"), [(7, 3, 5), (12, 4, 4), (12, 4, 13), (30, 10, 25), (9, 1_000_000_007, 2)])
    def test_equal_labels(self, solver: object, n: int, rows: int, k: int) -> None:
        found = solver.group(np.full(n, rows), k, UNLIMITED)
        each = -(-k // rows)
        best = rows * -(-n // (n // each))
        assert found.lower_bound == best
        assert best <= checked(found, np.full(n, rows), k) <= 3 * best
        if solver in (balanced, bin_exact):
            assert found.rows(np.full(n, rows)).max() == best

    def test_the_same_again(self, solver: object) -> None:
        weight = np.random.default_rng(8).integers(1, 100, 12)
        one, two = (solver.group(weight.copy(), 150, UNLIMITED) for _ in range(2))
        assert (one.group == two.group).all()
        assert one.lower_bound == two.lower_bound


@pytest.mark.sweep
@pytest.mark.parametrize("solver", [spread, balanced, bin_exact, bin_scheme], ids=lambda solver: solver.__name__)
def test_the_order_of_labels_breaks_ties_only(solver: object) -> None:
    for seed in range(8):
        rng = np.random.default_rng(seed)
        weight = rng.integers(1, 30, 11)
        shuffled = rng.permutation(weight)
        one, two = (np.sort(solver.group(each, 40, UNLIMITED).rows(each)) for each in (weight, shuffled))
        assert one.tolist() == two.tolist()


def test_a_bound_knows_what_labels_can_share() -> None:
    cases: dict[tuple[tuple[int, ...], int], int] = {
        ((6, 6, 6, 6, 6, 6), 10): 12,  # in pairs, not four bins of 9
        ((100, 1, 1, 1), 2): 100,
        ((9, 9, 9), 10): 27,  # two labels each: one bin
        ((8, 8, 8, 8, 8), 9): 24,  # two bins, of five labels
        ((50, 50, 3, 3), 40): 53,
    }
    for (weight, k), bound in cases.items():
        found = balanced.group(np.array(weight), k, UNLIMITED)
        assert (found.lower_bound, optimum(np.array(weight), k)) == (bound, bound)


def test_a_large_number_of_bins_that_cannot_be_filled_is_found_by_bisection() -> None:
    weight = np.array([40, 70] * 2000)
    found = balanced.group(weight, 100, UNLIMITED)
    assert checked(found, weight, 100) <= 150
    assert found.group.max() + 1 >= 1900


class TestBinExact:
    weight = np.random.default_rng(3).integers(1, 1000, 60)

    def test_ends_with_the_time(self) -> None:
        found = bin_exact.group(self.weight, 900, Budget(seconds=0.5))
        checked(found, self.weight, 900)

    def test_ends_when_told_and_reports(self) -> None:
        heard: list[Moment] = []
        budget = Budget(progress=heard.append, ended=lambda: len(heard) > 2)
        checked(bin_exact.group(self.weight, 900, budget), self.weight, 900)
        assert heard[-1].cost is not None

    def test_an_error_of_the_listener_ends_the_search(self) -> None:
        def listener(moment: Moment) -> None:
            raise KeyError(moment.step)

        with pytest.raises(KeyError, match="bins"):
            bin_exact.group(self.weight, 900, Budget(progress=listener))

    def test_too_many_weights(self) -> None:
        weight = np.random.default_rng(3).integers(50_000, 100_000, 2000)
        with pytest.raises(
            PolicyError, match=r"at most 20,000 pairs of a weight and a bin, .*; hint: use the algorithm 'balanced'"
        ):
            bin_exact.group(weight, 187_000, UNLIMITED)


class TestBinScheme:
    def test_epsilon_out_of_range(self) -> None:
        for epsilon in (Fraction(0), Fraction(2, 3), Fraction(-1, 4)):
            with pytest.raises(PolicyError, match=r"epsilon must be above 0 and at most 1/2, .*; hint: use 1/4"):
                bin_scheme.group(np.array([5, 5]), 5, UNLIMITED, epsilon=epsilon)

    def test_too_many_configurations(self) -> None:
        weight = np.random.default_rng(3).integers(1, 1000, 3000)
        with pytest.raises(
            PolicyError, match=r"at most 20,000 configurations of a bin, .*; hint: use the algorithm 'balanced'"
        ):
            bin_scheme.group(weight, 1500, UNLIMITED, epsilon=Fraction(1, 12))

    def test_ends_when_told(self) -> None:
        weight = np.random.default_rng(3).integers(25, 100, 300)
        checked(bin_scheme.group(weight, 100, Budget(ended=lambda: True)), weight, 100)


NAMES = ("male_first", "female_first", "all_last")


@pytest.fixture(scope="module", params=NAMES)
def names(request: pytest.FixtureRequest, data: Path) -> Int64:
    """Rows of names, one for each that the list knows without saying how frequent it is."""
    with gzip.open(data / f"names_dist_{request.param}.csv.gz", "rt", encoding="utf-8") as source:
        return np.array([max(1, round(float(each["freq_pct"]) * 1000)) for each in csv.DictReader(source)])


def values_of_k(weight: Int64) -> Iterator[int]:
    total = int(weight.sum())
    yield from (2, 10, int(weight.max()))
    yield from (total // bins for bins in (40, 20, 9, 5, 3, 2))


@pytest.mark.sweep
def test_balanced_is_proven_optimal_on_names(names: Int64) -> None:
    for k in values_of_k(names):
        found = balanced.group(names, k, UNLIMITED)
        assert checked(found, names, k) == found.lower_bound, k


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("run", [fold.group, plain_spread.group, spread.group, bin_scheme.group])
def test_factors_on_names(names: Int64, run: Callable[[Int64, int, Budget], Grouping]) -> None:
    for k in values_of_k(names):
        found = run(names, k, UNLIMITED)
        assert 2 * checked(found, names, k) <= (6 if run is fold.group else 5) * found.lower_bound
