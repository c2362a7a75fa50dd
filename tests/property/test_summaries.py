"""Ranges and sets of the classes' own values, against brute force over all divisions of the rows."""

from __future__ import annotations

import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
import pytest
from naive import partitions
from solving import coded, rows_each

from kanon_sql.kernels.classes import Partition
from kanon_sql.kernels.summaries import Classes
from kanon_sql.model.policy import Policy
from kanon_sql.solvers.budget import UNLIMITED, Budget
from kanon_sql.solvers.summaries import longer
from kanon_sql.solvers.summaries.longer import ClassRows, Half, joined
from kanon_sql.solvers.summaries.mondrian import solve
from kanon_sql.solvers.summaries.partition import SummaryPartition
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.encode import encode

Row = tuple[str | None, ...]

CASES = 120
OPTIMAL = 0.98
"""Share of small tables on which the search finds the optimum: all of 600 when this was written."""


def nulls(table: CodedTable, rows: Sequence[Row]) -> np.ndarray:
    found = [int(table.cardinality[c]) - 1 if any(row[c] is None for row in rows) else -1 for c in range(len(rows[0]))]
    return np.array(found, np.int32)


def loss(members: Sequence[Row], rows: Sequence[Row], kinds: Sequence[str], costs: Sequence[Fraction]) -> Fraction:
    """What the rows of one class lose, by the definition, from the values themselves."""
    total = Fraction(0)
    for c, kind in enumerate(kinds):
        order = sorted({row[c] for row in rows if row[c] is not None}) + ([None] if any(row[c] is None for row in rows) else [])
        shown = {row[c] for row in members}
        if len(shown) == 1:
            continue
        if kind == "plain":
            share = Fraction(1)
        elif kind == "set":
            share = Fraction(len(shown) - 1, len(order) - 1)
        else:
            places = [order.index(value) for value in shown if value is not None]
            share = Fraction(max(places) - min(places) + (None in shown), len(order) - 1)
        total += costs[c] * share * len(members)
    return total


def optimum(rows: Sequence[Row], kinds: Sequence[str], costs: Sequence[Fraction], k: int) -> Fraction:
    @cache
    def of(members: tuple[Row, ...]) -> Fraction:
        return loss(members, rows, kinds, costs)

    by_text = sorted(rows, key=repr)
    return min(
        sum((of(tuple(sorted(each, key=repr))) for each in classes), Fraction(0))
        for classes in partitions(by_text)
        if all(len(each) >= k for each in classes)
    )


def case(seed: int) -> tuple[list[Row], list[str], list[Fraction], int]:
    rng = random.Random(seed)
    m = rng.randint(1, 4)
    values = [[*"abcdefgh"[: rng.randint(1, 8)], *([None] if rng.random() < 0.4 else [])] for _ in range(m)]
    rows = [tuple(rng.choice(each) for each in values) for _ in range(rng.randint(2, 8))]
    if rng.random() < 0.3:
        rows = [rng.choice(rows[:3]) for _ in rows]
    kinds = [rng.choice(["plain", "range", "set"]) for _ in range(m)]
    costs = [rng.choice([Fraction(1), Fraction(3), Fraction(5, 2)]) for _ in range(m)]
    return rows, kinds, costs, rng.randint(1, min(4, len(rows)))


def solved(
    rows: Sequence[Row], kinds: Sequence[str], k: int, costs: Sequence[Fraction] | None = None, budget: Budget = UNLIMITED
) -> tuple[CodedTable, SummaryPartition, Fraction]:
    """Return the table, its division, and the loss as the user counts it, which the classes' rows also have by definition."""
    weights = list(costs or [Fraction(1)] * len(kinds))
    table, _ = coded(rows, weights={f"c{c}": weight for c, weight in enumerate(weights)})
    null = nulls(table, rows)
    partition = solve(table, kinds, null, rows_each(table, k), budget)
    check(table, partition, k)
    lost = partition.cost(table, kinds, null) / table.unit
    distinct = list(dict.fromkeys(rows))  # the origin of a row type is its place here
    members: dict[int, list[Row]] = {}
    for row_type, number, count in zip(partition.row_type, partition.number, partition.count, strict=True):
        members.setdefault(int(number), []).extend([distinct[table.origin[row_type]]] * int(count))
    assert lost == sum((loss(each, rows, kinds, weights) for each in members.values()), Fraction(0))
    return table, partition, lost


