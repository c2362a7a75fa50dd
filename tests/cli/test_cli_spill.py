"""Parts of large tables that a command puts on the disk: nobody else can read them, and the next command removes them."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import time
from pathlib import Path

import pytest
from kanon_process import KANON, Kanon

RAW = b"name of somebody"
SPILL = f"""SET memory_limit = '60MB'; SET threads = 2;
CREATE OR REPLACE TABLE spilled AS
    SELECT i, hash(i) AS h, '{RAW.decode()} ' || i AS name FROM range(1500000) AS t(i) ORDER BY h;"""


def raw_files(folder: Path) -> list[Path]:
    """Return the files with raw rows, but for those of the database itself."""
    found = []
    for path in folder.rglob("*.tmp"):
        try:
            if path.is_file() and RAW in path.read_bytes():
                found.append(path)
        except FileNotFoundError:  # just removed
            continue
    return found


@pytest.mark.parametrize("database", [("--db", "clinic.duckdb"), ()])
@pytest.mark.everything
def test_what_a_killed_command_leaves_is_private_and_goes_with_the_next(
    started: Kanon, folder: Path, environment: dict[str, str], database: tuple[str, ...]
) -> None:
    (folder / "spill.sql").write_text(SPILL)
    (folder / "one.sql").write_text("SELECT 1;")
    work = subprocess.Popen([*KANON, "run", "spill.sql", *database], cwd=folder, env=environment, umask=0o022)
    try:
        for _ in range(2400):
            if raw_files(folder) or work.poll() is not None:
                break
            time.sleep(0.02)
    finally:
        os.kill(work.pid, signal.SIGKILL)
        work.wait()
    left = raw_files(folder)
    assert left, "nothing was spilled before the kill"
    for path in left:
        private = next(each for each in path.parents if each.parent == folder)
        assert stat.S_IMODE(private.stat().st_mode) == 0o700
    assert started("run", "one.sql", *database).returncode == 0
    assert not raw_files(folder)
    assert {path.name for path in folder.iterdir()} <= {"spill.sql", "one.sql", "clinic.duckdb", "clinic.duckdb.wal"}
