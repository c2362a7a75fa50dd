"""The benchmark command writes what it says. No time is asserted."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest


@pytest.mark.everything
def test_one_table_gives_one_record_with_all_figures(root: Path, tmp_path: Path) -> None:
    output = tmp_path / "figures.json"
    options = ["--only", "tables", "--table", "Nursery", "--k", "2", "--runs", "1", "--json", str(output)]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", *options],
        cwd=root,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr.strip()) == (0, "")
    assert "Nursery: 12,960 rows x 8 columns" in done.stdout
    figures = json.loads(output.read_text(encoding="utf-8"))
    assert set(figures) == {"machine", "tables"}
    assert {"python", "cores", "load", "load_at_end", "packages"} <= set(figures["machine"])
    for record in figures["tables"]:
        times = [record.pop(name) for name in list(record) if name.endswith("seconds")]
        assert len(times) == 4
        assert all(isinstance(seconds, float) for seconds in times)
    greedy, default = figures["tables"]
    assert (default["algorithm"], default["s"]) == ("refine", 12960)
    assert greedy == {
        "table": "Nursery",
        "rows": 12960,
        "columns": 8,
        "row_types": 12960,
        "k": 2,
        "algorithm": "greedy",
        "s": 12960,
        "lower_bound": 12960,
        "plain_greedy_s": 12960,
        "difference_percent": 0.0,
        "u": 0.743287037037037,
        "h": 6480,
        "h_avg": 2.0,
        "h_max": 2,
    }


MASKS = """
from benchmarks.data import ADULT_2, NURSERY_DOMAINS
from benchmarks.exact import masks_of
numbered = [f"c{n}" for n in range(10)]
tables = {"Nursery": numbered[: len(NURSERY_DOMAINS)], "CMC": numbered, "Adult-2": list(ADULT_2)}
for name, columns in tables.items():
    masks = masks_of(name, columns)
    print(name, len(masks), len(set(masks)), tuple(columns) in masks, () in masks)
"""


@pytest.mark.everything
def test_exact_permits_the_masks_of_section_3_6(root: Path) -> None:
    done = subprocess.run([sys.executable, "-c", MASKS], cwd=root, capture_output=True, encoding="utf-8", check=True)
    # CMC: 1 + 10 + 45 masks of at most two stars, and the one of ten.
    assert done.stdout.splitlines() == ["Nursery 256 256 True True", "CMC 57 57 True True", "Adult-2 15 15 True True"]


PROGRAM = """
import pyarrow as pa
from benchmarks.backends import program_of
from kanon_sql.solvers.instances.ilp import solve_program
outcome = solve_program(program_of(pa.table({"a": [1, 1, 2, 2], "b": [1, 2, 3, 3]}), 2), seconds=20)
print(outcome.assignment.cost, outcome.bound)
"""


@pytest.mark.everything
def test_the_program_of_backends_finds_a_known_optimum(root: Path) -> None:
    # (1, 1) and (1, 2) lose b; the two rows (2, 3) lose nothing.
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=root, capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.strip() == "2 2"


@pytest.mark.everything
def test_an_unknown_part_is_an_error(root: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--only", "speed"], cwd=root, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 2
    assert "speed" in done.stderr


PAGE = """
import re
from pathlib import Path
from benchmarks import page
text = "".join(path.read_text(encoding="utf-8") for path in page.PAGES)
print(sorted(re.findall("<!-- figures: (.+) -->", text)) == sorted([*page._TABLES, "machine", "machine", "summary"]))
records = [{"work": "first release", "seconds": 0.5, "cpu_seconds": 0.625}]
copy = Path(OUTPUT)
copy.write_text("before\\n<!-- figures: start -->\\nold\\n<!-- end -->\\nafter", encoding="utf-8")
page.write(copy, {"start": records})
"""


@pytest.mark.everything
def test_a_run_for_the_page_replaces_each_of_its_tables(root: Path, tmp_path: Path) -> None:
    code, copy = PAGE.replace("OUTPUT", repr(str(tmp_path / "page.md"))), tmp_path / "page.md"
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.strip() == "True"
    assert copy.read_text(encoding="utf-8").splitlines() == [
        "before",
        "<!-- figures: start -->",
        "",
        "| process | s | CPU s |",
        "| --- | ---: | ---: |",
        "| first release | 0.50 | 0.62 |",
        "",
        "<!-- end -->",
        "after",
    ]


USEFULNESS = """
import pyarrow as pa
from benchmarks.usefulness import class_numbers, usefulness
original = pa.table({"number": [0, 5, 10, 10], "text": ["a", "b", "a", "c"]})
released = pa.table({"number": [None, None, 10, 10], "text": pa.array([None] * 4, pa.string())})
print(usefulness(original, class_numbers(released)))
"""


@pytest.mark.everything
def test_usefulness_follows_definition_5(root: Path) -> None:
    # First class: (5 - 0) / 10 + 2 / 3; second class: 0 / 10 + 2 / 3; their mean.
    expected = (Fraction(1, 2) + Fraction(2, 3) + Fraction(2, 3)) / 2
    done = subprocess.run([sys.executable, "-c", USEFULNESS], cwd=root, capture_output=True, encoding="utf-8", check=True)
    assert Fraction(done.stdout.strip()) == expected
