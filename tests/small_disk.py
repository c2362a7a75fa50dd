"""A disk of a few bytes, which a test fills or makes read-only before it runs commands there.

The disk is a tmpfs in a namespace of its own, so nobody has to be root. Where there are no namespaces, the test is skipped.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

_NAMESPACE = ["unshare", "--map-root-user", "--mount"]


@functools.cache
def _possible() -> bool:
    try:
        subprocess.run([*_NAMESPACE, "mount", "-t", "tmpfs", "tmpfs", "/mnt"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return False
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What a command did.

    Attributes
    ----------
    code : int
        Its exit code.
    out, err : str
        What it printed.
    left : mapping
        By the names on the disk afterwards, their sizes, and what the group and others may do with them, as bits of a mode.
    """

    code: int
    out: str
    err: str
    left: Mapping[str, list[int]]


def on_small_disk(
    folder: Path,
    inputs: Path,
    *commands: Sequence[str],
    free: int,
    size: int = 64 << 20,
    read_only: bool = False,
    environment: Mapping[str, str] | None = None,
) -> list[Run]:
    """Run commands one after the other on a disk that holds copies of some files.

    Parameters
    ----------
    folder : Path
        Where the disk is mounted, for these commands only; it is their working directory.
    inputs : Path
        The files that are copied there.
    *commands : sequence of str
        The commands. ``["free"]`` takes away what fills the disk.
    free : int
        The bytes that are free before the first command.
    size : int
        Of the disk.
    read_only : bool
        Whether nothing can be written.
    environment : mapping, optional
        Further variables of the environment.
    """
    if not _possible():
        pytest.skip("no namespace to mount a small disk in")
    folder.mkdir(exist_ok=True)
    trial = {"folder": str(folder), "inputs": str(inputs), "free": free, "size": size, "read_only": read_only}
    done = subprocess.run(
        [*_NAMESPACE, sys.executable, __file__],
        input=json.dumps({**trial, "commands": [list(each) for each in commands]}),
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [Run(**each) for each in json.loads(done.stdout)]


def _main(trial: dict[str, Any]) -> list[dict[str, Any]]:
    disk = Path(trial["folder"])
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={trial['size']}", "tmpfs", str(disk)], check=True)
    shutil.copytree(trial["inputs"], disk, dirs_exist_ok=True)
    ballast = disk / "ballast"
    with ballast.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, max(1, _free(disk) - trial["free"]))
    if trial["read_only"]:
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    runs = []
    for command in trial["commands"]:
        if command == ["free"]:
            ballast.unlink()
            continue
        done = subprocess.run(command, cwd=disk, capture_output=True, text=True, timeout=120, check=False)
        runs.append({"code": done.returncode, "out": done.stdout, "err": done.stderr, "left": _left(disk)})
    return runs


def _free(disk: Path) -> int:
    found = os.statvfs(disk)
    return found.f_bavail * found.f_frsize


def _left(disk: Path) -> dict[str, list[int]]:
    found = {path: path.stat() for path in disk.rglob("*") if path.name != "ballast"}
    return {str(path.relative_to(disk)): [each.st_size, stat.S_IMODE(each.st_mode) & 0o077] for path, each in found.items()}


if __name__ == "__main__":
    json.dump(_main(json.load(sys.stdin)), sys.stdout)
