"""`kanon release`: the plan, the figures, the mistakes, and what is left when it is killed."""

from __future__ import annotations

import json
import os
import random
import signal
import stat
import subprocess
import time
from pathlib import Path

import duckdb
import pytest
from kanon_process import KANON, Kanon
from markupsafe import escape

from kanon_sql.engines.duckdb.database.audit import audit_database

POLICIES = """
policies:
- name: people
  table: people
  person: {column: id, table: people}
  groups: [id]
  quasi_identifiers: [{column: zip}, {column: age}]
  effort: fast
  requirements: [{type: k, k: 3}]
- name: visits
  table: visits
  person: true
  identifiers: [visit]
  quasi_identifiers: [{column: ward}]
  effort: fast
  requirements: [{type: people, k: 3, per: id}]
"""

KILLS = int(os.environ.get("KANON_KILLS", "6"))
"""Each waits for a process to start."""

MANY_KILLS = 200
"""In the layer `everything`."""


@pytest.fixture
def clinic(folder: Path) -> Path:
    path = folder / "clinic.duckdb"
    with duckdb.connect(str(path)) as con:
        con.execute("CREATE TABLE people AS SELECT 'ID' || i AS id, i % 3 AS zip, 20 + i * i % 4 AS age FROM range(60) AS t(i)")
        con.execute("CREATE TABLE visits AS SELECT i AS visit, 'ID' || i * 7 % 60 AS id, i % 2 AS ward FROM range(150) AS t(i)")
    (folder / "policies.yaml").write_text(POLICIES)
    return path


@pytest.mark.everything
def test_it_releases_and_says_what_became_of_each_table(clinic: Path, kanon: Kanon) -> None:
    done = kanon("release", "clinic.duckdb", "-o", "public.duckdb", "--policies", "policies.yaml")
    assert done.returncode == 0, done.stderr
    assert "people  " in done.stdout
    assert "k >= 3 PER id; 150 rows" in done.stdout
    assert stat.S_IMODE((clinic.parent / "public.duckdb").stat().st_mode) == 0o600
    again = kanon("release", "clinic.duckdb", "-o", "public.duckdb", "--policies", "policies.yaml")
    assert (again.returncode, again.stdout) == (1, "")
    assert "exists; hint: choose a new name" in again.stderr
    done = kanon("release", "clinic.duckdb", "-o", "public", "--policies", "policies.yaml", "--format", "parquet", "--json")
    told = json.loads(done.stdout)
    assert sorted(told["releases"]) == ["people", "visits"]
    assert told["releases"]["visits"]["rows"] == 150
    assert (clinic.parent / "public" / "visits.certificate.json").exists()
    done = kanon("release", "clinic.duckdb", "-o", "quiet.duckdb", "--policies", "policies.yaml", "-q")
    assert (done.returncode, done.stdout) == (0, "")


def test_the_plan_is_explained_and_nothing_is_written(clinic: Path, kanon: Kanon) -> None:
    before = sorted(clinic.parent.iterdir())
    done = kanon("release", "clinic.duckdb", "-o", "public.duckdb", "--policies", "policies.yaml", "--explain")
    told = " ".join(done.stdout.replace("│", " ").split())
    assert done.returncode == 0
    assert told.index("people") < told.index("visits")
    assert "PERSON id" in told
    assert sorted(clinic.parent.iterdir()) == before


def test_the_plan_names_risks_over_several_tables(clinic: Path, kanon: Kanon) -> None:
    (clinic.parent / "policies.yaml").write_text(
        POLICIES.replace("person: true\n  identifiers: [visit]", "identifiers: [visit]\n  pseudonyms: [id]\n  linkable: [id]")
    )
    done = kanon("release", "clinic.duckdb", "-o", "public.duckdb", "--policies", "policies.yaml", "--explain")
    assert done.stdout.splitlines()[-2:] == [
        "these tables have no person, so their columns are not compared with those of other tables: visits",
        "the release counts what rows linked by tokens reveal together: visits",
    ]


