"""A command that is told to stop leaves no file behind and touches none."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import duckdb
import pytest
from kanon_process import KANON


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("wait", [0.0, 1.0])
def test_a_stopped_release_leaves_nothing(
    folder: Path, environment: dict[str, str], con: duckdb.DuckDBPyConnection, number: signal.Signals, wait: float
) -> None:
    columns = ", ".join(f"hash(i * 31 + {n}) % 7 AS c{n}" for n in range(10))
    con.execute(f"COPY (SELECT {columns} FROM range(400000) t(i)) TO '{folder}/in.csv' (HEADER)")
    (folder / "out.csv").write_text("old")
    process = subprocess.Popen(
        [*KANON, "anonymize", "in.csv", "-o", "out.csv", "--k", "50", "--force"],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while not list(folder.glob(".kanon-*")) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(wait)
    process.send_signal(number)
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, output, errors) == (1, "", "error: interrupted\n")
    assert {path.name for path in folder.iterdir()} == {"in.csv", "out.csv"}
    assert (folder / "out.csv").read_text() == "old"
