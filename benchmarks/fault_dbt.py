"""A dbt project for the fault lab: one anonymized model."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from benchmarks import fault_checks
from benchmarks.fault_scenarios import ROWS, K

try:
    INSTALLED = find_spec("dbt.adapters.duckdb") is not None
except ModuleNotFoundError:
    INSTALLED = False

_DBT = [sys.executable, "-c", "from dbt.cli.main import cli; cli()", "--no-use-colors", "--no-send-anonymous-usage-stats"]
_FILES = {
    "dbt_project.yml": "name: faults\nversion: '1.0'\nprofile: faults\n",
    "profiles.yml": """faults:
  target: dev
  outputs:
    dev: {type: duckdb, path: clinic.duckdb, plugins: [{module: kanon_sql.dbt_plugin}]}
""",
    "models/released.sql": "{{ config(materialized='anonymized') }}\n"
    "SELECT * FROM main.p ANONYMIZE BY zip, age KEEP x, note, more GUARANTEE k >= 5 USING greedy\n",
}


class Project:
    """The project, and how long an undisturbed run takes."""

    def __init__(self, folder: Path, inputs: Path) -> None:
        self._folder, self._inputs = folder, inputs
        for name, text in _FILES.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        package = files("kanon_sql").joinpath("dbt")
        (folder / "packages.yml").write_text(f"packages:\n  - local: {package}\n", encoding="utf-8")
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
        return midway, list(fault_checks.database(self._folder / "clinic.duckdb", ROWS, K))

    def _fresh(self) -> None:
        for path in self._folder.glob("clinic.duckdb*"):
            path.unlink()
        shutil.copy(self._inputs / "clinic.duckdb", self._folder)

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*_DBT, *arguments], cwd=self._folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
