"""The table of classes of problems."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from kanon_sql.errors import PolicyError
from kanon_sql.model.policy import Policy
from kanon_sql.model.recodings import Levels, Ranges
from kanon_sql.solvers.problem_classes import PROBLEMS, Masks, ProblemClass, Summaries, named

ROOT = Path(__file__).resolve().parent.parent.parent

RANGES = {"recodings": {"a": Ranges()}}

POLICIES: list[tuple[dict[str, object], int]] = [
    ({"k": 3, "per": "p", **RANGES}, 0),
    ({"k": 3, **RANGES}, 1),
    ({"k": 3, "sensitive": "s", "l": 2, **RANGES}, 1),
    ({"k": 3, "known": 1}, 2),
    ({"k": 3, "known": 1, "per": "p", "sensitive": "s", "l": 2}, 2),
    ({"k": 1, "population": "census", "k_map": 5}, 3),
    ({"k": 3, "per": "p"}, 4),
    ({"k": 3, "per": "p", "sensitive": "s", "l": 2}, 4),
    ({"k": 1, "sensitive": "s", "t": 0.5, "population": "census", "k_map": 5}, 5),
    ({"k": 3}, 6),
    ({"k": 3, "population": "census", "k_map": 5}, 6),
]


@pytest.mark.parametrize(("options", "place"), POLICIES)
def test_a_policy_belongs_to_the_first_row_that_fits(options: dict[str, object], place: int) -> None:
    policy = Policy.of(quasi_identifiers=["a"], **options)  # type: ignore[arg-type]
    found = ProblemClass.of(policy)
    assert found is PROBLEMS[place]
    assert found.people == (policy.people_of_classes is not None)
    assert found.algorithm(policy)[0] in {"mondrian", "cheapest_masks", "projections", "refine"}


def test_every_row_is_the_row_of_some_policy() -> None:
    assert {place for _, place in POLICIES} == set(range(len(PROBLEMS)))


@pytest.mark.parametrize("problems", PROBLEMS)
def test_what_a_row_names_is_there(problems: Masks | Summaries) -> None:
    places = [getattr(problems, each.name) for each in fields(problems)]
    assert all(callable(named(place)) for place in places if isinstance(place, str) and ":" in place and " " not in place)


def test_masks_and_summaries_are_told_apart() -> None:
    with pytest.raises(AssertionError, match="Masks cannot solve the policy"):
        Masks.of(Policy.of(quasi_identifiers=["a"], **RANGES))  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match="Summaries cannot solve the policy"):
        Summaries.of(Policy.of(quasi_identifiers=["a"]))


def test_only_k_alone_is_solved_by_parts() -> None:
    found = []
    for options, _ in POLICIES:
        policy = Policy.of(quasi_identifiers=["a"], **options)  # type: ignore[arg-type]
        found.append(ProblemClass.of(policy).divisible(policy))
    assert found == [False] * 9 + [True, False]
    for changed in ({"algorithm": "refine"}, {"recodings": {"a": Levels(table="h")}}):
        policy = Policy.of(quasi_identifiers=["a"], **changed)  # type: ignore[arg-type]
        assert not ProblemClass.of(policy).divisible(policy)


def test_an_algorithm_of_masks_makes_no_summaries() -> None:
    policy = Policy.of(quasi_identifiers=["a"], algorithm="refine", **RANGES)  # type: ignore[arg-type]
    with pytest.raises(PolicyError, match="cannot create RANGES or SETS; hint: use 'mondrian', or omit the algorithm"):
        ProblemClass.of(policy).algorithm(policy)


def test_nobody_else_asks_what_a_policy_is() -> None:
    asks = re.compile(r"policy\.(?:people|summarized|aggregated)\b|isinstance\([^)]*, People\)")
    paths = [*(ROOT / "kanon_sql" / "solvers").rglob("*.py"), ROOT / "kanon_sql" / "pipeline.py"]
    assert {path.stem for path in paths if asks.search(path.read_text("utf-8"))} == {"problem_classes", "people_requirement"}
