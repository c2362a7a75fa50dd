"""Changes that the search for known columns makes, against classes that are counted from scratch."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kanon_sql.kernels import seeded
from kanon_sql.kernels.projections import (
    SetClasses,
    best_change,
    failing_after,
    fitting_rows,
    note_rare,
    search,
    short_in,
    turn,
)
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.projections.repair import Repair
from kanon_sql.solvers.projections.rows import Rows
from kanon_sql.solvers.projections.set_requirements import SetRequirement
from kanon_sql.table.coded_table import CodedTable

NEVER = 1 << 40
K = 3


@st.composite
def tables(draw: st.DrawFn) -> tuple[SetClasses, NDArray[np.int32], list[tuple[int, ...]]]:
    """Return classes of a small table by all sets of m columns, the values of its rows, and the sets."""
    columns = draw(st.integers(2, 4))
    codes = draw(st.lists(st.tuples(*[st.integers(0, 2)] * columns), min_size=6, max_size=14, unique=True))
    coded = np.array(sorted(codes), np.int32)
    many = draw(st.lists(st.integers(1, 2), min_size=len(coded), max_size=len(coded)))
    table = CodedTable(
        columns=tuple((f"c{place}",) for place in range(columns)),
        codes=coded,
        weight=np.array(many, np.int64),
        origin=np.arange(len(coded)),
        cost=np.ones(columns, np.int64),
        unit=1,
    )
    sets = list(combinations(range(columns), draw(st.integers(1, columns))))
    rows = Rows.of(table, K)
    classes = rows.classes({chosen: SetRequirement(rows=K) for chosen in sets}, draw(st.integers(0, 99)))
    return classes, coded[rows.row_type], sets


def short(values: NDArray[np.int32], hidden: NDArray[np.uint8], sets: list[tuple[int, ...]]) -> int:
    """Return how many rows have to join classes, or leave them, until none is too small."""
    shown = np.where(hidden > 0, -1, values)
    sizes = [Counter(map(tuple, shown[:, list(chosen)].tolist())) for chosen in sets]
    return sum(min(size, K - size) for each in sizes for size in each.values() if size < K)


def steps(classes: SetClasses, penalty: int, number: int, seed: int) -> None:
    """Make changes that cost less than nothing."""
    rows, columns = classes.hidden.shape
    cost, worse = np.full(columns, 4, np.int64), np.full(1024, -1, np.int64)
    assert classes.ready()
    search(classes, np.arange(rows), cost, np.empty(0, np.uint64), penalty, worse, number, seeded(seed))


@given(tables(), st.integers(1, 40), st.integers(0, 1_000_000), st.data())
@settings(max_examples=60, deadline=None)
def test_each_change_lowers_the_cost_of_a_fresh_count(
    drawn: tuple[SetClasses, NDArray[np.int32], list[tuple[int, ...]]], penalty: int, seed: int, data: st.DataObject
) -> None:
    classes, values, sets = drawn
    start = data.draw(st.lists(st.integers(0, 1), min_size=values.size, max_size=values.size))
    assert classes.hide(np.array(start, np.uint8).reshape(values.shape))
    hidden = np.asarray(classes.hidden)
    for step in range(60):
        before, paid = hidden.copy(), 4 * int(hidden.sum()) + penalty * short(values, hidden, sets)
        steps(classes, penalty, 1, seed + step)
        assert (hidden == before).all() or 4 * int(hidden.sum()) + penalty * short(values, hidden, sets) < paid


@given(tables(), st.integers(0, 1_000_000))
@settings(max_examples=60, deadline=None)
def test_cells_are_shown_until_each_would_break_a_class(
    drawn: tuple[SetClasses, NDArray[np.int32], list[tuple[int, ...]]], seed: int
) -> None:
    classes, values, sets = drawn
    assert classes.hide(np.ones(values.shape, np.uint8))
    steps(classes, NEVER, 40_000, seed)
    hidden = np.asarray(classes.hidden).copy()
    assert short(values, hidden, sets) == 0
    for cell in np.argwhere(hidden > 0):
        hidden[tuple(cell)] = 0
        assert short(values, hidden, sets) > 0
        hidden[tuple(cell)] = 1


def rare_short(values: NDArray[np.int32], hidden: NDArray[np.uint8], sets: list[tuple[int, ...]]) -> int:
    """Return the same where all rows have to leave a class that fewer than K rows of the table have the values of."""
    most = {chosen: Counter(map(tuple, values[:, list(chosen)].tolist())) for chosen in sets}
    shown = np.where(hidden > 0, -1, values)
    found = 0
    for chosen in sets:
        for cells, size in Counter(map(tuple, shown[:, list(chosen)].tolist())).items():
            if size < K:
                found += size if -1 not in cells and most[chosen][cells] < K else min(size, K - size)
    return found


@given(tables(), st.integers(1, 40), st.data())
@settings(max_examples=60, deadline=None)
def test_a_repair_costs_what_a_fresh_count_says(
    drawn: tuple[SetClasses, NDArray[np.int32], list[tuple[int, ...]]], penalty: int, data: st.DataObject
) -> None:
    """Also beside classes that too few rows could be in, which are still known after all classes are counted again."""
    classes, values, sets = drawn
    assert classes.count()
    note_rare(classes)
    start = data.draw(st.lists(st.integers(0, 1), min_size=values.size, max_size=values.size))
    assert classes.hide(np.array(start, np.uint8).reshape(values.shape))
    hidden, cost = np.asarray(classes.hidden), np.full(values.shape[1], 4, np.int64)
    weight = np.asarray(classes.weight)
    assert weight.max() == 1

    def total() -> int:
        return 4 * int(hidden.sum()) + penalty * rare_short(values, hidden, sets)

    for _ in range(20):
        row, must = data.draw(st.integers(0, len(values) - 1)), data.draw(st.integers(1, (1 << values.shape[1]) - 1))
        kept = data.draw(st.integers(0, (1 << values.shape[1]) - 1)) & ~must
        before = total()
        paid, change = best_change(classes, row, must, kept, cost, np.full(len(sets), penalty, np.int64))
        assert change & must == must
        assert change & kept == 0
        turn(classes, row, change)
        assert total() == before + paid
        turn(classes, row, must)
        turn(classes, row, change)
        assert total() >= before + paid, "the given cells alone cost no less"
        assert classes.ready()


def failing_classes(
    values: NDArray[np.int32], hidden: NDArray[np.uint8], sets: list[tuple[int, ...]], k: int = K
) -> set[tuple[int, ...]]:
    """Return the classes that have too few rows: the number of their set, and their cells."""
    shown = np.where(hidden > 0, -1, values)
    sizes = [Counter(map(tuple, shown[:, list(chosen)].tolist())) for chosen in sets]
    return {(number, *cells) for number, each in enumerate(sizes) for cells, size in each.items() if size < k}


@given(tables(), st.data())
@settings(max_examples=60, deadline=None)
def test_what_a_row_leaves_and_joins_is_known_to_fail(
    drawn: tuple[SetClasses, NDArray[np.int32], list[tuple[int, ...]]], data: st.DataObject
) -> None:
    """Classes that a change makes fail are found beside the row, with the rows that fit them."""
    classes, values, sets = drawn
    start = data.draw(st.lists(st.integers(0, 1), min_size=values.size, max_size=values.size))
    assert classes.hide(np.array(start, np.uint8).reshape(values.shape))
    hidden, found = np.asarray(classes.hidden), np.empty((2 * len(sets), 2), np.int64)
    fitting, inside = np.empty(len(values), np.int64), np.empty(len(values), np.uint8)
    for _ in range(5):
        row, bits = data.draw(st.integers(0, len(values) - 1)), data.draw(st.integers(1, (1 << values.shape[1]) - 1))
        before = failing_classes(values, hidden, sets)
        turn(classes, row, bits)
        beside = set()
        for number, part in found[: failing_after(classes, row, bits, found)].tolist():
            cells = np.array([-1 if part >> column & 1 else values[row, column] for column in sets[number]])
            beside.add((number, *cells.tolist()))
            size = fitting_rows(classes, row, number, part, fitting, inside)
            mine = values[:, list(sets[number])]
            assert fitting[:size].tolist() == np.flatnonzero(((mine == cells) | (cells < 0)).all(axis=1)).tolist()
            there = (np.where(hidden > 0, -1, values)[:, list(sets[number])] == cells).all(axis=1)
            assert (inside[:size] > 0).tolist() == there[fitting[:size]].tolist()
            assert short_in(classes, row, number, part) == min(there.sum(), K - there.sum())
        after = failing_classes(values, hidden, sets)
        assert after - before <= beside <= after


@pytest.mark.sweep
@pytest.mark.parametrize(("k", "rows"), [(3, 60), (40, 600)])
@pytest.mark.parametrize("seed", range(12))
def test_a_repair_leaves_no_class_that_fails(seed: int, k: int, rows: int) -> None:
    """Also if many rows have to join a class or leave it."""
    draw = np.random.default_rng(seed)
    codes = np.unique(draw.integers(0, 4, (rows, 5)).astype(np.int32), axis=0)
    table = CodedTable(
        columns=tuple((f"c{place}",) for place in range(5)),
        codes=codes,
        weight=np.ones(len(codes), np.int64),
        origin=np.arange(len(codes)),
        cost=np.ones(5, np.int64),
        unit=1,
    )
    sets = list(combinations(range(5), 1 + seed % 3))
    classes = Rows.of(table, k).classes({chosen: SetRequirement(rows=k) for chosen in sets}, seed)
    assert classes.hide((draw.random(codes.shape) < 0.2).astype(np.uint8))
    hidden = np.asarray(classes.hidden)
    assert failing_classes(codes, hidden, sets, k) or len(sets[0]) == 1
    Repair(classes, np.full(5, 4, np.int64), 12, seed).run(np.empty(codes.shape, np.int64), Budget(), 1_000, 1_000_000)
    assert not failing_classes(codes, hidden, sets, k)
    assert hidden.mean() < 0.9
