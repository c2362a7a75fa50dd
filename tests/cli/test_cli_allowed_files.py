"""Policies that name files, in every command that takes one: the caller allows the file, or nothing is released."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest
from kanon_process import Kanon

import kanon_sql

LEVELS = "a;low;*\nb;low;*\nc;high;*\nd;high;*\n"

POLICY = {
    "name": "p",
    "table": "patients",
    "identifiers": ["id"],
    "kept": ["ward"],
    "quasi_identifiers": [{"column": "zip", "recoding": {"type": "hierarchy", "table": '"levels.csv"'}}],
    "requirements": [{"type": "k", "k": 4}],
}

ALLOW = ("--allow-file", "levels.csv")

REFUSED = "reads the file levels.csv, which is not allowed"


@pytest.fixture
def clinic(folder: Path) -> Path:
    (folder / "levels.csv").write_text(LEVELS)
    (folder / "p.json").write_text(json.dumps({"policies": [POLICY]}))
    with duckdb.connect(folder / "clinic.duckdb") as con:
        con.execute("CREATE TABLE patients AS SELECT i AS id, 'abcd'[1 + i % 4] AS zip, i % 2 AS ward FROM range(12) AS t(i)")
        con.execute(f"COPY patients TO '{folder}/patients.csv'")
        con.execute('CREATE TABLE kanon_policies("name" VARCHAR, "table" VARCHAR, policy VARCHAR, created TIMESTAMP)')
        policy = json.dumps({key: value for key, value in POLICY.items() if key not in ("name", "table")})
        con.execute("INSERT INTO kanon_policies VALUES ('p', 'patients', ?, now())", [policy])
    return folder


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    ("arguments", "typed"),
    [
        (("run", "-", "--db", "clinic.duckdb"), "COPY (FROM patients ANONYMIZE WITH POLICY p) TO 'out.csv'"),
        (("run", "-", "--db", "clinic.duckdb"), "COPY (FROM anonymize('patients', 'p')) TO 'out.csv'"),
        (("shell", "clinic.duckdb"), "COPY (FROM patients ANONYMIZE WITH POLICY p) TO 'out.csv'"),
        (("shell",), ".open clinic.duckdb\nCOPY (FROM patients ANONYMIZE WITH POLICY p) TO 'out.csv'"),
        (("anonymize", "patients.csv", "-o", "out.csv", "--policy", "p.json"), None),
    ],
)
def test_a_release_needs_the_permission(kanon: Kanon, clinic: Path, arguments: tuple[str, ...], typed: str | None) -> None:
    refused = kanon(*arguments, input=typed)
    assert refused.returncode == 1
    assert REFUSED in refused.stderr
    assert not (clinic / "out.csv").exists()
    done = kanon(*arguments, *ALLOW, input=typed)
    assert done.returncode == 0, done.stderr
    assert len((clinic / "out.csv").read_text().splitlines()) == 13


@pytest.mark.everything
def test_append_needs_the_permission(kanon: Kanon, clinic: Path) -> None:
    arguments = ("append", "clinic.duckdb::patients", "released", "--key", "id", "--policy", "p")
    refused = kanon(*arguments)
    assert refused.returncode == 1
    assert REFUSED in refused.stderr
    assert "12 rows, 12 in all" in kanon(*arguments, *ALLOW).stdout


@pytest.mark.everything
def test_import_needs_the_permission(kanon: Kanon, clinic: Path) -> None:
    arguments = ("policy", "import", "clinic.duckdb", "p.json", "--replace")
    refused = kanon(*arguments)
    assert refused.returncode == 1
    assert REFUSED in refused.stderr
    assert kanon(*arguments, *ALLOW).stdout == "1 policy stored\n"


def test_a_policy_that_is_imported_reads_no_file_as_its_table(kanon: Kanon, clinic: Path) -> None:
    (clinic / "p.json").write_text(json.dumps({"policies": [{**POLICY, "table": '"patients.csv"'}]}))
    refused = kanon("policy", "import", "clinic.duckdb", "p.json", "--replace", "--allow-file", ".")
    assert refused.returncode == 1
    assert "Table with name patients.csv does not exist" in refused.stderr


@pytest.mark.everything
def test_a_certificate_that_names_a_file_needs_the_permission(kanon: Kanon, clinic: Path) -> None:
    recode = ("--recode", "zip=HIERARCHY 'levels.csv'", "--qi", "zip", "--k", "4", "--keep", "id,ward")
    done = kanon("anonymize", "patients.csv", "-o", "out.csv", *recode, "--certificate", "c.json", "-q")
    assert done.returncode == 0, done.stderr
    command = ("verify", "patients.csv", "out.csv", "c.json")
    refused = kanon(*command)
    assert refused.returncode == 1
    assert REFUSED in refused.stderr
    done = kanon(*command, *ALLOW)
    assert done.returncode == 0, done.stderr


@pytest.mark.everything
def test_a_report_reads_no_file_that_only_a_certificate_names(kanon: Kanon, clinic: Path) -> None:
    pytest.importorskip("altair", reason="kanon-sql[report] is not installed")
    with kanon_sql.connect(clinic / "clinic.duckdb") as con:
        query = f"SELECT zip FROM patients ANONYMIZE BY zip GUARANTEE k >= 2 AND k >= 2 IN '{clinic}/patients.csv'"
        con.execute(f"COPY ({query}) TO '{clinic}/out.csv'; COPY (SELECT zip FROM patients) TO '{clinic}/source.csv'")
        (clinic / "c.json").write_text(kanon_sql.releases(con)[-1].to_json())
    command = ("report", "source.csv", "out.csv", "-o", "r.html", "--certificate", "c.json", "--population", "patients.csv")
    refused = kanon(*command)
    assert refused.returncode == 1
    assert f"the certificate reads the file {clinic}/patients.csv, which is not allowed" in refused.stderr
    done = kanon(*command, "--allow-file", ".")
    assert done.returncode == 0, done.stderr


@pytest.mark.everything
def test_options_of_your_own_need_no_permission(kanon: Kanon, clinic: Path) -> None:
    command = (
        "anonymize",
        "patients.csv",
        "-o",
        "out.csv",
        "--qi",
        "zip",
        "--recode",
        "zip=HIERARCHY 'levels.csv'",
        "--k",
        "2",
    )
    refused = kanon(*command, *ALLOW)
    assert refused.returncode == 2
    assert "--allow-file requires --policy" in refused.stderr
    done = kanon(*command, "--keep", "id,ward")
    assert done.returncode == 0, done.stderr
