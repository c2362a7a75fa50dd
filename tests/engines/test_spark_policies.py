"""Stored policies for Spark: what they release is decided before Spark is asked for anything."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kanon_sql.engines.spark.policies import policy_of
from kanon_sql.errors import PolicyError

POLICIES = """policies:
- name: research
  table: people
  identifiers: [name]
  pseudonyms: [number]
  kept: [day]
  quasi_identifiers: [{column: zip}]
  requirements: [{type: k, k: 5}]
"""


def source(*columns: str) -> Any:
    return SimpleNamespace(columns=list(columns), select=lambda names: names)


@pytest.fixture
def policies(tmp_path: Path) -> Path:
    file = tmp_path / "policies.yaml"
    file.write_text(POLICIES, encoding="utf-8")
    return file


def test_identifiers_are_dropped(policies: Path) -> None:
    selected, policy = policy_of(source("name", "zip", "day"), "research", policies)
    assert selected == ["`zip`", "`day`"]
    assert policy.keep == ("day",)


def test_no_identifier_is_released_where_a_pseudonym_is_asked_for(policies: Path) -> None:
    with pytest.raises(PolicyError, match=r'Spark makes no pseudonyms, as .* asks of "Number"; hint'):
        policy_of(source("Number", "zip", "day"), "research", policies)
