"""`kanon ledger`: tables of any tool are recorded, listed, removed and audited together."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner, Result
from workbooks import row, workbook

from kanon_sql.cli import main

Run = Callable[..., Result]

TENS = "age,sex,n\n0-9,f,30\n0-9,m,35\n10-19,f,31\n10-19,m,30\n0-9,Total,65\n10-19,All,61\nTotal,,126\n"
ADULTS = "age;n\n10-19;60\n"


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(folder)
    Path("tens.csv").write_text(TENS)
    Path("adults.csv").write_text(ADULTS)

    def run(command: str, *arguments: str) -> Result:
        return CliRunner().invoke(main, ["ledger", command, *arguments, "--ledger", "out.duckdb"])

    assert run("add", "tens.csv", "--by", "age,sex").output == "table 1: tens.csv (7 rows)\n"
    return run


def shown(run: Run, number: int) -> dict[tuple[str | None, ...], tuple[int, int | None, bool]]:
    """Return what a reader knows of the rows of a table."""
    done = run("show", str(number), "--json")
    assert done.exit_code == 0, done.output
    return {
        tuple(each["keys"]): (each["lower"], each["upper"], each["suppressed"]) for each in json.loads(done.output)["table"]
    }


def test_two_safe_tables_give_a_person_away(run: Run) -> None:
    alone = run("audit")
    assert (alone.exit_code, alone.output.partition(":")[0]) == (0, "PASS")
    assert run("add", "adults.csv", "--by", "age", "--where", "age >= 15").exit_code == 0
    done = run("audit", "-o", "page.html")
    assert done.exit_code == 1
    assert "age 10-19: 61 (table 1), of these age 15 to 19: 60 (table 2). One person: age 10 to 14." in done.output
    (found,) = json.loads(run("audit", "--json").stdout)["findings"]
    assert (found["least"], found["most"]) == (1, 1)
    page = Path("page.html").read_text(encoding="utf-8")
    assert "1 small group can be proven." in page
    assert "adults.csv" in page
    assert run("audit", "--n", "2").exit_code == 1
    assert run("remove", "2").output == "removed table 2: adults.csv\n"
    assert run("audit").exit_code == 0


def test_rows_that_contradict_each_other_are_open(run: Run) -> None:
    Path("again.csv").write_text("age,n\n10-19,62\n")
    run("add", "again.csv", "--by", "age")
    done = run("audit")
    assert done.exit_code == 2
    assert done.output.startswith("OPEN: none")
    assert "- age 10-19: 61 (table 1)" in done.output
    assert "62 (table 2)" in done.output


def test_totals_are_read_as_tools_write_them(run: Run) -> None:
    rows = shown(run, 1)
    assert rows[None, None] == (126, 126, False)
    assert rows["10-19", None] == (61, 61, False)
    Path("own.csv").write_text("town,n\nAll,12\neverywhere,40\n")
    run("add", "own.csv", "--by", "town", "--total", "everywhere")
    assert shown(run, 2) == {("All",): (12, 12, False), (None,): (40, 40, False)}


def test_counts_are_read_as_tools_write_them(run: Run) -> None:
    Path("marks.csv").write_text('a,n\n1,*\n2,<5\n3,"1,205"\n4,\n5,100+\n6,-\n7,secret\n')
    assert run("add", "marks.csv", "--by", "a", "--suppressed", "secret").exit_code == 0
    assert list(shown(run, 2).values()) == [
        (1, None, True),
        (1, 4, True),
        (1205, 1205, False),
        (1, None, True),
        (100, None, False),
        (0, None, True),
        (1, None, True),
    ]
    Path("rounded.csv").write_text("a,n\n1,10\n2,0\n")
    for rounding, known in (("nearest", [(8, 12), (0, 2)]), ("adjacent", [(6, 14), (0, 4)])):
        run("add", "rounded.csv", "--by", "a", "--rounded", "5", "--rounding", rounding)
        number = len(json.loads(run("list", "--json").output))
        assert [each[:2] for each in shown(run, number).values()] == known


def test_parquet_and_spreadsheets_are_read(run: Run, folder: Path) -> None:
    with duckdb.connect() as con:
        con.execute("COPY (SELECT * FROM (VALUES (10.0, 12), (NULL, 30)) AS t(age, people)) TO 'counts.parquet'")
    run("add", "counts.parquet", "--by", "AGE", "--measure", "people", "--state", "2026-01", "--rows", "absent")
    assert shown(run, 2) == {("10",): (12, 12, False), (None,): (30, 30, False)}
    workbook(folder / "counts.xlsx", Sheet1=row(1, "age", "n") + row(2, "10-19", 7) + row(3, "Insgesamt", "c"))
    run("add", "counts.xlsx", "--by", "age", "--name", "a sheet")
    assert shown(run, 3) == {("10-19",): (7, 7, False), (None,): (1, None, True)}
    assert [each["name"] for each in json.loads(run("list", "--json").output)] == ["tens.csv", "counts.parquet", "a sheet"]


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("a,n\nx,12\ny,four\n", (), "bad.csv, row 2, column n: the text is not a count; hint: pass --suppressed"),
        ("a,n\nx,12.5\n", (), "row 1, column n: the count is not a whole number"),
        ("a,n\nx,1.234\n", (), "hint: pass --decimal , if '.' separates thousands"),
        ("a,n\nx,12\n", ("--rounded", "5"), "row 1, column n: the count is not rounded to 5"),
        ("a,n\nx,12\nx,13\n", (), "bad.csv, rows 1 and 2: the same keys; hint: list all keys"),
        ("a,n\nx,12\n", ("--where", "a >"), "the condition is not an SQL expression"),
        ("a,n\nx,12\n", ("--measure", "m"), "unknown column 'm'"),
    ],
)
def test_an_error_names_the_place_and_no_value(run: Run, text: str, options: tuple[str, ...], words: str) -> None:
    Path("bad.csv").write_text(text)
    done = run("add", "bad.csv", "--by", "a", *options)
    assert done.exit_code == 2
    assert words in done.output
    assert "four" not in done.output
    assert len(json.loads(run("list", "--json").output)) == 1  # nothing was added


def test_a_protected_table_is_audited_from_its_published_file(run: Run) -> None:
    run("remove", "1")  # it is about other people
    rows = [f"{'nsew'[n * 7 % 13 % 4]},{'fm'[n * 31 % 17 // 12]}" for n in range(60)]
    Path("people.csv").write_text("\n".join(["region,sex", *rows]) + "\n")
    Path("towns.csv").write_text("region,n\n,60\n")
    protect = ["protect", "people.csv", "-o", "counts.csv", "--by", "region,sex", "--ledger", "out.duckdb", "-q"]
    assert CliRunner().invoke(main, protect).exit_code == 0
    assert [each["audited"] for each in json.loads(run("list", "--json").output)] == [False]
    run("add", "towns.csv", "--by", "region")
    done = run("audit")
    assert done.exit_code == 2
    assert "undecided: 1 protected table is not audited (1)" in done.output
    assert "protected table that later ones respect" in run("remove", "1").output
    assert run("add", "counts.csv", "--by", "region,sex").output.startswith("table 1: counts.csv")
    assert {each[0] for each in shown(run, 1).values() if each[2]} == {0}  # PROTECT suppresses empty rows too
    assert run("audit").exit_code == 0
    run("remove", "1")
    assert [(each["number"], each["audited"]) for each in json.loads(run("list", "--json").output)] == [(1, False), (2, True)]


def test_a_ledger_that_is_not_there_is_not_made(run: Run) -> None:
    Path("out.duckdb").unlink()
    for command in (("list",), ("audit",), ("remove", "1")):
        done = run(*command)
        assert done.exit_code == 2
        assert "hint: create it with kanon ledger add" in done.output
    assert not Path("out.duckdb").exists()
