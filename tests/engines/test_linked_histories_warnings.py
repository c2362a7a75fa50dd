"""Linked histories warn of columns that are released unchanged, and that single people out."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pytest
from click.testing import CliRunner

import kanon_sql
from kanon_sql.cli import main
from kanon_sql.errors import AuditError, KanonWarning
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_file import written
from kanon_sql.model.stored_policy import StoredPolicy

ROWS = 400
VISITS = pa.table(
    {
        "patient": [row // 2 for row in range(ROWS)],
        "ward": ["eye" if row % 3 else "skin" for row in range(ROWS)],
        "doctor": [f"Doctor {row // 8}" for row in range(ROWS)],
        "name": [f"Patient {row // 2}" for row in range(ROWS)],
    }
)
ASKED = "ANONYMIZE BY ward KEEP {} GUARANTEE k >= 3 PER patient LINKED FOR ANY 2 ROWS"


@pytest.fixture
def con() -> kanon_sql.Connection:
    con = kanon_sql.connect(secret="s")
    con.register("visits", VISITS)
    return con


def test_a_column_of_names_is_told(con: kanon_sql.Connection) -> None:
    with pytest.warns(KanonWarning, match="name is released unchanged") as told:
        con.execute(f"CREATE TABLE released AS FROM visits {ASKED.format('doctor, name')}")
    assert not any("Patient 7" in str(warning.message) for warning in told)
    [[listed]] = con.execute("SELECT warnings FROM kanon_linked_releases()").fetchall()
    assert any(line.startswith("name is released") for line in listed)


@pytest.mark.everything
def test_python_and_the_command_tell_it_too(tmp_path: Path) -> None:
    with pytest.warns(KanonWarning, match="name is released unchanged"):
        release = kanon_sql.link_histories(VISITS, 3, per="patient", quasi_identifiers=["ward"], keep=["doctor", "name"])
    assert any(line.startswith("name is released") for line in release.certificate.warnings)
    assert release.certificate.to_dict()["warnings"] == list(release.certificate.warnings)
    pa.csv.write_csv(VISITS, tmp_path / "visits.csv")
    arguments = ["--qi", "ward", "--keep", "doctor,name", "--k", "3", "--per", "patient", "--known-rows", "2"]
    ran = CliRunner().invoke(main, ["anonymize", str(tmp_path / "visits.csv"), "-o", str(tmp_path / "out.csv"), *arguments])
    assert ran.exit_code == 0
    assert "name is released unchanged" in ran.stderr


def test_warnings_as_errors_release_nothing(con: kanon_sql.Connection) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", KanonWarning)
        with pytest.raises(AuditError):
            con.execute(f"CREATE TABLE released AS FROM visits {ASKED.format('doctor, name')}")
    assert con.execute("SELECT count(*) FROM kanon_linked_releases()").fetchall() == [(0,)]
    assert con.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'released'").fetchall() == [(0,)]


@pytest.mark.everything
def test_columns_that_single_nobody_out_are_not_told(con: kanon_sql.Connection) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", KanonWarning)
        con.execute(f"SELECT * FROM (SELECT patient, ward, 1 AS cost FROM visits) {ASKED.format('cost')}")
        con.execute(f"SELECT * FROM (SELECT patient, ward FROM visits) {ASKED.replace('KEEP {} ', '')}")
    assert con.execute("SELECT warnings FROM kanon_linked_releases()").fetchall() == [([],), ([],)]


@pytest.mark.everything
def test_a_policy_of_a_file_and_strict_warnings(tmp_path: Path) -> None:
    pa.csv.write_csv(VISITS, tmp_path / "visits.csv")
    stored = StoredPolicy(
        name="visits",
        table="visits",
        policy=Policy.of(k=3, per="patient", quasi_identifiers=["ward"]),
        identifiers=("name",),
        kept=("doctor",),
        known_rows=2,
    )
    (tmp_path / "policies.json").write_text(written([stored], ".json"))
    command = ["anonymize", "visits.csv", "--policy", "policies.json", "-o"]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        ran = CliRunner().invoke(main, [*command, "out.csv"])
        assert ran.exit_code == 0, ran.output
        assert pa.csv.read_csv("out.csv").column_names == ["patient", "ward", "doctor"]
        assert "k >= 3 PER patient LINKED FOR ANY 2 ROWS" in ran.output
        (tmp_path / "policies.json").write_text(written([replace(stored, identifiers=(), kept=("doctor", "name"))], ".json"))
        ran = CliRunner().invoke(main, [*command, "strict.csv", "--strict"])
        assert ran.exit_code == 1
        assert "--strict: name is released unchanged" in ran.stderr.replace("\n", " ")
        assert not (tmp_path / "strict.csv").exists()
