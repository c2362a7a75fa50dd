"""An append that is killed between two of its steps loses no row and releases none twice."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import duckdb
import pytest
from growing import BATCHES, LEDGER, state

import kanon_sql

POLICY = "key='visit', k=3, quasi_identifiers=['zip'], algorithm='greedy', unlisted_limit=1, secret='of the house'"

WORK = f"""
import os, signal, sys
import kanon_sql
from kanon_sql.engines.duckdb.append import append as appending

when, _, step = sys.argv[1].partition(" ")
rows = appending.Append._rows

def killed(self, query):
    if when == "before" and query.startswith(step):
        os.kill(os.getpid(), signal.SIGKILL)
    found = rows(self, query)
    if when == "after" and query.startswith(step):
        os.kill(os.getpid(), signal.SIGKILL)
    return found

appending.Append._rows = killed
kanon_sql.append("visits", "released", con="clinic.duckdb", {POLICY})"""


def run(folder: Path, stop: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", WORK, stop]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)


def add(folder: Path, start: int, stop: int) -> None:
    with duckdb.connect(str(folder / "clinic.duckdb")) as con:
        con.execute("CREATE TABLE IF NOT EXISTS visits (visit INTEGER, zip INTEGER, cost INTEGER)")
        con.execute(
            f"INSERT INTO visits SELECT i, CASE WHEN i % 20 = 0 THEN i ELSE i % 4 END, i FROM range({start}, {stop}) AS t(i)"
        )


def left(folder: Path) -> list[object]:
    with duckdb.connect(str(folder / "clinic.duckdb")) as con:
        return state(con)


@pytest.mark.everything
def test_a_killed_append_can_be_run_again(tmp_path: Path) -> None:
    add(tmp_path, 0, 90)
    done = run(tmp_path, "never")
    assert done.returncode == 0, done.stderr
    add(tmp_path, 90, 200)
    before = left(tmp_path)
    for table in ("released", LEDGER, BATCHES):
        assert run(tmp_path, f'after INSERT INTO "clinic"."main"."{table}"').returncode == -signal.SIGKILL
        assert left(tmp_path) == before
    assert run(tmp_path, "before COMMIT").returncode == -signal.SIGKILL
    assert left(tmp_path) == before
    assert run(tmp_path, "after COMMIT").returncode == -signal.SIGKILL
    with duckdb.connect(str(tmp_path / "clinic.duckdb")) as con:
        released = con.execute("SELECT cost FROM released").fetchall()
        assert max(Counter(released).values()) == 1
        assert con.execute(f"SELECT count(*), count(DISTINCT key), max(batch) FROM {LEDGER}").fetchall() == [
            (len(released), len(released), 2)
        ]
        assert con.execute(f"SELECT max(release_rows) FROM {BATCHES}").fetchall() == [(len(released),)]
        con.execute("INSERT INTO visits SELECT 1000 + i, i % 4, 1000 + i FROM range(40) AS t(i)")
        given = {"k": 3, "quasi_identifiers": ["zip"], "algorithm": "greedy", "unlisted_limit": 1, "secret": "of the house"}
        batch = kanon_sql.append("visits", "released", key="visit", con=con, **given)
        assert (batch.number, batch.rows + batch.waiting) == (3, 240)
