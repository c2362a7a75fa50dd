"""Releases as dbt models: several trials in one project, because a start of dbt takes seconds."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import duckdb

import kanon_sql
from fuzz import spelling
from fuzz.checker import Rules, check
from fuzz.domains import CANARY
from fuzz.draw import Trial, trial
from fuzz.outcome import reason
from fuzz.sql_surfaces import store
from fuzz.table import quoted, read_pair
from fuzz.trials import Verdict

MODELS = 12

DBT = [sys.executable, "-c", "from dbt.cli.main import cli; cli()", "--no-use-colors", "--no-send-anonymous-usage-stats"]

PROFILE = """fuzz:
  target: dev
  outputs:
    dev: {type: duckdb, path: fuzz.duckdb, threads: 1, plugins: [{module: kanon_sql.dbt_plugin}]}
"""


def installed() -> bool:
    """Whether dbt is there."""
    try:
        return find_spec("dbt.adapters.duckdb") is not None
    except ModuleNotFoundError:
        return False


class Dbt:
    """Projects of `MODELS` models.

    Parameters
    ----------
    folder : Path
        Where they are.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "dbt"

    def judge(self, seed: str) -> Verdict:
        """Build one project and check every model that it holds."""
        drawn = [trial(f"{seed}/{number}", plain=True, recodings=False) for number in range(5 * MODELS)]
        drawn = [each for each in drawn if spelling.clause_can(each.guarantee) and each.rows]
        drawn = [each for each in drawn if CANARY not in spelling.clause(each.guarantee)][:MODELS]  # the model would show it
        self._write(drawn)
        done = subprocess.run([*DBT, "run"], cwd=self.folder, capture_output=True, text=True, timeout=600, check=False)
        verdict = Verdict()
        told = {}
        results = self.folder / "target" / "run_results.json"
        if not results.exists():
            verdict.found.append(f"dbt has not run: {done.stdout[-400:]}{done.stderr[-400:]}")
            return verdict
        for each in json.loads(results.read_text(encoding="utf-8"))["results"]:
            told[each["unique_id"].rpartition(".")[2]] = each["status"], str(each.get("message"))
        for path in (results, self.folder / "logs" / "dbt.log"):
            if CANARY in path.read_text(encoding="utf-8"):
                verdict.found.append(f"{path.name} shows a cell")
        if CANARY in done.stdout:
            verdict.found.append("the console shows a cell")
        with duckdb.connect(str(self.folder / "fuzz.duckdb")) as con:
            for number, each in enumerate(drawn):
                status, message = told.get(f"m{number}", ("missing", ""))
                if status == "success":
                    verdict.released = True
                    source, released = read_pair(con, f"t{number}", f"m{number}", each.folds)
                    rules = Rules(keys=each.keys)
                    verdict.found += [
                        f"model {number}: {wrong}" for wrong in check(source, released, each.guarantee, None, rules)
                    ]
                elif "Error" in message and "hint:" in message:
                    verdict.reason = reason(message.splitlines()[-1].strip())
                else:
                    verdict.found.append(f"model {number}: {status}: {message[-300:]}")
        return verdict

    def _write(self, drawn: list[Trial]) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        models = self.folder / "models"
        models.mkdir(parents=True)
        package = Path(kanon_sql.__file__).parent / "dbt"
        (self.folder / "dbt_project.yml").write_text("name: fuzz\nversion: '1.0.0'\nprofile: fuzz\n", encoding="utf-8")
        (self.folder / "profiles.yml").write_text(PROFILE, encoding="utf-8")
        (self.folder / "packages.yml").write_text(f"packages:\n  - local: {package}\n", encoding="utf-8")
        with duckdb.connect(str(self.folder / "fuzz.duckdb")) as con:
            for number, each in enumerate(drawn):
                store(con, each, f"t{number}")
                clause = spelling.clause(each.guarantee)
                query = f"select * from {quoted(f't{number}')} {clause}"
                text = f"{{{{ config(materialized='anonymized') }}}}\n{{% raw %}}{query}{{% endraw %}}\n"
                (models / f"m{number}.sql").write_text(text, encoding="utf-8")
        subprocess.run([*DBT, "deps"], cwd=self.folder, capture_output=True, timeout=300, check=True)
