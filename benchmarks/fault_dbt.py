"""A dbt project for the fault lab: one anonymized model."""

from __future__ import annotations

import shutil
import signal
import subprocess
import time
from pathlib import Path

from dbt_projects import COMMAND, write_model, write_project

from benchmarks import fault_checks
from benchmarks.fault_scenarios import ROWS, K

_QUERY = "SELECT * FROM main.p ANONYMIZE BY zip, age KEEP x, note, more GUARANTEE k >= 5 USING greedy"


class Project:
    """The project, and how long an undisturbed run takes."""

    def __init__(self, folder: Path, inputs: Path) -> None:
        self._folder, self._inputs = folder, inputs
        self._database = write_project(folder)
        write_model(folder, "released", _QUERY)
        self._start("deps").wait()
        self._fresh()
        begun = time.monotonic()
        if self._start("run").wait():
            raise RuntimeError("dbt run fails undisturbed")
        self.seconds = time.monotonic() - begun

    def killed(self, seconds: float, number: signal.Signals) -> tuple[bool, list[str]]:
        """Kill a run after some seconds: whether it was still running, and what is wrong then."""
        self._fresh()
        process = self._start("run")
        time.sleep(seconds)
        midway = process.poll() is None
        process.send_signal(number)
        process.wait()
        return midway, list(fault_checks.database(self._database, ROWS, K))

    def _fresh(self) -> None:
        for path in self._folder.glob(f"{self._database.name}*"):
            path.unlink()
        shutil.copy(self._inputs / "clinic.duckdb", self._database)

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*COMMAND, *arguments],
            cwd=self._folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
