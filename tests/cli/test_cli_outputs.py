"""An output that appears during the work is left as it is; OUT and its certificate come together, or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner, Result
from kanon_process import Kanon

import kanon_sql
from kanon_sql.cli import main
from kanon_sql.engines.duckdb.files import staging
from kanon_sql.engines.duckdb.release import written_release

OUTS = ["out.csv", "out.tsv", "out.parquet", "out.json", "out.jsonl.gz"]


@pytest.fixture(autouse=True)
def here(folder: Path, people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def anonymize(out: str, *options: str) -> Result:
    return run("anonymize", "people.csv", "-o", out, "--qi", "zip,age", "--k", "3", "--keep", "note", "-q", *options)


def when_audited(monkeypatch: pytest.MonkeyPatch, happens: Callable[[], object]) -> None:
    """Let something happen after the checks of the beginning and the last audit, and before anything is put in its place."""
    audited = written_release.audit_written

    def verify(*arguments: object) -> None:
        audited(*arguments)  # type: ignore[arg-type]
        happens()

    monkeypatch.setattr(written_release, "audit_written", verify)


def names() -> set[str]:
    return set(os.listdir()) - {"people.csv"}


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("out", OUTS)
def test_an_out_that_appears_is_left_as_it_is(out: str, monkeypatch: pytest.MonkeyPatch) -> None:
    when_audited(monkeypatch, lambda: Path(out).write_text("mine"))
    done = anonymize(out, "--certificate", "cert.json")
    assert done.exit_code == 1
    appeared = f"{out} was created in the meantime"
    assert f"{appeared}; nothing was written; hint: pass --force to replace it" in done.stderr
    assert (Path(out).read_text(), names()) == ("mine", {out})
    assert anonymize(out, "--force").exit_code == 0
    assert (Path(out).read_bytes() != b"mine", names()) == (True, {out})


def make_database(*tables: str) -> None:
    with duckdb.connect("out.duckdb") as con:
        for table in tables:
            con.execute(f"CREATE TABLE {table} AS SELECT 'mine' AS zip")


@pytest.mark.everything
def test_a_table_that_appears_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    make_database("other")
    when_audited(monkeypatch, lambda: make_database("Released"))
    done = anonymize("out.duckdb::released", "--certificate", "cert.json")
    assert (done.exit_code, "was created in the meantime" in done.stderr, names()) == (1, True, {"out.duckdb"})
    with duckdb.connect("out.duckdb") as con:
        assert con.execute("FROM released").fetchall() == [("mine",)]


@pytest.mark.everything
@pytest.mark.parametrize("force", [[], ["--force"]])
def test_a_database_that_appears_keeps_its_tables(force: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    when_audited(monkeypatch, lambda: make_database("other"))
    assert anonymize("out.duckdb::released", *force).exit_code == 0
    with duckdb.connect("out.duckdb") as con:
        assert con.execute("SELECT (SELECT count(*) FROM released), (SELECT count(*) FROM other)").fetchall() == [(12, 1)]


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("out", ["out.csv", "out.duckdb::released"])
@pytest.mark.parametrize("there", [[], ["other"]])
def test_without_its_certificate_there_is_no_out(out: str, there: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    if there:
        make_database(*there)
    when_audited(monkeypatch, lambda: Path("cert.json").write_text("mine"))
    done = anonymize(out, "--certificate", "cert.json")
    assert (done.exit_code, "cert.json was created in the meantime" in done.stderr) == (1, True)
    assert names() == {"cert.json", *(["out.duckdb"] if there else [])}
    assert Path("cert.json").read_text() == "mine"
    if there:
        with duckdb.connect("out.duckdb") as con:
            assert con.execute("SELECT table_name FROM duckdb_tables()").fetchall() == [("other",)]


KILLED = """
import os, signal, sys
from kanon_sql.cli import main

def counted(call):
    def step(*paths, **options):
        global left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*paths, **options)
    return step

if __name__ == "__main__":
    left = int(sys.argv.pop(1))
    os.replace, os.link = counted(os.replace), counted(os.link)
    main()
