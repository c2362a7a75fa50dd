"""The command in this process, or as a person meets it: a process with arguments, pipes, a terminal and signals."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess, run

import duckdb
import pytest
from click.testing import CliRunner
from kanon_process import KANON, Kanon

from kanon_sql.cli import main


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    state = tmp_path / "state"
    return {
        **os.environ,
        "XDG_STATE_HOME": str(state),
        "TERM": "xterm-256color",
        "PROMPT_TOOLKIT_NO_CPR": "1",
        "COLUMNS": "100",
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "data"
    path.mkdir()
    return path


@pytest.fixture
def kanon(folder: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Kanon:
    """Run the command in this process, in the folder of the test; an error that the command does not tell is raised."""
    monkeypatch.chdir(folder)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    def run_here(*arguments: str, input: str | None = None) -> CompletedProcess[str]:  # noqa: A002 - as in subprocess
        done = CliRunner().invoke(main, arguments, input=input, catch_exceptions=False)
        return CompletedProcess(arguments, done.exit_code, done.stdout, done.stderr)

    return run_here


@pytest.fixture
def started(folder: Path, environment: dict[str, str]) -> Kanon:
    """Run the command in a process of its own, in the folder of the test."""

    def start(*arguments: str, **options: object) -> CompletedProcess[str]:
        settings: dict[str, object] = {"cwd": folder, "env": environment, "capture_output": True, "text": True, "timeout": 120}
        return run([*KANON, *arguments], **{**settings, **options})  # type: ignore[call-overload, no-any-return]

    return start


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    connection = duckdb.connect()
    try:
        yield connection
    finally:
        connection.close()


@pytest.fixture
def people(folder: Path) -> Path:
    """Twelve rows whose values a careless reader would change."""
    rows = [f"{'00501' if n % 2 else '06390'},{30 + n % 4},{'#' if n % 3 else ''}{n}" for n in range(12)]
    path = folder / "people.csv"
    path.write_text("\n".join(["zip,age,note", *rows]) + "\n")
    return path
