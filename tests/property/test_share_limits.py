"""Alpha, beta-likeness and delta-disclosure privacy as limits to shares: their definitions, and solvers against brute force."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from math import gcd
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from requirement_oracle import disclosed, gains_at_most
from sensitive_cases import Case, Solve, solved
from test_sensitive_exact import case
from test_sensitive_prices import METHOD, Priced, gains_again, proof, verified

from kanon_sql.errors import CertificateError, InfeasibleError
from kanon_sql.model.requirements import AlphaAnonymity, BetaLikeness, DeltaDisclosure, Requirement
from kanon_sql.solvers.guarantees import on_attributes
from kanon_sql.solvers.guarantees.shares import Shares, nearest_above, nearest_below
from kanon_sql.solvers.sensitive import greedy, optimal, refine, subset_dp
from kanon_sql.table.coded_table import Sensitive
from kanon_sql.verification.guarantees import claimed

BETAS = ("1/4", "1/2", "1", "3", "1000")
DELTAS = ("1/3", "1/2", "1", "2", "1000")


def about(*count: int) -> Sensitive:
    return Sensitive(column="s", codes=np.arange(len(count), dtype=np.int32), count=np.array(count, np.int64))


def limited(requirement: Requirement, sensitive: Sensitive) -> Shares[Any]:
    """What solvers know of a requirement on an attribute."""
    ((_, found),) = on_attributes((requirement,), (sensitive,))
    assert isinstance(found, Shares)
    return found


def drawn(seed: int) -> Case:
    """A table whose first requirement is about shares; the others are drawn from all."""
    plain, rng = case(seed), random.Random(seed)
    first: Requirement = (
        BetaLikeness(sensitive="s", beta=rng.choice(BETAS))
        if rng.random() < 0.5
        else DeltaDisclosure(sensitive="s", delta=rng.choice(DELTAS))
    )
    requirements = [first, *(plain.requirements[1:] if rng.random() < 0.5 else ())]
    named = {each.sensitive for each in requirements}
    attributes = {name: attribute for name, attribute in plain.attributes.items() if name in named}
    return replace(plain, requirements=requirements, attributes=attributes)


@pytest.fixture(scope="module")
def cases() -> list[tuple[Case, Fraction | None]]:
    """Tables with their optimum."""
    return [(each, each.optimum()) for each in map(drawn, range(40))]


@pytest.mark.everything
@pytest.mark.parametrize("solve", [subset_dp.solve, optimal.solve], ids=["subset_dp", "optimal"])
def test_the_cost_is_the_optimum(solve: Solve, cases: list[tuple[Case, Fraction | None]]) -> None:
    feasible = 0
    for each, best in cases:
        if best is None:
            with pytest.raises(InfeasibleError, match=r"; hint: "):
                solved(solve, each)
            continue
        table, recoding = solved(solve, each)
        assert table.exact_cost(recoding.cost(table)) == best == table.exact_cost(recoding.lower_bound)
        feasible += 1
    assert 20 <= feasible <= 38


@pytest.mark.everything
@pytest.mark.parametrize("solve", [greedy.solve, refine.solve], ids=["greedy", "refine"])
def test_heuristics_keep_the_guarantee_and_never_claim_more_than_the_optimum(
    solve: Solve, cases: list[tuple[Case, Fraction | None]]
) -> None:
    for each, best in cases:
        if best is not None:
            table, recoding = solved(solve, each)
            assert table.exact_cost(recoding.lower_bound) <= best <= table.exact_cost(recoding.cost(table))


def test_both_requirements_decide(cases: list[tuple[Case, Fraction | None]]) -> None:
    """Each of them makes some optimum dearer than k alone does."""
    dearer = {
        type(each.requirements[0])
        for each, best in cases
        if best is not None and len(each.requirements) == 1 and replace(each, requirements=[]).optimum() < best
    }
    assert dearer == {BetaLikeness, DeltaDisclosure}


@given(st.fractions(0, 1, max_denominator=10**30), st.integers(1, 40))
def test_the_nearest_fractions_are_the_nearest(number: Fraction, finest: int) -> None:
    every = {Fraction(n, d) for d in range(1, finest + 1) for n in range(d + 1)}
    assert nearest_below(number, finest) == max(each for each in every if each <= number)
    assert nearest_above(number, finest) == min(each for each in every if each >= number)


@pytest.mark.sweep
@pytest.mark.parametrize("count", [(1,), (7, 1), (5, 5, 3), (1, 1, 1, 1), (20, 3, 1)])
@pytest.mark.parametrize("beta", BETAS)
def test_beta_is_its_definition_in_every_class(count: tuple[int, ...], beta: str) -> None:
    requirement, rows = BetaLikeness(sensitive="s", beta=beta), sum(count)
    for value, total in enumerate(count):
        for size in range(1, rows + 1):
            for held in range(size + 1):
                kept = gains_at_most(requirement.beta, held, size, total, rows)
                (limit,) = [each for each in limited(requirement, about(*count)).limits() if each.value == value] or [None]
                assert kept == (limit is None or Fraction(held, size) <= limit.most)


@pytest.mark.sweep
@pytest.mark.parametrize("count", [(1,), (7, 1), (5, 5, 3), (1, 1, 1, 1), (20, 3, 1)])
@pytest.mark.parametrize("delta", DELTAS)
def test_delta_is_its_definition_in_every_class(count: tuple[int, ...], delta: str) -> None:
    requirement, rows = DeltaDisclosure(sensitive="s", delta=delta), sum(count)
    for value, total in enumerate(count):
        for size in range(1, rows + 1):
            for held in range(size + 1):
                kept = held > 0 and float(disclosed(held, size, total, rows)) < float(requirement.delta)
                (limit,) = [each for each in limited(requirement, about(*count)).limits() if each.value == value]
                assert kept == (limit.least <= Fraction(held, size) <= limit.most)


@pytest.mark.parametrize("count", [(3, 2), (4, 2, 1), (6, 1, 1), (3, 3, 3)])
@pytest.mark.parametrize(
    "requirement",
    [*(BetaLikeness(sensitive="s", beta=beta) for beta in BETAS), *(DeltaDisclosure(sensitive="s", delta=d) for d in DELTAS)],
    ids=str,
)
def test_the_least_class_is_the_least(requirement: Requirement, count: tuple[int, ...]) -> None:
    shapes = np.array(list(np.ndindex(*(each + 1 for each in count))))[1:]
    kept = limited(requirement, about(*count)).meets(shapes, shapes.sum(axis=1))
    assert limited(requirement, about(*count)).least_rows() == shapes.sum(axis=1)[kept].min()


@given(st.lists(st.integers(1, 50), min_size=1, max_size=6), st.sampled_from(BETAS), st.sampled_from(DELTAS))
def test_every_table_keeps_its_own_shares(count: list[int], beta: str, delta: str) -> None:
    whole, rows = np.array([count]), np.array([sum(count)])
    common = gcd(*count)
    for requirement in (BetaLikeness(sensitive="s", beta=beta), DeltaDisclosure(sensitive="s", delta=delta)):
        assert limited(requirement, about(*count)).meets(whole // common, rows // common).all()
        assert limited(requirement, about(*count)).meets(whole, rows).all()


def test_merged_classes_keep_what_both_keep() -> None:
    rng = random.Random(5)
    own = about(9, 6, 3)
    requirements = [BetaLikeness(sensitive="s", beta=1), DeltaDisclosure(sensitive="s", delta="1/2")]
    for requirement in requirements:
        shapes = np.array([[rng.randint(0, 4), rng.randint(0, 3), rng.randint(0, 1)] for _ in range(300)])
        shapes = shapes[shapes.sum(axis=1) > 0]
        kept = shapes[limited(requirement, own).meets(shapes, shapes.sum(axis=1))]
        assert 5 < len(kept) < len(shapes)
        both = (kept[:, None] + kept).reshape(-1, 3)
        assert limited(requirement, own).meets(both, both.sum(axis=1)).all()


def test_alpha_with_many_digits_is_exact() -> None:
    requirement = AlphaAnonymity(sensitive="s", value="a", alpha=Fraction(333_333_333, 1_000_000_000))
    own = replace(about(5, 5), named={"a": 0})
    shapes = np.array([[1, 2], [1, 3], [0, 1], [3, 7]])
    assert limited(requirement, own).meets(shapes, shapes.sum(axis=1)).tolist() == [False, True, True, True]


PROVEN = [BetaLikeness(sensitive="s", beta="1/2"), BetaLikeness(sensitive="s", beta=2), DeltaDisclosure(sensitive="s", delta=1)]


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("requirement", PROVEN, ids=str)
def test_a_true_bound_is_proven_again_and_a_forged_one_refused(requirement: Requirement) -> None:
    certificate, table = proof([requirement])
    assert certificate.bound_method.startswith(METHOD)
    assert verified(certificate, table) == certificate.lower_bound > 0
    with pytest.raises(CertificateError, match='"lower_bound"'):
        verified(replace(certificate, lower_bound=certificate.lower_bound + 1), table)


@pytest.mark.everything
@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 10**6), high=st.integers(0, 12))
def test_verification_finds_no_more_gains(seed: int, high: int) -> None:
    """What the solver proves of prices, the independent code proves, too; and neither proves more than the optimum."""
    each = drawn(seed)
    problem = each.coded()
    rng = np.random.default_rng(seed)
    price = rng.integers(0, (high + 1) * 7 * int(problem.table.cost.max()), problem.table.row_types).astype(np.int64)
    priced = Priced.of(problem, price, 7)
    if priced is None:
        return
    assert gains_again(problem, price, 7) <= int(priced.gain.sum())
    best = each.optimum()
    if best is not None:
        again = int(price @ problem.table.weight) - gains_again(problem, price, 7)
        assert Fraction(again, 7 * problem.table.unit) <= best


@given(
    st.lists(st.integers(1, 60), min_size=1, max_size=6),
    st.sampled_from([*PROVEN, DeltaDisclosure(sensitive="s", delta="1/5")]),
)
def test_both_codes_know_the_same_least_class(count: list[int], requirement: BetaLikeness | DeltaDisclosure) -> None:
    assert limited(requirement, about(*count)).least_rows() == claimed(requirement, about(*count)).least_rows()
