"""What holds figures about the source is for its owner alone; a release and an exported policy follow the umask."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from kanon_process import Kanon

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")

RELEASE = ("anonymize", "people.csv", "-o", "out.csv", "--qi", "zip,age", "--k", "3", "--keep", "ward", "-q")


@pytest.fixture
def people(folder: Path) -> Iterator[Path]:
    (folder / "people.csv").write_text("zip,age,ward\n" + "98101,34,a\n98102,51,b\n98103,28,c\n" * 4)
    before = os.umask(0o022)
    yield folder
    os.umask(before)


def mode(path: Path) -> str:
    return stat.filemode(path.stat().st_mode)


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    ("out", "force"),
    [("out.csv", False), ("out.csv", True), ("out.parquet", False), ("out.json", False), ("out.duckdb::people", False)],
)
def test_a_certificate_is_private_and_its_release_is_not(kanon: Kanon, people: Path, out: str, force: bool) -> None:
    command = [each if each != "out.csv" else out for each in (*RELEASE, "--certificate", "c.json")]
    if force:
        (people / "c.json").write_text("readable by all")
        command.append("--force")
    done = kanon(*command)
    assert done.returncode == 0, done.stderr
    assert mode(people / "c.json") == "-rw-------"
    assert mode(people / out.partition("::")[0]) == "-rw-r--r--"


@pytest.mark.everything
def test_pages_are_private(kanon: Kanon, people: Path) -> None:
    pytest.importorskip("altair", reason="kanon-sql[report] is not installed")
    assert kanon(*RELEASE).returncode == 0
    (people / "curve.csv").write_text("readable by all")
    page = kanon("report", "people.csv", "out.csv", "-o", "r.html", "--qi", "zip,age", "--k", "3")
    assert page.returncode == 0, page.stderr
    drawn = kanon("frontier", "people.csv", "-o", "c.html", "-o", "curve.csv", "--qi", "zip,age", "--k", "2,3", "-q", "--force")
    assert drawn.returncode == 0, drawn.stderr
    assert {mode(people / name) for name in ("r.html", "c.html", "curve.csv")} == {"-rw-------"}


@pytest.mark.sweep
@pytest.mark.parametrize("name", ["policy.sql", "policy.json", "policy.yaml"])
def test_a_suggestion_is_private(kanon: Kanon, people: Path, name: str) -> None:
    if name.endswith("yaml"):
        pytest.importorskip("yaml", reason="PyYAML is not installed")
    done = kanon("suggest", "people.csv", "-o", name)
    assert done.returncode == 0, done.stderr
    assert mode(people / name) == "-rw-------"


def test_an_exported_policy_is_not(kanon: Kanon, people: Path) -> None:
    duckdb.connect(people / "clinic.duckdb").close()
    assert kanon("policy", "export", "clinic.duckdb", "-o", "policies.json").returncode == 0
    assert mode(people / "policies.json") == "-rw-r--r--"
    os.umask(0o027)
    assert kanon("policy", "export", "clinic.duckdb", "-o", "policies.json", "--force").returncode == 0
    assert mode(people / "policies.json") == "-rw-r-----"
