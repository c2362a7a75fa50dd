"""Every example runs as a user would run it, in a process of its own, and says what it guarantees."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from example_process import run

EXAMPLES = {
    "README.md",
    "shell_session.sql",
    "generalization.sql",
    "notebook.ipynb",  # test_notebook.py
    "embedding_app.py",
    "query_process.py",  # test_served_app.py
    "served_app.py",  # test_served_app.py
}


def test_every_example_is_tested_and_listed(root: Path) -> None:
    assert {path.name for path in (root / "examples").iterdir() if path.is_file()} == EXAMPLES
    page = (root / "examples" / "README.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| \[\S+\]\((\S+)\)", page, re.MULTILINE))
    assert listed == EXAMPLES - {"README.md"} | {"dbt_clinic", "hospital_database", "spark_cluster"}


@pytest.mark.everything
def test_the_shell_session(root: Path, tmp_path: Path) -> None:
    session = str(root / "examples" / "shell_session.sql")
    remarks = [f"released under k >= {k}" for k in (5, 10, 5, 120)]
    said = run("-m", "kanon_sql.cli", "run", session, folder=tmp_path, remarks=remarks)
    sizes = re.findall(r"^k\tclasses\tuniques\n(\d+)\t\d+\t(\d+)$", said, re.MULTILINE)
    assert [int(k) >= 5 for k, _ in sizes] == [False, True]
    assert int(sizes[0][1]) > 0
    assert sizes[1][1] == "0"
    released, kept = re.findall(r"^ages_released\tages_kept\n(\d+)\t(\d+)$", said, re.MULTILINE)[0]
    assert int(released) < int(kept)
    assert len(re.findall(r"^[1-4]\t\['k >= \d+'\]\t(?:OPTIMAL|FEASIBLE)\t", said, re.MULTILINE)) == 4


@pytest.mark.everything
def test_generalization(root: Path, tmp_path: Path) -> None:
    statements = str(root / "examples" / "generalization.sql")
    remarks = [f"released under k >= {k}" for k in (5, 5, 5, 5, 500)]
    said = run("-m", "kanon_sql.cli", "run", statements, folder=tmp_path, remarks=remarks)
    found = re.findall(r"^[1-4]\t(\w+)\t\d+\t(0\.\d+)\t(\d+)$", said, re.MULTILINE)
    assert [algorithm for algorithm, *_ in found] == ["refine", "greedy", "full_domain", "mondrian"]
    suppressed, coarser, one_level, summarized = (float(loss) for _, loss, _ in found)
    assert summarized < coarser < one_level < suppressed
    assert all(int(smallest) >= 5 for *_, smallest in found)


@pytest.mark.everything
def test_the_hospital_database(root: Path, tmp_path: Path) -> None:
    said = run(str(root / "examples" / "hospital_database" / "release.py"), folder=tmp_path)
    rows = dict(re.findall(r"^(\w+): k >= 5.*?, (\d+) rows", said, re.MULTILINE))
    assert rows == {"patients": "20000", "prescriptions": "300000", "stays": "100000"}
    assert int(re.findall(r"in the source, (\d+) combinations are of one patient alone", said)[0]) > 0
    assert int(re.findall(r"in the release, the fewest rows of one: (\d+)", said)[0]) >= 5


@pytest.fixture(scope="module")
def said(root: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    return run("-W", "error", str(root / "examples" / "embedding_app.py"), folder=tmp_path_factory.mktemp("app"))


@pytest.mark.parametrize("refused", ["FROM", "ATTACH", "SELECT"])
@pytest.mark.everything
def test_the_application_reaches_no_raw_row(refused: str, said: str) -> None:
    assert re.search(rf"^{refused}: refused", said, re.MULTILINE)


@pytest.mark.everything
def test_the_application_serves_the_release_only(said: str) -> None:
    k, rows = re.findall(r"^\{'k': (\d+), 'classes': \d+, 'rows': (\d+)\}$", said, re.MULTILINE)[0]
    assert int(k) >= 5
    assert rows == "1500"
    assert "small clinic: the table has 3 rows, fewer than k = 5" in said


@pytest.mark.everything
def test_the_cluster_survives_a_worker(root: Path, tmp_path: Path) -> None:
    if importlib.util.find_spec("pyspark") is None or shutil.which("java") is None:
        pytest.skip("the cluster needs PySpark and Java 17")
    command = [sys.executable, str(root / "examples" / "spark_cluster" / "release.py")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", timeout=500, check=False)
    said = done.stdout  # Spark says much on stderr
    assert done.returncode == 0, done.stderr[-2000:]
    assert re.search(r"^audited: k = ([5-9]|\d\d)", said, re.MULTILINE)
    for moment in ("a round", "the join"):
        assert f"a worker has died in {moment}: True\nrows that differ: 0\n" in said
