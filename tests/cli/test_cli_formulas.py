"""`--escape-formulas`: no cell or name of a CSV release is a formula to a spreadsheet, and the release is read back exactly."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from kanon_process import Kanon

NAMES = ["=zip", "age", "@note"]
NOTES = [
    "=cmd|'/C calc'!A0",
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "\uff1d1",  # full-width signs are taken for the others
    "'=1",
    "''+1",
    "'plain",
    "",
    "-5",
    "+3.5e-2",
    ".5",
    "-5 years",
]
FORMULAS = [*NOTES[:8], "-5 years"]
ZIPS = ["=2130", "-9", "+49 30", "02130"]
RELEASE = ("--qi", "=zip,age", "--k", "4", "--keep", "@note", "-q")


def written(path: Path, delimiter: str) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, delimiter=delimiter)
        rows.writerow(NAMES)
        rows.writerows([ZIPS[place % 4], 30, note] for place, note in enumerate(NOTES))
    return path


@pytest.fixture
def source(folder: Path) -> Path:
    return written(folder / "people.csv", ",")


def cells(path: Path, delimiter: str = ",") -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter=delimiter))


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(("name", "delimiter"), [("out.csv", ","), ("out.csv", ";"), ("out.tsv", "\t")])
def test_no_cell_and_no_name_is_a_formula(kanon: Kanon, source: Path, folder: Path, name: str, delimiter: str) -> None:
    written(source, delimiter if name.endswith(".csv") else ",")
    separated = ("--delimiter", delimiter) if name.endswith(".csv") else ()
    done = kanon("anonymize", "people.csv", "-o", name, *RELEASE, "--escape-formulas", *separated)
    assert done.returncode == 0, done.stderr
    header, *rows = cells(folder / name, delimiter)
    assert header == ["'=zip", "age", "'@note"]
    assert {row[0] for row in rows} == {"'=2130", "-9", "'+49 30", "02130"}  # a number is no text
    assert {row[2] for row in rows} == {f"'{note}" if note in FORMULAS or note in ("'=1", "''+1") else note for note in NOTES}


@pytest.mark.everything
def test_without_the_option_cells_are_as_they_are(kanon: Kanon, source: Path, folder: Path) -> None:
    assert kanon("anonymize", "people.csv", "-o", "out.csv", *RELEASE).returncode == 0
    assert sorted(cells(folder / "out.csv")[1:]) == sorted(cells(source)[1:])


@pytest.mark.everything
def test_labels_and_texts_for_suppressed_cells_are_texts(kanon: Kanon, folder: Path) -> None:
    degrees = [str(place - 6) for place in range(12)]
    (folder / "temperatures.csv").write_text("\n".join(["degrees,note", *(f"{each},x" for each in degrees)]) + "\n")
    parents = [f"{each};{'-6 to -1' if int(each) < 0 else '+0 and more'};=any" for each in degrees]
    (folder / "ladder.csv").write_text("\n".join(parents) + "\n")
    recoded = ("--recode", "degrees=HIERARCHY 'ladder.csv'", "--k", "6", "--keep", "note", "-q")
    done = kanon("anonymize", "temperatures.csv", "-o", "out.csv", "--qi", "degrees", *recoded, "--escape-formulas")
    assert done.returncode == 0, done.stderr
    assert {row[0] for row in cells(folder / "out.csv")[1:]} == {"'-6 to -1", "'+0 and more"}
    suppressed = ("--qi", "degrees", "--suppress", "=?", "--k", "4", "--keep", "note", "-q", "--force")
    done = kanon("anonymize", "temperatures.csv", "-o", "out.csv", *suppressed, "--escape-formulas")
    assert done.returncode == 0, done.stderr
    assert {row[0] for row in cells(folder / "out.csv")[1:]} == {"'=?"}


@pytest.mark.everything
def test_checks_read_it_back_exactly(kanon: Kanon, source: Path, folder: Path) -> None:
    made = kanon("anonymize", "people.csv", "-o", "out.csv", *RELEASE, "--escape-formulas", "--certificate", "cert.json")
    assert made.returncode == 0, made.stderr
    held = kanon("verify", "people.csv", "out.csv", "cert.json", "--escape-formulas")
    assert held.returncode == 0, held.stderr
    plain = kanon("verify", "people.csv", "out.csv", "cert.json")
    assert plain.returncode == 1
    assert plain.stderr.endswith("hint: pass --escape-formulas if RELEASE was written with it\n")
    audited = kanon("audit", "out.csv", "--qi", "=zip,age", "--k", "4", "--escape-formulas")
    assert audited.returncode == 0, audited.stderr
    reported = kanon("report", "people.csv", "out.csv", "-o", "page.html", *RELEASE[:4], "-q", "--escape-formulas")
    assert reported.returncode == 0, reported.stderr


@pytest.mark.parametrize("target", ["out.parquet", "out.json", "out.duckdb::released"])
def test_files_with_types_need_no_escape(kanon: Kanon, source: Path, folder: Path, target: str) -> None:
    done = kanon("anonymize", "people.csv", "-o", target, *RELEASE, "--escape-formulas")
    assert done.returncode == 1
    assert "--escape-formulas supports only CSV and TSV files" in done.stderr
    assert {path.name for path in folder.iterdir()} == {"people.csv"}


@pytest.mark.everything
def test_a_pipe_is_escaped_too(started: Kanon, source: Path) -> None:
    text = source.read_text(encoding="utf-8")
    done = started("anonymize", "-", "-o", "-", *RELEASE, "--escape-formulas", input=text)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("'=zip,age,'@note\n")
