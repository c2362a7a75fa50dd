"""dbt in a fork of a process that has imported it, since that takes longer than most commands."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from subprocess import CompletedProcess, TimeoutExpired
from tempfile import TemporaryDirectory

from dbt_projects import OPTIONS

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["dbt.cli.main", "dbt.adapters.duckdb"])


def fork(project: Path, arguments: Sequence[str], timeout: float) -> CompletedProcess[str]:
    """Run one command of dbt in the folder of a project."""
    with TemporaryDirectory() as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        process = _FORKS.Process(target=_be_dbt, args=(project, arguments, out, err))
        process.start()
        process.join(timeout)
        if process.exitcode is None:
            process.kill()
            raise TimeoutExpired(["dbt", *arguments], timeout)
        return CompletedProcess(["dbt", *arguments], process.exitcode, out.read_text("utf-8"), err.read_text("utf-8"))


def _be_dbt(project: Path, arguments: Sequence[str], out: Path, err: Path) -> None:
    from dbt.cli.main import cli

    os.chdir(project)
    for path, stream in ((out, sys.stdout), (err, sys.stderr)):
        with path.open("wb") as file:
            os.dup2(file.fileno(), stream.fileno())
    sys.argv = ["dbt", *OPTIONS, *arguments]
    cli()
