"""Stored policies for Spark: what they release is decided before Spark is asked for anything."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import kanon_sql.spark
from kanon_sql.engines.spark.guarantees import check_supported
from kanon_sql.engines.spark.release.anonymization import policy_of
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
    roles = {"keep": ["number", "day"], "quasi_identifiers": [{"column": "zip"}]}
    given = {"pseudonyms": ["number"], "requirements": [{"type": "k", "k": 5, "per_row": True}], **roles}
    for policy in ("research", json.dumps(given)):
        asked = policy_of(source("number", "zip", "day"), policy, policies)[1]
        with pytest.raises(PolicyError, match="Spark cannot create tokens for number; hint: drop the column, or"):
            check_supported(asked)


@pytest.mark.everything
def test_a_file_in_the_place_of_a_table_is_not_read(spark: Any, tmp_path: Path) -> None:
    rows = '{"level0": "a", "level1": "salary 52000"}\n{"level0": "b", "level1": "salary 52000"}\n'
    (tmp_path / "pay.json").write_text(rows)
    for name in (f'json."{tmp_path}/pay.json"', f"json.`{tmp_path}/pay.json`", f"text.`{tmp_path}/pay.json`"):
        levels = {"type": "hierarchy", "table": name}
        policy = {
            "name": "research",
            "table": "people",
            "kept": ["day"],
            "quasi_identifiers": [{"column": "zip", "recoding": levels}],
            "requirements": [{"type": "k", "k": 2}],
        }
        (tmp_path / "p.json").write_text(json.dumps({"policies": [policy]}))
        people = spark.sql("SELECT IF(id % 2 = 0, 'a', 'b') AS zip, id AS day FROM range(3)")
        with pytest.raises(PolicyError, match="is not a table in the session; hint: create a view") as refused:
            kanon_sql.spark.anonymize(people, policy="research", policies=tmp_path / "p.json", into="released_by_file")
        assert "salary" not in str(refused.value)
    assert not spark.catalog.tableExists("released_by_file")