def check(table: CodedTable, partition: SummaryPartition, k: int) -> None:
    """Every row is placed once, every class has k rows, and classes and row types are in order."""
    placed = np.zeros_like(table.weight)
    np.add.at(placed, partition.row_type, partition.count)
    assert (placed == table.weight).all()
    assert (partition.count > 0).all()
    assert (np.diff(partition.row_type) >= 0).all()
    rows = np.zeros(int(partition.number.max()) + 1, np.int64)
    np.add.at(rows, partition.number, partition.count)
    assert rows.min() >= k


@pytest.mark.everything
def test_between_the_bound_and_the_optimum_which_is_found_on_nearly_all_small_tables() -> None:
    found = 0
    for seed in range(CASES):
        rows, kinds, costs, k = case(seed)
        table, partition, lost = solved(rows, kinds, k, costs)
        best = optimum(rows, kinds, costs, k)
        assert partition.lower_bound / table.unit <= best <= lost, seed
        found += lost == best
    assert found >= OPTIMAL * CASES, found


@pytest.mark.parametrize("kind", ["plain", "range", "set"])
def test_extremes(kind: str) -> None:
    distinct: list[Row] = [(letter, str(place % 3)) for place, letter in enumerate("abcdefghij")]
    kinds = [kind, kind]
    assert solved(distinct, kinds, 1)[2] == 0
    assert solved([("a", None)] * 5, kinds, 3)[2] == 0
    _, partition, lost = solved(distinct, kinds, 10)
    assert lost == 20
    assert partition.number.tolist() == [0] * 10


def test_null_is_one_step_beside_any_range() -> None:
    _, _, lost = solved([("a",), ("c",), (None,), ("b",)], ["range"], 4)
    assert lost == 4  # a to c are two of three steps, NULL is the third
    _, _, lost = solved([("a",), (None,), ("b",), ("c",), ("d",)], ["range"], 2)
    assert lost == min(Fraction(1 * 2 + 2 * 3, 4), Fraction(1 * 3 + 1 * 2, 4) + Fraction(3, 4))


def test_costs_decide_which_column_is_kept() -> None:
    rows: list[Row] = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")]
    for costs, lost in (([Fraction(9), Fraction(1)], 4), ([Fraction(1, 3), Fraction(1)], Fraction(4, 3))):
        assert solved(rows, ["set", "range"], 2, costs)[2] == lost


def test_a_row_type_with_many_rows_lends_some_to_others() -> None:
    rows: list[Row] = [("a",)] * 50 + [("b",)]
    assert solved(rows, ["plain"], 3)[2] == 3


def some_rows(seed: int, many: int) -> list[Row]:
    rng = random.Random(seed)
    return [(rng.choice("abcdefghijklm"), rng.choice(["p", "q", None]), str(int(rng.expovariate(0.3)))) for _ in range(many)]


@pytest.mark.parametrize("k", [2, 7, 20])
def test_the_order_of_the_rows_does_not_matter(k: int) -> None:
    rows = some_rows(k, 400)
    kinds = ["range", "plain", "set"]
    table, partition, _ = solved(rows, kinds, k)
    random.Random(1).shuffle(rows)
    again, other, _ = solved(rows, kinds, k)
    assert (table.codes == again.codes).all()
    for name in ("row_type", "number", "count"):
        assert (getattr(partition, name) == getattr(other, name)).all()
    assert partition.lower_bound == other.lower_bound > 0
    assert partition.bound == "cheapest classes"


def test_every_seed_is_valid_and_a_spent_budget_too() -> None:
    rows = some_rows(5, 300)
    for budget in (Budget(seed=1), Budget(seed=2), Budget(seconds=0), Budget(ended=lambda: True)):
        solved(rows, ["range", "plain", "set"], 4, budget=budget)


@pytest.mark.everything
def test_the_search_is_never_worse_than_the_cuts() -> None:
    for seed in range(10):
        rows = some_rows(seed, 60)
        table, _ = coded(rows)
        kinds, null, asked = ["range", "plain", "set"], nulls(table, rows), rows_each(table, 2 + seed)
        looks = iter(range(1000))
        some = Budget(ended=lambda looks=looks: next(looks) > 20)  # looks at the clock, not all
        cuts = solve(table, kinds, null, asked, some)
        assert solve(table, kinds, null, asked, UNLIMITED).cost(table, kinds, null) <= cuts.cost(table, kinds, null)


