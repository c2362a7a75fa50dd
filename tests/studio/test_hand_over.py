"""A release of the studio as a folder, and the texts that make the same release again."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from kanon_sql.certificate import Certificate
from kanon_sql.engines.duckdb.files.places import Place
from kanon_sql.errors import AuditError, PolicyError, SourceError
from kanon_sql.model.requirements import KAnonymity
from kanon_sql.studio.draft import IDENTIFIER, LINKABLE, NONE, PSEUDONYM, QUASI_IDENTIFIER
from kanon_sql.studio.hand_over import hand_over, texts_of
from kanon_sql.studio.look import attacker, look
from kanon_sql.studio.rows import first_rows
from kanon_sql.studio.run import Run
from kanon_sql.studio.search import CANCELLED, FAILED, RELEASED
from kanon_sql.studio.session import Session

ROWS = """SELECT i AS patient, '98' || (i % 7) || (i % 3) || '1' AS zip, 20 + i * 7 % 60 AS age, ['f', 'm'][1 + i % 2] AS sex,
    ['asthma', 'flu', 'ulcer'][1 + i * i % 3] AS disease FROM range(400) AS t(i)"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("studio") / "it's here.csv"
    with duckdb.connect() as con:
        con.execute(f"COPY ({ROWS}) TO $path (FORMAT csv, HEADER)", {"path": str(path)})
    return path


def ended(session: Session, text: str | None = None) -> Run:
    if text is not None:
        session.draft = session.draft.read(text)
    run = Run(len(session.runs) + 1, "run", session.draft)
    done = threading.Event()
    assert session.source is not None
    session.runs.append(run)
    run.start(session.source, ended=done.set)
    assert done.wait(120)
    return run


@pytest.fixture(scope="module")
def session(file: Path) -> Iterator[Session]:
    found = Session()
    found.open(Place.of(str(file)))
    yield found
    found.close()


@pytest.fixture(scope="module")
def released(session: Session) -> Run:
    return ended(session)


@pytest.mark.everything
def test_the_first_statement_is_safe_to_run(session, released):
    assert released.state == RELEASED
    assert "patient" not in released.release[1].column_names
    assert released.release[0].audited
    assert [point.cost for point in released.points if point.cost is not None]


@pytest.mark.everything
@pytest.mark.parametrize("ending", ["csv", pytest.param("parquet", marks=pytest.mark.everything)])
def test_the_folder_has_everything_and_its_sql_makes_the_same_bytes(session, released, tmp_path, ending):
    folder = tmp_path / "out"
    names = [*hand_over(session.source, released, str(folder), ending).files]
    assert names == sorted(each.name for each in folder.iterdir())
    assert {f"released.{ending}", "certificate.json", "report.html", "release.sql", "policy.json"} <= {*names}
    assert Certificate.from_json((folder / "certificate.json").read_text()) == released.release[0]
    assert not [each for each in tmp_path.iterdir() if each != folder]
    again = tmp_path / "again"
    again.mkdir()
    command = [sys.executable, "-m", "kanon_sql", "run", str(folder / "release.sql")]
    subprocess.run(command, cwd=again, check=True, capture_output=True)
    assert (again / f"released.{ending}").read_bytes() == (folder / f"released.{ending}").read_bytes()


@pytest.mark.everything
def test_python_and_the_command_make_it_too(session, released, tmp_path):
    folder = tmp_path / "out"
    hand_over(session.source, released, str(folder))
    rows = (folder / "released.csv").read_text()
    for name, program in (("release.py", [sys.executable]), ("release.sh", ["sh"])):
        again = tmp_path / name
        again.mkdir()
        (again / "policy.json").write_text((folder / "policy.json").read_text())
        subprocess.run([*program, str(folder / name)], cwd=again, check=True, capture_output=True)
        assert sorted((again / "released.csv").read_text().splitlines()) == sorted(rows.splitlines())


