"""The people table where each surface finds it: a CSV file, a Parquet file, and a table of a database."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from engines.spark_session import spark

__all__ = ["clinic", "spark"]

PEOPLE = """CREATE TABLE people AS SELECT i AS person_id, 'N' || i AS name, '0213' || i % 5 AS zip, 20 + i % 60 AS age,
    ['m', 'f'][1 + i % 2] AS sex FROM range(5000) t(i)"""


@pytest.fixture
def clinic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder with the table, in which the surface runs."""
    folder = tmp_path / "clinic"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with duckdb.connect("clinic.duckdb") as con:
        con.execute(PEOPLE)
        con.execute("COPY people TO 'people.csv'")
        con.execute("COPY people TO 'people.parquet'")
    return folder
