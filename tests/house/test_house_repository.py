"""What a public host reads beside the code: workflows, forms, the citation; they agree with the project."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

import kanon_sql

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")

ROOT = Path(__file__).resolve().parent.parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))


def read(path: str) -> Any:
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


def test_one_version_everywhere() -> None:
    assert PROJECT["version"] == kanon_sql.__version__ == read("CITATION.cff")["version"]
    assert re.search(rf"^## {re.escape(PROJECT['version'])}", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)


def test_the_workflow_tests_every_python_that_is_supported() -> None:
    least, below = re.findall(r"3\.(\d+)", PROJECT["requires-python"])
    matrix = read(".github/workflows/ci.yml")["jobs"]["tests"]["strategy"]["matrix"]
    assert matrix["python"] == [f"3.{minor}" for minor in range(int(least), int(below))]


def test_the_workflow_tests_the_oldest_duckdb_that_is_supported() -> None:
    (least,) = (each.removeprefix("duckdb>=") for each in PROJECT["dependencies"] if each.startswith("duckdb"))
    assert min(read(".github/workflows/ci.yml")["jobs"]["duckdb"]["strategy"]["matrix"]["duckdb"]) == least


def test_the_workflow_runs_what_ci_runs() -> None:
    steps = [step.get("run", "") for job in read(".github/workflows/ci.yml")["jobs"].values() for step in job["steps"]]
    here = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    for command in ("python -m pytest -q", "ruff check .", "mypy"):
        assert command in steps
        assert command in here
    assert "python -m pytest -q -m everything" in steps


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.name)
def test_forms_ask_for_no_real_data(path: Path) -> None:
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    if path.name == "config.yml":
        assert form == {"blank_issues_enabled": False}
        return
    assert form["name"]
    assert form["description"]
    assert len({part["id"] for part in form["body"] if "id" in part}) == sum("id" in part for part in form["body"])
    assert "real data" in path.read_text(encoding="utf-8")


def test_no_host_is_invented() -> None:
    """There is no public repository yet; whoever opens one follows RELEASING.md."""
    assert "urls" not in PROJECT
    assert "repository-code" not in read("CITATION.cff")
    assert "[project.urls]" in (ROOT / "RELEASING.md").read_text(encoding="utf-8")


def test_every_test_file_has_a_name_of_its_own() -> None:
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert sorted(names) == sorted({*names}), "pytest collects only one of two files of one name"
