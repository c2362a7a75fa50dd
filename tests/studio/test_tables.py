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
