"""The layers of the tests: README and CI run the default one, the workflow everything, and each test is in one of the two."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parent.parent.parent
CI = (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_ci_begins_with_the_command_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^\$ (.*pytest.*)$", readme, re.MULTILINE)
    first = next(line for line in CI.splitlines() if "pytest" in line)
    assert command.split(" && ")[1] == first.split(" && ")[1] == "python -m pytest -q"


def test_what_ci_runs_does_not_depend_on_the_commit() -> None:
    assert "rev-list" not in CI


@pytest.fixture
def drawn(request: pytest.FixtureRequest) -> Iterator[list[int]]:
    numbers: list[int] = []
    yield numbers
    assert len(numbers) == (200 if request.node.get_closest_marker("everything") else 20)


@settings(max_examples=200)
@given(number=st.integers())
def test_a_property_draws_a_tenth_of_its_examples_or_all(drawn: list[int], number: int) -> None:
    drawn.append(number)


@pytest.mark.sweep
@pytest.mark.parametrize("case", range(20))
def test_every_tenth_case_of_a_sweep_is_in_the_default_layer(request: pytest.FixtureRequest, case: int) -> None:
    assert (request.node.get_closest_marker("everything") is None) == (case % 10 == 0)
