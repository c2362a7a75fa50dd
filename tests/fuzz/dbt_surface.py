"""Releases as dbt models: several trials in one project, because a start of dbt takes seconds."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import duckdb
from dbt_projects import COMMAND, write_model, write_project

from fuzz import spelling
from fuzz.checker import Rules, check
from fuzz.domains import CANARY
from fuzz.draw import Trial, trial
from fuzz.outcome import reason
from fuzz.sql_surfaces import store
from fuzz.table import quoted, read_pair
from fuzz.trials import Verdict

MODELS = 12


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
        database = self._write(drawn)
        done = subprocess.run([*COMMAND, "run"], cwd=self.folder, capture_output=True, text=True, timeout=600, check=False)
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
        with duckdb.connect(str(database)) as con:
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

    def _write(self, drawn: list[Trial]) -> Path:
        database = write_project(self.folder)
        with duckdb.connect(str(database)) as con:
            for number, each in enumerate(drawn):
                store(con, each, f"t{number}")
                clause = spelling.clause(each.guarantee)
                write_model(self.folder, f"m{number}", f"select * from {quoted(f't{number}')} {clause}")
        subprocess.run([*COMMAND, "deps"], cwd=self.folder, capture_output=True, timeout=300, check=True)
        return database
