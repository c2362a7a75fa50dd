"""Classes of more rows than are looked at by their size: they gain no more than is said, and two separate codes say the same.

The largest size is 62; here it is less, so that tables of a few rows have larger classes.
"""

from __future__ import annotations

import random

import numpy as np
import pytest
from test_sensitive_exact import case
from test_sensitive_prices import SCALE, Priced, drawn_prices, gains_again, larger, most_gained

from kanon_sql.model.requirements import AlphaAnonymity, LDiversity, Requirement, TCloseness
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.table.patterns import permitted
from kanon_sql.verification import class_sizes, sensitive_bound


@pytest.mark.everything
@pytest.mark.parametrize("largest", [3, 5])
def test_larger_classes_gain_no_more_than_is_said(largest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (class_sizes, sensitive_bound):
        monkeypatch.setattr(module, "LARGEST", largest)
    rng, checked = random.Random(largest), 0
    for seed in range(30_000, 30_060):
        drawn = case(seed)
        problem = drawn.coded()
        price = drawn_prices(rng, problem)
        if problem.requirement.least > largest:
            continue
        priced = Priced.of(problem, price, SCALE, largest=largest)
        if priced is None:
            continue
        assert gains_again(problem, price, SCALE) <= int(priced.gain.sum())
        for j in range(len(priced.space)):
            checked += priced.gain[j] > 0
            assert most_gained(drawn, priced, j) <= priced.gain[j]
    assert checked >= 50


@pytest.mark.sweep
@pytest.mark.parametrize("largest", [8, 20])
@pytest.mark.parametrize(
    "requirements",
    [
        [LDiversity(sensitive="s", l=2)],
        [TCloseness(sensitive="s", t="0.2")],
        [LDiversity(sensitive="s", l="2.5"), TCloseness(sensitive="s", t="0.4")],
        [AlphaAnonymity(sensitive="s", value="1", alpha="0.3"), LDiversity(sensitive="s", l=2)],
    ],
    ids=["l", "t", "l and t", "alpha and l"],
)
def test_both_codes_say_the_same_of_400_rows(
    requirements: list[Requirement], largest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (class_sizes, sensitive_bound):
        monkeypatch.setattr(module, "LARGEST", largest)
    table, policy = larger(3, *requirements)
    problem = Problem(
        table=table, patterns=permitted(table, policy), requirement=ClassRequirement.of(table, policy.requirements)
    )
    price = np.random.default_rng(largest).integers(0, 3 * SCALE, table.row_types).astype(np.int64)
    priced = Priced.of(problem, price, SCALE, largest=largest)
    assert priced is not None
    assert priced.gain.sum() > 0
    assert gains_again(problem, price, SCALE) <= int(priced.gain.sum())
    assert priced.gain.sum() <= 1.02 * gains_again(problem, price, SCALE)
