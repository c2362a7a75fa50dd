"""Ground distances: exact, checked against the definitions by transport, and refused with a pair of the table at most."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanon_sql.errors import PolicyError
from kanon_sql.model.distances import (
    Distance,
    MatrixDistance,
    TreeDistance,
    equal,
    hierarchical,
    metric,
    number,
    numeric,
    ordered,
)
from kanon_sql.model.hierarchies import DEEPEST, Hierarchy


def between(distance: Distance, i: int, j: int) -> Fraction:
    """Return the distance of two values: that of the distributions which have nothing else."""
    if isinstance(distance, MatrixDistance):
        return Fraction(int(distance.cost[i, j]), distance.scale)
    apart = distance.below[:, i] != distance.below[:, j]
    return Fraction(int(distance.length[apart].sum()), distance.scale)


def matrix(distance: Distance, values: int) -> list[list[Fraction]]:
    return [[between(distance, i, j) for j in range(values)] for i in range(values)]


@pytest.mark.parametrize("values", [1, 2, 5])
def test_equal_and_ordered(values: int) -> None:
    assert matrix(equal(values), values) == [[Fraction(i != j) for j in range(values)] for i in range(values)]
    last = max(1, values - 1)
    assert matrix(ordered(values), values) == [[Fraction(abs(i - j), last) for j in range(values)] for i in range(values)]


def test_the_layout_that_solvers_rely_on() -> None:
    found = equal(3)
    assert (found.below.tolist(), found.length.tolist(), found.scale) == (np.eye(3, dtype=bool).tolist(), [1, 1, 1], 2)
    found = ordered(3)
    assert found.below.tolist() == [[True, False, False], [True, True, False]]
    assert (found.length.tolist(), found.scale, found.length.dtype, found.below.dtype) == ([1, 1], 2, np.int64, np.bool_)
    one = ordered(1)
    assert (one.below.shape, one.length.shape, one.scale) == ((0, 1), (0,), 1)


@given(st.lists(st.fractions(-5, 5, max_denominator=8), min_size=1, max_size=6))
def test_numeric(values: list[Fraction]) -> None:
    span = max(values) - min(values) or Fraction(1)
    assert matrix(numeric(values), len(values)) == [[abs(x - y) / span for y in values] for x in values]


def test_numbers_are_exact_and_small() -> None:
    found = numeric([Fraction("0.1"), Fraction("0.3"), Fraction("1.1")])
    assert (found.length.tolist(), found.scale) == ([1, 4], 5)
    found = numeric([10**30, 10**30 + 2, 10**30 + 6])
    assert (found.length.tolist(), found.scale) == ([1, 2], 3)
    for values in ([0, 1, 2**31], [Fraction(0), Fraction(1, 10**12), Fraction(1)]):
        with pytest.raises(PolicyError, match="span too wide a range"):
            numeric(values)


def test_too_many_values_are_refused() -> None:
    for build in (equal, ordered):
        with pytest.raises(PolicyError, match="has 10001 values, but this metric supports at most 10000"):
            build(10_001)
    labels = [str(i) for i in range(1001)]
    with pytest.raises(PolicyError, match="1001 values"):
        metric(labels, [], [], [])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("-0.50", Fraction(-1, 2)),
        ("0.000000000000001", Fraction(1, 10**15)),
        ("0.0000000000000001", None),
        ("1e3", None),
        ("nan", None),
        ("inf", None),
        ("1/3", None),
        (" 1", None),
        ("", None),
        (None, None),
        ("9" * 22, int("9" * 22)),
        ("9" * 23, None),
        ("٣", None),
    ],
)
def test_numbers_of_texts(text: str | None, value: Any) -> None:
    assert number(text) == value


LEVELS = {"LEVEL0": ["a", "b", "c", None], "level2": ["*"] * 4, "level1": ["x", "x", "y", "y"]}
PARENTS = {
    "value": ["a", "b", "x", "c", "d", "y", "z", "*"],
    "Parent": ["x", "x", "y", "y", "*", "*", "*", None],
}


def of(columns: dict[str, list[str | None]], labels: list[str | None]) -> TreeDistance:
    return hierarchical(*Hierarchy.of(columns).paths(labels))


def test_a_hierarchy_of_levels() -> None:
    found = matrix(of(LEVELS, ["a", "b", "c", None]), 4)
    half = Fraction(1, 2)
    assert found == [[0, half, 1, 1], [half, 0, 1, 1], [1, 1, 0, half], [1, 1, half, 0]]


def test_a_hierarchy_of_parents_whose_branches_differ_in_height() -> None:
    third = Fraction(1, 3)
    assert matrix(of(PARENTS, ["a", "b", "c", "d"]), 4) == [
        [0, third, 2 * third, 1],
        [third, 0, 2 * third, 1],
        [2 * third, 2 * third, 0, 1],
        [1, 1, 1, 0],
    ]


def test_an_inner_node_that_is_a_value_is_a_leaf_below_itself() -> None:
    third = Fraction(1, 3)
    assert matrix(of(PARENTS, ["a", "x", "y", "*"]), 4) == [
        [0, third, 2 * third, 1],
        [third, 0, 2 * third, 1],
        [2 * third, 2 * third, 0, 1],
        [1, 1, 1, 0],
    ]


@pytest.mark.parametrize("more", [([], []), (["*"], ["*"]), (["*"], [None])])
def test_the_root_has_no_row_no_parent_or_itself(more: tuple[list[str | None], list[str | None]]) -> None:
    columns = {"value": ["a", "b", *more[0]], "parent": ["*", "*", *more[1]]}
    assert matrix(of(columns, ["a", "b"]), 2) == [[0, 1], [1, 0]]


def test_a_tree_of_one_node() -> None:
    assert matrix(of({"value": ["a"], "parent": [None]}, ["a"]), 1) == [[0]]
    assert matrix(of({"level0": ["a"], "level1": ["*"]}, ["a"]), 1) == [[0]]


@given(st.data())
def test_hierarchical_against_the_definition(data: st.DataObject) -> None:
    nodes = data.draw(st.integers(2, 9))
    above = [data.draw(st.integers(0, node - 1)) for node in range(1, nodes)]
    columns: dict[str, list[str | None]] = {"value": [str(n) for n in range(1, nodes)], "parent": [str(n) for n in above]}
    values = data.draw(st.lists(st.integers(0, nodes - 1), min_size=1, unique=True))
    ways = {0: [0]}
    for node in range(1, nodes):
        ways[node] = [node, *ways[above[node - 1]]]
    height = {node: max(way.index(node) for way in ways.values() if node in way) for node in ways}
    found = of(columns, [str(value) for value in values])
    for (i, x), (j, y) in product(enumerate(values), repeat=2):
        common = next(node for node in ways[x] if node in ways[y])
        assert between(found, i, j) == (0 if x == y else Fraction(height[common], height[0]))


WRONG_TREES: list[tuple[dict[str, list[str | None]], str]] = [
    ({"level0": ["a"]}, "needs the columns level0, level1"),
    ({"level0": ["a"], "level2": ["*"]}, "needs the columns"),
    ({"value": ["a"], "parent": ["*"], "note": ["x"]}, "needs the columns"),
    ({"level0": ["a", "b"], "level1": ["x", "y"]}, r"has 2 roots; hint: give all values one common ancestor"),
    (
        {"level0": ["a", "a"], "level1": ["x", "y"], "level2": ["*", "*"]},
        r"level0 of the hierarchy has 1 label with two parents",
    ),
    ({"level0": ["a", "b"], "level1": ["x", "x"], "level2": ["*", "+"]}, r"level1 .* 1 label with two parents"),
    ({"level0": ["a", "b"], "level1": ["x", None], "level2": ["*", "*"]}, "level1 of the hierarchy has empty cells"),
    ({"value": ["a", "a"], "parent": ["x", "y"]}, r"value of the hierarchy has 1 label with two parents"),
    ({"value": ["a", "a"], "parent": ["x", None]}, r"1 value both with and without a parent"),
    ({"value": ["a", "x", "b"], "parent": ["x", "a", "*"]}, "has a cycle of 2 labels"),
    ({"value": ["a", "x"], "parent": ["x", "a"]}, "has no root"),
    ({"value": ["a", "b", "c", "d"], "parent": ["A", "B", "C", "D"]}, r"has 4 roots; hint"),
    ({"value": [], "parent": []}, "has no root"),
    ({"value": [str(n) for n in range(DEEPEST)], "parent": [str(n + 1) for n in range(DEEPEST)]}, "64 \\(maximum 63"),
]


@pytest.mark.parametrize(("columns", "message"), WRONG_TREES, ids=[message for _, message in WRONG_TREES])
def test_what_is_no_tree_is_refused(columns: dict[str, list[str | None]], message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        Hierarchy.of(columns)


def test_values_outside_the_hierarchy_are_counted_not_named() -> None:
    with pytest.raises(PolicyError, match="2 of the 3 distinct values are missing from the hierarchy") as caught:
        of(LEVELS, ["a", "secret", "x"])
    assert "secret" not in str(caught.value)


Pairs = list[tuple[str | None, str | None, str | None]]

GOOD: Pairs = [
    ("a", "b", "0.5"),
    ("b", "c", "1"),
    (None, "a", "1"),
    ("c", "a", "0.75"),
    ("b", None, "1.000"),
    ("c", None, "0.25"),
]


def of_table(labels: list[str | None], pairs: Pairs) -> MatrixDistance:
    columns: list[list[Any]] = [list(column) for column in zip(*pairs, strict=True)] or [[], [], []]
    return metric(labels, *columns)


def test_a_table_of_distances() -> None:
    found = of_table(["a", "b", "c", None], GOOD)
    assert found.scale == 4
    assert found.cost.tolist() == [[0, 2, 3, 4], [2, 0, 4, 4], [3, 4, 0, 1], [4, 4, 1, 0]]
    both = [*GOOD, *((b, a, d) for a, b, d in GOOD), ("a", "a", "0.0"), ("else", "where", "0.1")]
    assert (of_table(["a", "b", "c", None], both).cost == found.cost).all()
    assert of_table(["c", "a"], GOOD).cost.tolist() == [[0, 3], [3, 0]]
    assert of_table(["b", "b"], GOOD).cost.tolist() == [[0, 0], [0, 0]], "values of one text are alike"
    assert of_table(["a", "b", "c", None], [(a, b, f"{d}e1") for a, b, d in GOOD]).scale == 4, "the scale is free"
    assert of_table(["c", "a"], [*GOOD, ("x", "y", "1.5")]).cost.tolist() == [[0, 1], [1, 0]], "the whole table has a scale"
    assert of_table(["nowhere"], GOOD).cost.tolist() == [[0]], "one value has no pairs"
    assert of_table(["a"], [("a", "a", "0")]).cost.tolist() == [[0]]


WRONG_METRICS: list[tuple[Pairs, str]] = [
    ([*GOOD, ("b", "a", "0.25")], "two different distances for 1 pair; hint"),
    ([*GOOD, ("c", "c", "0.1")], "has 1 nonzero distance from a value to itself"),
    ([*GOOD[:-1], ("c", None, "-0.25")], "for 1 pair, the distance must be a non-negative number"),
    ([*GOOD[:-1], ("c", None, None)], "for 1 pair, the distance must be a non-negative number"),
    ([*GOOD[:-1], ("c", None, "1e-")], "must be a non-negative number"),
    ([(a, b, "0") for a, b, _ in GOOD], "all distances in the table are 0"),
    (GOOD[:-1], "lacks 1 pair of values"),
    ([*GOOD[:3], ("c", "a", "0.1"), *GOOD[4:]], "for . pairs?, the distance is longer than the path"),
    ([*GOOD[:-1], ("c", None, "0.333333333333333")], "span too wide a range"),
]


@pytest.mark.parametrize(("pairs", "message"), WRONG_METRICS, ids=[message for _, message in WRONG_METRICS])
def test_what_is_no_metric_is_refused(pairs: Pairs, message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        of_table(["a", "b", "c", None], pairs)


def test_values_outside_the_table_are_counted_not_named() -> None:
    with pytest.raises(PolicyError, match="1 of the 2 distinct values are missing from the table of distances") as caught:
        of_table(["a", "secret"], GOOD)
    assert "secret" not in str(caught.value)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=5, unique=True))
def test_any_metric_is_read_exactly(points: list[tuple[int, int]]) -> None:
    def apart(i: int, j: int) -> int:
        return abs(points[i][0] - points[j][0]) + abs(points[i][1] - points[j][1])

    labels: list[str | None] = [str(i) for i in range(len(points))]
    span = max(apart(i, j) for i, j in permutations(range(len(points)), 2))
    if 10**15 % span:
        span = 2**4
        labels, rows = [*labels, "far"], [("far", str(i), "1") for i in range(len(points))]
    else:
        rows = []
    pairs = [(str(i), str(j), f"{apart(i, j) * 10**15 // span / 10**15:.15f}") for i, j in permutations(range(len(points)), 2)]
    found = of_table(labels, [*rows, *pairs])
    for i, j in permutations(range(len(points)), 2):
        assert between(found, i, j) == Fraction(apart(i, j), span)
