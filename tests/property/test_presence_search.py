"""The search for releases with delta-presence: sums of shares in fractions, releases against a count in plain Python."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random

import numpy as np
import pytest
from solving import coded
from test_delta_presence import greatest

from kanon_sql.model.requirements import DeltaPresence, KMap, Requirement
from kanon_sql.solvers.budget import UNLIMITED, Budget, Moment
from kanon_sql.solvers.population.filling import filled
from kanon_sql.solvers.population.shares import Classes, Shared
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.table.coded_table import CodedTable, Population
from kanon_sql.table.patterns import PatternSet, permitted
from kanon_sql.table.recoding import Recoding


def people(rng: np.random.Generator, rows: int, columns: int) -> Population:
    codes = np.unique(rng.integers(-1, 3, (rows, columns)).astype(np.int32), axis=0)
    return Population(codes=codes, weight=rng.integers(1, 6, len(codes)))


def drawn(seed: int, rows: int, columns: int, names: str) -> tuple[CodedTable, PatternSet]:
    """Draw a table, and populations that hold it."""
    rng, draw = np.random.default_rng(seed), Random(seed)
    table, policy = coded([tuple(draw.choice("xyz") for _ in range(columns)) for _ in range(rows)])
    held = {}
    for name in names:
        others = people(rng, 3 * rows, columns)
        every = np.vstack([table.codes, others.codes])
        distinct, place = np.unique(every, axis=0, return_inverse=True)
        weight = np.zeros(len(distinct), np.int64)
        np.add.at(weight, place, np.append(table.weight, others.weight))
        held[name] = Population(codes=distinct, weight=weight)
    return replace(table, populations=held), permitted(table, policy)


def shows(table: CodedTable, recoding: Recoding) -> list[tuple[int | str, ...]]:
    return [
        tuple(int(code) if int(mask) >> c & 1 else "*" for c, code in enumerate(table.codes[row_type]))
        for row_type, mask, rows in zip(recoding.row_type, recoding.shown, recoding.count, strict=True)
        for _ in range(rows)
    ]


def everybody(population: Population) -> list[tuple[int, ...]]:
    return [tuple(row) for row, n in zip(population.codes.tolist(), population.weight.tolist(), strict=True) for _ in range(n)]


@pytest.mark.parametrize("delta", [Fraction(3, 5), Fraction(1), Fraction(7, 1009), Fraction(3, (1 << 31) - 1)])
def test_parts_are_shares_rounded_up_and_rows_fit_them_exactly(delta: Fraction) -> None:
    table, _ = drawn(1, 20, 2, "p")
    shared = Shared.of(DeltaPresence(delta=delta, population="p"), table)
    assert Fraction(shared.most, shared.unit) == delta
    draw = Random(3)
    for _ in range(500):
        matching = draw.choice([draw.randint(1, 50), draw.randint(1, 10**6), draw.randint(1, 1 << 31)])
        rows = draw.randint(0, matching)
        (parts,) = shared.parts(np.array([rows]), np.array([matching])).tolist()
        assert parts == -(-rows * shared.unit // matching)
        limit = draw.choice([parts, parts - 1, draw.randint(0, shared.unit)])
        (fits,) = shared.fitting(np.array([limit]), np.array([matching])).tolist()
        assert fits == max(0, max(limit, 0) * matching // shared.unit)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(30))
def test_sums_of_shares_while_rows_come_and_go(seed: int) -> None:
    table, patterns = drawn(seed, 25, 3, "pq")
    asked = [DeltaPresence(delta=Fraction(4, 5), population="p"), DeltaPresence(delta=Fraction(2, 3), population="q")]
    mapped = [KMap(k=6, population="q")]
    classes = Classes(table, patterns.shown, asked, mapped)
    rng, held = Random(seed), {}
    for _ in range(25):
        mask, row_type = rng.randrange(len(patterns.shown)), rng.randrange(table.row_types)
        instance = classes.groups[mask].own[[row_type]]
        (capacity,) = classes.capacity(mask, instance).tolist()
        for rows, fits in ((capacity, True), (capacity + 1, False)):
            tried = {**held, (mask, row_type): held.get((mask, row_type), 0) + rows}
            assert keeps(table, patterns, tried, asked, mapped, mask, row_type) is fits or (not rows and fits)
        if capacity and rng.random() < 0.8:
            rows = rng.randint(1, capacity)
            classes.add(mask, np.array([row_type]), np.array([rows]))
            held[mask, row_type] = held.get((mask, row_type), 0) + rows
        elif held:
            gone = rng.choice(sorted(held))
            classes.add(gone[0], np.array([gone[1]]), np.array([-held[gone]]))
            del held[gone]


def keeps(
    table: CodedTable,
    patterns: PatternSet,
    held: dict[tuple[int, int], int],
    asked: list[DeltaPresence],
    mapped: list[KMap],
    mask: int,
    row_type: int,
) -> bool:
    """Whether rows under masks keep delta-presence, and those of one class the k-maps."""
    looks = [
        tuple(int(code) if int(patterns.shown[m]) >> c & 1 else "*" for c, code in enumerate(table.codes[i]))
        for (m, i), rows in held.items()
        for _ in range(rows)
    ]
    for each in asked:
        found = greatest(looks, everybody(table.populations[each.population]))
        if found is None or found > each.delta:
            return False
    own = [int(code) if int(patterns.shown[mask]) >> c & 1 else "*" for c, code in enumerate(table.codes[row_type])]

    def matching(population: Population) -> int:
        return sum(all(cell in ("*", value) for cell, value in zip(own, row, strict=True)) for row in everybody(population))

    return all(matching(table.populations[each.population]) >= each.k for each in mapped)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(30))
def test_what_is_filled_keeps_all_that_is_asked(seed: int) -> None:
    table, patterns = drawn(seed, 40, 3, "pq")
    asked = [DeltaPresence(delta=Fraction(3, 5), population="p"), DeltaPresence(delta=Fraction(1, 2), population="q")]
    mapped = [KMap(k=5, population="p")]
    requirements: list[Requirement] = [*asked, *mapped]
    problem = Problem(table=table, patterns=patterns, requirement=ClassRequirement.of(table, requirements))
    found = filled(problem, asked, mapped, UNLIMITED)
    assert found is not None
    looks = shows(table, found)
    assert len(looks) == table.rows
    for each in asked:
        kept = greatest(looks, everybody(table.populations[each.population]))
        assert kept is not None
        assert kept <= each.delta
    assert filled(problem, asked, mapped, Budget(seconds=1e-9)) is None, "no time"
    again = filled(problem, asked, mapped, UNLIMITED)
    assert again is not None
    assert (again.shown == found.shown).all()


def test_a_search_that_is_ended_has_the_release_of_its_first_masks() -> None:
    table, patterns = drawn(1, 60, 7, "p")
    asked = [DeltaPresence(delta=Fraction(3, 5), population="p")]
    problem = Problem(table=table, patterns=patterns, requirement=ClassRequirement.of(table, asked))
    heard: list[Moment] = []
    budget = Budget(progress=heard.append, ended=lambda: any(each.cost is not None for each in heard))
    early, best = filled(problem, asked, [], budget), filled(problem, asked, [], UNLIMITED)
    assert early is not None
    assert best is not None
    assert len(patterns.shown) == 128
    assert best.cost(table) < early.cost(table)
    kept = greatest(shows(table, early), everybody(table.populations["p"]))
    assert kept is not None
    assert kept <= Fraction(3, 5)


@pytest.mark.everything
def test_small_releases_cost_little_more_than_the_best() -> None:
    """Measured: 1.02 times the least cost of all releases."""
    paid, least = 0, 0
    for seed in range(40):
        table, patterns = drawn(seed, 4, 2, "p")
        asked = [DeltaPresence(delta=Fraction(Random(seed).randint(3, 8), 10), population="p")]
        problem = Problem(table=table, patterns=patterns, requirement=ClassRequirement.of(table, asked))
        found = filled(problem, asked, [], UNLIMITED)
        costs = []
        pieces = [i for i, n in enumerate(table.weight.tolist()) for _ in range(n)]
        for masks in product(range(len(patterns.shown)), repeat=len(pieces)):
            held: dict[tuple[int, int], int] = {}
            for each in zip(masks, pieces, strict=True):
                held[each] = held.get(each, 0) + 1
            if keeps(table, patterns, held, asked, [], 0, 0):
                costs.append(int(patterns.cost[list(masks)].sum()))
        if not costs:
            assert found is None
        elif found is not None:
            paid += found.cost(table)
            least += min(costs)
            assert found.cost(table) >= min(costs)
    assert 0 < least <= paid <= 1.2 * least
