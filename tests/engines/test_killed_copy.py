"""A COPY of a release that is killed while it writes leaves nothing at its target, and nobody else can read the rest."""

from __future__ import annotations

import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

import kanon_sql

WORK = """
import sys
import kanon_sql
con = kanon_sql.connect()
con.execute("CREATE TABLE p AS SELECT hash(i) % 50 AS zip, hash(i + 1) % 9 AS age, repeat(md5(i::VARCHAR), 4) AS note "
            "FROM range(300000) AS t(i)")
print("ready", flush=True)
con.execute(sys.argv[1])
"""

CLAUSE = "SELECT * FROM p ANONYMIZE BY zip, age KEEP note GUARANTEE k >= 5 USING greedy"
FUNCTION = "FROM k_anonymize('p', 5, qi := ['zip', 'age'], keep := ['note'], algorithm := 'greedy')"


def bytes_in(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder, at any depth, in which something is written."""
    for path in folder.rglob("*"):
        try:
            if path.is_file() and path.stat().st_size > 10_000:
                yield path
        except FileNotFoundError:
            continue


@pytest.mark.parametrize(
    ("statement", "signals"),
    [
        (f"COPY ({CLAUSE}) TO 'out.csv'", [signal.SIGKILL]),
        (f"COPY ({FUNCTION}) TO 'out.parquet' (ROW_GROUP_SIZE 5000)", [signal.SIGTERM]),
        (f"COPY ({FUNCTION}) TO 'out.json' (USE_TMP_FILE true)", [signal.SIGKILL]),
        (f"COPY ({CLAUSE}) TO 'out' (FORMAT csv, PARTITION_BY (age))", [signal.SIGKILL]),
        (f"COPY ({FUNCTION}) TO 'out' (FORMAT csv, PARTITION_BY (age))", [signal.SIGINT, signal.SIGINT]),
        (f"COPY ({CLAUSE}) TO 'old.csv' (USE_TMP_FILE false)", [signal.SIGINT, signal.SIGINT]),
    ],
)
@pytest.mark.everything
def test_a_killed_copy_leaves_nothing_partial(tmp_path: Path, statement: str, signals: list[signal.Signals]) -> None:
    (tmp_path / "old.csv").write_text("old")
    with subprocess.Popen(
        [sys.executable, "-c", f"import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n{WORK}", statement],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        deadline = time.monotonic() + 60
        while not list(bytes_in(tmp_path)) and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.001)
        midway = process.poll() is None
        for number in signals:
            process.send_signal(number)
            time.sleep(0.02)
        process.wait(60)
    assert midway
    assert (tmp_path / "old.csv").read_text() == "old"
    left = [path for path in tmp_path.iterdir() if path.name != "old.csv"]
    if signals[0] is signal.SIGINT:
        assert left == []
    assert all(path.name.startswith(".kanon-") and stat.S_IMODE(path.stat().st_mode) == 0o700 for path in left)
    with kanon_sql.connect() as con:
        con.execute("CREATE TABLE p AS SELECT 1 AS zip, 2 AS age, 3 AS note FROM range(6)")
        con.execute(f"COPY ({CLAUSE}) TO '{tmp_path}/next.csv'")
    assert {path.name for path in tmp_path.iterdir()} == {"old.csv", "next.csv"}
    assert len(duckdb.sql(f"FROM read_csv('{tmp_path}/next.csv')").fetchall()) == 6


def test_a_second_interrupt_does_not_end_the_cleaning(tmp_path: Path) -> None:
    program = """
import os, signal, sys, time
from pathlib import Path
from kanon_sql.engines.duckdb.files import staging

remove = staging._remove

def slowly(private):
    staging._remove = remove
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.3)
    remove(private)

staging._remove = slowly
signal.signal(signal.SIGINT, signal.default_int_handler)
with staging.staging_directory(Path(sys.argv[1])) as private:
    (private / "rows.csv").write_text("a row")
    raise KeyboardInterrupt
"""
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, timeout=60, check=False)
    assert done.stderr.count(b"KeyboardInterrupt") >= 2
    assert not list(tmp_path.iterdir())
