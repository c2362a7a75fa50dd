"""Processes that append to one release at the same time: one does, the others say why not, and no row is lost or doubled."""

from __future__ import annotations

import subprocess
from pathlib import Path

import duckdb
import pytest
from kanon_process import KANON

APPEND = ("append", "clinic.duckdb::visits", "released", "--key", "visit", "--qi", "zip,age", "--k", "5", "-q")
COUNTS = """SELECT (SELECT count(*) FROM released), count(*), count(DISTINCT key), max(batch) FROM kanon_ledger_released"""
REFUSALS = (
    "hint: another process has the database open; wait until it closes the database, and try again\n",
    "another append to this release was running at the same time; nothing was released; hint: run this one again\n",
)


def add(folder: Path, start: int, stop: int) -> None:
    with duckdb.connect(str(folder / "clinic.duckdb")) as con:
        con.execute("CREATE TABLE IF NOT EXISTS visits (visit BIGINT, zip BIGINT, age BIGINT)")
        con.execute(f"INSERT INTO visits SELECT i, i % 40, i % 10 FROM range({start}, {stop}) AS t(i)")


@pytest.mark.everything
def test_of_three_processes_one_appends(folder: Path, environment: dict[str, str]) -> None:
    for turn in range(2):
        add(folder, 20_000 * turn, 20_000 * (turn + 1))
        command = [*KANON, *APPEND]
        three = [
            subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for _ in range(3)
        ]
        ended = [(each.communicate(timeout=120)[1], each.returncode) for each in three]
        assert 0 in [code for _, code in ended]  # one that starts late finds nothing new
        for said, code in ended:
            assert code == 0 or (code == 1 and said.startswith("error: ") and said.endswith(REFUSALS)), said
        with duckdb.connect(str(folder / "clinic.duckdb")) as con:
            rows = 20_000 * (turn + 1)
            assert con.execute(COUNTS).fetchall() == [(rows, rows, rows, turn + 1)]
            assert con.execute("SELECT min(n) >= 5 FROM (SELECT count(*) AS n FROM released GROUP BY zip, age)").fetchall()[0][
                0
            ]
    assert {path.name for path in folder.iterdir()} <= {"clinic.duckdb", "clinic.duckdb.wal"}
