"""Rectangles of points in the plane: kd-trees and exact guillotine divisions against all divisions of small sets."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain, combinations, repeat
from pathlib import Path

import numpy as np
import pytest

from kanon_sql.errors import InfeasibleError, PolicyError
from kanon_sql.solvers.budget import UNLIMITED, Budget, Moment
from kanon_sql.solvers.labels import guillotine, kd_tree, rectangle_exact
from kanon_sql.solvers.labels.grouping import Grouping
from kanon_sql.table.arrays import Int64

Solver = Callable[[Int64, Int64, Int64, int, Budget], Grouping]
SOLVERS: tuple[Solver, ...] = (kd_tree.group, guillotine.group)
Points = dict[tuple[int, int], int]
"""Rows by coordinates."""


def ranks(values: list[int] | Int64) -> Int64:
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def boxes(x: Int64, y: Int64, group: Int64) -> Int64:
    """Return the bounding box of each group: least and greatest x, least and greatest y."""
    found = np.empty((group.max() + 1, 4), np.int64)
    found[:, ::2], found[:, 1::2] = np.iinfo(np.int64).max, -1
    for side, values in enumerate((x, y)):
        np.minimum.at(found[:, 2 * side], group, values)
        np.maximum.at(found[:, 2 * side + 1], group, values)
    return found


def disjoint(box: Int64) -> bool:
    a, b = box[:, None, :], box[None, :, :]
    apart = (a[..., 1] < b[..., 0]) | (b[..., 1] < a[..., 0]) | (a[..., 3] < b[..., 2]) | (b[..., 3] < a[..., 2])
    return bool((apart | np.eye(len(box), dtype=np.bool_)).all())


def divided(solver: Solver, points: Points, k: int, budget: Budget = UNLIMITED) -> tuple[Grouping, list[Points]]:
    """Return the division and its groups, after a look at what every division must be."""
    x, y = ranks([x for x, _ in points]), ranks([y for _, y in points])
    weight = np.array(list(points.values()), np.int64)
    found = solver(x, y, weight, k, budget)
    groups: list[Points] = [{} for _ in range(found.group.max() + 1)]
    for place, (point, rows) in enumerate(points.items()):
        groups[found.group[place]][point] = rows
    assert min(map(rows_of, groups)) >= k
    assert disjoint(boxes(x, y, found.group))
    assert found.lower_bound <= heaviest(groups)
    return found, groups


def rows_of(points: Points) -> int:
    return sum(points.values())


def heaviest(groups: list[Points]) -> int:
    return max(map(rows_of, groups))


def squares(groups: list[Points]) -> int:
    return sum(rows_of(each) ** 2 for each in groups)


def cuts(points: Points, k: int) -> Iterator[tuple[Points, Points]]:
    """Yield both sides of each cut between two coordinates that leaves k rows on either."""
    for axis in (0, 1):
        for bound in {point[axis] for point in points}:
            low = {point: rows for point, rows in points.items() if point[axis] < bound}
            high = {point: rows for point, rows in points.items() if point[axis] >= bound}
            if rows_of(low) >= k and rows_of(high) >= k:
                yield low, high


def guillotine_costs(points: Points, k: int) -> set[tuple[int, int]]:
    """Return heaviest group and sum of squares of every guillotine division."""

    @cache
    def costs(part: frozenset[tuple[int, int]]) -> set[tuple[int, int]]:
        inside = {point: points[point] for point in part}
        found = {(rows_of(inside), rows_of(inside) ** 2)}
        for low, high in cuts(inside, k):
            for a in costs(frozenset(low)):
                found |= {(max(a[0], b[0]), a[1] + b[1]) for b in costs(frozenset(high))}
        return found

    return costs(frozenset(points))


def lightest_of_all(points: Points, k: int) -> int:
    """Return the heaviest group of the best division into disjoint rectangles of any arrangement."""
    columns, lines = sorted({x for x, _ in points}), sorted({y for _, y in points})
    bit = {place: 1 << i for i, place in enumerate((x, y) for x in columns for y in lines)}
    rectangles: list[tuple[int, int]] = []
    for a, b in combinations(range(len(columns) + 1), 2):
        for c, d in combinations(range(len(lines) + 1), 2):
            places = [(x, y) for x in columns[a:b] for y in lines[c:d]]
            rectangles.append((sum(points.get(place, 0) for place in places), sum(bit[place] for place in places)))
    fitting = sorted(each for each in rectangles if each[0] >= k)

    def search(taken: int, most: int, best: int) -> int:
        first = next((bit[point] for point in points if not bit[point] & taken), 0)
        if not first:
            return most
        for rows, places in fitting:
            if max(most, rows) < best and first & places and not places & taken:
                best = search(taken | places, max(most, rows), best)
        return best

    return search(0, 0, rows_of(points) + 1)


def case(rng: random.Random, coordinates: int, most: int) -> tuple[Points, int]:
    top = rng.choice([1, 2, 5, 30])
    places = [(rng.randrange(coordinates), rng.randrange(coordinates)) for _ in range(rng.randint(1, most))]
    points = {place: rng.choice([1, rng.randint(1, top), top]) for place in places}
    return points, rng.randint(1, min(rows_of(points), rng.choice([2 * top, 4 * top])))


@pytest.mark.everything
def test_no_guillotine_division_is_better() -> None:
    rng = random.Random(1)
    for _ in range(250):
        points, k = case(rng, 4, 9)
        groups = divided(guillotine.group, points, k)[1]
        assert (heaviest(groups), squares(groups)) == min(guillotine_costs(points, k))


@pytest.mark.everything
def test_the_bounds_hold_for_all_divisions_into_rectangles() -> None:
    rng = random.Random(2)
    bounds = []
    for _ in range(250):
        points, k = case(rng, 4, 10)
        least = lightest_of_all(points, k)
        for solver in SOLVERS:
            found, groups = divided(solver, points, k)
            assert found.lower_bound <= least <= heaviest(groups)
            bounds.append(found.bound)
    assert set(bounds) == {"heaviest label", "most groups", "lightest rectangle around a point"}


@pytest.mark.everything
def test_the_factor_of_the_kd_tree() -> None:
    rng = random.Random(3)
    for _ in range(500):
        points, k = case(rng, rng.choice([5, 12]), 40)
        groups = divided(kd_tree.group, points, k)[1]
        for each in groups:
            assert not list(cuts(each, k))
            assert rows_of(each) <= max(each.values()) + 4 * (k - 1)
        best = divided(guillotine.group, points, k)[1]
        assert (heaviest(best), squares(best)) <= (heaviest(groups), squares(groups))
        assert heaviest(groups) <= 5 * heaviest(best)


@pytest.mark.parametrize("k", [2, 3, 10, 100])
def test_the_worst_leaf(k: int) -> None:
    """§3 of the paper: four points of k - 1 around one of k cannot be cut; beside one more row each, they can."""
    plus = {(0, 0): k, (1, 0): k - 1, (-1, 0): k - 1, (0, 1): k - 1, (0, -1): k - 1}
    more = dict.fromkeys([(2, 0), (-2, 0), (0, 2), (0, -2)], 1)
    assert lightest_of_all(plus, k) == 5 * k - 4 == max(plus.values()) + 4 * (k - 1)
    for solver in SOLVERS:
        assert heaviest(divided(solver, plus, k)[1]) == 5 * k - 4
        assert heaviest(divided(solver, plus | more, k)[1]) == k


def test_a_pinwheel_is_lighter_than_any_guillotine_division() -> None:
    points = dict.fromkeys(((x, y) for x in range(3) for y in range(3)), 1) | {(1, 1): 2}
    assert lightest_of_all(points, 2) == 2
    found, groups = divided(guillotine.group, points, 2)
    assert (found.lower_bound, heaviest(groups)) == (2, 3)


@pytest.mark.parametrize("k", [2, 3, 10, 100])
def test_the_best_rectangles_of_a_pinwheel_are_found(k: int) -> None:
    """Cuts from side to side leave 2 k - 1 rows together; five rectangles of k rows are around one another."""
    points = dict.fromkeys([(0, 0), (0, 2), (2, 0), (2, 2)], 1) | dict.fromkeys([(0, 1), (1, 0), (1, 2), (2, 1)], k - 1)
    found, groups = divided(rectangle_exact.group, points | {(1, 1): k}, k)
    assert found.lower_bound == heaviest(groups) == k
    assert heaviest(divided(guillotine.group, points | {(1, 1): k}, k)[1]) == 2 * k - 1


@pytest.mark.everything
def test_no_rectangles_are_better() -> None:
    rng = random.Random(9)
    for _ in range(250):
        points, k = case(rng, 4, 10)
        found, groups = divided(rectangle_exact.group, points, k)
        assert found.lower_bound == heaviest(groups) == lightest_of_all(points, k)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(60))
def test_rectangles_of_random_maps_are_proven_to_be_the_best(seed: int) -> None:
    rng = random.Random(seed)
    points, k = case(rng, 10, 60)
    found, groups = divided(rectangle_exact.group, points, k)
    assert found.lower_bound == heaviest(groups) <= heaviest(divided(guillotine.group, points, k)[1])


def test_rectangles_that_many_cells_make_are_no_better_than_cuts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rectangle_exact, "_MOST_CELLS", 0)
    points = dict.fromkeys(((x, y) for x in range(3) for y in range(3)), 1) | {(1, 1): 2}
    found, groups = divided(rectangle_exact.group, points, 2)
    assert (found.lower_bound, heaviest(groups)) == (2, 3)
    assert found.guarantee == f"the search did not end; it began with a solution of {kd_tree.GUARANTEE}"


@pytest.mark.parametrize("solver", [*SOLVERS, rectangle_exact.group])
def test_few_points(solver: Solver) -> None:
    assert divided(solver, {(3, 4): 5}, 5)[0].lower_bound == 5
    assert len(divided(solver, {(3, 4): 5, (4, 4): 5}, 5)[1]) == 2
    assert len(divided(solver, {(3, 4): 5, (3, 5): 4}, 5)[1]) == 1
    with pytest.raises(InfeasibleError, match=r"cover only 9 rows, fewer than k = 10; hint"):
        divided(solver, {(3, 4): 5, (3, 5): 4}, 10)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("turned", [False, True])
def test_points_on_a_line(solver: Solver, turned: bool) -> None:
    rng = random.Random(4)
    for _ in range(30):
        weight = [rng.randint(1, 9) for _ in range(rng.randint(4, 12))]
        points = {(0, i) if turned else (i, 0): rows for i, rows in enumerate(weight)}
        k = rng.randint(3, 12)
        groups = divided(solver, points, min(k, sum(weight)))[1]
        assert heaviest(groups) <= max(weight) + 2 * (k - 1)
        if solver is guillotine.group:
            assert (heaviest(groups), squares(groups)) == min(guillotine_costs(points, min(k, sum(weight))))


@pytest.mark.parametrize("solver", [*SOLVERS, rectangle_exact.group])
def test_rows_at_one_place_stay_together(solver: Solver) -> None:
    assert len(divided(solver, {(0, 0): 40, (5, 5): 3}, 2)[1]) == 2
    x, y = np.array([0, 0, 0, 1, 1]), np.array([0, 0, 0, 1, 1])
    assert solver(x, y, np.ones(5, np.int64), 2, UNLIMITED).group.tolist() == [0, 0, 0, 1, 1]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("total", [1 << 40, 1 << 61])
def test_many_rows(solver: Solver, total: int) -> None:
    rng = random.Random(5)
    for _ in range(10):
        small = {(rng.randrange(12), rng.randrange(12)): rng.randint(1, 20) for _ in range(40)}
        unit = total // rows_of(small)
        large = {point: rows * unit for point, rows in small.items()}
        k = 30
        groups, more = divided(solver, small, k)[1], divided(solver, large, k * unit)[1]
        assert abs(rows_of(large) - total) < rows_of(small)
        if solver is guillotine.group:
            assert [set(each) for each in more] == [set(each) for each in groups]
        assert heaviest(more) <= max(large.values()) + 4 * (k * unit - 1)


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_order_of_the_points_does_not_matter(solver: Solver) -> None:
    rng = random.Random(6)
    for _ in range(30):
        points, k = case(rng, 12, 60)
        shuffled = list(points.items())
        rng.shuffle(shuffled)
        one, other = divided(solver, points, k)[1], divided(solver, dict(shuffled), k)[1]
        assert {frozenset(each) for each in one} == {frozenset(each) for each in other}


def test_too_many_coordinates_for_the_exact_division() -> None:
    most = guillotine.MOST_COORDINATES
    points = {(i, i % 3): 1 for i in range(most)}
    assert divided(guillotine.group, points, 8)[0].lower_bound == 8
    with pytest.raises(
        PolicyError, match=rf"at most {most} different coordinates on an axis, but the points have {most + 1} and 3"
    ):
        divided(guillotine.group, points | {(most, 0): 1}, 8)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending(Budget):
    """A budget that answers as listed."""

    answers: Iterator[bool]

    def over(self) -> bool:
        return next(self.answers)


@pytest.mark.sweep
@pytest.mark.parametrize("asked", range(4))
@pytest.mark.parametrize("solver", SOLVERS)
def test_when_the_time_is_up_there_is_a_division_and_a_bound(solver: Solver, asked: int) -> None:
    rng = random.Random(7)
    for _ in range(30):
        points, k = case(rng, 10, 40)
        budget = Ending(answers=chain(repeat(False, asked), repeat(True)))
        found, groups = divided(solver, points, k, budget)
        whole, best = divided(solver, points, k)
        assert (found.lower_bound, found.bound) == (whole.lower_bound, whole.bound)
        assert heaviest(groups) >= heaviest(best)


@pytest.mark.parametrize("solver", SOLVERS)
def test_progress_is_reported(solver: Solver) -> None:
    seen: list[Moment] = []
    rng = random.Random(8)
    points = {(rng.randrange(10), rng.randrange(10)): rng.randint(1, 50) for _ in range(60)}
    found, groups = divided(solver, points, 100, Budget(progress=seen.append))
    assert len(seen) > 1
    assert [moment.done for moment in seen] == sorted(moment.done for moment in seen)
    for moment in seen:
        assert moment.lower_bound == found.lower_bound
        assert moment.cost is not None
        assert moment.cost >= heaviest(groups)


@pytest.mark.everything
def test_lopsided_points_make_no_deep_tree() -> None:
    """A cut in each node that leaves no excess on one side, but only a sliver."""
    n = 20_000
    x = np.arange(n)
    weight = np.where(x % 2 == 0, 5, 6)
    found = kd_tree.group(x, x[::-1].copy(), weight, 10, UNLIMITED)
    assert found.rows(weight).max() <= 6 + 2 * 9
    grid = np.arange(90_000)
    found = kd_tree.group(grid // 300, grid % 300, np.full(90_000, 7), 10, UNLIMITED)
    assert set(found.rows(np.full(90_000, 7)).tolist()) <= {14, 21}


@pytest.mark.everything
def test_us_zip_codes(data: Path) -> None:
    import duckdb

    source = f"read_csv('{data / 'us_zipcodes.csv.gz'}', all_varchar = true)"
    with duckdb.connect() as con:
        points = con.sql(
            f"SELECT lat::DOUBLE AS lat, long::DOUBLE AS long, count(*) AS zips FROM {source} "
            "WHERE lat <> '' AND long <> '' GROUP BY ALL ORDER BY ALL"
        ).fetchnumpy()
    x, y, weight = ranks(points["lat"]), ranks(points["long"]), points["zips"].astype(np.int64)
    found = kd_tree.group(x, y, weight, 100, UNLIMITED)
    rows = found.rows(weight)
    assert rows.min() >= 100
    assert disjoint(boxes(x, y, found.group))
    assert rows.max() == found.lower_bound == weight.max() == 872  # all zip codes whose place is not known, at (0, 0)
    assert np.sort(rows)[-2] < 200
    assert len(rows) >= 0.95 * (np.minimum(weight, 100).sum() // 100)
