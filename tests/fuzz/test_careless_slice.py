"""Walks of careless users through the surfaces; `python -m benchmarks --only careless` goes on with other tables.

A finding names its seed: ``python -m benchmarks --only careless --again SURFACE:SEED`` shows it again.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))


SURFACES = ("suggest", "command", "clause", "some columns", "functions", "python", "policy", "append", "plain sql")
COUNTS = ("protect", "protect python")

EACH = 10
"""Tables for each surface in the layer `everything`."""


def judged(name: str, trials: int, seed: int) -> list[str]:
    from benchmarks import careless  # other tests let go of its modules

    return [found for record in careless.measure(trials, seed, only=(name,)) for found in _told(record)]


def _told(record: dict[str, object]) -> list[str]:
    findings = record["findings"]
    assert isinstance(findings, list)
    return [f"{each['seed']}: {each['finding']}" for each in findings]


@pytest.mark.everything
@pytest.mark.parametrize("name", [*SURFACES, *COUNTS])
def test_no_row_can_be_tied_to_a_person_by_its_own_values(name: str) -> None:
    assert judged(name, 2, 7) == []


@pytest.mark.everything
@pytest.mark.parametrize("name", [*SURFACES, *COUNTS])
def test_many_tables(name: str) -> None:
    assert judged(name, EACH, 8) == []


@pytest.mark.everything
def test_a_model_of_dbt() -> None:
    assert judged("dbt", 10, 7) == []
