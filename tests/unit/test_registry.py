"""The registry of solvers."""

from __future__ import annotations

import pytest

from kanon_sql.errors import PolicyError, UnknownAlgorithmError
from kanon_sql.requirements import KAnonymity
from kanon_sql.solvers import SOLVERS, choose


@pytest.mark.parametrize("name", SOLVERS)
def test_every_solver_is_there_and_says_what_it_promises(name: str) -> None:
    solver = SOLVERS[name]
    assert solver.name == name
    assert solver.guarantee
    assert callable(solver.load())
    assert solver.load().__doc__


def test_auto_takes_one_that_meets_the_requirements() -> None:
    assert choose("auto", (KAnonymity(k=2),)).accepts((KAnonymity(k=2),))


def test_a_solver_can_be_named() -> None:
    assert choose("greedy", (KAnonymity(k=2),)).name == "greedy"


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UnknownAlgorithmError, match="greedy") as caught:
        choose("optimum", (KAnonymity(k=2),))
    assert isinstance(caught.value, PolicyError)
