"""dbt: a model of the kind ``anonymized``, built by dbt in this process."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import patch

import duckdb
import numpy as np
import pyarrow as pa
from dbt_projects import OPTIONS, write_model, write_project

from benchmarks.careless.in_python import released
from benchmarks.careless.in_sql import clause
from benchmarks.careless.judge import Release
from benchmarks.careless.refusals import SECRET
from benchmarks.careless.request import Request
from benchmarks.careless.table import Table
from benchmarks.careless.walk import RefusedError

QUIET = (*OPTIONS, "--log-level", "none", "--log-level-file", "none")


class Dbt:
    """A project with one source and one model.

    Parameters
    ----------
    folder : Path
        Where it is.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.database = folder, write_project(folder)
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
        write_model(self.folder, "released", query)
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
