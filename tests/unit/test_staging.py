"""Staging directories: private, gone in the end, those of the dead removed and those of the living kept; output in one step."""

from __future__ import annotations

import errno
import os
import platform
import stat
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest

from kanon_sql.engines.duckdb.files.staging import put, put_new, put_text, staging_directory
from kanon_sql.errors import SourceError

KILLED = """
import os, signal, sys
from pathlib import Path
from kanon_sql.engines.duckdb.files.staging import staging_directory
with staging_directory(Path(sys.argv[1])) as private:
    (private / "spill").mkdir()
    (private / "spill" / "part").write_text("secret")
    (private / "half").write_text("secret")
    os.kill(os.getpid(), signal.SIGKILL)
"""


KILLED_AT_EACH_CALL = """
import os, signal, sys
from pathlib import Path
from kanon_sql.engines.duckdb.files.staging import staging_directory

folder = Path(sys.argv[1])

def work():
    with staging_directory(folder) as private:
        (private / "spill").mkdir()
        (private / "spill" / "part").write_text("secret")
        (private / "half").write_text("secret")

for last in range(60):
    child = os.fork()
    if not child:
        calls = 0
        def count(event, _):
            global calls
            if event == "os.kill" or not event.startswith(("os.", "open", "fcntl.")):
                return
            calls += 1
            if calls > last:
                os.kill(os.getpid(), signal.SIGKILL)
        sys.addaudithook(count)
        work()
        os._exit(0)
    killed = os.WIFSIGNALED(os.waitpid(child, 0)[1])
    left = len(list(folder.iterdir()))
    work()
    print(last, killed, left, len(list(folder.iterdir())))
    if not killed:
        break
"""
"""Is killed before its first call of the system, before its second, and so on; after each, another run goes through."""

AT_ONCE = """
import sys
from pathlib import Path
from kanon_sql.engines.duckdb.files.staging import staging_directory

for turn in range(300):
    with staging_directory(Path(sys.argv[1])) as private:
        (private / "part").write_text("x")
        with staging_directory(Path(sys.argv[1])) as other:
            assert (private / "part").read_text() == "x"
            assert other.is_dir()
"""


def staged(folder: Path) -> set[str]:
    return {path.name for path in folder.glob(".kanon-*")}


@pytest.fixture
def abandoned(tmp_path: Path) -> Path:
    """Return the directory that a killed process has left."""
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False, timeout=60)
    (left,) = tmp_path.glob(".kanon-*")
    return left


def test_a_directory_is_private_and_gone_in_the_end(tmp_path: Path) -> None:
    with staging_directory(tmp_path) as private:
        assert stat.S_IMODE(private.stat().st_mode) == 0o700
        (private / "half").write_text("x")
    assert staged(tmp_path) == set()


@pytest.mark.everything
def test_the_next_run_removes_what_a_killed_one_left(tmp_path: Path, abandoned: Path) -> None:
    assert {path.name for path in abandoned.iterdir()} >= {"half", "spill"}
    with staging_directory(tmp_path) as private:
        assert staged(tmp_path) == {private.name}


def test_the_directories_of_the_living_are_kept(tmp_path: Path) -> None:
    with staging_directory(tmp_path) as first:
        (first / "half").write_text("x")
        with staging_directory(tmp_path) as second:
            assert staged(tmp_path) == {first.name, second.name}
        assert (first / "half").read_text() == "x"


