"""The registry of solvers."""

from __future__ import annotations

import inspect
from dataclasses import replace

import pytest

from kanon_sql.errors import PolicyError, UnknownAlgorithmError
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import KAnonymity, LDiversity, Requirement, TCloseness
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.problem_classes import Masks
from kanon_sql.solvers.registry import SENSITIVE_SOLVERS, SOLVERS, Solver
from kanon_sql.table.recoding import Recoding


def choose(algorithm: str, requirements: tuple[Requirement, ...], *, listed: bool = True) -> tuple[Solver, str]:
    policy = Policy.of(k=1, quasi_identifiers=["a"], algorithm=algorithm)
    policy = replace(policy, requirements=requirements)
    return Masks.of(policy).choose(policy, listed=listed)


@pytest.mark.parametrize("solver", [*SOLVERS.values(), *SENSITIVE_SOLVERS.values()], ids=lambda solver: solver.module)
def test_every_solver_takes_a_problem_and_a_budget(solver: Solver) -> None:
    found = inspect.signature(solver.load(), eval_str=True)
    assert {name: each.annotation for name, each in found.parameters.items()} == {"problem": Problem, "budget": Budget}
    assert all(each.default is each.empty for each in found.parameters.values())
    assert found.return_annotation is Recoding


@pytest.mark.parametrize("name", SOLVERS)
def test_every_solver_is_there_and_says_what_it_guarantees(name: str) -> None:
    solver = SOLVERS[name]
    assert solver.name == name
    assert solver.guarantee
    assert callable(solver.load())
    assert solver.load().__doc__


@pytest.mark.parametrize(("listed", "name"), [(True, "refine"), (False, "refine")])
def test_auto_takes_one_that_meets_the_requirements(listed: bool, name: str) -> None:
    solver, reason = choose("auto", (KAnonymity(k=2),), listed=listed)
    assert solver.accepts((KAnonymity(k=2),))
    assert solver.name == name
    assert reason.startswith("chosen automatically: ")


def test_a_solver_can_be_named() -> None:
    for listed in (True, False):
        for name in SOLVERS:
            solver, reason = choose(name, (KAnonymity(k=2),), listed=listed)
            assert (solver.name, reason) == (name, "named by the policy")


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UnknownAlgorithmError, match="greedy") as caught:
        choose("optimum", (KAnonymity(k=2),))
    assert isinstance(caught.value, PolicyError)


DIVERSE = (KAnonymity(k=2), LDiversity(sensitive="s", l=2), TCloseness(sensitive="s", t=1))


def test_requirements_on_sensitive_attributes_have_solvers_of_their_own() -> None:
    for listed in (True, False):
        solver, reason = choose("auto", DIVERSE, listed=listed)
        assert (solver, reason.partition(": ")[0]) == (SENSITIVE_SOLVERS["refine"], "chosen automatically")
        assert choose("greedy", DIVERSE, listed=listed)[0] is SENSITIVE_SOLVERS["greedy"]
    for name, solver in SENSITIVE_SOLVERS.items():
        assert (solver.name, solver.module) == (name, f"kanon_sql.solvers.sensitive.{name}")
        assert solver.guarantee
        assert solver.accepts(DIVERSE)
        assert not any(each.accepts(DIVERSE) for each in SOLVERS.values())


def test_a_solver_of_k_alone_refuses_more_and_names_those_that_can() -> None:
    with pytest.raises(
        PolicyError, match=r"'mondrian' cannot meet every guarantee; hint: use one of refine, optimal, greedy, .*matching"
    ):
        choose("mondrian", DIVERSE)
    with pytest.raises(
        UnknownAlgorithmError, match=r"did you mean 'optimal'\? The algorithms are auto, refine, .*matching, .*mondrian"
    ):
        choose("optimum", DIVERSE)