def of_two_threads(rows: Sequence[Row], k: int, weight: int, monkeypatch: pytest.MonkeyPatch) -> tuple[bytes, list[bool]]:
    """Return the release of a search in two halves, and whether each turn could join them."""
    turns: list[bool] = []

    def noted(whole: Classes, halves: Sequence[Half]) -> Classes:
        found = joined(whole, halves)
        turns.append(found is not whole)
        return found

    monkeypatch.setattr(longer, "_HALVED", 50)
    monkeypatch.setattr(longer, "joined", noted)
    table, _ = coded(rows)
    table = replace(table, weight=table.weight * weight)
    kinds, null, asked = ["range", "plain", "set"], nulls(table, rows), rows_each(table, k)
    partition = solve(table, kinds, null, asked, UNLIMITED)
    check(table, partition, k)
    monkeypatch.undo()
    return partition.row_type.tobytes() + partition.number.tobytes() + partition.count.tobytes(), turns


@pytest.mark.parametrize("k", [2, 9, 30])
def test_two_halves_are_searched_alike_by_one_thread_and_by_two(k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = some_rows(k, 900)
    found, turns = of_two_threads(rows, k, 1, monkeypatch)
    assert turns
    assert all(turns)
    monkeypatch.setattr(longer, "ThreadPoolExecutor", lambda max_workers: ThreadPoolExecutor(max_workers - 1))
    assert of_two_threads(rows, k, 1, monkeypatch) == (found, turns)


@pytest.mark.parametrize(("classes", "fit"), [(8, True), (9, False)])
def test_halves_are_joined_unless_a_row_type_is_in_more_classes_than_it_has_slots(classes: int, fit: bool) -> None:
    def apart(first: int) -> Half:
        """One row type, with two rows in each class."""
        number = np.arange(classes)
        pieces = ClassRows(row_type=number * 0, number=number + first, count=number * 0 + 2, bits=4)
        codes, near = np.zeros((1, 1), np.int32), np.full((1, 1), -1, np.int32)
        return Half.of(codes, near, pieces, np.arange(2 * classes), 2)

    halves = [apart(0), apart(classes)]
    nothing = np.zeros(2 * classes, np.int64)
    before = Classes(partition=Partition(1, 2 * classes, 4), size=nothing, loss=nothing)
    found = joined(before, halves)
    assert (found is not before) == fit
    if fit:
        assert ClassRows.of(found.partition).number.tolist() == np.asarray(found.loss).tolist() == list(range(2 * classes))
        assert np.asarray(found.size).tolist() == [1] * 2 * classes


def test_weights_of_rows_count() -> None:
    rows = some_rows(3, 200)
    table, _ = coded(rows)
    heavy = replace(table, weight=table.weight * 1000)
    kinds, null = ["range", "plain", "set"], nulls(table, rows)
    partition = solve(heavy, kinds, null, rows_each(heavy, 5), UNLIMITED)
    check(heavy, partition, 5)
    assert partition.cost(heavy, kinds, null) == 0


@pytest.fixture(scope="module")
def adult(data: Path) -> CodedTable:
    source = csv.read_csv(data / "adult_arx.csv.gz")
    names = source.column_names
    types = source.group_by(names).aggregate([([], "count_all")])
    values = pa.StructArray.from_arrays([types.column(name).combine_chunks() for name in names], names)
    count = types.column("count_all").to_numpy().astype(np.int64)
    return encode(values, count, Policy.of(quasi_identifiers=names))[0]


@pytest.mark.everything
@pytest.mark.parametrize(("k", "ceiling"), [(5, 0.0157), (100, 0.129)])
def test_loss_of_adult(adult: CodedTable, k: int, ceiling: float) -> None:
    kinds = ["range" if names == ("age",) else "set" for names in adult.columns]
    null = np.full(len(kinds), -1, np.int32)
    partition = solve(adult, kinds, null, rows_each(adult, k), UNLIMITED)
    check(adult, partition, k)
    cells = adult.rows * len(kinds)
    assert partition.lower_bound <= partition.cost(adult, kinds, null) <= ceiling * cells
