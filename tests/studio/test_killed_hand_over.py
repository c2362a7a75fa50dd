"""A studio that is killed leaves the whole folder of a release or none, and no search that goes on."""

from __future__ import annotations

import os
import pickle
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import duckdb
import psutil
import pytest

from kanon_sql.engines.duckdb.files.places import Place
from kanon_sql.studio.hand_over import hand_over
from kanon_sql.studio.rows import sent
from kanon_sql.studio.run import Run
from kanon_sql.studio.session import Session

KILLS = int(os.environ.get("KANON_KILLS", "6"))
"""Each waits for a release to be written; KANON_KILLS=200 is the whole sweep."""

ROWS = "SELECT i % 5 AS zip, 20 + i % 9 AS age, ['f', 'm'][1 + i % 2] AS sex FROM range(300) AS t(i)"

CHILDREN = """
import os, pickle, signal, sys, time
from kanon_sql.engines.duckdb.files.places import Place
from kanon_sql.report.release_report import report
from kanon_sql.studio.hand_over import hand_over
from kanon_sql.studio.rows import received
from kanon_sql.studio.run import Run
from kanon_sql.studio.source import Source

with open("release", "rb") as file:
    draft, proof, rows = pickle.load(file)
length = None
for share in [1.0, *map(float, sys.argv[1:])]:
    start = time.monotonic()
    child = os.fork()  # no connection was made yet, so there are no threads
    if not child:
        run = Run(1, "run", draft)
        run.state, run.proof, run.rows = "released", proof, received(rows)
        hand_over(Source(Place.of("people.csv")), run, "out")
        os._exit(0)
    if length is None:
        os.waitpid(child, 0)
        length = time.monotonic() - start
    else:
        time.sleep(length * share)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    print(os.path.exists("out"), flush=True)
    sys.stdin.readline()
"""


@pytest.mark.everything
def test_a_killed_hand_over_leaves_the_whole_folder_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with duckdb.connect() as con:
        con.execute(f"COPY ({ROWS}) TO 'people.csv' (FORMAT csv, HEADER)")
    session = Session()
    session.open(Place.of("people.csv"))
    run, done = Run(1, "run", session.draft), threading.Event()
    run.start(session.source, ended=done.set)
    assert done.wait(120)
    (tmp_path / "release").write_bytes(pickle.dumps((run.draft, run.proof, sent(run.release[1]))))
    expected = list(hand_over(session.source, run, "first").files)
    draw, whole = random.Random(1), 0
    shares = [str(draw.random() if number % 2 else 0.8 + 0.3 * draw.random()) for number in range(KILLS)]
    with subprocess.Popen(
        [sys.executable, "-c", CHILDREN, *shares], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=tmp_path
    ) as children:
        for number in range(KILLS + 1):
            appeared = children.stdout.readline().strip()
            assert appeared in ("True", "False")
            if appeared == "True":
                whole += 1
                out = tmp_path / "out"
                assert sorted(each.name for each in out.iterdir()) == expected
                for name in expected:
                    if name != "report.html":  # it has the time
                        assert (out / name).read_bytes() == (tmp_path / "first" / name).read_bytes()
                    (out / name).unlink()
                out.rmdir()
            else:
                assert number > 0
            left = [each for each in tmp_path.iterdir() if each.name not in ("people.csv", "release", "first")]
            assert all(each.name.startswith(".kanon-") and each.stat().st_mode & 0o777 == 0o700 for each in left)
            children.stdin.write("\n")
            children.stdin.flush()
    assert children.returncode == 0
    assert whole < KILLS
    hand_over(session.source, run, "out")
    session.close()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["first", "out", "people.csv", "release"]


SEARCH = """
import os, signal, sys
from kanon_sql.engines.duckdb.files.places import Place
from kanon_sql.studio.session import Session

if __name__ == "__main__":
    session = Session()
    session.open(Place.of("people.csv"))
    long = "GUARANTEE k >= 7 USING auto (effort = 'thorough')"
    session.draft = session.draft.read(f"SELECT * FROM people ANONYMIZE BY zip, age, sex {long}")
    run = session.solve()
    print(run._process.pid, flush=True)
    sys.stdin.readline()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.everything
def test_a_killed_studio_ends_its_search(tmp_path: Path) -> None:
    with duckdb.connect() as con:
        con.execute(
            """COPY (SELECT hash(i) % 90 AS zip, hash(i, 1) % 80 AS age, hash(i, 2) % 70 AS sex FROM range(30000) AS t(i))
               TO $path (FORMAT csv, HEADER)""",
            {"path": str(tmp_path / "people.csv")},
        )
    (tmp_path / "search.py").write_text(SEARCH)
    with subprocess.Popen(
        [sys.executable, "search.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=tmp_path
    ) as studio:
        assert studio.stdin is not None
        assert studio.stdout is not None
        worker = psutil.Process(int(studio.stdout.readline()))
        while not (spilling := list(tmp_path.glob(".kanon-*"))) or worker.cpu_times().user < 2:
            time.sleep(0.1)
        studio.communicate("now", timeout=60)
    worker.wait(20)
    assert spilling
    left = {path.name for path in tmp_path.iterdir()} - {"people.csv", "search.py"}
    assert all(name.startswith(".kanon-") for name in left)
    assert all(path.stat().st_mode & 0o777 == 0o700 for path in tmp_path.glob(".kanon-*"))
