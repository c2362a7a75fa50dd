"""The local search of large tables in parts: what a part may open, and the same release on any number of cores."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from solving import check, coded, plain

from kanon_sql.kernels.classes import CandidateClasses, put_all
from kanon_sql.solvers.budget import UNLIMITED, Budget
from kanon_sql.solvers.instances.listing import useful
from kanon_sql.solvers.instances.search_space import RowSearchSpace, as_partition, pieces
from kanon_sql.solvers.k_anonymity import destroy_repair, greedy, parts, refine
from kanon_sql.solvers.problem import Problem
from kanon_sql.table.patterns import permitted
from kanon_sql.table.recoding import Recoding

K = 3


def problem(seed: int) -> Problem:
    draw = random.Random(seed)
    rows = [tuple(draw.choices("abcd", (5, 3, 2, 1))[0] for _ in range(5)) for _ in range(400)]
    table, policy = coded(rows, k=K)
    return plain(table, permitted(table, policy), K)


def divided(asked: Problem, seed: int = 0) -> tuple[parts.Parts, RowSearchSpace, ThreadPoolExecutor]:
    start = greedy.solve(asked, UNLIMITED)
    instances = useful(asked.table, asked.patterns, K, slack=2)
    assert instances is not None
    prices = refine.relax(asked.table, instances, K, start.cost(asked.table), UNLIMITED).prices
    space, partition = as_partition(RowSearchSpace.of(asked.table, asked.patterns, K, instances, prices), start, prices)
    return parts.Parts(space, partition, 48, seed), space, ThreadPoolExecutor(max_workers=2)


@pytest.fixture(params=[2, 4])
def in_parts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "_DIVIDED", 1)
    monkeypatch.setattr(parts, "_MORE", 1 if request.param == 4 else 1 << 40)


def members(candidates: CandidateClasses) -> list[set[int]]:
    """Return the row types of each candidate, as both sides list them."""
    start, member = np.asarray(candidates.start), np.asarray(candidates.member)
    found = [set(member[start[j] : start[j + 1]].tolist()) for j in range(len(start) - 1)]
    first, instance = np.asarray(candidates.first), np.asarray(candidates.instance)
    other: list[set[int]] = [set() for _ in found]
    for i in range(len(first) - 1):
        for j in instance[first[i] : first[i + 1]]:
            other[j].add(i)
    assert found == other
    return found


@pytest.mark.parametrize("seed", range(8))
def test_a_part_has_the_candidates_that_its_rows_fill_and_those_that_are_open(seed: int) -> None:
    draw = np.random.default_rng(seed)
    space = divided(problem(seed))[1]
    every, table = members(space.candidates), space.table
    row_type = np.flatnonzero(draw.random(table.row_types) < 0.3).astype(np.int32)
    rows = draw.integers(1, 3, len(row_type))
    open_classes = draw.integers(0, len(every), 2).astype(np.int32)
    part, number = parts.restricted(space.candidates, row_type, rows, open_classes, K)
    own = dict(zip(row_type.tolist(), rows.tolist(), strict=True))
    filled = {j for j, types in enumerate(every) if sum(own.get(i, 0) for i in types) >= K}
    assert set(number.tolist()) == filled | set(open_classes.tolist())
    assert [{int(row_type[i]) for i in each} for each in members(part)] == [every[j] & own.keys() for j in number]
    assert np.asarray(part.cost).tolist() == np.asarray(space.candidates.cost)[number].tolist()
    assert np.asarray(part.weight).tolist() == rows.tolist()
    for i in range(len(row_type)):  # the cheapest first
        cost = np.asarray(part.cost)[np.asarray(part.instance)[part.first[i] : part.first[i + 1]]]
        assert (np.diff(cost) >= 0).all()


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.usefixtures("in_parts")
@pytest.mark.parametrize("seed", range(6))
def test_parts_release_all_rows_in_classes_of_k(seed: int) -> None:
    asked = problem(seed)
    found, start = refine.solve(asked, Budget(seed=seed)), greedy.solve(asked, UNLIMITED)
    check(asked.table, found, K)
    assert found.lower_bound <= found.cost(asked.table) < start.cost(asked.table)


def shape(found: Recoding) -> tuple[list[int], list[int], list[int]]:
    return found.row_type.tolist(), found.shown.tolist(), found.count.tolist()


@pytest.mark.everything
@pytest.mark.usefixtures("in_parts")
def test_the_release_is_the_same_on_one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    several = refine.solve(problem(1), UNLIMITED)
    monkeypatch.setattr(destroy_repair, "WORKERS", 1)
    assert shape(refine.solve(problem(1), UNLIMITED)) == shape(several)


@pytest.mark.usefixtures("in_parts")
def test_every_row_is_in_one_part_and_classes_stay_whole() -> None:
    found, space, threads = divided(problem(2))
    partition = found._partition
    before = sorted(zip(*(each.tolist() for each in pieces(partition)), strict=True))
    cost = found.cost()
    found.divide(threads)
    assert len(found._parts) == found.many > 1
    assert found.cost() == cost
    for part in found._parts:
        rows = np.asarray(part.partition.rows)
        assert (rows[rows > 0] >= K).all()
    assert sorted(zip(*(each.tolist() for each in found._pieces()), strict=True)) == before
    found.rebuild(200, 0, threads)
    less = found.cost()
    assert less < cost
    found.divide(threads)
    found.together()
    assert space.cost(partition) == less
    rows = np.asarray(partition.rows)
    assert (rows[rows > 0] >= K).all()
    assert np.bincount(pieces(partition)[0], pieces(partition)[2]).tolist() == space.table.weight.tolist()


@pytest.mark.usefixtures("in_parts")
def test_too_many_classes_of_a_row_type_leave_the_partition_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    found, space, threads = divided(problem(2))
    before = space.cost(found._partition)
    found.divide(threads)
    found.rebuild(200, 0, threads)
    placed = iter([50])

    def full(partition, row_type, number, count):  # type: ignore[no-untyped-def]
        most = next(placed, len(row_type))
        return put_all(partition, row_type[:most], number[:most], count[:most])

    monkeypatch.setattr(parts, "put_all", full)
    found.together()
    assert space.cost(found._partition) == before
    assert np.bincount(pieces(found._partition)[0], pieces(found._partition)[2]).tolist() == space.table.weight.tolist()