@pytest.mark.everything
def test_the_directory_of_another_living_process_is_kept(tmp_path: Path) -> None:
    waiting = KILLED.replace("os.kill(os.getpid(), signal.SIGKILL)", "print('ready', flush=True); input()")
    with subprocess.Popen(
        [sys.executable, "-c", waiting, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        with staging_directory(tmp_path):
            assert len(staged(tmp_path)) == 2
        process.communicate("\n", timeout=60)
    assert staged(tmp_path) == set()


@pytest.mark.everything
def test_what_may_live_on_another_machine_is_kept(tmp_path: Path, abandoned: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "node", lambda: "elsewhere")
    with staging_directory(tmp_path):
        assert abandoned.name in staged(tmp_path)


@pytest.mark.parametrize("name", [".kanon-0123456789abcdef", ".kanon-mine", "kanon-0123456789abcdef"])
def test_a_directory_that_is_not_ours_is_kept(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "mine").write_text("x")
    with staging_directory(tmp_path):
        pass
    assert (tmp_path / name / "mine").read_text() == "x"


@pytest.mark.everything
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such locks, and forks no process")
def test_a_kill_between_any_two_calls_leaves_nothing_for_long(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED_AT_EACH_CALL, str(tmp_path)], check=True, timeout=300, capture_output=True, text=True
    )
    rows = [line.split() for line in done.stdout.splitlines()]
    assert [row[1] for row in rows] == ["True"] * (len(rows) - 1) + ["False"]
    assert sum(row[2] != "0" for row in rows) >= 5  # the kills that left something
    assert [row[3] for row in rows] == ["0"] * len(rows)


@pytest.mark.everything
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such locks")
def test_processes_at_once_leave_each_other_alone(tmp_path: Path) -> None:
    processes = [subprocess.Popen([sys.executable, "-c", AT_ONCE, str(tmp_path)]) for _ in range(4)]
    assert [process.wait(timeout=300) for process in processes] == [0] * 4
    assert staged(tmp_path) == set()


def test_a_directory_that_was_taken_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process takes the new directory for abandoned: while it is empty, and while its lock is not held yet."""
    fcntl = pytest.importorskip("fcntl")
    made, flock = Path.mkdir, fcntl.flock
    taken = []

    def taken_while_empty(path: Path, *arguments: object, **options: object) -> None:
        made(path, *arguments, **options)  # type: ignore[arg-type]
        if len(taken) < 1:
            taken.append(path)
            path.rmdir()

    def taken_before_the_lock(lock: int, operation: int) -> None:
        if len(taken) < 2:
            (private,) = tmp_path.glob(".kanon-*")
            taken.append(private)
            for each in private.iterdir():
                each.unlink()
            private.rmdir()
        flock(lock, operation)

    monkeypatch.setattr(Path, "mkdir", taken_while_empty)
    monkeypatch.setattr(fcntl, "flock", taken_before_the_lock)
    with staging_directory(tmp_path) as private:
        assert len({private, *taken}) == 3
        assert staged(tmp_path) == {private.name}
    assert staged(tmp_path) == set()


def test_without_locks_a_directory_is_never_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fcntl = pytest.importorskip("fcntl")

    def no_locks(*_: object) -> NoReturn:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", no_locks)
    with staging_directory(tmp_path) as first, staging_directory(tmp_path) as second:
        assert staged(tmp_path) == {first.name, second.name}
    assert staged(tmp_path) == set()


@pytest.mark.everything
def test_a_link_is_not_followed(tmp_path: Path, abandoned: Path) -> None:
    elsewhere = abandoned.rename(tmp_path / "elsewhere")
    abandoned.symlink_to(elsewhere)
    with staging_directory(tmp_path):
        pass
    assert (elsewhere / "half").read_text() == "secret"


def no_links(*_: object) -> NoReturn:
    raise OSError(errno.EPERM, os.strerror(errno.EPERM))


@pytest.mark.parametrize("links", [True, False])
def test_a_new_file_replaces_nothing(tmp_path: Path, links: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not links:
        monkeypatch.setattr(os, "link", no_links)
    for name in ("first", "second"):
        (tmp_path / name).write_text(name)
    put_new(tmp_path / "first", tmp_path / "out")
    with pytest.raises(FileExistsError):
        put_new(tmp_path / "second", tmp_path / "out")
    with pytest.raises(
        SourceError,
        match=r"out was created in the meantime; nothing was written; hint: pass --force to replace it",
    ):
        put(tmp_path / "second", tmp_path / "out", replace=False)
    assert (tmp_path / "out").read_text() == "first"
    put(tmp_path / "second", tmp_path / "out", replace=True)
    assert (tmp_path / "out").read_text() == "second"


def test_a_name_that_was_taken_is_given_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "link", no_links)
    monkeypatch.setattr(os, "replace", no_links)
    (tmp_path / "first").write_text("first")
    with pytest.raises(SourceError, match="cannot write"):
        put(tmp_path / "first", tmp_path / "out", replace=False)
    assert not (tmp_path / "out").exists()


def test_a_folder_takes_only_the_place_of_an_empty_one(tmp_path: Path) -> None:
    for name in ("new", "other", "empty", "full"):
        (tmp_path / name).mkdir()
    for name in ("new", "other", "full"):
        (tmp_path / name / "part").write_text(name)
    put(tmp_path / "new", tmp_path / "empty", replace=True)
    assert (tmp_path / "empty" / "part").read_text() == "new"
    with pytest.raises(
        SourceError, match=r"full exists; hint: choose a new folder, because only new folders can be written in one step"
    ):
        put(tmp_path / "other", tmp_path / "full", replace=True)
    assert (tmp_path / "full" / "part").read_text() == "full"


def test_a_text_is_written_whole(tmp_path: Path) -> None:
    put_text("one", tmp_path / "page", replace=False)
    with pytest.raises(SourceError, match="was created in the meantime; nothing was written; hint"):
        put_text("two", tmp_path / "page", replace=False)
    put_text("three", tmp_path / "page", replace=True)
    assert ((tmp_path / "page").read_text(), staged(tmp_path)) == ("three", set())


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot write in the folder"), staging_directory(tmp_path / "nowhere"):
        pass
