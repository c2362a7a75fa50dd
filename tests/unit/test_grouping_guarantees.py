"""What groupings say of themselves: the factor of their algorithm, and nothing where its conditions do not hold."""

from __future__ import annotations

from fractions import Fraction
from importlib import import_module

import numpy as np
import pytest

from kanon_sql.model.recodings import Bins, Rectangles, Regions
from kanon_sql.solvers.budget import UNLIMITED, Budget
from kanon_sql.solvers.labels import bin_exact, bin_scheme, guillotine, kd_tree, rectangle_exact, region_exact, regions
from kanon_sql.solvers.labels.grouping import Grouping

STOPPED = Budget(ended=lambda: True)
WEIGHT = np.random.default_rng(9).integers(50, 100, 30)
GRID = np.array([(i, i + step) for i in range(30) for step in (1, 5) if i + step < 30 and (step == 5 or i % 5 < 4)])
POINTS = [np.arange(30) // 6, np.arange(30) % 6]


@pytest.mark.parametrize("name", [*Bins.ALGORITHMS, *Regions.ALGORITHMS, *Rectangles.ALGORITHMS])
def test_each_name_is_a_solver(name: str) -> None:
    assert callable(import_module(f"kanon_sql.solvers.labels.{name}").group)


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("name", "factor"),
    [("fold", Fraction(3)), ("plain_spread", Fraction(3)), ("spread", Fraction(5, 2)), ("balanced", Fraction(5, 2))],
)
@pytest.mark.parametrize("budget", [UNLIMITED, STOPPED], ids=["to the end", "stopped"])
def test_factors_that_hold_at_any_time(name: str, factor: Fraction, budget: Budget) -> None:
    found: Grouping = import_module(f"kanon_sql.solvers.labels.{name}").group(WEIGHT, 230, budget)
    assert found.guarantee.startswith(f"at most {factor} times the optimum (")
    assert found.rows(WEIGHT).max() <= factor * 240


def test_a_scheme_that_is_stopped_guarantees_nothing() -> None:
    found = bin_scheme.group(WEIGHT, 230, UNLIMITED)
    assert found.guarantee == "at most 3 times the optimum (Du et al. 2009, Theorem 9 with epsilon = 1/4)"
    coarse = bin_scheme.group(WEIGHT, 230, UNLIMITED, epsilon=Fraction(1, 2))
    assert coarse.guarantee.startswith("at most 13/4 times the optimum")
    assert bin_scheme.group(WEIGHT, 230, STOPPED).guarantee == "nothing is guaranteed, as the search was stopped"


def test_an_exact_search_claims_the_optimum_only_where_it_is_proven() -> None:
    easy = bin_exact.group(np.array([5, 4, 3, 3, 3]), 9, UNLIMITED)
    assert (easy.guarantee, easy.lower_bound) == (bin_exact.GUARANTEE, 9)
    open_ = bin_exact.group(WEIGHT, 230, Budget(seconds=0.01))
    assert open_.guarantee.startswith("the search did not end; it began with a solution of at most 5/2 times the optimum (")
    assert open_.lower_bound < open_.rows(WEIGHT).max()


def test_regions_state_the_degree_of_their_tree() -> None:
    found = regions.group(WEIGHT, GRID, 230, UNLIMITED)
    degree = int(found.guarantee.rpartition("degree ")[2].rstrip(")"))
    assert found.guarantee.startswith(f"at most {degree + 1} times the optimum (")
    assert found.rows(WEIGHT).max() <= (degree + 1) * found.lower_bound
    stopped = region_exact.group(WEIGHT, GRID, 230, Budget(seconds=0))
    assert stopped.guarantee.startswith("the search did not end; it began with a solution of at most ")
    few = region_exact.group(WEIGHT[:10], GRID[(GRID < 10).all(axis=1)], 150, UNLIMITED)
    assert (few.guarantee, few.lower_bound) == (region_exact.GUARANTEE, few.rows(WEIGHT[:10]).max())


def test_merged_parts_of_a_map_have_no_guarantee() -> None:
    for solver in (regions, region_exact):
        found = solver.group(WEIGHT, GRID[(GRID < 20).all(axis=1)], 230, UNLIMITED, merge=True)
        assert found.guarantee == "nothing is guaranteed, as small parts of the map were merged"


def test_rectangles() -> None:
    assert guillotine.group(*POINTS, WEIGHT, 230, UNLIMITED).guarantee == guillotine.GUARANTEE
    assert guillotine.group(*POINTS, WEIGHT, 230, STOPPED).guarantee == "nothing is guaranteed, as the search was stopped"
    for budget in (UNLIMITED, STOPPED):
        assert kd_tree.group(*POINTS, WEIGHT, 230, budget).guarantee == kd_tree.GUARANTEE
    assert rectangle_exact.group(*POINTS, WEIGHT, 230, UNLIMITED).guarantee == rectangle_exact.GUARANTEE
    stopped = rectangle_exact.group(*POINTS, WEIGHT, 230, STOPPED)
    assert stopped.guarantee == f"the search did not end; it began with a solution of {kd_tree.GUARANTEE}"
    assert stopped.lower_bound < stopped.rows(WEIGHT).max()


def test_a_description_tells_what_was_reached() -> None:
    weight = np.array([3, 4, 5])
    some = Grouping.of(np.array([0, 0, 1]), 6, "counting", "at most twice the optimum")
    assert some.described(weight) == (
        "at most twice the optimum; the heaviest of 2 groups has 7 rows, every division has 6 or more (counting)"
    )
    best = Grouping.of(np.array([0, 0, 1]), 7, "counting", "the optimum")
    assert best.described(weight) == "the optimum; the heaviest of 2 groups has 7 rows, no division has less (counting)"