@pytest.mark.everything
def test_policies_of_the_database_are_the_default(clinic: Path, kanon: Kanon) -> None:
    done = kanon("release", "clinic.duckdb", "-o", "public.duckdb")
    assert done.stderr.startswith("error: there is no policy; hint: ")
    assert kanon("policy", "import", "clinic.duckdb", "policies.yaml").returncode == 0
    assert kanon("release", "clinic.duckdb", "-o", "public.duckdb").returncode == 0
    assert audit_database(clinic.parent / "public.duckdb").broken == []


def test_a_mistake_is_one_line(clinic: Path, kanon: Kanon) -> None:
    (clinic.parent / "policies.yaml").write_text(POLICIES.replace("per: id", "per: visit"))
    done = kanon("release", "clinic.duckdb", "-o", "public.duckdb", "--policies", "policies.yaml")
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    assert "does not count people by it" in done.stderr
    done = kanon("release", "clinic.duckdb", "-o", "public.duckdb", "--policies", "none.yaml")
    assert done.stderr == "error: there is no file none.yaml; hint: did you mean policies.yaml?\n"


@pytest.mark.everything
def test_one_page_is_about_the_whole(clinic: Path, kanon: Kanon) -> None:
    asked = ("release", "clinic.duckdb", "--policies", "policies.yaml")
    done = kanon(*asked, "-o", "public.duckdb", "--report", "page.html", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert Path(told["report"]) == (clinic.parent / "page.html").resolve()
    page = (clinic.parent / "page.html").read_text()
    assert stat.S_IMODE((clinic.parent / "page.html").stat().st_mode) == 0o600
    with duckdb.connect(str(clinic.parent / "public.duckdb"), read_only=True) as con:
        described = con.execute("FROM kanon_columns").fetchall()
    assert all(escape(text) in page for row in described for text in row)
    for name, figures in told["releases"].items():
        assert f'<th scope="row">{name}</th><td class="n">{escape(", ".join(figures["requirements"]))}</td>' in page
        assert f'<td class="n">{figures["rows"]:,}</td><td class="n">{figures["classes"]:,}</td>' in page
        assert all(escape(f"{name}: {each}") in page for each in figures["warnings"])
    assert "No token and no shared key links rows" in page
    assert "<script" not in page
    assert " src=" not in page
    done = kanon(*asked, "-o", "again.duckdb", "--report", "page.html")
    assert (done.returncode, "page.html exists" in done.stderr) == (1, True)
    assert not (clinic.parent / "again.duckdb").exists()
    done = kanon(*asked, "-o", "folder", "--format", "parquet", "--report", "other.html", "-q")
    assert done.returncode == 0, done.stderr
    assert "next to the files of the releases" in (clinic.parent / "other.html").read_text()


@pytest.mark.everything
@pytest.mark.parametrize("kills", [KILLS, pytest.param(MANY_KILLS, marks=pytest.mark.everything)])
def test_a_killed_release_leaves_nothing_or_the_whole_file(clinic: Path, environment: dict[str, str], kills: int) -> None:
    draw, folder, whole = random.Random(int(os.environ.get("KILL_SEED", "1"))), clinic.parent, 0
    command = [*KANON, "release", "clinic.duckdb", "-o", "public.duckdb", "--policies", "policies.yaml", "-q"]
    started = time.monotonic()
    subprocess.run(command, cwd=folder, env=environment, check=True, timeout=120)
    length = time.monotonic() - started
    (folder / "public.duckdb").unlink()
    for number in range(kills):
        with subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.DEVNULL) as process:
            # half of them near the end, where the file appears
            time.sleep(length * (draw.random() if number % 2 else 0.8 + 0.3 * draw.random()))
            process.send_signal(draw.choice([signal.SIGKILL, signal.SIGTERM]))
            process.wait(60)
        if (folder / "public.duckdb").exists():
            whole += 1
            assert audit_database(folder / "public.duckdb").broken == []
            (folder / "public.duckdb").unlink()
        left = [path for path in folder.iterdir() if path.name not in ("clinic.duckdb", "policies.yaml")]
        assert all(path.name.startswith(".kanon-") and stat.S_IMODE(path.stat().st_mode) == 0o700 for path in left)
    assert whole < kills
    subprocess.run(command, cwd=folder, env=environment, check=True, timeout=120)
    assert sorted(path.name for path in folder.iterdir()) == ["clinic.duckdb", "policies.yaml", "public.duckdb"]
