"""`kanon verify`: a true certificate passes, and whatever is changed is refused with its line."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from shutil import copytree

import duckdb
import pytest
from click.testing import CliRunner, Result
from kanon_process import Kanon

from kanon_sql.certificate import Certificate, Status
from kanon_sql.cli import main
from kanon_sql.verification import verify
from kanon_sql.verification.certificates import read_certificate

Run = Callable[..., Result]

HOSPITAL = ("--qi", "zip,age,sex", "--weight", "zip=5/2", "--k", "4", "--algorithm", "greedy")


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command in this process, in the folder of the test."""
    monkeypatch.chdir(folder)
    return lambda *arguments: CliRunner().invoke(main, arguments)


def lines_of_hospital(rows: int = 60) -> list[str]:
    draw = random.Random(3)
    return [f"{draw.choice('0011234')}0501,{draw.choice('4567')}0,{draw.choice('fm')},w{n % 5}" for n in range(rows)]


def write(path: Path, lines: list[str], header: str = "zip,age,sex,ward") -> None:
    path.write_text("\n".join([header, *lines]) + "\n")


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a source, its release, and a certificate with prices and a gap."""
    folder = tmp_path_factory.mktemp("hospital")
    write(folder / "in.csv", lines_of_hospital())
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.chdir(folder)
        done = CliRunner().invoke(main, ["anonymize", "in.csv", "-o", "out.csv", *HOSPITAL, "--certificate", "cert.json"])
    assert done.exit_code == 0, done.output
    path = folder / "cert.json"
    path.write_text(priced(Certificate.from_json(path.read_text()), folder).to_json())
    return folder


@pytest.fixture
def hospital(run: Run, folder: Path, released: Path) -> Path:
    """The certificate in the folder of the test, beside the source and the release."""
    return Path(copytree(released, folder, dirs_exist_ok=True)) / "cert.json"


def priced(certificate: Certificate, folder: Path) -> Certificate:
    """Return the certificate with prices made by hand: what the rarer row types pay is what a zip code costs."""
    kinds = "SELECT zip, age, sex, count(*) FROM 'in.csv' GROUP BY ALL ORDER BY sex, age, zip"
    with duckdb.connect() as con:
        types = con.execute(kinds.replace("'in.csv'", f"read_csv('{folder}/in.csv', all_varchar := true)")).fetchall()
    prices = tuple(0 if count >= 4 else 8 for *_, count in types)
    given = replace(
        certificate,
        prices=prices,
        scale=4,
        status=Status.FEASIBLE,
        lower_bound=Fraction(0),
        bound_method="Lagrangian relaxation",
    )
    bound = verify(given, [tuple(row[:3]) for row in types], [row[3] for row in types])
    assert 0 < bound < certificate.cost
    return replace(given, lower_bound=bound)


def refused(run: Run, *arguments: str) -> str:
    done = run("verify", *(arguments or ("in.csv", "out.csv", "cert.json")))
    assert done.exit_code == 1, done.output
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    return done.stderr.removeprefix("error: ").rstrip("\n")


@pytest.mark.everything
def test_a_release_and_its_certificate_pass(run: Run, hospital: Path) -> None:
    done = run("verify", "in.csv", "out.csv", "cert.json")
    assert (done.exit_code, done.stderr) == (0, "")
    certificate = Certificate.from_json(hospital.read_text())
    words = " ".join(done.stdout.split())
    assert f"proven again by its prices: {float(certificate.lower_bound):g}" in words
    assert f"{certificate.suppressed_cells} of 180" in words
    assert "k >= 4: the smallest of" in words


@pytest.mark.everything
def test_what_cannot_be_proven_again_is_said(run: Run, hospital: Path) -> None:
    certificate = Certificate.from_json(hospital.read_text())
    bound = certificate.lower_bound
    claimed = replace(certificate, lower_bound=bound + 1, bound_method="integer programming")
    for given, says in (
        (claimed, f"a search; the prices prove {float(bound):g}"),
        (replace(claimed, prices=None), "no prices"),
    ):
        hospital.write_text(given.to_json())
        done = run("verify", "in.csv", "out.csv", "cert.json")
        assert done.exit_code == 0
        words = " ".join(done.stdout.split())
        assert f"{float(bound + 1):g} by integer programming, not checked again:" in words
        assert says in words
        assert "if the lower bound holds" in words


@pytest.mark.everything
def test_it_holds_no_value_of_a_cell(hospital: Path) -> None:
    certificate = Certificate.from_json(hospital.read_text())
    text = replace(certificate, seconds=0.0).to_json()  # any digits may stand in how long it took
    assert "0501" not in text
    assert '"w1"' not in text


@pytest.mark.everything
def test_in_a_process_of_its_own(started: Kanon, hospital: Path) -> None:
    done = started("verify", "in.csv", "out.csv", "cert.json")
    assert (done.returncode, done.stderr) == (0, "")
    hospital.write_text(hospital.read_text().replace('"rows": 60', '"rows": 61'))
    done = started("verify", "in.csv", "out.csv", "cert.json")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == 'error: cert.json, line 5: "rows": 61, but the source has 60\n'


CHECKSUM = "sha256"
"""Names the line where a claim can only be told by the checksum."""

EDITS = {
    "format": (" 1", " 2", "format"),
    "policy": ('"seed":0', '"seed":1', CHECKSUM),
    "policy k": ('"k":4', '"k":3', "requirements"),
    "policy weight": ('"5/2"', '"7/2"', "cost"),
    "policy column": ('"age"', '"aage"', "policy"),
    "policy hint": ('"k":4', '"k":0', "policy"),
    "requirements": ("k >= 4", "k >= 5", "requirements"),
    "rows": ("60", "59", "rows"),
    "row_types": (": ", ": 1", "row_types"),
    "cells": ("180", "181", "cells"),
    "suppressed_cells": (": ", ": 1", "suppressed_cells"),
    "cost": (': "', ': "1', "cost"),
    "classes": (": ", ": 1", "classes"),
    "smallest_class": (": ", ": 1", "smallest_class"),
    "status": ("FEASIBLE", "OPTIMAL", "status"),
    "lower_bound": (': "', ': "1', "lower_bound"),
    "bound_method": ("Lagrangian relaxation", "a dream", CHECKSUM),
    "unit": ("2", "4", "unit"),
    "scale": ("4", "0", "scale"),
    "scale finer": ("4", "8", "lower_bound"),
    "algorithm": ("greedy", "magic", CHECKSUM),
    "reason": ("policy", "moon", CHECKSUM),
    "seconds": (": ", ": 1", CHECKSUM),
    "number": ("1", "2", CHECKSUM),
    "sha256": (': "', ': "0', CHECKSUM),
}


@pytest.mark.sweep
@pytest.mark.parametrize("edit", EDITS)
def test_a_claim_changed_by_hand_is_refused_with_its_line(run: Run, hospital: Path, edit: str) -> None:
    lines = hospital.read_text().splitlines(keepends=True)
    where = read_certificate(str(hospital)).lines
    before, after, named = EDITS[edit]
    place = where[edit.split()[0]] - 1
    assert before in lines[place]
    lines[place] = lines[place].replace(before, after, 1)
    hospital.write_text("".join(lines))
    assert refused(run).startswith(f'cert.json, line {where[named]}: "{named}": ')


@pytest.mark.everything
def test_a_changed_price_is_refused(run: Run, hospital: Path) -> None:
    text = hospital.read_text()
    where = read_certificate(str(hospital)).lines
    for before, after, named in (("8, ", "80000, ", "lower_bound"), ("8, ", "", "prices"), (" 0, ", " -1, ", "lower_bound")):
        assert before in text
        hospital.write_text(text.replace(before, after, 1))
        assert refused(run).startswith(f'cert.json, line {where[named]}: "{named}": ')


@pytest.mark.everything
def test_no_line_can_be_left_out_or_doubled(run: Run, hospital: Path) -> None:
    lines = hospital.read_text().splitlines(keepends=True)
    for place in range(len(lines)):
        hospital.write_text("".join(lines[:place] + lines[place + 1 :]))
        assert refused(run).startswith("cert.json, ")
        hospital.write_text("".join([*lines[:place], lines[place], *lines[place:]]))
        assert refused(run).startswith("cert.json, ")


def test_a_source_with_one_more_row_is_refused(run: Run, hospital: Path, folder: Path) -> None:
    write(folder / "in.csv", [*lines_of_hospital(), "00501,40,f,w0"])
    assert refused(run) == 'cert.json, line 5: "rows": 60, but the source has 61'


@pytest.mark.everything
def test_a_source_with_one_changed_cell_is_refused(run: Run, hospital: Path, folder: Path) -> None:
    lines = lines_of_hospital()
    kinds = [line.rpartition(",")[0] for line in lines]
    for place, line in enumerate(lines):
        write(folder / "in.csv", [*lines[:place], "90501" + line[5:], *lines[place + 1 :]])
        if kinds.count(kinds[place]) > 1:
            assert 'line 6: "row_types"' in refused(run)


@pytest.mark.everything
def test_every_changed_cell_of_the_release_is_refused(run: Run, hospital: Path, folder: Path) -> None:
    header, *rows = (folder / "out.csv").read_text().splitlines()
    for place, row in enumerate(rows[::7]):
        for column, cell in enumerate(row.split(",")):
            cells = row.split(",")
            cells[column] = "" if cell else "70"
            write(folder / "out.csv", [*rows[: 7 * place], ",".join(cells), *rows[7 * place + 1 :]], header)
            refused(run)


@pytest.mark.everything
def test_values_that_change_places_are_noticed(run: Run, hospital: Path, folder: Path) -> None:
    lines = [f"{zip_code},{zip_code},{ward}" for zip_code, ward in zip("aaaabbbb", "xxxxyyyy", strict=True)]
    write(folder / "in.csv", lines, "zip,age,ward")
    arguments = ("--qi", "zip,age", "--k", "4", "--algorithm", "greedy", "--force", "--certificate", "cert.json")
    assert run("anonymize", "in.csv", "-o", "out.csv", *arguments).exit_code == 0
    assert run("verify", "in.csv", "out.csv", "cert.json").exit_code == 0
    write(folder / "out.csv", [*lines[:3], "a,a,y", "b,b,x", *lines[5:]], "zip,age,ward")
    assert "at least 1 row of the release matches no row of the source under any permitted mask" in refused(run)


@pytest.mark.everything
def test_a_release_of_another_shape_is_refused(run: Run, hospital: Path, folder: Path) -> None:
    header, *rows = (folder / "out.csv").read_text().splitlines()
    write(folder / "out.csv", rows, "zip,age,sex,room")
    another = "which the policy does not release; hint: check that it is a release of this source"
    assert refused(run) == f"the release lacks ward and has room, {another}"
    write(folder / "out.csv", rows, header.replace("zip", "post_code"))
    assert refused(run) == f"the release lacks zip and has post_code, {another}"
    write(folder / "out.csv", rows[1:], header)
    assert "59 rows, but the source has 60" in refused(run)
    write(folder / "out.csv", [*rows[:-1], "9" + rows[-1]], header)
    refused(run)


@pytest.mark.everything
def test_a_json_release_without_rows_is_one_of_a_source_without_rows(run: Run, folder: Path) -> None:
    write(folder / "in.csv", [])
    arguments = ("in.csv", "-o", "out.jsonl", "--qi", "zip,age", "--k", "2", "--certificate", "cert.json")
    assert run("anonymize", *arguments).exit_code == 0
    assert run("verify", "in.csv", "out.jsonl", "cert.json").exit_code == 0
    write(folder / "in.csv", ["a,7,f,x", "a,7,f,x"])
    assert run("anonymize", *arguments, "--force").exit_code == 0
    (folder / "out.jsonl").write_text("")
    done = run("verify", "in.csv", "out.jsonl", "cert.json")
    assert done.exit_code == 1
    assert "the release has 0 rows, but the source has 2" in done.output


def test_the_cells_in_an_error_stay_secret(run: Run, hospital: Path, folder: Path) -> None:
    write(folder / "out.csv", [line.replace("0501", "SECRET") for line in lines_of_hospital()])
    assert "SECRET" not in refused(run)


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    "options",
    [
        ("--qi", "zip,age,sex"),
        ("--qi", "zip,age,sex", "--suppress", "*"),
        ("--suppress", "w1"),
        ("--qi", "zip,age,sex", "--mask", "zip,sex", "--mask", "age", "--mask", ""),
        ("--qi", "zip,age,sex", "--linked", "zip,sex", "--weight", "age=1/3"),
        ("--qi", "zip,age,sex", "--linked", "zip,sex", "--mask", "zip,sex", "--mask", "age,sex", "--mask", "age", "--mask", ""),
        ("--qi", "ward", "--suppress", ""),
    ],
)
@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "jsonl", "json.gz"])
def test_empty_cells_texts_masks_and_links_pass(run: Run, folder: Path, options: tuple[str, ...], ending: str) -> None:
    lines = lines_of_hospital(80)
    lines = [line.replace("40,", ",").replace("40501", "*" if n % 2 else '""') for n, line in enumerate(lines)]
    write(folder / "in.csv", lines)
    done = run(
        "anonymize", "in.csv", "-o", f"out.{ending}", "--k", "5", "--algorithm", "greedy", "--certificate", "c.json", *options
    )
    assert done.exit_code == 0, done.output
    done = run("verify", "in.csv", f"out.{ending}", "c.json")
    assert done.exit_code == 0, done.output


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl", "duckdb::main.out"])
@pytest.mark.parametrize("suppress", [(), ("--suppress", "*")])
def test_types_pass_through_every_format(
    run: Run, folder: Path, con: duckdb.DuckDBPyConnection, ending: str, suppress: tuple[str, ...]
) -> None:
    query = """SELECT (i % 3)::TINYINT AS age, DATE '2020-01-01' + (i % 2)::INTEGER AS born, 1.50::DECIMAL(9, 2) AS fee,
        CASE WHEN i % 7 > 0 THEN (i % 2) / 3 END AS rate, [i % 2, NULL] AS list, {'a': i % 2} AS record, i % 4 = 0 AS yes,
        TIMESTAMP '2020-01-01 00:00:00.5' + to_days((i % 3)::INTEGER) AS at, uuid() AS id, (i * 0.1)::FLOAT AS single
        FROM range(40) t(i)"""
    con.execute(f"ATTACH '{folder}/db.duckdb' AS db")
    con.execute(f'CREATE TABLE db."a table" AS {query}')
    con.execute("DETACH db")
    source, table = "db.duckdb", '"a table"'
    common = ("--table", table, "--qi", "age,born,rate,yes,at", "--k", "4", "--algorithm", "greedy", "--certificate", "c.json")
    common += ("--keep", "fee,list,record,id,single")
    assert run("anonymize", source, "-o", f"out.{ending}", *common, *suppress).exit_code == 0
    done = run("verify", source, f"out.{ending}", "c.json", "--table", table)
    assert done.exit_code == 0, done.output


@pytest.mark.everything
def test_json_of_mixed_values(run: Run, folder: Path) -> None:
    rows = [{"zip": value, "big": 10**30 + n % 2, "n": n} for n, value in enumerate(["a", 1, "a", 2.5, None, "a"] * 3)]
    (folder / "in.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    common = ("--qi", "zip,big", "--keep", "n", "--k", "2", "--algorithm", "greedy", "--certificate", "c.json", "--force")
    for suppress in ((), ("--suppress", "*")):
        for ending in ("jsonl", "csv"):
            assert run("anonymize", "in.jsonl", "-o", f"out.{ending}", *common, *suppress).exit_code == 0
            done = run("verify", "in.jsonl", f"out.{ending}", "c.json")
            assert done.exit_code == 0, done.output


@pytest.mark.everything
def test_an_empty_table(run: Run, folder: Path) -> None:
    write(folder / "in.csv", [])
    for options in ((), ("--qi", "zip", "--weight", "zip=1/2")):
        done = run(
            "anonymize",
            "in.csv",
            "-o",
            "out.csv",
            "--k",
            "2",
            "--force",
            "--algorithm",
            "greedy",
            "--certificate",
            "c.json",
            *options,
        )
        assert done.exit_code == 0, done.output
        done = run("verify", "in.csv", "out.csv", "c.json")
        assert done.exit_code == 0, done.output
    write(folder / "in.csv", ["1,2,3,4"])
    assert '"rows": 0, but the source has 1' in refused(run, "in.csv", "out.csv", "c.json")


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("in.csv", "out.csv", "none.json"), "there is no file none.json"),
        (("none.csv", "out.csv", "cert.json"), "there is no file"),
        (("in.csv", "none.csv", "cert.json"), "there is no file"),
        (("in.csv", "out.csv", "in.csv"), "in.csv, line 1: not JSON"),
        (("in.csv", "out.csv", "latin.json"), "latin.json is not UTF-8 text"),
        (("in.csv", "out.csv", "."), "cannot read ."),
    ],
)
def test_files_that_cannot_be_read(run: Run, hospital: Path, arguments: tuple[str, ...], says: str) -> None:
    hospital.with_name("latin.json").write_bytes(b'{"\xe9"')
    assert says in refused(run, *arguments)


@pytest.mark.parametrize("name", ["in.csv", "out.csv", "nowhere/cert.json", "folder.json", "old.json"])
def test_where_a_certificate_may_not_go(run: Run, folder: Path, name: str) -> None:
    write(folder / "in.csv", lines_of_hospital())
    (folder / "folder.json").mkdir()
    (folder / "old.json").write_text("old")
    before = set(os.listdir(folder))
    done = run("anonymize", "in.csv", "-o", "out.csv", *HOSPITAL, "--certificate", name)
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)
    assert set(os.listdir(folder)) == before
    assert (folder / "old.json").read_text() == "old"


def test_a_release_that_fails_leaves_no_certificate(run: Run, folder: Path) -> None:
    write(folder / "in.csv", lines_of_hospital())
    done = run("anonymize", "in.csv", "-o", "out.csv", *HOSPITAL, "--k", "61", "--certificate", "cert.json")
    assert done.exit_code == 1
    assert set(os.listdir(folder)) == {"in.csv"}


@pytest.mark.everything
def test_a_certificate_is_replaced_with_force_and_may_lie_elsewhere(run: Run, folder: Path) -> None:
    write(folder / "in.csv", lines_of_hospital())
    (folder / "proofs").mkdir()
    (folder / "proofs" / "old.json").write_text("old")
    arguments = ("anonymize", "in.csv", "-o", "out.csv", *HOSPITAL, "--certificate", "proofs/old.json")
    assert "--force" in run(*arguments).stderr
    assert run(*arguments, "--force", "-q").output == ""
    assert run("verify", "in.csv", "out.csv", "proofs/old.json").exit_code == 0
    assert os.listdir(folder / "proofs") == ["old.json"]
