"""The bound that is raised beside the search: never above the optimum, proven again, and the release stays what it was."""

from __future__ import annotations

import random

import numpy as np
import pytest
from naive import optimum
from solving import check, coded

from kanon_sql import pipeline
from kanon_sql.certificate import Certificate
from kanon_sql.solvers.budget import UNLIMITED, Budget
from kanon_sql.solvers.instances.listing import useful
from kanon_sql.solvers.k_anonymity import lagrangian, priced_listing, refine
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.patterns import permitted
from kanon_sql.table.recoding import Recoding
from kanon_sql.verification import verify

Row = tuple[str, ...]


def drawn(seed: int, rows: int, columns: int) -> list[Row]:
    draw = random.Random(seed)
    return [tuple(draw.choices("abcd", (5, 3, 2, 1))[0] for _ in range(columns)) for _ in range(rows)]


def released(
    rows: list[Row], k: int, raised: bool, monkeypatch: pytest.MonkeyPatch
) -> tuple[CodedTable, Recoding, Certificate]:
    """Return what `refine` makes of a table, with or without raising the bound."""
    monkeypatch.setattr(refine, "_SMALL", 0)
    monkeypatch.setattr(refine, "_RAISED", 50_000 if raised else 0)
    table, policy = coded(rows, k=k, algorithm="refine")
    return table, *pipeline.run(table, policy)


@pytest.fixture(params=["slack", "price"])
def listed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """List the instances with a slack that is the same for all rows, or by price."""
    monkeypatch.setattr(priced_listing, "_FEW_PAIRS", 0 if request.param == "price" else 1 << 60)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(40))
@pytest.mark.usefixtures("listed")
def test_it_is_at_most_the_optimum_and_proven_again(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rows, k = drawn(seed, 4 + seed % 5, 3), 2 + seed % 2
    table, recoding, certificate = released(rows, k, True, monkeypatch)
    check(table, recoding, k)
    assert certificate.lower_bound <= optimum(rows, k) <= certificate.cost
    assert verify(certificate, table.codes.tolist(), table.weight.tolist()) == certificate.lower_bound


@pytest.mark.usefixtures("listed")
def test_more_is_proven_of_the_same_release(monkeypatch: pytest.MonkeyPatch) -> None:
    gained = []
    for seed in (1, 2):
        rows, k = drawn(seed, 500, 6), 2 + seed
        table, before, known = released(rows, k, False, monkeypatch)
        _, after, certificate = released(rows, k, True, monkeypatch)
        for name in ("row_type", "shown", "count"):
            assert np.array_equal(getattr(before, name), getattr(after, name))
        assert known.lower_bound <= certificate.lower_bound <= certificate.cost == known.cost
        # The search may add a little to what prices prove of instances that are not listed.
        assert verify(certificate, table.codes.tolist(), table.weight.tolist()) >= certificate.lower_bound
        gained.append(certificate.lower_bound > known.lower_bound)
    assert any(gained)


@pytest.mark.parametrize(("search_ended", "waited_for"), [(False, True), (True, True), (False, False)])
def test_it_ends_after_a_round_when_the_search_or_its_caller_does(
    search_ended: bool, waited_for: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, policy = coded(drawn(1, 250, 5), k=3)
    instances = useful(table, permitted(table, policy), 3, slack=2)
    assert instances is not None
    upper = int(table.cost.sum()) * table.rows
    known = lagrangian.relax(table, instances, 3, upper, UNLIMITED)
    steps = []
    evaluate = lagrangian._evaluate
    monkeypatch.setattr(lagrangian, "_evaluate", lambda *given: steps.append(1) or evaluate(*given))
    budget = Budget(ended=lambda: search_ended).alongside(lambda: not waited_for)
    assert lagrangian.raised(table, known, 3, upper, budget).bound >= known.bound
    one_round = lagrangian._MORE_STEPS
    assert (len(steps) == one_round) == (search_ended or not waited_for)
    assert len(steps) >= one_round
