"""dbt: a model of the kind ``anonymized``, built by dbt in this process."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unittest.mock import patch

import duckdb
import numpy as np
import pyarrow as pa

import kanon_sql
from benchmarks.careless.in_python import released
from benchmarks.careless.in_sql import clause
from benchmarks.careless.judge import Release
from benchmarks.careless.refusals import SECRET
from benchmarks.careless.request import Request
from benchmarks.careless.table import Table
from benchmarks.careless.walk import RefusedError

QUIET = ("--no-use-colors", "--no-send-anonymous-usage-stats", "--log-level", "none", "--log-level-file", "none")

PROFILE = """careless:
  target: dev
  outputs:
    dev: {{type: duckdb, path: '{}', threads: 1, plugins: [{{module: kanon_sql.dbt_plugin}}]}}
"""

MODEL = "{{{{ config(materialized='anonymized') }}}}\n{{% raw %}}{}{{% endraw %}}\n"


def installed() -> bool:
    """Whether dbt is there."""
    try:
        return find_spec("dbt.adapters.duckdb") is not None
    except ModuleNotFoundError:
        return False


class Dbt:
    """A project with one source and one model.

    Parameters
    ----------
    folder : Path
        Where it is.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.database = folder, folder / "people.duckdb"
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "models").mkdir(parents=True)
        (folder / "dbt_project.yml").write_text("name: careless\nversion: '1.0.0'\nprofile: careless\n", encoding="utf-8")
        (folder / "profiles.yml").write_text(PROFILE.format(self.database), encoding="utf-8")
        package = Path(kanon_sql.__file__).parent / "dbt"
        (folder / "packages.yml").write_text(f"packages:\n  - local: {package}\n", encoding="utf-8")
        self._run("deps")

    def prepare(self, table: Table, _random: np.random.Generator, request: Request) -> Request:
        """Make the source."""
        with duckdb.connect(str(self.database)) as con:
            con.register("arrow", table.arrow)
            con.execute("CREATE OR REPLACE TABLE people AS FROM arrow")
        return request

    def release(self, table: Table, request: Request) -> Release:
        """Build the model, or raise `RefusedError`."""
        rows, ordered = (self._built(clause(table, request, ordered=ordered)) for ordered in (False, True))
        return released(request, rows, [each.name for each in table.columns], ordered)

    def _built(self, query: str) -> pa.Table:
        (self.folder / "models" / "released.sql").write_text(MODEL.format(query), encoding="utf-8")
        for each in self._run("run").result or ():
            if each.status == "error":
                text = " ".join(str(each.message).split())
                if "hint:" not in text:
                    raise RuntimeError(text)
                raise RefusedError(text.partition(".sql) ")[2] or text)
        with duckdb.connect(str(self.database)) as con:
            return con.execute("FROM released").to_arrow_table()

    def _run(self, command: str) -> Any:
        from dbt.cli.main import dbtRunner

        places = ("--project-dir", str(self.folder), "--profiles-dir", str(self.folder))
        with patch.dict("os.environ", {"KANON_SECRET": SECRET}):
            done = dbtRunner().invoke([*QUIET, command, *places])
        if done.exception is not None:
            raise done.exception
        return done
