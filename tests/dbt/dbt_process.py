"""dbt as a user meets it: a process in the folder of a project."""

from __future__ import annotations

import subprocess
from pathlib import Path

import duckdb
import pytest
from dbt_fork import fork
from dbt_projects import INSTALLED

NEEDS_DBT = pytest.mark.skipif(not INSTALLED, reason="dbt is not installed: pip install 'kanon-sql[dbt]'")


def dbt(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run one command in a process of its own."""
    return fork(project, arguments, timeout=300)


def rows(project: Path, query: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(project / "clinic.duckdb"), read_only=True) as con:
        return con.execute(query).fetchall()


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
