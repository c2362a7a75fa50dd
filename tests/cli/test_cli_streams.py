"""Pipes, patterns and URLs in the place of files, figures as JSON, and policies in files without a database."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import duckdb
import pytest
from kanon_process import KANON, Kanon

POLICY = {
    "name": "research",
    "table": "patients",
    "identifiers": ["name"],
    "kept": ["visit"],
    "quasi_identifiers": [{"column": "zip"}, {"column": "age"}],
    "requirements": [{"type": "k", "k": 6}, {"type": "l", "sensitive": "disease", "l": 2}],
}

KEEP = ("--keep", "name,visit,disease")
KEPT = "".join(f"warning: {name} is released unchanged and singles out 100.0% of the rows\n" for name in ("name", "visit"))


@pytest.fixture
def patients(folder: Path) -> Path:
    rows = [f"n{i},{i},0{2100 + i * i % 7},{20 + i * 13 % 10},{['flu', 'cold', 'ulcer'][i % 3]}" for i in range(60)]
    path = folder / "patients.csv"
    path.write_text("\n".join(["name,visit,zip,age,disease", *rows]) + "\n")
    return path


@pytest.fixture
def policy(folder: Path) -> Path:
    path = folder / "policy.json"
    path.write_text(json.dumps({"policies": [POLICY]}))
    return path


@pytest.mark.everything
def test_a_table_comes_and_goes_through_pipes(kanon: Kanon, patients: Path) -> None:
    done = kanon("anonymize", "-", "-o", "-", "--qi", "zip,age", "--k", "5", *KEEP, input=patients.read_text())
    assert done.returncode == 0
    assert "suppressed cells" in done.stderr
    assert done.stdout.startswith("name,visit,zip,age,disease\n")
    assert len(done.stdout.splitlines()) == 61
    audited = kanon("audit", "-", "--qi", "zip,age", "--k", "5", "--json", input=done.stdout)
    assert json.loads(audited.stdout)["k-anonymity"]["k"] >= 5
    profiled = kanon("profile", "-", "--json", input=patients.read_text())
    told = json.loads(profiled.stdout)
    assert told["rows"] == 60
    assert [each["column"] for each in told["columns"]] == ["name", "visit", "zip", "age", "disease"]


@pytest.mark.everything
def test_nothing_comes_out_where_nothing_is_released(kanon: Kanon, patients: Path) -> None:
    done = kanon("anonymize", "-", "-o", "-", "--qi", "zip,age", "--k", "500", *KEEP, input=patients.read_text())
    assert (done.returncode, done.stdout) == (1, "")
    assert "fewer than k = 500" in done.stderr


@pytest.mark.everything
def test_parquet_goes_through_a_real_pipe(patients: Path, folder: Path, environment: dict[str, str]) -> None:
    command = [*KANON, "anonymize", "patients.csv", "-o", "-", "--format", "parquet", "--qi", "zip,age", "--k", "5", "-q"]
    command += ["--unlisted-limit", "1", "--drop", "name"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=120, check=True)
    (folder / "piped.parquet").write_bytes(done.stdout)
    assert duckdb.sql(f"SELECT count(*) FROM '{folder}/piped.parquet'").fetchall() == [(60,)]


@pytest.mark.everything
def test_a_pattern_is_all_of_its_files(kanon: Kanon, patients: Path, folder: Path) -> None:
    head, *rows = patients.read_text().splitlines()
    for number in range(3):
        (folder / f"part-{number}.csv").write_text("\n".join([head, *rows[number::3]]) + "\n")
    arguments = ["--qi", "zip,age", "--k", "5", *KEEP, "--certificate", "c.json", "-q"]
    done = kanon("anonymize", "part-*.csv", "-o", "out.csv", *arguments)
    assert (done.returncode, done.stderr) == (0, KEPT)
    assert len((folder / "out.csv").read_text().splitlines()) == 61
    assert kanon("verify", "part-?.csv", "out.csv", "c.json").returncode == 0
    assert json.loads(kanon("audit", "part-*.csv", "--qi", "zip,age", "--json").stdout)["k-anonymity"]["rows"] == 60


@pytest.mark.parametrize(
    ("source", "target", "told"),
    [
        ("none-*.csv", "out.csv", "no file matches none-*.csv"),
        ("pat*.csv", "patients.csv", "OUT is the same file as IN"),
        ("patients.csv", "out-*.csv", "only be read"),
        ("patients.csv", "s3://bucket/out.csv", "only be read"),
        ("*.duckdb", "out.csv", "must be one local database file"),
        ("patients.csv::t", "out.csv", "is not a database"),
    ],
)
def test_patterns_that_make_no_sense(kanon: Kanon, patients: Path, source: str, target: str, told: str) -> None:
    done = kanon("anonymize", source, "-o", target, "--qi", "zip", "--k", "2", "--force")
    assert done.returncode == 1
    assert told in done.stderr


def test_a_name_with_brackets_is_a_name_where_there_is_such_a_file(kanon: Kanon, patients: Path, folder: Path) -> None:
    patients.rename(folder / "data[1].csv")
    (folder / "data1.csv").write_text("zip\n1\n")
    assert json.loads(kanon("audit", "data[1].csv", "--qi", "zip", "--json").stdout)["k-anonymity"]["rows"] == 60


@pytest.mark.everything
def test_a_url_is_read_by_duckdb(kanon: Kanon, patients: Path) -> None:
    done = kanon("audit", f"file://{patients}", "--qi", "zip", "--json")
    assert json.loads(done.stdout)["k-anonymity"]["rows"] == 60
    done = kanon("audit", "https://127.0.0.1:9/patients.csv", "--qi", "zip")
    assert done.returncode == 3
    assert "httpfs" in done.stderr


@pytest.mark.everything
def test_figures_as_json(kanon: Kanon, patients: Path, folder: Path) -> None:
    done = kanon(
        "anonymize", "patients.csv", "-o", "out.csv", "--qi", "zip,age", "--k", "5", *KEEP, "--certificate", "c.json", "--json"
    )
    told = json.loads(done.stdout)
    assert told["written"] == str(folder / "out.csv")
    assert told["requirements"] == ["k >= 5"]
    assert told["status"] == "OPTIMAL"
    assert told["cost"] == told["lower_bound"] == told["suppressed_cells"]
    verified = kanon("verify", "patients.csv", "out.csv", "c.json", "--json")
    assert json.loads(verified.stdout)["holds"] is True
    text = (folder / "out.csv").read_text()
    (folder / "out.csv").write_text(text.replace("flu", "cold", 1))
    broken = kanon("verify", "patients.csv", "out.csv", "c.json", "--json")
    assert broken.returncode == 1
    assert json.loads(broken.stdout)["holds"] is False
    suggested = json.loads(kanon("suggest", "patients.csv", "--json").stdout)
    assert suggested["policy"].startswith("-- ") or "CREATE" in suggested["policy"]
    assert {each["column"] for each in suggested["columns"]} == {"name", "visit", "zip", "age", "disease"}


@pytest.mark.everything
def test_a_policy_file_releases_without_a_database(kanon: Kanon, patients: Path, policy: Path, folder: Path) -> None:
    arguments = ["--policy", "policy.json", "--certificate", "c.json", "--json"]
    done = kanon("anonymize", "patients.csv", "-o", "out.csv", *arguments)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["requirements"] == ["k >= 6", "l(disease) >= 2"]
    assert (folder / "out.csv").read_text().startswith("visit,zip,age,disease\n")
    audited = kanon("audit", "out.csv", "--qi", "zip,age", "--k", "6", "--sensitive", "disease", "--l", "2")
    assert audited.returncode == 0
    verified = kanon("verify", "patients.csv", "out.csv", "c.json", "--json")
    assert json.loads(verified.stdout)["not released"] == "name"
    (folder / "named.csv").write_text((folder / "out.csv").read_text().replace("visit,", "name,", 1))
    assert kanon("verify", "patients.csv", "named.csv", "c.json").returncode == 1


@pytest.mark.everything
def test_a_policy_of_several_is_named(kanon: Kanon, patients: Path, folder: Path) -> None:
    (folder / "two.json").write_text(json.dumps({"policies": [POLICY, POLICY | {"name": "press"}]}))
    done = kanon("anonymize", "patients.csv", "-o", "out.csv", "--policy", "two.json")
    assert (done.returncode, "two.json::research" in done.stderr) == (1, True)
    done = kanon("anonymize", "patients.csv", "-o", "out.csv", "--policy", "two.json::pres")
    assert 'did you mean "press"?' in done.stderr
    assert kanon("anonymize", "patients.csv", "-o", "out.csv", "--policy", "two.json::press", "-q").returncode == 0


@pytest.mark.parametrize(
    "options", [["--k", "3"], ["--qi", "zip"], ["--sensitive", "disease"], ["--mask", "zip"], ["--keep", ""]]
)
def test_what_a_policy_says_no_option_says(kanon: Kanon, patients: Path, policy: Path, options: list[str]) -> None:
    done = kanon("anonymize", "patients.csv", "-o", "out.csv", "--policy", "policy.json", *options)
    assert done.returncode == 2
    assert f"{options[0]} cannot be combined with --policy; hint: set it in the policy file" in done.stderr


def test_a_column_without_a_role_is_refused(kanon: Kanon, patients: Path, policy: Path, folder: Path) -> None:
    text = patients.read_text().replace("visit,", "visits,", 1)
    patients.write_text(text)
    done = kanon("anonymize", "patients.csv", "-o", "out.csv", "--policy", "policy.json")
    assert done.returncode == 1
    assert 'unknown column "visit" in the policy "research"; hint: did you mean "visits"?' in done.stderr
    assert not (folder / "out.csv").exists()


@pytest.mark.everything
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_are_told_how_to_complete(folder: Path, environment: dict[str, str], shell: str) -> None:
    code = "from kanon_sql.cli import main; main(prog_name='kanon')"
    settings = {**environment, "_KANON_COMPLETE": f"{shell}_source"}
    command = [KANON[0], "-c", code]
    done = subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True, timeout=60, check=False)
    assert "kanon" in done.stdout, done.stderr
