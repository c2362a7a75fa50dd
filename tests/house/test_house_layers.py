"""The layers of the tests: README and CI run them, each test is in exactly one run, and the thorough one is thorough."""

from __future__ import annotations

import itertools
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parent.parent.parent
CI = (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def selections() -> tuple[str, ...]:
    """Return the `-m` of each test run of CI with the DuckDB installed; where none is given, that of the settings."""
    options = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]
    told = re.findall(r"^(?!.*PYTHONPATH=).*\bpython -m pytest\b(.*)", CI, re.MULTILINE)
    runs = [shlex.split(f"{options['addopts']} {given}") for given in told]
    return tuple([value for option, value in itertools.pairwise(words) if option == "-m"][-1] for words in runs)


def test_ci_begins_with_the_command_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^\$ (.*pytest.*)$", readme, re.MULTILINE)
    first = next(line for line in CI.splitlines() if "pytest" in line)
    assert command.split(" && ")[1] == first.split(" && ")[1] == "python -m pytest -q"


@pytest.mark.parametrize("process", [False, True])
@pytest.mark.parametrize("exhaustive", [False, True])
def test_every_test_is_in_exactly_one_run_of_ci(process: bool, exhaustive: bool) -> None:
    marks = {"process": process, "exhaustive": exhaustive}
    chosen = [eval(selection, {}, marks) for selection in selections()]
    assert len(chosen) == 2
    assert sum(chosen) == 1
    assert chosen[0] == (not process and not exhaustive)


@pytest.fixture
def drawn(request: pytest.FixtureRequest) -> Iterator[list[int]]:
    numbers: list[int] = []
    yield numbers
    every = request.config.getoption("every")
    assert len(numbers) == (200 // every if request.node.get_closest_marker("exhaustive") else 20)


@settings(max_examples=200)
@given(number=st.integers())
def test_a_property_draws_a_tenth_of_its_examples_or_every_nth(drawn: list[int], number: int) -> None:
    drawn.append(number)


@pytest.mark.sweep
@pytest.mark.parametrize("case", range(20))
def test_every_tenth_case_of_a_sweep_is_in_the_default_layer(request: pytest.FixtureRequest, case: int) -> None:
    assert (request.node.get_closest_marker("exhaustive") is None) == (case % 10 == 0)
