"""Every requirement on sensitive values has an entry in each table about requirements."""

from __future__ import annotations

from typing import get_args

from kanon_sql.engines.duckdb.gate import QUESTIONS
from kanon_sql.model.requirements import SensitiveRequirement


def test_the_sql_audit_asks_about_every_requirement() -> None:
    assert {*QUESTIONS} == {*get_args(SensitiveRequirement)}
