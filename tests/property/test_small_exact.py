"""The exact solvers of tiny tables against brute force."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, repeat
from typing import Any

import pytest
from naive import optimum
from solving import check, coded, plain

from kanon_sql import pipeline
from kanon_sql.certificate import Status
from kanon_sql.errors import InfeasibleError, PolicyError
from kanon_sql.solvers.budget import UNLIMITED, Budget, Moment
from kanon_sql.solvers.registry import SOLVERS
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import permitted
from kanon_sql.table.recoding import Recoding

EXACT = ("subset_dp", "row_assignment")
Row = tuple[Any, ...]


def solved(algorithm: str, rows: Sequence[Row], budget: Budget = UNLIMITED, **options: Any) -> tuple[CodedTable, Recoding]:
    table, policy = coded(rows, **options)
    recoding = SOLVERS[algorithm].load()(plain(table, permitted(table, policy), policy.least_class_size), budget)
    check(table, recoding, policy.least_class_size)
    return table, recoding


def case(seed: int) -> tuple[list[Row], int, list[set[int]] | None, list[Fraction]]:
    """Draw a table of 2 to 8 rows and 1 to 4 columns, k, masks or none, and weights."""
    rng = random.Random(seed)
    m = rng.randint(1, 4)
    values = ["a", "b", "c", None][: rng.choice([2, 2, 3, 4])]
    rows = [tuple(rng.choice(values) for _ in range(m)) for _ in range(rng.choice([2, 3, 4, 5, 6, 6, 7, 8]))]
    masks = None
    if rng.random() < 0.6:
        masks = [{c for c in range(m) if rng.random() < 0.5} for _ in range(rng.randint(1, 5))]
    weights = [rng.choice([Fraction(1), Fraction(1), Fraction(3), Fraction(5, 2)]) for _ in range(m)]
    return rows, rng.randint(2, min(3, len(rows))), masks, weights


@pytest.fixture(scope="module")
def cases() -> list[tuple[list[Row], dict[str, Any], Fraction | None]]:
    """Tables with their options and their optimum, for both solvers."""
    drawn = []
    for seed in range(280):
        rows, k, masks, weights = case(seed)
        options: dict[str, Any] = {"k": k, "weights": {f"c{c}": weight for c, weight in enumerate(weights)}}
        if masks is not None:
            options["masks"] = [[f"c{c}" for c in sorted(mask)] for mask in masks]
        drawn.append((rows, options, optimum(rows, k, masks, weights)))
    return drawn


@pytest.mark.everything
@pytest.mark.parametrize("algorithm", EXACT)
def test_the_cost_is_the_optimum(algorithm: str, cases: list[tuple[list[Row], dict[str, Any], Fraction | None]]) -> None:
    proven, refused = Counter[bool](), 0
    for rows, options, best in cases:
        table, policy = coded(rows, algorithm=algorithm, **options)
        try:
            recoding, certificate = pipeline.run(table, policy)
        except InfeasibleError:
            assert best is None
            proven[False] += 1
        except PolicyError:
            refused += 1
        else:
            check(table, recoding, policy.least_class_size)
            assert certificate.cost == certificate.lower_bound == best
            assert certificate.status is Status.OPTIMAL
            assert recoding.lower_bound == recoding.cost(table)
            proven[True] += 1
    assert proven[True] >= 200
    assert proven[False] >= 10
    assert refused == 0 or algorithm == "row_assignment"


@pytest.mark.parametrize("algorithm", EXACT)
def test_masks_that_permit_no_release(algorithm: str) -> None:
    rows = [("a", "x"), ("a", "y"), ("b", "y")]
    with pytest.raises(InfeasibleError, match=r"^\d rows? fits? no|^the 3 rows cannot"):
        solved(algorithm, rows, k=2, masks=[["c0"]])
    with pytest.raises(InfeasibleError, match="3 rows"):  # each row fits a mask with another one, but not all at once
        solved(algorithm, rows, k=2, masks=[["c0"], ["c1"]])


@pytest.mark.everything
def test_subset_dp_takes_18_rows_and_no_more() -> None:
    rng = random.Random(1)
    rows = [tuple(rng.choice("abcd") for _ in range(5)) for _ in range(19)]
    for k in (2, 5, 9):
        table, recoding = solved("subset_dp", rows[:18], k=k)
        assert recoding.lower_bound == recoding.cost(table)
        assert recoding.bound == "dynamic programming over subsets"
    with pytest.raises(PolicyError, match=r"at most 18 rows, but the table has 19; hint: .*optimal"):
        solved("subset_dp", rows, k=2)


def test_subset_dp_without_a_list_of_patterns() -> None:
    rng = random.Random(2)
    rows = [tuple(rng.choice("ab") for _ in range(17)) for _ in range(7)]
    table, recoding = solved("subset_dp", rows, k=2)
    assert not permitted(*coded(rows, k=2)).listed
    assert table.exact_cost(recoding.cost(table)) == optimum(rows, 2)
    with pytest.raises(PolicyError, match="at most 16 columns without listed masks"):
        solved("row_assignment", rows, k=2)


def test_row_assignment_refuses_too_many_instances() -> None:
    rows = [(str(i), str(i)) for i in range(20) for _ in range(2)]  # each pair of rows, and the class that shows nothing
    with pytest.raises(PolicyError, match=r"at most 20 useful pattern instances, .*optimal"):
        solved("row_assignment", rows, k=2)
    table, recoding = solved("row_assignment", rows[2:], k=2)
    assert recoding.cost(table) == 0


def test_row_assignment_splits_row_types_of_many_rows() -> None:
    rows = [("a", "x")] * 1003 + [("a", "y")] * 2 + [("b", "x")] * 1
    table, recoding = solved("row_assignment", rows, k=500)
    assert recoding.cost(table) == recoding.lower_bound == 2 + 498 + 1 + 499
    assert recoding.bound == "enumeration of the pattern instances in use"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending(Budget):
    """A budget that answers as listed."""

    answers: Iterator[bool]

    def over(self) -> bool:
        return next(self.answers)


@pytest.mark.parametrize("asked", [0, 3, 5, 6, 7])
@pytest.mark.parametrize("algorithm", EXACT)
def test_when_the_time_is_up_there_is_a_release_and_its_gap(algorithm: str, asked: int) -> None:
    rng = random.Random(5)
    rows = [tuple(rng.choices("abc", (6, 3, 1))[0] for _ in range(4)) for _ in range(16)]
    options: dict[str, Any] = {"k": 5, "masks": [["c0", "c1", "c2"], ["c0", "c3"], ["c1", "c2"], ["c1"], []]}
    budget = Ending(answers=chain(repeat(False, asked), repeat(True)))
    table, recoding = solved(algorithm, rows, budget, **options)
    least = solved(algorithm, rows, **options)[1].cost(table)
    assert recoding.lower_bound <= least <= recoding.cost(table)


@pytest.mark.parametrize("algorithm", EXACT)
def test_progress_is_reported_and_may_interrupt(algorithm: str) -> None:
    def stop(moment: Moment) -> None:
        assert 0 <= moment.done <= 1
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solved(algorithm, [("a",), ("b",), ("a",)], Budget(progress=stop), k=2)


def test_patterns_of_equal_cost_replace_each_other() -> None:
    from kanon_sql.solvers.instances.undominated import undominated

    table, policy = coded([("a", "x"), ("b", "x"), ("b", "y")], k=1, masks=[["c0"], ["c1"]])
    found = undominated(table, permitted(table, policy), 1)
    assert found.fits.tolist() == [1, 2, 3]
