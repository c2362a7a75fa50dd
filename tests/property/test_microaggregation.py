"""Means and medians of several columns: against brute force, and against MDAV as it is written down in the literature."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow.csv as csv
import pytest
from naive import partitions
from numpy.typing import NDArray
from solving import coded, rows_each

from kanon_sql.kernels.microaggregation import divide
from kanon_sql.solvers.budget import UNLIMITED, Budget
from kanon_sql.solvers.microaggregation import partition
from kanon_sql.solvers.microaggregation.measurements import Measurements
from kanon_sql.solvers.summaries.partition import SummaryPartition
from kanon_sql.table.coded_table import CodedTable

Row = tuple[int | None, ...]

CASES = 40


def table_of(rows: Sequence[Row], medians: Sequence[bool]) -> tuple[CodedTable, dict[int, Measurements]]:
    """Return rows as a coded table whose codes are in the order of the numbers, all of them at least 100."""
    table, _ = coded(rows)
    columns = {}
    for c, median in enumerate(medians):
        numbers = sorted({row[c] for row in rows if row[c] is not None})
        empty = any(row[c] is None for row in rows)
        values = [*map(Fraction, numbers), *([Fraction(0)] if empty else [])]
        null = len(numbers) if empty else -1
        columns[c] = Measurements.of(values, table.codes[:, c], table.weight, null=null, median=median)
    return table, columns


def lost(classes: Sequence[Sequence[Row]], rows: Sequence[Row], medians: Sequence[bool]) -> Fraction:
    """What a division loses, by the definition."""
    total = Fraction(0)
    for c, median in enumerate(medians):
        scale = deviation([row[c] for row in rows], median)
        known = sum(row[c] is not None for row in rows)
        for members in classes:
            values = [row[c] for row in members]
            total += deviation(values, median) * known / scale if scale else 0
            total += values.count(None) * any(value is not None for value in values)
    return total


def deviation(values: Sequence[int | None], median: bool) -> Fraction:
    known = sorted(value for value in values if value is not None)
    if not known:
        return Fraction(0)
    if median:
        return Fraction(sum(abs(value - known[(len(known) - 1) // 2]) for value in known))
    return Fraction(len(known) * sum(value * value for value in known) - sum(known) ** 2, len(known))


def checked(table: CodedTable, found: SummaryPartition, k: int) -> SummaryPartition:
    placed = np.zeros_like(table.weight)
    np.add.at(placed, found.row_type, found.count)
    assert (placed == table.weight).all()
    assert (found.count > 0).all()
    assert (np.diff(found.row_type) >= 0).all()
    assert np.bincount(found.number, found.count).min() >= k
    return found


def solved(
    table: CodedTable, columns: dict[int, Measurements], k: int, algorithm: str = "exchange", budget: Budget = UNLIMITED
) -> SummaryPartition:
    def never() -> SummaryPartition:
        raise AssertionError

    found, made = partition.solve(algorithm, table, columns, rows_each(table, k), budget, never)
    assert made == algorithm
    return checked(table, found, k)


def case(seed: int) -> tuple[list[Row], list[bool], int]:
    rng = random.Random(seed)
    m = rng.randint(1, 3)
    top = rng.choice([3, 20, 800])
    rows = [
        tuple(None if rng.random() < 0.1 else 100 + rng.randint(0, top) for _ in range(m)) for _ in range(rng.randint(2, 8))
    ]
    if rng.random() < 0.3:
        rows = [rng.choice(rows[:3]) for _ in rows]
    medians = [rng.random() < 0.3 for _ in range(m)]
    return rows, medians, rng.randint(1, min(3, len(rows)))


@pytest.mark.everything
def test_between_the_bound_and_the_optimum() -> None:
    found = 0
    for seed in range(CASES):
        rows, medians, k = case(seed)
        table, columns = table_of(rows, medians)
        division = solved(table, columns, k)
        own = partition.cost(division, table, columns)
        distinct = list(dict.fromkeys(rows))
        members: dict[int, list[Row]] = {}
        for row_type, number, count in zip(division.row_type, division.number, division.count, strict=True):
            members.setdefault(int(number), []).extend([distinct[table.origin[row_type]]] * int(count))
        exact = lost(list(members.values()), rows, medians)
        assert exact <= own <= exact + Fraction(len(medians), 10**9)
        best = min(lost(each, rows, medians) for each in partitions(rows) if all(len(part) >= k for part in each))
        assert division.lower_bound <= best <= exact, seed
        found += best == exact
    assert found >= 0.8 * CASES  # the search knows squared deviations only, and takes a NULL for a mean


def oracle(x: NDArray[np.float64], k: int) -> float:
    """The squared deviations of MDAV, step by step as in Domingo-Ferrer and Torra (2005)."""
    left, within = list(range(len(x))), 0.0

    def take(centre: NDArray[np.float64]) -> None:
        nonlocal left, within
        order = np.argsort(((x[left] - centre) ** 2).sum(axis=1), kind="stable")[:k]
        part = x[[left[place] for place in order]]
        within += ((part - part.mean(axis=0)) ** 2).sum()
        gone = {left[place] for place in order}
        left = [each for each in left if each not in gone]

    def farthest(centre: NDArray[np.float64]) -> NDArray[np.float64]:
        return x[left[int(np.argmax(((x[left] - centre) ** 2).sum(axis=1)))]]

    while len(left) >= 3 * k:
        one = farthest(x[left].mean(axis=0))
        other = farthest(one)
        take(one)
        take(other)
    if len(left) >= 2 * k:
        take(farthest(x[left].mean(axis=0)))
    if left:
        within += ((x[left] - x[left].mean(axis=0)) ** 2).sum()
    return float(within)


def within(x: NDArray[np.float64], number: NDArray[np.int64]) -> float:
    return float(sum(((x[number == each] - x[number == each].mean(axis=0)) ** 2).sum() for each in np.unique(number)))


@pytest.mark.parametrize("k", [2, 3, 7, 40])
def test_mdav_is_that_of_the_literature(k: int) -> None:
    rng = np.random.default_rng(k)
    for n, m in ((k, 2), (2 * k, 3), (3 * k - 1, 1), (3 * k, 2), (151, 4)):
        x = rng.normal(size=(max(n, k), m))
        number = divide(x, k)
        sizes = np.bincount(number)
        assert sizes.min() >= k
        assert sizes.max() < 2 * k
        assert (sizes[:-1] == k).all()
        assert within(x, number) == pytest.approx(oracle(x, k))


@pytest.mark.everything
@pytest.mark.parametrize("seed", range(6))
def test_never_above_mdav(seed: int) -> None:
    rng = random.Random(seed)
    k = rng.choice([2, 3, 5, 12])
    rows: list[Row] = [
        tuple(100 + int(rng.lognormvariate(3, 1)) if seed % 2 else rng.randint(100, 130) for _ in range(3)) for _ in range(250)
    ]
    table, columns = table_of(rows, [False] * 3)
    own = partition.cost(solved(table, columns, k), table, columns)
    x = np.array(rows, np.float64)
    assert float(own) <= oracle((x - x.mean(axis=0)) / x.std(axis=0), k) + 1e-6
    assert own <= partition.cost(solved(table, columns, k, "mdav"), table, columns)


def test_a_row_type_of_k_rows_may_take_in_others_and_few_others_need_it() -> None:
    table, columns = table_of([(100, 100)] * 6 + [(101, 100), (190, 190), (191, 191), (192, 190)], [False] * 2)
    found = solved(table, columns, 3)
    assert np.bincount(found.number, found.count).tolist() in ([7, 3], [3, 7])
    table, columns = table_of([(100, 100)] * 6 + [(101, 100), (190, 190)], [False] * 2)
    assert np.bincount(solved(table, columns, 4).number, solved(table, columns, 4).count).tolist() == [8]


@pytest.mark.everything
def test_many_row_types_are_divided_in_blocks_and_the_clock_is_kept(monkeypatch) -> None:
    rng = np.random.default_rng(3)
    rows: list[Row] = [tuple(row) for row in (rng.normal(size=(6000, 2)) * 1000).astype(int).tolist()]
    table, columns = table_of([(a + 10000, b + 10000) for a, b in rows], [False] * 2)
    monkeypatch.setattr(partition.mdav, "_STEPS", 10_000_000)
    monkeypatch.setattr("kanon_sql.solvers.microaggregation.nearest._MOST", 1000)
    found = solved(table, columns, 5)
    assert found.lower_bound == 0
    assert partition.cost(found, table, columns) < 0.02 * table.rows
    start = time.monotonic()
    solved(table, columns, 5, budget=Budget(seconds=0.01))
    assert time.monotonic() - start < 5


MICRODATA = os.environ.get("KANON_MICRODATA")
"""A folder with CASCrefmicrodata.csv, Tarragona.csv and EIA.csv, written from the package sdcMicro of R, which has them."""

LITERATURE = {
    ("CASCrefmicrodata", 3): 5.69,
    ("CASCrefmicrodata", 5): 9.09,
    ("CASCrefmicrodata", 10): 14.16,
    ("Tarragona", 3): 16.93,
    ("Tarragona", 5): 22.46,
    ("Tarragona", 10): 33.19,
    ("EIA", 3): 0.48,
    ("EIA", 5): 1.67,
    ("EIA", 10): 3.84,
}
"""Information loss of MDAV in percent, in the literature."""


@pytest.mark.skipif(MICRODATA is None, reason="KANON_MICRODATA names no folder with the public microdata")
@pytest.mark.parametrize(("name", "k"), LITERATURE)
def test_public_microdata(name: str, k: int) -> None:
    read = csv.read_csv(Path(MICRODATA or "") / f"{name}.csv")
    if name == "EIA":
        read = read.drop_columns(["UTILNAME", "STATE", "YEAR", "MONTH"])
    rows: list[Row] = list(zip(*(column.to_pylist() for column in read.columns), strict=True))
    least = min(min(row) for row in rows)  # codes are in the order of texts of one length
    rows = [tuple(value - least + 10**9 for value in row) for row in rows]
    table, columns = table_of(rows, [False] * len(rows[0]))
    cells = table.rows * len(rows[0])
    baseline = partition.cost(solved(table, columns, k, "mdav"), table, columns)
    assert round(100 * float(baseline) / cells, 2) == LITERATURE[name, k]
    assert partition.cost(solved(table, columns, k), table, columns) < Fraction(95, 100) * baseline
