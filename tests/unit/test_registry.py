"""The registry of solvers."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from kanon_sql.errors import PolicyError, UnknownAlgorithmError
from kanon_sql.model.requirements import KAnonymity, LDiversity, TCloseness
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.problem import Problem
from kanon_sql.solvers.registry import SENSITIVE_SOLVERS, SOLVERS, Solver, choose
from kanon_sql.table.patterns import PatternSet
from kanon_sql.table.recoding import Recoding

TWO = PatternSet(shown=np.array([1, 0], np.uint64), cost=np.array([0, 1], np.int64))
TOO_MANY = PatternSet(shown=np.empty(0, np.uint64), cost=np.empty(0, np.int64))


@pytest.mark.parametrize("solver", [*SOLVERS.values(), *SENSITIVE_SOLVERS.values()], ids=lambda solver: solver.module)
def test_every_solver_takes_a_problem_and_a_budget(solver: Solver) -> None:
    found = inspect.signature(solver.load(), eval_str=True)
    assert {name: each.annotation for name, each in found.parameters.items()} == {"problem": Problem, "budget": Budget}
    assert all(each.default is each.empty for each in found.parameters.values())
    assert found.return_annotation is Recoding


@pytest.mark.parametrize("name", SOLVERS)
def test_every_solver_is_there_and_says_what_it_promises(name: str) -> None:
    solver = SOLVERS[name]
    assert solver.name == name
    assert solver.guarantee
    assert callable(solver.load())
    assert solver.load().__doc__


@pytest.mark.parametrize(("patterns", "name"), [(TWO, "refine"), (TOO_MANY, "refine")])
def test_auto_takes_one_that_meets_the_requirements(patterns: PatternSet, name: str) -> None:
    solver, reason = choose("auto", (KAnonymity(k=2),), patterns)
    assert solver.accepts((KAnonymity(k=2),))
    assert solver.name == name
    assert reason.startswith("chosen automatically: ")


def test_a_solver_can_be_named() -> None:
    for patterns in (TWO, TOO_MANY):
        for name in SOLVERS:
            solver, reason = choose(name, (KAnonymity(k=2),), patterns)
            assert (solver.name, reason) == (name, "named by the policy")


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UnknownAlgorithmError, match="greedy") as caught:
        choose("optimum", (KAnonymity(k=2),), TWO)
    assert isinstance(caught.value, PolicyError)


DIVERSE = (KAnonymity(k=2), LDiversity(sensitive="s", l=2), TCloseness(sensitive="s", t=1))


def test_requirements_on_sensitive_attributes_have_solvers_of_their_own() -> None:
    for patterns in (TWO, TOO_MANY):
        solver, reason = choose("auto", DIVERSE, patterns)
        assert (solver, reason.partition(": ")[0]) == (SENSITIVE_SOLVERS["refine"], "chosen automatically")
        assert choose("greedy", DIVERSE, patterns)[0] is SENSITIVE_SOLVERS["greedy"]
    for name, solver in SENSITIVE_SOLVERS.items():
        assert (solver.name, solver.module) == (name, f"kanon_sql.solvers.sensitive.{name}")
        assert solver.guarantee
        assert solver.accepts(DIVERSE)
        assert not any(each.accepts(DIVERSE) for each in SOLVERS.values())


def test_a_solver_of_k_alone_refuses_more_and_names_those_that_can() -> None:
    with pytest.raises(PolicyError, match=r"'mondrian' cannot meet every requirement; hint: refine, optimal, greedy, .* can"):
        choose("mondrian", DIVERSE, TWO)
    with pytest.raises(
        UnknownAlgorithmError, match=r"did you mean 'optimal'\? The algorithms are auto, refine, .*matching, .*mondrian"
    ):
        choose("optimum", DIVERSE, TWO)
