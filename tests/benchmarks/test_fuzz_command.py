"""`python -m benchmarks --only fuzz`: it runs where it is named, and ends with 1 on a finding."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

FOUND = """
import sys
from benchmarks import __main__
from fuzz import campaign, trials
campaign.again = lambda seed: trials.Verdict(found=["a class of one row"])
__main__.main(sys.argv[1:])
"""


def run(root: Path, output: Path, *before: str) -> subprocess.CompletedProcess[str]:
    options = ["--only", "fuzz", "--again", "coded:1:1", "--json", str(output)]
    return subprocess.run([sys.executable, *before, *options], cwd=root, capture_output=True, encoding="utf-8", check=False)


@pytest.mark.everything
def test_a_seed_is_judged_again(root: Path, tmp_path: Path) -> None:
    done = run(root, tmp_path / "fuzz.json", "-m", "benchmarks")
    assert (done.returncode, done.stderr.strip()) == (0, "")
    (record,) = json.loads((tmp_path / "fuzz.json").read_text(encoding="utf-8"))["fuzz"]
    assert (record["work"], record["trials"], record["findings"]) == ("coded", 1, [])


@pytest.mark.everything
def test_a_finding_is_printed_with_its_seed_and_ends_with_1(root: Path, tmp_path: Path) -> None:
    done = run(root, tmp_path / "fuzz.json", "-c", FOUND)
    assert done.returncode == 1, done.stderr
    assert "--again 'coded:1:1': a class of one row" in " ".join(done.stdout.split())


@pytest.mark.everything
def test_the_default_is_all_parts_but_the_fuzz(root: Path) -> None:
    code = "from benchmarks.__main__ import ON_REQUEST, PARTS; print(*(part for part in PARTS if part not in ON_REQUEST))"
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, encoding="utf-8", check=True)
    assert "tables" in done.stdout.split()
    assert "fuzz" not in done.stdout.split()