@pytest.mark.everything
def test_a_database_has_the_released_table_and_so_have_its_texts(session, released, tmp_path):
    folder = tmp_path / "out"
    names = [*hand_over(session.source, released, str(folder), "duckdb").files]
    assert names == sorted(each.name for each in folder.iterdir())
    assert "certificate.json" in names
    assert all((folder / name).stat().st_mode & 0o777 == 0o600 for name in names)
    programs = {"release.sql": [sys.executable, "-m", "kanon_sql", "run"], "release.py": [sys.executable], "release.sh": ["sh"]}
    found = []
    for name, program in programs.items():
        again = tmp_path / name
        again.mkdir()
        (again / "policy.json").write_text((folder / "policy.json").read_text())
        subprocess.run([*program, str(folder / name)], cwd=again, check=True, capture_output=True)
        found.append(again)
    for place in (folder, *found):
        with duckdb.connect(str(place / "released.duckdb"), read_only=True) as con:
            assert con.sql("SELECT DISTINCT database_name FROM duckdb_tables()").fetchall() == [("released",)]
            assert "released" in {name for (name,) in con.sql("SELECT table_name FROM duckdb_tables()").fetchall()}
            rows = sorted(map(repr, con.sql("FROM released").fetchall()))
        assert rows == sorted(repr(tuple(row.values())) for row in released.release[1].to_pylist())


@pytest.mark.everything
def test_a_release_never_goes_into_the_database_of_its_source(tmp_path):
    path = tmp_path / "released.duckdb"
    with duckdb.connect(str(path)) as con:
        con.execute(f"CREATE TABLE people AS {ROWS}")
        con.execute(f"CREATE TABLE released_again AS {ROWS}")
    session = Session()
    for table, name in (("people", "released_again"), ("released_again", "released_anew")):
        session.open(Place.of(f"{path}::{table}"))
        texts = texts_of(session.source, Run(1, "a", session.draft), "duckdb")
        assert f"-o {name}.duckdb::{name} " in texts["release.sh"]
        assert f"ATTACH '{name}.duckdb'" in texts["release.sql"]
    session.close()


