"""The audit of sensitive attributes in SQL, class by class, against definitions computed with fractions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import duckdb
import pytest
from asking import ask
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from kanon_sql.udfs.gate import gain
from requirement_oracle import Apart, Histogram, diverse, equal, kept, moved, numeric, ordered, total

import kanon_sql
from kanon_sql.engines.duckdb.guarantees import question as question_of
from kanon_sql.errors import PolicyError
from kanon_sql.model.requirements import (
    VARIANTS,
    AlphaAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    LDiversity,
    SensitiveRequirement,
    TCloseness,
)
from kanon_sql.solvers.guarantees.shares import nearest_above, nearest_below

CLASSES = st.lists(st.dictionaries(st.integers(1, 5), st.integers(1, 6), min_size=1), min_size=1, max_size=4)
SHARES = st.fractions(0, 1, max_denominator=12)


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with kanon_sql.register(duckdb.connect()) as connection:
        yield connection


def answers(
    con: duckdb.DuckDBPyConnection,
    requirement: SensitiveRequirement,
    classes: Sequence[Histogram],
    labels: Sequence[str | None],
) -> list[bool]:
    """Return for each class whether the audit accepts it; values that occur nowhere have no number, as in a release."""
    present = sorted(set().union(*classes))
    cells = [
        (number, present.index(value) + 1, labels[value - 1], rows)
        for number, counts in enumerate(classes)
        for value, rows in counts.items()
    ]
    con.execute('CREATE OR REPLACE TEMP TABLE tally ("class" BIGINT, value BIGINT, label VARCHAR, n BIGINT)')
    con.execute(f"INSERT INTO tally VALUES {', '.join(map(in_sql, cells))}")
    con.execute("ALTER TABLE tally ADD COLUMN texts VARCHAR[]")
    con.execute("UPDATE tally SET texts = [label]")
    question = question_of(requirement, "tally")  # of some requirements a row for each value
    found = dict(ask(con, f"SELECT class, bool_and(coalesce(holds, false)) FROM ({question}) GROUP BY class"))
    return [found.get(number) is True for number in range(len(classes))]


LABELS = ["a", "b", "c", "d", None]


@settings(max_examples=100)
@given(
    classes=CLASSES,
    variant=st.sampled_from(VARIANTS),
    least=st.one_of(st.integers(1, 5).map(Fraction), st.fractions(1, 5, max_denominator=4)),
    c=st.fractions(Fraction(1, 3), 4, max_denominator=4),
)
def test_l_diversity(con: Any, classes: list[Histogram], variant: str, least: Fraction, c: Fraction) -> None:
    if variant == "recursive":
        requirement = LDiversity(sensitive="x", l=int(least), variant=variant, c=c)
    else:
        requirement = LDiversity(sensitive="x", l=least, variant=variant)
    assert answers(con, requirement, classes, LABELS) == [diverse(requirement, counts) for counts in classes]


@pytest.mark.sweep
@pytest.mark.parametrize("rows", [1, 2, 7, 1000, 10**6, 123456789])
def test_entropy_at_the_very_threshold(con: duckdb.DuckDBPyConnection, rows: int) -> None:
    for values in (2, 3, 5):
        even = dict.fromkeys(range(1, values + 1), rows)
        least = LDiversity(sensitive="x", l=values, variant="entropy")
        assert answers(con, least, [even], LABELS) == [True]
        assert answers(con, least, [even | {1: rows + 1}], LABELS) == [False]
    above = LDiversity(sensitive="x", l=Fraction(2 * 10**8 + 1, 10**8), variant="entropy")
    assert answers(con, above, [{1: rows, 2: rows}], LABELS) == [False]


@settings(max_examples=30)
@given(classes=CLASSES, alpha=st.fractions(Fraction(1, 12), 1, max_denominator=12))
def test_alpha(con: Any, classes: list[Histogram], alpha: Fraction) -> None:
    requirement = AlphaAnonymity(sensitive="x", value="b", alpha=alpha)
    expected = [Fraction(counts.get(2, 0), sum(counts.values())) <= alpha for counts in classes]
    assert answers(con, requirement, classes, LABELS) == expected


@settings(max_examples=60)
@given(classes=CLASSES, beta=st.fractions(Fraction(1, 4), 6, max_denominator=4))
def test_beta_likeness(con: Any, classes: list[Histogram], beta: Fraction) -> None:
    requirement = BetaLikeness(sensitive="x", beta=beta)
    assert answers(con, requirement, classes, LABELS) == [kept(requirement, one, total(classes)) for one in classes]


@settings(max_examples=60)
@given(classes=CLASSES, delta=st.fractions(Fraction(1, 4), 4, max_denominator=4))
def test_delta_disclosure(con: Any, classes: list[Histogram], delta: Fraction) -> None:
    requirement = DeltaDisclosure(sensitive="x", delta=delta)
    assert answers(con, requirement, classes, LABELS) == [kept(requirement, one, total(classes)) for one in classes]


@pytest.mark.parametrize("frequent", [10**7 + 1, 10**8 + 3, 10**9 + 7])
def test_a_gain_next_to_its_logarithm_is_decided_exactly(con: duckdb.DuckDBPyConnection, frequent: int) -> None:
    """A class of one value, which n - 1 of n rows have: it gains 1 / (n - 1), more than -ln p by about 1 / 2 n^2."""
    requirement = BetaLikeness(sensitive="x", beta=10**9)
    assert answers(con, requirement, [{1: frequent}, {1: 1, 2: 1}], LABELS) == [False, False]
    rows = frequent + 2
    for total_rows in (frequent, 1, rows // 3, rows - 1):
        _, most = requirement.shares(total_rows, rows)
        (held, size), (more, of) = (near(most, rows).as_integer_ratio() for near in (nearest_below, nearest_above))
        assert gain(None, held, size, total_rows, rows)
        assert not gain(None, more, of, total_rows, rows)


def closeness(classes: Sequence[Histogram], distance: Apart) -> list[Fraction]:
    whole = total(classes)
    return [moved(counts, whole, distance) for counts in classes]


def check_closeness(
    con: Any,
    classes: Sequence[Histogram],
    distance: Apart,
    t: Fraction,
    labels: Sequence[str | None] = LABELS,
    **metric: str,
) -> None:
    """Check the answer for a given t, and at and just below the largest distance that occurs."""
    found = closeness(classes, distance)
    below = max(max(found) - Fraction(1, 10**6), Fraction(0)).limit_denominator(10**9)
    for threshold in {t, max(found), below}:
        requirement = TCloseness(sensitive="x", t=threshold, **metric)
        assert answers(con, requirement, classes, labels) == [each <= threshold for each in found], threshold


@settings(max_examples=30)
@given(classes=CLASSES, t=SHARES)
def test_equal(con: Any, classes: list[Histogram], t: Fraction) -> None:
    check_closeness(con, classes, equal, t, metric="equal")


@settings(max_examples=30)
@given(classes=CLASSES, t=SHARES)
def test_ordered(con: Any, classes: list[Histogram], t: Fraction) -> None:
    check_closeness(con, classes, ordered(sorted(total(classes))), t, metric="ordered")


NUMBERS = [
    ["-2", "0", "0.5", "1", "7"],
    ["10", "9", "3.25", "0", "12"],
    ["1.0", "1", "2", "4", "11"],
    ["5", "5", "5", "5", "5"],
]


@settings(max_examples=30)
@given(classes=CLASSES, t=SHARES, numbers=st.sampled_from(NUMBERS))
def test_numeric(con: Any, classes: list[Histogram], t: Fraction, numbers: list[str]) -> None:
    at = {value: Fraction(numbers[value - 1]) for value in total(classes)}
    metric = numeric(list(at.values()))
    check_closeness(con, classes, lambda i, j: metric(at[i], at[j]), t, numbers, metric="numeric")


TREES = {
    "levels": (
        "level0, level1, level2",
        [("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*"), ("d", "y", "*"), (None, "z", "*")],
    ),
    "parents": (
        "value, parent",
        [("a", "x"), ("b", "x"), ("c", "y"), ("x", "*"), ("y", "*"), ("d", "*"), (None, "b"), ("*", None)],
    ),
}
HEIGHTS = {
    "levels": lambda i, j: Fraction(1 if {i, j} in ({1, 2}, {3, 4}) else 2, 2),
    # b is the parent of NULL: as a value it is a leaf below itself
    "parents": lambda i, j: Fraction({2, 5} == {i, j} or 2 * ({i, j} <= {1, 2, 5}) or 3, 3),
}


@pytest.mark.everything
@settings(max_examples=30)
@given(classes=CLASSES, t=SHARES, tree=st.sampled_from(list(TREES)))
def test_hierarchical(con: Any, classes: list[Histogram], t: Fraction, tree: str) -> None:
    columns, rows = TREES[tree]
    con.execute(f"CREATE OR REPLACE TEMP TABLE tree AS FROM (VALUES {', '.join(map(in_sql, rows))}) t({columns})")

    def distance(i: int, j: int) -> Fraction:
        return Fraction(0) if i == j else HEIGHTS[tree](i, j)

    check_closeness(con, classes, distance, t, metric="hierarchical", hierarchy="tree")


def in_sql(row: Sequence[object]) -> str:
    return f"({', '.join('NULL' if each is None else repr(each) for each in row)})"


BROKEN_TREES = [
    ("level0, level1", [("a", "x"), ("b", "x"), ("c", "x"), (None, "x")], "a value is missing"),
    ("value, parent", [("a", "x"), ("b", "x"), ("c", "x"), ("d", "x"), (None, "x"), ("a", "y"), ("y", "x")], "two parents"),
    ("value, parent", [("a", "x"), ("b", "x"), ("c", "a"), ("d", "c"), (None, "x"), ("x", "d")], "a circle"),
    ("value, parent", [("a", "x"), ("b", "x"), ("c", "y"), ("d", "y"), (None, "z"), ("z", "y")], "two roots of two heights"),
    ("colour, taste", [("a", "x"), ("b", "x")], "other columns"),
]


@pytest.mark.parametrize("broken", BROKEN_TREES, ids=[what for _, _, what in BROKEN_TREES])
def test_a_broken_hierarchy_lets_nothing_pass(
    con: duckdb.DuckDBPyConnection, broken: tuple[str, list[tuple[Any, ...]], str]
) -> None:
    columns, rows, _ = broken
    con.execute(f"CREATE OR REPLACE TEMP TABLE tree AS FROM (VALUES {', '.join(map(in_sql, rows))}) t({columns})")
    every = dict.fromkeys(range(1, 6), 2)
    requirement = TCloseness(sensitive="x", t=1, metric="hierarchical", hierarchy="tree")
    assert answers(con, requirement, [every, every], LABELS) == [False, False]


@pytest.mark.everything
@settings(max_examples=30)
@given(
    classes=CLASSES,
    t=SHARES,
    points=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=5, max_size=5),
    directions=st.lists(st.booleans(), min_size=10, max_size=10),
)
def test_a_table_of_distances(
    con: Any, classes: list[Histogram], t: Fraction, points: list[tuple[int, int]], directions: list[bool]
) -> None:
    def stated(i: int, j: int) -> Fraction:
        return Fraction(sum(abs(a - b) for a, b in zip(points[i - 1], points[j - 1], strict=True)), 8)

    largest = max(stated(i, j) for i, j in combinations(range(1, 6), 2))
    assume(largest)  # else it is no metric, and refused

    def apart(i: int, j: int) -> Fraction:
        return stated(i, j) / largest

    rows = []
    for (i, j), both in zip(combinations(range(1, 6), 2), directions, strict=True):
        rows += [(LABELS[i - 1], LABELS[j - 1], stated(i, j))] + [(LABELS[j - 1], LABELS[i - 1], stated(i, j))] * both
    fill_distances(con, rows)
    check_closeness(con, classes, apart, t, metric="distances")


def fill_distances(con: Any, rows: Sequence[tuple[Any, ...]]) -> None:
    con.execute("CREATE OR REPLACE TEMP TABLE distances (a VARCHAR, b VARCHAR, distance DECIMAL(9, 6))")
    listed = [(a, b, float(Fraction(distance))) for a, b, distance in rows]
    con.execute(f"INSERT INTO distances VALUES {', '.join(map(in_sql, listed))}")


def test_a_gap_in_the_table_of_distances_lets_nothing_pass(con: duckdb.DuckDBPyConnection) -> None:
    requirement = TCloseness(sensitive="x", t=1, metric="distances")
    for rows in ([("a", "b", 1), ("a", "c", 1)], [("a", "b", 1), ("b", "a", 0.5), ("a", "c", 1), ("b", "c", 1)]):
        fill_distances(con, rows)
        try:
            assert answers(con, requirement, [{1: 1, 2: 1}, {3: 2}], LABELS) == [False, False]
        except duckdb.Error:  # an error lets nothing pass either
            continue


@pytest.mark.parametrize("threshold", [Fraction(1, 2**31), Fraction(2**31 - 1, 2**31)])
def test_a_threshold_with_too_many_digits_is_refused(threshold: Fraction) -> None:
    with pytest.raises(PolicyError, match="too many digits"):
        question_of(TCloseness(sensitive="x", t=threshold), "tally")


@pytest.mark.parametrize("metric", ["equal", "ordered"])
def test_large_counts_are_exact_or_stop_with_an_error(con: duckdb.DuckDBPyConnection, metric: str) -> None:
    for rows in (2**20, 2**40, 2**61):
        classes = [{1: rows, 2: rows + 1}, {1: rows + 1, 2: rows}]
        for t, holds in ((Fraction(1, 2**20), True), (Fraction(0), False)):
            try:
                assert answers(con, TCloseness(sensitive="x", t=t, metric=metric), classes, LABELS) == [holds] * 2
            except duckdb.OutOfRangeException:
                assert rows == 2**61
