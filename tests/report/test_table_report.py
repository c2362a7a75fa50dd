"""`kanon report` about a table of counts: its figures are those that a reader counts in the released file."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Callable
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from click.testing import CliRunner, Result
from page_reader import assert_sound

import kanon_sql
from kanon_sql.cli import main
from kanon_sql.errors import AuditError, PolicyError
from kanon_sql.report import report
from kanon_sql.report.table_page import table_figures
from kanon_sql.verification.cells.protected_files import VerifiedTable, verify_table

Run = Callable[..., Result]

CASES: dict[str, list[str]] = {
    "levels": ["--recode", "zip=DIGITS (3, 1)", "--measures", "total=cost", "--p", "total=10"],
    "people": ["--per", "id", "--contributors", "--k", "9"],
    "absent": ["--rows", "absent", "--grouping", "rollup", "--cost", "n"],
    "plain": ["--grouping", "plain", "--suppressed", "--show", "zip,sex", "--k", "2"],
    "all": ["--k", "80"],
}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command in a folder with a table of people."""
    monkeypatch.chdir(tmp_path)
    draw = random.Random(3)
    rows = [
        f"{draw.choice('ab')}{draw.randrange(2)}{draw.randrange(3)},{draw.choice('fm')},{draw.randrange(100)},{number}"
        for number in range(180)
    ]
    Path("in.csv").write_text("\n".join(["zip,sex,cost,id", *rows]) + "\n")
    return lambda *arguments: CliRunner().invoke(main, arguments)


def reported(run: Run, asked: list[str], *more: str) -> Result:
    done = run("protect", "in.csv", "-o", "out.csv", "--by", "zip,sex", *asked, "--certificate", "cert.json", "--force")
    assert done.exit_code == 0, done.output
    return run("report", "in.csv", "out.csv", "-o", "page.html", "--certificate", "cert.json", "--force", *more)


def verified() -> VerifiedTable:
    import duckdb

    from kanon_sql.engines.duckdb.files.places import Place

    return verify_table(duckdb.connect(), Place.of("in.csv"), Place.of("out.csv"), "cert.json")


def counted(rows: list[dict[str, str]]) -> dict[tuple[Any, ...], list[int | None]]:
    """Return the counts of each grouping set of a released file; a set is told by the characters of each key."""
    found: dict[tuple[Any, ...], list[int | None]] = {}
    for row in rows:
        shown = (len(row["zip"].rstrip("*")), len(row["sex"]))
        found.setdefault(shown, []).append(int(row["n"]) if row["n"] else None)
    return found


@pytest.mark.sweep
@pytest.mark.parametrize("name", CASES)
def test_the_figures_are_those_of_the_released_file(run: Run, name: str) -> None:
    done = reported(run, CASES[name])
    assert done.exit_code == 0, done.output
    with Path("out.csv").open() as file:
        sets = counted(list(csv.DictReader(file)))
    figures, absent = table_figures(verified()), name == "absent"
    people = sorted((sum(n or 0 for n in counts), sum(n is not None for n in counts)) for counts in sets.values())
    assert sorted((each.people or 0, each.shown) for each in figures.sets if each.shown or not absent) == people
    hidden = sum(counts.count(None) for counts in sets.values())
    assert figures.suppressed == (None if absent else hidden)
    assert sum(each.suppressed or 0 for each in figures.sets) == hidden
    whole = [counts for shown, counts in sets.items() if None not in counts and (not absent or shown == (0, 0))]
    known = [sum(filter(None, counts)) for counts in whole]
    assert figures.total == (known[0] if known else None)
    assert figures.gap * 20 == int(figures.gap * 20)


@pytest.mark.everything
@pytest.mark.parametrize("name", CASES)
def test_the_page_holds_nothing_of_the_source(run: Run, name: str) -> None:
    assert reported(run, CASES[name], "--title", "Cases <b>", "--purpose", "Dashboard").exit_code == 0
    text = Path("page.html").read_text()
    page = assert_sound(text)
    assert "Cases &lt;b&gt;" in text
    for word in ("primary", "secondary", sha256(Path("in.csv").read_bytes()).hexdigest()):
        assert word not in text
    assert sha256(Path("out.csv").read_bytes()).hexdigest() in text
    assert page.table("What was asked for, and what it means").rows
    certificate = json.loads(Path("cert.json").read_text())
    assert certificate["sha256"] not in text
    assert "suppressed" in text
    table = page.table("What each grouping set shows")
    assert len(table.rows) == 1 + len(certificate["tabulation"]["sets"])


@pytest.mark.everything
def test_the_command_tells_the_figures_of_the_owner(run: Run) -> None:
    done = reported(run, CASES["levels"], "--json")
    told = json.loads(done.output)
    assert told["holds"]
    assert told["cautions"] == []
    assert "primary" in told["table"]
    assert "primary" in reported(run, CASES["levels"]).output
    assert reported(run, CASES["levels"], "-q").output == ""


@pytest.mark.everything
def test_a_table_that_is_not_proven_has_no_page(run: Run) -> None:
    assert reported(run, CASES["levels"]).exit_code == 0
    Path("page.html").unlink()
    text = Path("out.csv").read_text()
    Path("out.csv").write_text(text.replace(",180,", ",181,"))
    done = run("report", "in.csv", "out.csv", "-o", "page.html", "--certificate", "cert.json")
    assert done.exit_code == 1
    assert "the table does not add up to its source" in done.output
    assert not Path("page.html").exists()


@pytest.mark.everything
def test_options_about_rows_are_refused(run: Run) -> None:
    for option in (["--k", "4"], ["--qi", "zip"], ["--sensitive", "cost"]):
        done = reported(run, [], *option)
        assert done.exit_code == 2
        assert f"{option[0]} does not apply to a table of counts; hint: omit {option[0]}" in done.output


@pytest.mark.everything
def test_the_gap_is_rounded_up(run: Run) -> None:
    reported(run, CASES["levels"])
    table = verified()
    for cost, bound, gap in ((0, 0, 0), (7, 7, 0), (100, 99, Fraction(1, 20)), (100, 94, Fraction(1, 10)), (3, 0, 1)):
        object.__setattr__(table.claimed, "cost", cost)
        object.__setattr__(table.claimed, "lower_bound", bound)
        assert table_figures(table).gap == gap


@pytest.mark.everything
def test_a_table_in_python_has_the_same_page() -> None:
    people = pa.table({"zip": [f"{n * 7 % 11 % 4}" for n in range(60)], "sex": ["fm"[n * 31 % 7 % 2] for n in range(60)]})
    for source in (people, people.to_pandas()):
        protected = kanon_sql.protect(source, ["zip", "sex"], k=6, recodings={"zip": "DIGITS (1, 0)"})
        page = assert_sound(report(source, protected, title="Counts"))
        assert page.table("What each grouping set shows").rows[1][0] == "zip, sex"
        with pytest.raises(PolicyError, match="accepts only title"):
            report(source, protected, k=5)
    with pytest.raises(AuditError):
        report(people.slice(1), protected)
