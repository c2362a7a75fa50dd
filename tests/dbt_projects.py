"""Small projects of dbt, in folders of their own: their files, and the command that runs them."""

from __future__ import annotations

import shutil
import sys
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

try:
    INSTALLED = find_spec("dbt.adapters.duckdb") is not None
except ModuleNotFoundError:
    INSTALLED = False

OPTIONS = ("--no-use-colors", "--no-send-anonymous-usage-stats")

COMMAND = [sys.executable, "-c", "from dbt.cli.main import cli; cli()", *OPTIONS]

_PROFILE = """small:
  target: dev
  outputs:
    dev: {{type: duckdb, path: {database}, threads: {threads}, plugins: [{{module: kanon_sql.dbt_plugin}}]}}
"""

_MODEL = "{{{{ config(materialized='anonymized') }}}}\n{{% raw %}}{query}{{% endraw %}}\n"


def write_project(folder: Path, *, threads: int = 1) -> Path:
    """Write a project without models, in place of whatever is in its folder, and return the path of its database.

    Notes
    -----
    Run ``dbt deps`` in the folder first.
    """
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "models").mkdir(parents=True)
    database = folder / "small.duckdb"
    for name, text in {
        "dbt_project.yml": "name: small\nversion: '1.0.0'\nprofile: small\n",
        "profiles.yml": _PROFILE.format(database=f"'{database}'", threads=threads),
        "packages.yml": f"packages:\n  - local: {files('kanon_sql').joinpath('dbt')}\n",
    }.items():
        (folder / name).write_text(text, encoding="utf-8")
    return database


def write_model(folder: Path, name: str, query: str) -> None:
    """Write a model that is a release, its query as it is."""
    (folder / "models" / f"{name}.sql").write_text(_MODEL.format(query=query), encoding="utf-8")
