"""A folder that is written whole and checked, or not at all."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from kanon_sql.engines.duckdb.files.staging import put, staging_directory
from kanon_sql.errors import AuditError, SourceError


@contextmanager
def new_folder(folder: str) -> Iterator[tuple[Path, Path]]:
    """Give a private folder, and the one whose place it takes in the end if nothing fails.

    Raises
    ------
    SourceError
        When the folder has something in it, or cannot be written.
    """
    target = Path(os.path.realpath(Path(folder).expanduser()))
    if not target.parent.is_dir():
        raise SourceError(f"there is no folder {target.parent}; hint: choose a folder that exists")
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise SourceError(f"{target} exists; hint: choose a new folder")
    with staging_directory(target.parent) as private:
        staged = private / target.name
        staged.mkdir(mode=0o700)
        yield staged, target
        put(staged, target, replace=False)


def verified(arguments: Sequence[str], folder: Path) -> dict[str, str]:
    """Run `kanon verify` in a folder as anyone would, and return what it says.

    Raises
    ------
    AuditError
        When a claim does not hold.
    """
    done = subprocess.run(  # noqa: S603
        # the folder has Python files, which nobody shall import: -P
        [sys.executable, "-P", "-m", "kanon_sql", "verify", *arguments, "--json"],
        cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    if done.returncode:
        raise AuditError(done.stderr.strip().removeprefix("error: ") or "the verification ended without an answer")
    said = json.loads(done.stdout)
    return {name: str(words) for name, words in said.items() if name not in ("holds", "broken", "proven")}
