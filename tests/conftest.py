"""What all tests share: a registered connection, and a deterministic hypothesis."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import duckdb
import hypothesis
import pytest

import kanon_sql

os.environ["KANON_SECRET"] = "of the tests"  # also for the processes that they start: none makes a file for the user

hypothesis.settings.register_profile(
    "deterministic",
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.function_scoped_fixture],
)
hypothesis.settings.load_profile("deterministic")


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection in memory with the table functions."""
    connection = kanon_sql.register(duckdb.connect())
    try:
        yield connection
    finally:
        connection.close()


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder of the project."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def data(root: Path) -> Path:
    """The folder of the data sets, which are not part of the project."""
    folder = root.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the data sets are not there (shared/data beside the project)")
    return folder
