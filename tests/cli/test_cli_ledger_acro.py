"""`kanon ledger add --format acro`: the outputs of a session as ACRO 1.0.2 writes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from kanon_sql.cli import main

CROSSTAB = """parents,,poor,poor,rich,All
finance,,yes,no,yes,
recommend,children,,,,
never,1,28,27,27,82
never,2,14,19,24,57
often,1,0,0,0,
All,,42,46,51,139
"""
SUPPRESSED = "recommend,poor,rich,All\nnever,88.0,51.0,139.0\nrecommend,,,\nAll,88.0,51.0,139.0\n"
PIVOT = ",score,score,score\nrecommend,never,often,All\nparents,,,\npoor,88,4,92\nrich,51,3,54\n"
ROUNDED = "recommend,poor,rich,All\nnever,90.0,50.0,140.0\n"
MEANS = "recommend,poor\nnever,9.98\n"


def output(keys: list[str], command: str, file: str, **other: Any) -> dict[str, Any]:
    return {
        "type": other.get("type", "table"),
        "properties": {"method": "crosstab", "mitigation": other.get("mitigation", "none"), "round_base": 5},
        "files": [{"name": file}],
        "command": command,
        "fair": {
            "statbarn": other.get("statbarn", "Frequencies"),
            "dependent": other.get("dependent", "unknown"),
            "independent": keys,
        },
    }


@pytest.fixture
def session(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(folder)
    place = folder / "session"
    place.mkdir()
    files = {"a.csv": CROSSTAB, "b.csv": SUPPRESSED, "c.csv": PIVOT, "d.csv": ROUNDED, "e.csv": MEANS}
    for name, text in files.items():
        (place / name).write_text(text)
    by = ["recommend", "parents"]
    crosstab = "acro.crosstab([df.recommend, df.children], [df.parents, df.finance], margins=True)"
    results = {
        "output_0": output(["recommend", "children", "parents", "finance"], crosstab, "a.csv"),
        "output_1": output(by, "acro.crosstab(df.recommend, df.parents)", "b.csv", mitigation="suppress"),
        "output_2": output(by[::-1], "acro.pivot_table(", "c.csv", dependent="score"),
        "output_3": output(by, "acro.crosstab(old.recommend, old['parents'])", "d.csv", mitigation="round"),
        "output_4": output(by, "acro.crosstab(df.recommend, df.parents)", "e.csv", statbarn="LinearAggregations"),
        "output_5": output(by, "acro.ols(y, x)", "e.csv", type="regression"),
        "output_6": output(["x", "y"], "acro.crosstab(df.x, df.y)", "b.csv"),
    }
    (place / "results.json").write_text(json.dumps({"version": "1.0.2", "results": results}))
    (place / "config.json").write_text(json.dumps({"safe_threshold": 10}))
    return place


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["ledger", *arguments, "--ledger", "out.duckdb"])


def rows(number: int) -> dict[tuple[str | None, ...], tuple[int, int | None]]:
    found = json.loads(run("show", str(number), "--json").stdout)["table"]
    return {tuple(each["keys"]): (each["lower"], each["upper"]) for each in found}


def test_the_tables_of_counts_of_a_session_are_added(session: Path) -> None:
    done = run("add", "session", "--format", "acro")
    assert done.exit_code == 0, done.output
    assert [line for line in done.output.splitlines() if not line.startswith("table")] == [
        "output_2: its data frame is not recorded; taken for everybody",
        "skipped output_4: its cells are not counts (LinearAggregations)",
        "skipped output_5: it is not a table (regression)",
        "skipped output_6: its layout is unknown",
    ]
    listed = json.loads(run("list", "--json").stdout)
    assert [(each["name"], each["condition"]) for each in listed] == [
        ("session/output_0", None),
        ("session/output_1", None),
        ("session/output_2", '"score" IS NOT NULL'),
        ("session/output_3", '"old"'),
    ]


def test_headers_of_several_levels_and_margins_are_read(session: Path) -> None:
    run("add", "session", "--format", "acro")
    crosstab = rows(1)
    assert crosstab["never", "2", "poor", "no"] == (19, 19)
    assert crosstab["never", "1", None, None] == (82, 82)
    assert crosstab[None, None, "rich", "yes"] == (51, 51)
    assert crosstab[None, None, None, None] == (139, 139)
    assert ("often", "1", None, None) not in crosstab  # an empty margin shows nothing
    assert rows(3)["poor", None] == (92, 92)


def test_totals_of_shown_cells_are_left_out(session: Path) -> None:
    """ACRO adds up the cells that it shows, so these totals are not those of the people."""
    run("add", "session", "--format", "acro")
    shown = {("never", "poor"): (88, 88), ("never", "rich"): (51, 51)}
    assert rows(2) == shown | {("recommend", "poor"): (0, 9), ("recommend", "rich"): (0, 9)}
    assert rows(4) == {("never", "poor"): (88, 92), ("never", "rich"): (48, 52)}


def test_a_folder_without_a_session_is_refused(session: Path) -> None:
    (session / "results.json").unlink()
    done = run("add", "session", "--format", "acro")
    assert done.exit_code == 2
    assert "is not an ACRO session; hint: pass the folder that acro.finalise wrote" in done.output
    assert "--by does not apply to an ACRO session" in run("add", "session", "--format", "acro", "--by", "x").output
