"""Fixtures of the audit macros: they are read from `sql/*.sql`, as built; no Python of the package is loaded."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest
from scratch import Kept, scratch

SQL = Path(__file__).parents[2] / "sql"


@pytest.fixture(scope="session")
def macros() -> list[Path]:
    """Every macro file but the concatenation, in sorted order."""
    return sorted(path for path in SQL.glob("*.sql") if path.name != "kanon.sql")


def _with(macros: list[Path]) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    for path in macros:
        connection.execute(path.read_text(encoding="utf-8"))
    return connection


@pytest.fixture(scope="session")
def kept_macros(macros: list[Path]) -> Iterator[Kept]:
    """A connection that has the macros and nothing else."""
    with _with(macros) as connection:
        yield Kept.of(connection)


@pytest.fixture(scope="module")
def audited(kept_macros: Kept) -> Iterator[duckdb.DuckDBPyConnection]:
    """The same, for all tests of a module; they leave no trace on it."""
    with kept_macros.untouched() as connection:
        yield connection


@pytest.fixture
def con(request: pytest.FixtureRequest, macros: list[Path]) -> Iterator[duckdb.DuckDBPyConnection]:
    """Give a connection with the macros and an empty database; where the test is so marked, a connection of its own."""
    if request.node.get_closest_marker("own_connection"):
        with _with(macros) as connection:
            yield connection
    else:
        with scratch(request.getfixturevalue("audited"), beside=",memory.main") as connection:
            yield connection


@pytest.fixture
def one(con: duckdb.DuckDBPyConnection) -> Callable[..., dict[str, object]]:
    """Run a query that gives one row, and give that row by column name."""

    def run(query: str, parameters: object = None) -> dict[str, object]:
        con.execute(query, parameters)
        names = [column[0] for column in con.description]
        rows = con.fetchall()
        assert len(rows) == 1
        return dict(zip(names, rows[0], strict=True))

    return run


@pytest.fixture(scope="session")
def shell() -> str:
    """Path of a bare DuckDB shell."""
    beside = Path(sys.executable).with_name("duckdb")
    found = str(beside) if beside.exists() else shutil.which("duckdb")
    if found is None:
        pytest.skip("no duckdb shell beside the interpreter or on the PATH")
    return found
