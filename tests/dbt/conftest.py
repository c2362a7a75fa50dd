"""The example project, built once for all tests."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest
from dbt_process import dbt, replace


@pytest.fixture(scope="session")
def built(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example; it finds the package as the documentation says."""
    project = tmp_path_factory.mktemp("dbt") / "clinic"
    built_before = ignore_patterns("target", "logs", "clinic.duckdb*", "dbt_packages", "package-lock.yml")
    copytree(root / "examples" / "dbt_clinic", project, ignore=built_before)
    command = [sys.executable, "-m", "kanon_sql.dbt_plugin"]
    said = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=60, check=True)
    package = said.stdout.strip()
    assert (Path(package) / "dbt_project.yml").is_file()
    replace(project / "packages.yml", "../../kanon_sql/dbt", package)
    assert dbt(project, "deps").returncode == 0
    done = dbt(project, "build")
    assert done.returncode == 0, done.stdout
    assert re.search(r"kanon: patients_released: 200 rows in \d+ classes, k = \d+, l = \d+/\d+", done.stdout)
    assert "Deprecat" not in done.stdout
    return project


@pytest.fixture
def project(built: Path, tmp_path: Path) -> Path:
    """A copy of the built example, to be changed."""
    return Path(copytree(built, tmp_path / "clinic", symlinks=True))
