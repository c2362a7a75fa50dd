"""`kanon audit-table`: figures, exit codes, JSON, and the texts of other tools."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kanon_sql.cli import main

Run = Callable[..., Result]

OFFICE = """region,sex,n
north,f,12
north,m,*
south,f,{}
south,m,{}
north,Total,15
south,Total,16
Total,f,19
Total,m,12
Total,Total,31
"""
GIVEN = ("--by", "region,sex", "--total", "Total", "--suppressed", "*")


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(folder)
    Path("alone.csv").write_text(OFFICE.format(7, 9))
    Path("safe.csv").write_text(OFFICE.format("*", "*").replace("north,f,12", "north,f,*"))
    return lambda *arguments: CliRunner().invoke(main, ["audit-table", *arguments])


def test_a_cell_alone_in_its_line_is_given_away(run: Run) -> None:
    done = run("alone.csv", *GIVEN)
    assert done.exit_code == 1
    assert "FAIL: totals reveal 1 suppressed cell of 1: 1 exactly, 1 as below k = 5" in done.output
    assert [each.split() for each in done.output.splitlines() if "north" in each] == [
        ["│", "north", "│", "m", "│", "3", "│", "3", "│"]
    ]
    assert "hint: suppress more cells" in done.output


def test_a_safe_table_passes_and_json_has_every_interval(run: Run) -> None:
    done = run("safe.csv", *GIVEN, "--json")
    assert done.exit_code == 0
    told = json.loads(done.output)
    assert (told["holds"], told["broken"], told["suppressed cells"]) == (True, [], 4)
    assert {(*each["cell"], each["lower"], each["upper"]) for each in told["cells"]} == {
        ("north", "f", 4, 14),
        ("north", "m", 1, 11),
        ("south", "f", 5, 15),
        ("south", "m", 1, 11),
    }
    assert run("safe.csv", *GIVEN).output.startswith("PASS: no suppressed count can be derived exactly or proven to be below 5")
    assert run("safe.csv", *GIVEN, "--k", "12").exit_code == 1


@pytest.mark.everything
def test_what_kanon_protect_writes_passes(run: Run) -> None:
    rows = [f"{'nsew'[n * 7 % 11 % 4]},{'fm'[n * 31 % 7 % 2]}" for n in range(40)]
    Path("people.csv").write_text("\n".join(["region,sex", *rows]) + "\n")
    done = CliRunner().invoke(main, ["protect", "people.csv", "-o", "counts.csv", "--by", "region,sex", "-q"])
    assert done.exit_code == 0, done.output
    assert run("counts.csv", "--by", "region", "--by", "sex").exit_code == 0


def test_a_failure_says_whether_empty_cells_explain_it(run: Run) -> None:
    """A table of PROTECT suppresses rows of nobody, too: as tables of other programs, its totals would give rows away."""
    Path("counts.csv").write_text("x,y,n\n1,0,9\n2,0,\n2,2,\n4,0,\n4,1,9\n4,2,\n4,4,9\n1,,9\n2,,\n4,,\n,,33\n")
    asked = ("counts.csv", "--by", "x,y", "--k", "4")
    done = run(*asked)
    assert done.exit_code == 1
    assert (
        "pass --least 0 if suppressed cells may be empty, as in PROTECT tables; with --least 0, nothing is disclosed"
        in done.output
    )
    assert run(*asked, "--least", "0").exit_code == 0
    done = run("alone.csv", *GIVEN)
    assert "may be empty" not in done.output
    assert "hint: suppress more cells" in done.output


def test_impossible_combinations_and_sums_are_known(run: Run) -> None:
    Path("bands.csv").write_text("decade,older,n,s\n10,,61,1\n20,,139,1\n,no,60,1\n,yes,140,1\n,,200,2\n")
    asked = ("bands.csv", "--by", "decade,older", "--sums", "s")
    assert run(*asked).exit_code == 0
    Path("possible.csv").write_text("decade,older\n10,no\n10,yes\n20,yes\n")
    done = run(*asked, "--possible", "possible.csv", "--json")
    assert done.exit_code == 1
    assert json.loads(done.output.splitlines()[0])["groups"][0]["cell"] == ["10", "yes"]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("alone.csv", "--by", "region,sex", "--total", "Total"), "--suppressed '*'"),
        (("alone.csv", "--by", "region,age", "--total", "Total"), "unknown column 'age'"),
        (("alone.csv", *GIVEN, "--measure", "count"), "unknown column 'count'"),
        (("gone.csv", *GIVEN), "gone.csv"),
        (("safe.csv", *GIVEN, "--time-limit", "1e-9"), "time limit expired"),
    ],
)
def test_a_table_that_cannot_be_checked_exits_with_3(run: Run, arguments: tuple[str, ...], text: str) -> None:
    done = run(*arguments)
    assert done.exit_code == 3
    assert text in done.output
