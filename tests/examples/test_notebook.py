"""The notebook, executed by a kernel of its own without a browser."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="module")
def cells(root: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What each cell shows, as the text of its outputs by their kind."""
    if importlib.util.find_spec("nbclient") is None or importlib.util.find_spec("ipykernel") is None:
        pytest.skip("no kernel to execute it; hint: pip install nbclient ipykernel")
    folder = tmp_path_factory.mktemp("notebook")
    notebook = shutil.copy(root / "examples" / "notebook.ipynb", folder)
    homes = dict.fromkeys(("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"), str(folder / "home"))
    command = [sys.executable, "-c", "from nbclient.cli import main; main()", "--inplace", "--timeout=300", str(notebook)]
    done = subprocess.run(
        command, cwd=folder, env=os.environ | homes, capture_output=True, encoding="utf-8", timeout=400, check=False
    )
    assert done.returncode == 0, done.stderr
    executed = json.loads(Path(notebook).read_text(encoding="utf-8"))
    return {cell["id"]: shown(cell["outputs"]) for cell in executed["cells"] if cell["cell_type"] == "code"}


def shown(outputs: list[Any]) -> dict[str, str]:
    found: dict[str, str] = {}
    for output in outputs:
        # An error would have ended the run; a warning is an output, too.
        kinds = {output["name"]: output["text"]} if output["output_type"] == "stream" else output["data"]
        found |= {kind: "".join(text) for kind, text in kinds.items()}
    return found


def figures(html: str) -> dict[str, str]:
    assert html.startswith("<table><caption")
    return dict(re.findall(r'<th scope="row"[^>]*>([^<]*)</th><td[^>]*>([^<]*)</td>', html))


@pytest.mark.everything
def test_nothing_is_said_beside_the_outputs(cells: dict[str, Any]) -> None:
    assert all("stderr" not in outputs for outputs in cells.values())


@pytest.mark.everything
def test_a_release_and_a_certificate_are_shown_as_tables(cells: dict[str, Any]) -> None:
    for name in ("release", "weights"):
        told = figures(cells[name]["text/html"])
        assert told["guarantee"] == "k &gt;= 5"
        assert int(re.findall(r"\d+", told["smallest class"])[0]) >= 5
        assert told["solved"].startswith(("OPTIMAL", "FEASIBLE"))
    assert figures(cells["release"]["text/html"]) != figures(cells["weights"]["text/html"])


@pytest.mark.everything
def test_the_audit_before_and_after(cells: dict[str, Any]) -> None:
    said = cells["before"]["stdout"] + cells["after"]["stdout"]
    before, after = re.findall(r"^(?:before|after): +k = (\d+), (\d+) uniques", said, re.MULTILINE)
    assert int(before[1]) > 0
    assert int(after[0]) >= 5
    assert after[1] == "0"


@pytest.mark.everything
def test_what_is_left(cells: dict[str, Any]) -> None:
    before, after = re.findall(r"mean spent: (\S+) before, (\S+) after", cells["left"]["stdout"])[0]
    assert before == after
    assert len(re.findall(r"^\w+ +\d+\.\d% suppressed$", cells["left"]["text/plain"], re.MULTILINE)) == 4
    plain, weighted = re.findall(r"(\d+\.\d)%", cells["weights"]["stdout"])
    assert float(plain) <= float(weighted)


@pytest.mark.everything
def test_the_notebook_is_kept_without_outputs(root: Path) -> None:
    """They would be of some machine at some time, and could hold rows."""
    notebook = json.loads((root / "examples" / "notebook.ipynb").read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None
