"""An installation that cannot be written, and a user without a home."""

from __future__ import annotations

import ctypes
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree, ignore_patterns, rmtree
from tempfile import mkdtemp

import pytest

RELEASE = """
import os
import kanon_sql
with kanon_sql.connect() as con:
    con.execute("CREATE TABLE p AS SELECT i % 3 AS zip FROM range(12) t(i)")
    rows = con.execute("FROM k_anonymize('p', 2, algorithm := 'mondrian')").fetchall()
print(len(rows), os.path.dirname(kanon_sql.__file__), sep="|")
"""

_DROP_CAPABILITY, _IGNORE_PERMISSIONS = 24, 1  # PR_CAPBSET_DROP, CAP_DAC_OVERRIDE


@pytest.fixture
def install(root: Path) -> Iterator[Path]:
    """A copy that everybody may read and nobody may write."""
    folder = Path(mkdtemp())
    for source, target in ((root / "kanon_sql", "."), (root / "udfs", "udfs"), (root / "sql", "sql")):
        copytree(source, folder / "kanon_sql" / target, ignore=ignore_patterns("__pycache__"), dirs_exist_ok=True)
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    yield folder
    for path in (folder, *folder.rglob("*")):
        if path.is_dir():
            path.chmod(stat.S_IRWXU)
    rmtree(folder)


def bound_by_permissions() -> None:
    """Let permissions bind the process that comes next, though it is root's."""
    if os.getuid() == 0 and ctypes.CDLL(None).prctl(_DROP_CAPABILITY, _IGNORE_PERMISSIONS, 0, 0, 0):
        os._exit(99)


@pytest.mark.skipif(sys.platform != "linux", reason="needs the capabilities of Linux where root runs the tests")
@pytest.mark.everything
def test_a_release_writes_no_file(install: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": str(install / "home"), "PYTHONPATH": str(install)}
    command = [sys.executable, "-P", "-B", "-c", RELEASE]
    bound = {"env": environment, "preexec_fn": bound_by_permissions, "cwd": "/", "timeout": 300}
    before = {path: path.stat().st_mtime_ns for path in install.rglob("*")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, **bound)
    assert done.returncode == 0, done.stderr
    rows, package = done.stdout.split()[-1].split("|")  # behind the progress bar of DuckDB
    assert rows == "12"
    assert Path(package) == install / "kanon_sql", "the copy was imported, not the installation of the tests"
    assert {path: path.stat().st_mtime_ns for path in install.rglob("*")} == before