def test_files_go_next_to_the_source_unless_it_is_the_invented_table(file, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    session = Session()
    session.open(Place.of(str(file)))
    assert session.next_to_source("x.csv") == file.parent / "x.csv"
    session.demo = True
    assert session.next_to_source("x.csv") == tmp_path / "x.csv"
    session.open(Place.of(str(file)))
    assert session.next_to_source("x.csv") == file.parent / "x.csv"
    for name in ("../../x", "/etc/x", "a/../b", "..\\x", "~/x", "\0", "..", "x\n/../y"):
        assert session.next_to_source(f"t_{name}.csv").parent == file.parent
        assert session.next_to_source(f"t_{name}.csv").resolve().parent == file.parent.resolve()
    assert session.next_to_source("zip é-1.csv").name == "zip é-1.csv"
    session.close()


@pytest.mark.everything
def test_nothing_is_replaced(session, released, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("x")
    with pytest.raises(SourceError, match="exists"):
        hand_over(session.source, released, str(tmp_path / "out"))
    with pytest.raises(SourceError, match="no folder"):
        hand_over(session.source, released, str(tmp_path / "missing" / "out"))


def test_rows_below_the_guarantee_are_not_handed_over(session, released, tmp_path):
    forged = Run(9, "forged", released.draft)
    forged.state, forged.proof = RELEASED, released.proof
    forged.rows = session.source.before(released.draft.query)
    with pytest.raises(AuditError):
        hand_over(session.source, forged, str(tmp_path / "out"))
    assert not list(tmp_path.iterdir())


@pytest.mark.everything
def test_the_look(session, released):
    facts = look(session.source, released)
    assert facts.sizes[1]["k"] >= 5 > facts.sizes[0]["k"]
    before, after, people = attacker(session.source, released, ["zip", "age"])
    assert before < 5 <= after
    assert not people
    names, rows = first_rows(released.release[1], 50)
    assert names == released.release[1].column_names
    assert len(rows) == 50


@pytest.mark.everything
def test_what_goes_wrong_is_said(session):
    draft = session.draft
    run = ended(session, f"SELECT zip FROM {session.source.spelled} ANONYMIZE BY zip GUARANTEE k >= 500")
    session.draft = draft
    assert (run.state, run.rows) == (FAILED, None)
    assert "500" in (run.words or "")
    with pytest.raises(SourceError, match="has no release"):
        hand_over(session.source, run, "anywhere")


def test_a_cancelled_run_has_no_release(session):
    run = session.solve("  mine ")
    run.cancel()
    assert (run.name, run.state) == ("mine", CANCELLED)
    assert run.rows is None


def test_changes_can_be_taken_back(session):
    first = session.draft
    other, another, last = (first.with_requirement(0, KAnonymity(k=k)) for k in (7, 8, 9))
    session.draft = other
    session.draft = another
    session.undo()
    assert (session.draft, session.undoable, session.redoable) == (other, True, True)
    session.redo()
    assert session.draft == another
    session.undo()
    session.undo()
    assert session.draft == first
    session.draft = last
    assert not session.redoable
    session.undo()


def test_json_has_no_sql_of_its_own(tmp_path):
    path = tmp_path / "people.json"
    path.write_text('[{"zip": "1", "n": 1}, {"zip": "2", "n": 2}]')
    session = Session()
    session.open(Place.of(str(path)))
    run = Run(1, "a", session.draft)
    assert {"release.sql", "release.py"}.isdisjoint(texts_of(session.source, run))
    assert {"policy.json", "release.sh"} <= {*texts_of(session.source, run)}


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("name", ["'); DROP TABLE x; --.csv", "<script>alert(1)<.csv", "released.csv", "source.csv"])
def test_hostile_names_of_files(tmp_path, name):
    path = tmp_path / name
    with duckdb.connect() as con:
        con.execute(f"COPY ({ROWS}) TO $path (FORMAT csv, HEADER)", {"path": str(path)})
    session = Session()
    session.open(Place.of(str(path)))
    run = ended(session)
    assert run.state == RELEASED
    assert look(session.source, run).sizes[1]["k"] >= 5


ODD = {
    "one row": "SELECT 'a' AS zip, 1 AS age",
    "no row": "SELECT 'a' AS zip, 1 AS age LIMIT 0",
    "names": 'SELECT i % 3 AS "select", i % 2 AS "a""b\'c", NULL::VARCHAR AS "NULL" FROM range(60) AS t(i)',
    "types": "SELECT (i % 3)::VARCHAR::ENUM ('0', '1', '2') AS kind, [i % 2] AS list, DATE '2026-01-01' + (i % 2)::INT AS day "
    "FROM range(60) AS t(i)",
    "a long cell": "SELECT repeat('x', 100_000) || (i % 2) AS zip, i % 3 AS age FROM range(60) AS t(i)",
    "sixty columns": f"SELECT {', '.join(f'i % {2 + place % 3} AS zip{place}' for place in range(60))} FROM range(60) AS t(i)",
}


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("query", ODD.values(), ids=ODD)
def test_odd_tables_are_opened_and_released_or_refused(tmp_path, query):
    path = tmp_path / "odd.duckdb"
    with duckdb.connect(str(path)) as con:
        con.execute(f"CREATE TABLE odd AS {query}")
    session = Session()
    session.open(Place.of(f"{path}::odd"))
    source = session.source
    assert all(len(text) <= 120 for name in source.columns for text, _ in source.frequent(name))
    assert len(source.sample(source.columns)) <= 20
    run = ended(session)
    assert run.state in (RELEASED, FAILED)
    if run.state == FAILED:
        assert "InternalError" not in run.words
        return
    facts = look(source, run)
    assert facts.rows == source.rows
    assert facts.rows == 0 or facts.sizes[1]["k"] >= 5
    assert hand_over(source, run, str(tmp_path / "out"), "parquet")


@pytest.mark.everything
def test_the_source_is_never_replaced_by_its_release(tmp_path):
    path = tmp_path / "released.csv"
    with duckdb.connect() as con:
        con.execute(f"COPY ({ROWS}) TO $path (FORMAT csv, HEADER)", {"path": str(path)})
    before = path.read_bytes()
    session = Session()
    session.open(Place.of(str(path)))
    first = hand_over(session.source, ended(session), str(tmp_path / "out"))
    assert first.verified
    kept = (tmp_path / "out" / "released_again.csv").read_bytes()
    subprocess.run(
        [sys.executable, "-m", "kanon_sql", "run", "release.sql"], cwd=tmp_path / "out", check=True, capture_output=True
    )
    assert path.read_bytes() == before
    assert (tmp_path / "out" / "released_again.csv").read_bytes() == kept


@pytest.mark.everything
def test_a_column_that_nobody_looked_at_is_refused(tmp_path):
    """The profile does not recognize the names, and the first statement keeps nothing on purpose."""
    path = tmp_path / "people.parquet"
    with duckdb.connect() as con:
        con.execute(
            """COPY (SELECT 'p' || hash(i) AS remark, i % 4 AS zip, i % 3 AS age FROM range(400) AS t(i))
                TO $path (FORMAT parquet)""",
            {"path": str(path)},
        )
    session = Session()
    session.open(Place.of(str(path)))
    if session.draft.role("remark") == IDENTIFIER:
        session.draft = session.draft.with_role("remark", NONE)
    assert session.draft.policy.keep is None
    run = ended(session)
    assert run.state == FAILED
    assert "looks like an identifier of people: remark (by its name)" in run.words


@pytest.mark.everything
def test_rules_to_start_from(session):
    policy, dropped = session.source.under_template("cms-11")
    assert policy.least_class_size == 11
    assert "patient" in dropped
    with pytest.raises(PolicyError, match="no template"):
        session.source.under_template("gdp")


VISITS = """SELECT i // 2 AS patient, 'person ' || i // 2 AS name, '98' || (i // 2 % 7) || '1' AS zip, 20 + i // 40 AS age
    FROM range(400) AS t(i)"""


@pytest.fixture
def visits(tmp_path: Path) -> Iterator[Session]:
    with duckdb.connect() as con:
        con.execute(f"COPY ({VISITS}) TO $path (FORMAT csv, HEADER)", {"path": str(tmp_path / "visits.csv")})
    found = Session()
    found.open(Place.of(str(tmp_path / "visits.csv")))
    roles = {"patient": PSEUDONYM, "name": IDENTIFIER, "zip": QUASI_IDENTIFIER, "age": QUASI_IDENTIFIER}
    for name, role in roles.items():
        found.draft = found.draft.with_role(name, role)
    yield found
    found.close()


@pytest.mark.everything
def test_identifiers_as_tokens(visits, tmp_path, monkeypatch):
    monkeypatch.setenv("KANON_SECRET", "a secret of at least a few words")
    refused = ended(visits)
    assert refused.state == FAILED
    assert "the tokens of patient link rows" in refused.words
    visits.draft = visits.draft.with_role("patient", LINKABLE)
    run = ended(visits)
    assert run.state == RELEASED, run.words
    certificate, rows = run.release
    assert len(set(rows["patient"].to_pylist())) == 200
    assert "name" not in rows.column_names
    assert certificate.histories
    assert look(visits.source, run)
    folder = tmp_path / "out"
    names = hand_over(visits.source, run, str(folder)).files
    assert not {"model.sql", "model.yml"} & {*names}
    for name, program in {"release.sql": [sys.executable, "-m", "kanon_sql", "run"], "release.sh": ["sh"]}.items():
        again = tmp_path / name
        again.mkdir()
        (again / "policy.json").write_text((folder / "policy.json").read_text())
        subprocess.run([*program, str(folder / name)], cwd=again, check=True, capture_output=True)
        assert sorted((again / "released.csv").read_text().split()) == sorted((folder / "released.csv").read_text().split())
