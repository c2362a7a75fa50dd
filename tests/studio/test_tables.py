"""Several tables of a database, released together in a process of their own."""

from __future__ import annotations

import shlex
import threading
from pathlib import Path

import duckdb
import pytest

import kanon_sql
from kanon_sql.engines.duckdb.database.audit import audit_database
from kanon_sql.errors import PolicyError, SourceError
from kanon_sql.studio.run import DatabaseRun
from kanon_sql.studio.search import CANCELLED, FAILED, RELEASED
from kanon_sql.studio.session import Session
from kanon_sql.studio.several import BUILT, STORED, Several

SOURCE = """
    CREATE TABLE patients AS SELECT 'P' || i AS patient, 98101 + i * i % 5 AS zip, 1940 + i % 3 AS born FROM range(90) AS t(i);
    CREATE TABLE stays AS SELECT 'P' || i * 7 % 90 AS patient, ['heart', 'eyes'][1 + i % 2] AS ward FROM range(180) AS t(i);
    CREATE ANONYMIZATION POLICY patients ON patients (
        IDENTIFIER patient; BY zip, born; GUARANTEE k >= 5; PERSON patient FROM patients BY zip, born);
    CREATE ANONYMIZATION POLICY stays ON stays (OF PERSON; BY ward; GUARANTEE k >= 5 PER patient)"""


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    path = tmp_path / "it's a clinic.duckdb"
    with kanon_sql.connect(str(path)) as con:
        con.execute(SOURCE)
    return path


def ended(session: Session, run: DatabaseRun) -> DatabaseRun:
    done = threading.Event()
    session.database = run
    run.start_all(done.set)
    assert done.wait(120)
    return run


@pytest.mark.everything
def test_all_tables_of_a_database(clinic, tmp_path):
    into = tmp_path / "public.duckdb"
    run = ended(Session(), DatabaseRun(str(clinic), str(into), "", "duckdb"))
    assert run.state == RELEASED, run.words
    assert [each.name for each in run.plan] == list(run.certificates) == ["patients", "stays"]
    assert shlex.split(run.statement) == ["kanon", "release", str(clinic), "-o", str(into)]
    assert audit_database(into).broken == []
    assert run.points[-1].step.startswith("writing")
    assert sorted(each.name for each in tmp_path.iterdir()) == [clinic.name, into.name]


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("source", "into", "policies", "error"),
    [
        ("missing.duckdb", "new.duckdb", "", SourceError),
        ("it's a clinic.duckdb", "it's a clinic.duckdb", "", SourceError),
        ("it's a clinic.duckdb", "new.duckdb", "missing.yaml", SourceError),
        ("it's a clinic.duckdb", "nowhere/new.duckdb", "", SourceError),
        ("it's a clinic.duckdb", "new.duckdb", "it's a clinic.duckdb", SourceError),
        ("empty.duckdb", "new.duckdb", "", PolicyError),
    ],
)
def test_what_cannot_be_planned(clinic, tmp_path, monkeypatch, source, into, policies, error):
    monkeypatch.chdir(tmp_path)
    duckdb.connect("empty.duckdb").close()
    before = sorted(each.name for each in tmp_path.iterdir())
    with pytest.raises(error):
        DatabaseRun(source, into, policies, "duckdb")
    assert sorted(each.name for each in tmp_path.iterdir()) == before


@pytest.mark.everything
def test_a_table_that_cannot_be_released_stops_all(clinic, tmp_path):
    with kanon_sql.connect(str(clinic)) as con:
        con.execute(
            "CREATE OR REPLACE ANONYMIZATION POLICY stays ON stays (OF PERSON; BY ward; GUARANTEE k >= 500 PER patient)"
        )
    run = ended(Session(), DatabaseRun(str(clinic), str(tmp_path / "public"), "", "parquet"))
    assert run.state == FAILED
    assert "500" in run.words
    assert [each.name for each in tmp_path.iterdir()] == [clinic.name]


@pytest.mark.everything
def test_a_cancelled_release_of_a_database_writes_nothing(clinic, tmp_path):
    session = Session()
    session.release_tables(DatabaseRun(str(clinic), str(tmp_path / "public.duckdb"), "", "duckdb"))
    session.close()
    assert session.database.state == CANCELLED
    assert not (tmp_path / "public.duckdb").exists()


@pytest.mark.everything
def test_policies_are_built_for_chosen_tables(clinic, tmp_path):
    """The column that several tables have, and of which one has another value in every row, tells people apart."""
    with duckdb.connect(str(clinic)) as con:
        con.execute("DROP TABLE kanon_policies; CREATE TABLE wards AS SELECT unnest(['heart', 'eyes']) AS ward, 3 AS beds")
        con.execute("ALTER TABLE patients ADD COLUMN name VARCHAR; UPDATE patients SET name = 'Name ' || patient")
    several = Several.of(str(clinic))
    assert [(each.name, each.rows) for each in several.tables] == [("patients", 90), ("stays", 180), ("wards", 2)]
    assert (several.policies, several.released) == (BUILT, [])
    with pytest.raises(PolicyError, match="no table is chosen"):
        several.stored()
    for each in several.tables[:2]:
        several.read(each)
    assert (several.person, several.home, several.persons) == ("patient", "patients", ["patient"])
    several.k = 4
    run = ended(Session(), DatabaseRun(str(clinic), several.into, several.stored(), "duckdb"))
    assert run.state == RELEASED, run.words
    with duckdb.connect(several.into, read_only=True) as con:
        shown = {name for (name,) in con.execute("SELECT column_name FROM duckdb_columns() WHERE NOT internal").fetchall()}
        assert not shown & {"patient", "name"}
    audit = audit_database(Path(several.into))
    assert audit.broken == []
    assert {name: each["k"] >= 4 for name, each in audit.releases.items()} == {"patients": True, "stays": True}
    file = tmp_path / "policies.json"
    file.write_text(run.policies)
    assert [each.policy for each in DatabaseRun(str(clinic), str(tmp_path / "new"), str(file), "duckdb").plan] == [
        each.policy for each in run.plan
    ]
    several.renew()
    assert several.into.endswith("_released_2.duckdb")


@pytest.mark.everything
def test_stored_policies_come_first_and_other_files_are_refused(clinic, tmp_path):
    assert Several.of(str(clinic)).policies == STORED
    (tmp_path / "visits.csv").write_text("a,b\n1,2\n")
    for name, words in (("visits.csv", "not a DuckDB database"), ("missing.duckdb", "there is no database")):
        with pytest.raises(SourceError, match=words):
            Several.of(str(tmp_path / name))