"""
"""The command, killed before so many steps by which a file gets its name."""


@pytest.mark.everything
@pytest.mark.parametrize("force", [False, True])
def test_no_certificate_lies_beside_what_it_is_not_about(force: bool, environment: dict[str, str]) -> None:
    pair = Path("out.csv"), Path("cert.json")
    command = [sys.executable, "-c", KILLED, "0", "anonymize", "people.csv", "-o", "out.csv", "--qi", "zip,age", "--k", "4"]
    command += ["--keep", "note", "--suppress", "#", "--certificate", "cert.json", *(["--force"] if force else [])]
    ends = []
    for step in range(10):
        for path in pair:
            path.unlink(missing_ok=True)
        if force:
            assert anonymize("out.csv", "--certificate", "cert.json").exit_code == 0
        old = [path.read_bytes() if force else None for path in pair]
        command[3] = str(step)
        ends.append(subprocess.run(command, env=environment, capture_output=True, check=False, timeout=120).returncode)
        out, proof = (path.read_bytes() if path.exists() else None for path in pair)
        assert out == old[0] or (out is not None and out.count(b"\n") == 13)
        assert proof is None or (out == old[0]) == (proof == old[1]), f"step {step}"
        if not ends[-1]:
            break
    assert ends == [-9] * (3 if force else 2) + [0]
    assert out != old[0]
    assert proof != old[1]
    assert names() == {"out.csv", "cert.json"}  # the last one has removed what the killed ones left


@pytest.mark.everything
def test_an_out_that_cannot_be_replaced_keeps_its_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    make_database("other")
    assert anonymize("out.duckdb::released", "--certificate", "cert.json").exit_code == 0
    old = Path("cert.json").read_bytes()
    holder = []
    when_audited(monkeypatch, lambda: holder.append(duckdb.connect("out.duckdb", read_only=True)))
    done = anonymize("out.duckdb::released", "--certificate", "cert.json", "--force")
    for con in holder:
        con.close()
    assert (done.exit_code, "cannot write" in done.stderr, Path("cert.json").read_bytes()) == (1, True, old)


@pytest.mark.everything
def test_of_two_writers_exactly_one_ends_with_0(started: Kanon, monkeypatch: pytest.MonkeyPatch) -> None:
    codes = []

    def other() -> None:
        codes.append(
            started("anonymize", "people.csv", "-o", "out.csv", "--qi", "zip,age", "--k", "4", "--keep", "note").returncode
        )

    when_audited(monkeypatch, other)
    done = anonymize("out.csv")
    assert (codes, done.exit_code) == ([0], 1)
    assert "was created in the meantime" in done.stderr
    assert len(Path("out.csv").read_text().splitlines()) == 13
    assert names() == {"out.csv"}


@pytest.mark.everything
@pytest.mark.parametrize("command", ["report", "frontier"])
def test_a_page_that_appears_is_left_as_it_is(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jinja2")
    assert anonymize("out.csv").exit_code == 0
    written = staging.write_text

    def write(text: str, path: Path, *, private: bool) -> None:
        written(text, path, private=private)
        Path("page.html").write_text("mine")

    monkeypatch.setattr(staging, "write_text", write)
    inputs = ["people.csv", "out.csv"] if command == "report" else ["people.csv", "--keep", "note"]
    arguments = [command, *inputs, "-o", "page.html", "--qi", "zip,age", "-q", "--k", "3"]
    done = run(*arguments)
    assert (done.exit_code, "was created in the meantime" in done.stderr) == (1, True)
    assert (Path("page.html").read_text(), names()) == ("mine", {"out.csv", "page.html"})
    assert run(*arguments, "--force").exit_code == 0


def test_policies_that_appear_are_left_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    with kanon_sql.connect("clinic.duckdb") as con:
        con.execute("CREATE TABLE p AS SELECT 1 AS a")
        con.execute("CREATE ANONYMIZATION POLICY mine ON p (BY a; GUARANTEE k >= 2)")
    written = staging.write_text

    def write(text: str, path: Path, *, private: bool) -> None:
        written(text, path, private=private)
        Path("policies.json").write_text("mine")

    monkeypatch.setattr(staging, "write_text", write)
    done = run("policy", "export", "clinic.duckdb", "-o", "policies.json")
    assert (done.exit_code, "was created in the meantime" in done.stderr) == (1, True)
    assert (Path("policies.json").read_text(), names()) == ("mine", {"clinic.duckdb", "policies.json"})
