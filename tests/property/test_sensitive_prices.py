"""Prices under requirements: no prices prove more than the optimum, and two separate codes prove the same by them."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ortools.linear_solver import pywraplp
from sensitive_cases import Case
from test_sensitive_exact import case

from kanon_sql.certificate import Certificate
from kanon_sql.errors import CertificateError, InfeasibleError
from kanon_sql.kernels.requirements import BestClass, Relaxed, gains, sized_gains
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import AlphaAnonymity, BetaLikeness, LDiversity, Requirement, TCloseness
from kanon_sql.pipeline import run
from kanon_sql.solvers.budget import UNLIMITED
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.requirements.class_requirement import ClassRequirement
from kanon_sql.solvers.requirements.limits import limits
from kanon_sql.solvers.sensitive import lagrangian, pricing
from kanon_sql.solvers.sensitive.lagrangian import LARGEST, METHOD, has_sizes, relax
from kanon_sql.solvers.sensitive.search_space import SensitiveSearchSpace
from kanon_sql.solvers.sensitive.support import able
from kanon_sql.table.arrays import Int64
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.encode import encode
from kanon_sql.table.patterns import permitted
from kanon_sql.verification import verify
from kanon_sql.verification.dual_bound import PricedTable
from kanon_sql.verification.sensitive_bound import gains_under

SCALE = 64


@dataclass(frozen=True, kw_only=True)
class Priced:
    """The instances of a problem at some prices, and what each gains at most."""

    space: SensitiveSearchSpace
    price: Int64
    scale: int
    gain: Int64

    @classmethod
    def of(cls, problem: Problem, price: Int64, scale: int, *, sized: bool = True, largest: int = LARGEST) -> Priced | None:
        """None where some rows fit no instance; ``sized`` where small classes have whole rows, if they may."""
        try:
            space = SensitiveSearchSpace.of(problem)
        except InfeasibleError:
            return None
        assert space is not None
        found = limits(problem.table, problem.requirement.requirements)
        by_row_type = replace(space.instances, start=space.start, member=np.asarray(space.candidates.item))
        space = space.take(np.flatnonzero(able(problem.requirement, by_row_type)))
        multipliers = np.zeros((len(space), len(found.parent) + len(found.most) + 1), np.int64)
        relaxed = Relaxed(space.cost * scale, problem.table.weight, problem.requirement.least)
        longest = 4 * int(problem.table.cost.max()) * scale
        asked = found, space.candidates, relaxed, price, longest, multipliers
        if sized and has_sizes(found, problem.requirement.least):
            beyond = Relaxed(space.cost * scale, problem.table.weight, largest + 1)
            gain = sized_gains(*asked, BestClass(len(space), beyond), (0, len(space)))
        else:
            gain = gains(*asked, (0, len(space)))
        return cls(space=space, price=price, scale=scale, gain=gain)

    def members(self, j: int) -> Int64:
        start = self.space.start
        return np.asarray(self.space.candidates.item)[start[j] : start[j + 1]].astype(np.int64)

    @property
    def value(self) -> int:
        return int(self.price @ self.space.table.weight) - int(self.gain.sum())


def gains_again(problem: Problem, price: Int64, scale: int) -> int:
    """What the verification finds that all instances gain at these prices."""
    table, columns = problem.table, range(len(problem.table.columns))
    permitted = {tuple(bool(int(shown) >> c & 1) for c in columns) for shown in problem.patterns.shown}
    policy: Any = SimpleNamespace(least_class_size=problem.k, sensitive_requirements=problem.requirement.requirements)
    codes = [table.codes[:, c].tolist() for c in columns]
    cost = [int(each) * scale for each in table.cost]
    return gains_under(
        policy,
        table.sensitive,
        PricedTable(codes=codes, counts=table.weight.tolist(), prices=price.tolist(), cost=cost, permitted=permitted),
    )


def drawn_prices(rng: random.Random, problem: Problem) -> Int64:
    """Prices from nothing to more than all cells cost."""
    dearest = int(problem.table.cost.sum()) * SCALE
    high = dearest * rng.choice([1, 2, 4]) // 2
    return np.array([rng.randint(-dearest // 8, high) for _ in range(problem.table.row_types)], np.int64)


def check_no_more_than_the_optimum(drawn: Case, rng: random.Random) -> None:
    problem, best = drawn.coded(), drawn.optimum()
    if best is None:
        return
    unit = problem.table.unit
    for _ in range(4):
        price = drawn_prices(rng, problem)
        priced = Priced.of(problem, price, SCALE)
        assert priced is not None
        assert Fraction(priced.value, SCALE * unit) <= best
        again = int(price @ problem.table.weight) - gains_again(problem, price, SCALE)
        assert priced.value <= again
        assert Fraction(again, SCALE * unit) <= best
    space = SensitiveSearchSpace.of(problem)
    assert space is not None
    relaxed = relax(space, space.cheapest().astype(float), int(best * unit) + rng.randint(0, 5), UNLIMITED)
    if relaxed is not None:
        assert Fraction(relaxed.bound, unit) <= best
        again = int(relaxed.prices.price @ problem.table.weight)
        again -= gains_again(problem, relaxed.prices.price, relaxed.prices.scale)
        assert relaxed.value <= again


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("block", range(100))
def test_no_prices_prove_more_than_the_optimum(block: int) -> None:
    rng = random.Random(block)
    for seed in range(20 * block, 20 * block + 20):
        check_no_more_than_the_optimum(case(seed, most=6), rng)


def most_gained(drawn: Case, priced: Priced, j: int) -> int:
    """The best class in an instance, of all."""
    table = priced.space.table
    members, best = priced.members(j), 0
    values = {name: each.values for name, each in drawn.attributes.items()}
    number = {}  # the rows of the case of each row type
    for row, look in enumerate(drawn.rows):
        number.setdefault((*look, *(each[row] for each in values.values())), []).append(row)
    rows = [list(number.values())[table.origin[i]] for i in members]
    for counts in product(*(range(int(table.weight[i]) + 1) for i in members)):
        taken = [row for each, count in zip(rows, counts, strict=True) for row in each[:count]]
        profit = sum(
            count * (int(priced.price[i]) - int(priced.space.cost[j]) * priced.scale)
            for i, count in zip(members, counts, strict=True)
        )
        if profit > best and drawn.kept(taken):
            best = profit
    return best


def check_no_class_gains_more(drawn: Case, priced: Priced) -> None:
    for j in range(len(priced.space)):
        assert most_gained(drawn, priced, j) <= priced.gain[j]


@pytest.mark.sweep
@pytest.mark.parametrize("block", range(100))
def test_no_class_gains_more_than_its_instance_is_said_to(block: int) -> None:
    rng = random.Random(block)
    for seed in range(10_000 + 10 * block, 10_010 + 10 * block):
        drawn = case(seed)
        problem = drawn.coded()
        priced = Priced.of(problem, drawn_prices(rng, problem), SCALE)
        if priced is not None:
            check_no_class_gains_more(drawn, priced)


@pytest.mark.everything
def test_where_shares_are_limited_the_best_small_class_is_exact() -> None:
    rng, exact = random.Random(5), 0
    for seed in range(20_000, 20_150):
        drawn = case(seed)
        problem = drawn.coded()
        priced = Priced.of(problem, drawn_prices(rng, problem), SCALE)
        if priced is not None and [getattr(each, "variant", "") for each in problem.requirement.requirements] == ["frequency"]:
            exact += 1
            assert [most_gained(drawn, priced, j) for j in range(len(priced.space))] == priced.gain.tolist()
    assert exact >= 3


def with_limits_on_one_attribute(seed: int) -> Case:
    """A table whose classes have to be diverse and near it in one attribute."""
    drawn, rng = case(seed, most=8), random.Random(seed)
    diverse = LDiversity(sensitive="s", l=rng.choice(["1.5", "2", "3"]))
    near = TCloseness(sensitive="s", t=Fraction(rng.randint(2, 8), 12))
    rare = AlphaAnonymity(sensitive="s", value=drawn.attributes["s"].names[0], alpha=rng.choice(["1/3", "1/2"]))
    asked = rng.choice([[diverse, near], [near, diverse], [rare, diverse], [near, rare], [diverse, rare, near]])
    return replace(drawn, attributes={"s": drawn.attributes["s"]}, requirements=asked)


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("block", range(32))
def test_no_class_gains_more_under_several_limits_on_one_attribute(block: int) -> None:
    rng = random.Random(block)
    for seed in range(30_000 + 10 * block, 30_010 + 10 * block):
        drawn = with_limits_on_one_attribute(seed)
        problem = drawn.coded()
        price = drawn_prices(rng, problem)
        assert has_sizes(limits(problem.table, problem.requirement.requirements), problem.requirement.least)
        for largest in (LARGEST, problem.requirement.least + 1):
            priced = Priced.of(problem, price, SCALE, largest=largest)
            if priced is not None:
                check_no_class_gains_more(drawn, priced)
        check_no_more_than_the_optimum(drawn, rng)


def larger(seed: int, *requirements: Requirement, rows: int = 400) -> tuple[CodedTable, Policy]:
    """A table in which classes have many ways to meet requirements."""
    rng = np.random.default_rng(seed)
    drawn = np.stack([*rng.integers(0, 4, (3, rows)), np.minimum(rng.geometric(0.4, rows), 5)], axis=1)
    types = Counter(map(tuple, drawn.tolist()))
    columns = [pa.array([str(row[c]) for row in types], pa.string()) for c in range(3)]
    columns.append(pa.array([row[3] for row in types], pa.int32()))
    policy = Policy.of(k=3, quasi_identifiers=["a", "b", "c"], requirements=requirements)
    return encode(pa.StructArray.from_arrays(columns, ["a", "b", "c", "s"]), np.array(list(types.values()), np.int64), policy)


def by_linear_program(priced: Priced, j: int, requirement: Requirement) -> float:
    """What the linear relaxation of a class gains: rows may be divided, and the class opens by a part."""
    table = priced.space.table
    solver, about, members = pywraplp.Solver.CreateSolver("GLOP"), table.sensitive[0], priced.members(j)
    opened, infinity = solver.NumVar(0, 1, ""), solver.infinity()
    taken = [solver.NumVar(0, infinity, "") for _ in members]
    for variable, i in zip(taken, members, strict=True):
        solver.Add(variable <= int(table.weight[i]) * opened)
    size = solver.Sum(taken)
    solver.Add(size >= priced.space.requirement.least * opened)
    held = [
        solver.Sum([x for x, i in zip(taken, members, strict=True) if about.codes[i] == v]) for v in range(len(about.count))
    ]
    if isinstance(requirement, TCloseness):
        over = [solver.NumVar(0, infinity, "") for _ in held]
        for variable, rows, count in zip(over, held, about.count.tolist(), strict=True):
            solver.Add(variable >= rows - size * (count / table.rows))
        solver.Add(solver.Sum(over) <= size * float(requirement.t))
    else:
        assert isinstance(requirement, LDiversity)
        for rows in held:
            solver.Add(rows <= size * float(1 / requirement.l))
    profit = [float(int(priced.price[i]) - int(priced.space.cost[j]) * priced.scale) for i in members]
    solver.Maximize(solver.Sum([x * each for x, each in zip(taken, profit, strict=True)]))
    assert solver.Solve() == solver.OPTIMAL
    return float(solver.Objective().Value())


@pytest.mark.sweep
@pytest.mark.parametrize("factor", [4, 5], ids=["best prices", "a quarter more"])
@pytest.mark.parametrize(
    "requirement",
    [LDiversity(sensitive="s", l=2), LDiversity(sensitive="s", l="2.5"), TCloseness(sensitive="s", t="0.2")],
    ids=["l2", "l2.5", "t"],
)
def test_gains_are_near_those_of_the_linear_program(requirement: Requirement, factor: int) -> None:
    table, policy = larger(1, requirement)
    required = ClassRequirement.of(table, policy.requirements)
    problem = Problem(table=table, patterns=permitted(table, policy), requirement=required)
    space = SensitiveSearchSpace.of(problem)
    assert space is not None
    relaxed = relax(space, 1.5 * space.cheapest(), 2 * int(space.cheapest() @ table.weight), UNLIMITED)
    assert relaxed is not None
    price = relaxed.prices.price * factor // 4
    priced = Priced.of(problem, price, relaxed.prices.scale, sized=False)
    assert priced is not None
    exact = np.array([by_linear_program(priced, j, requirement) for j in range(len(priced.space))])
    assert (priced.gain >= exact - 1e-3 * priced.scale).all()
    assert priced.gain.sum() - exact.sum() <= 0.1 * (price @ table.weight)


@pytest.mark.everything
@settings(max_examples=200)
@given(seed=st.integers(0, 10**6), scale=st.sampled_from([1, 7, 1 << 16]), high=st.integers(0, 12))
def test_both_codes_gain_the_same(seed: int, scale: int, high: int) -> None:
    drawn = case(seed, most=12)
    problem = drawn.coded()
    rng = np.random.default_rng(seed)
    price = rng.integers(0, (high + 1) * scale * int(problem.table.cost.max()), problem.table.row_types).astype(np.int64)
    priced = Priced.of(problem, price, scale)
    if priced is not None:
        # Instances that cannot hold a class are told exactly there, here without any doubt.
        assert gains_again(problem, price, scale) <= int(priced.gain.sum())


CASES: dict[str, list[Requirement]] = {
    "frequency": [LDiversity(sensitive="s", l="2.5")],
    "recursive": [LDiversity(sensitive="s", l=2, variant="recursive", c=1)],
    "equal": [TCloseness(sensitive="s", t="0.2")],
    "ordered": [TCloseness(sensitive="s", t="0.1", metric="ordered")],
    "frequency, equal": [LDiversity(sensitive="s", l="2.5"), TCloseness(sensitive="s", t="0.3")],
    "frequency, beta": [LDiversity(sensitive="s", l=2), BetaLikeness(sensitive="s", beta="1")],
}


def proof(requirements: list[Requirement]) -> tuple[Certificate, CodedTable]:
    table, policy = larger(2, *requirements)
    return run(table, replace(policy, algorithm="refine"))[1], table  # exact solvers prove more than prices


def verified(certificate: Certificate, table: CodedTable) -> Fraction:
    return verify(certificate, [tuple(code) for code in table.codes.tolist()], table.weight.tolist(), table.sensitive)


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("name", CASES)
def test_a_true_bound_is_proven_again_and_a_forged_one_refused(name: str) -> None:
    certificate, table = proof(CASES[name])
    assert certificate.bound_method.startswith(METHOD)
    assert verified(certificate, table) == certificate.lower_bound
    with pytest.raises(CertificateError, match='"lower_bound"') as caught:
        verified(replace(certificate, lower_bound=certificate.lower_bound + 1), table)
    assert caught.value.field == "lower_bound"
    assert certificate.prices is not None
    lower = tuple(price - certificate.scale // 8 for price in certificate.prices)
    with pytest.raises(CertificateError, match='"lower_bound"'):
        verified(replace(certificate, prices=lower), table)
    with pytest.raises(CertificateError, match="too large"):
        verified(replace(certificate, prices=tuple(1 << 60 for _ in certificate.prices)), table)


GOLDEN = {"frequency": 163, "recursive": 86, "equal": 213, "ordered": 86, "frequency, equal": 170, "frequency, beta": 186}
"""The lower bounds; floats lead the prices, so these may differ in the last bits from one processor to another."""


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("name", GOLDEN)
def test_the_bounds_in_certificates_stay_the_same(name: str) -> None:
    certificate, _ = proof(CASES[name])
    assert certificate.lower_bound == GOLDEN[name]


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("name", CASES)
def test_bounds_and_prices_are_the_same_on_any_number_of_cores(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for cores in (1, 2, 3):
        for module in (lagrangian, pricing):
            monkeypatch.setattr(module, "WORKERS", cores)
            monkeypatch.setattr(module, "_MANY", 0)
        certificate, _ = proof(CASES[name])
        found.append((certificate.cost, certificate.lower_bound, certificate.prices))
    assert found[0] == found[1] == found[2]


@pytest.mark.everything
def test_without_sensitive_values_the_prices_prove_less() -> None:
    certificate, table = proof(CASES["equal"])
    assert verified(certificate, replace(table, sensitive=())) < certificate.lower_bound
