"""Policies from a database into a file and back, and what is said of files with mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner

import kanon_sql
from kanon_sql.cli import main
from kanon_sql.cli.policies import policy
from kanon_sql.errors import KanonError, PolicyError, SourceError
from kanon_sql.model.policy_file import read, written
from kanon_sql.model.stored_policy import StoredPolicy

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")

TABLES = "CREATE TABLE patients AS SELECT i AS name, i % 3 AS zip, i % 5 AS age, 'd' || i % 2 AS disease FROM range(40) r(i)"
RESEARCH = """CREATE ANONYMIZATION POLICY "no; yes" ON patients
    (IDENTIFIER name; BY age IN INTERVALS (5, 10), zip WEIGHT 0.5; GUARANTEE k >= 5 AND t(disease) <= 1/3;
    USING greedy (seed = 3))"""
OTHER = """CREATE ANONYMIZATION POLICY other ON patients
    (IDENTIFIER name AS PSEUDONYM (LINKABLE); BY zip, age; KEEP disease; GUARANTEE k >= 2 PER name)"""


@pytest.fixture
def clinic(tmp_path: Path) -> str:
    path = str(tmp_path / "clinic.duckdb")
    with kanon_sql.connect(path) as con:
        con.execute(f"{TABLES}; {RESEARCH}; {OTHER}")
    return path


def run(*arguments: str) -> str:
    done = CliRunner().invoke(policy, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def stored(path: str) -> list[tuple[str, str, str]]:
    with duckdb.connect(path) as con:
        return con.execute('SELECT "name", "table", "policy" FROM kanon_policies ORDER BY 1').fetchall()


@pytest.mark.everything
@pytest.mark.parametrize("ending", ["json", "yaml", "yml"])
def test_there_and_back(clinic: str, tmp_path: Path, ending: str) -> None:
    file, target = str(tmp_path / f"policies.{ending}"), str(tmp_path / "other.duckdb")
    run("export", clinic, "-o", file)
    with duckdb.connect(target) as con:
        con.execute(TABLES)
    assert run("import", target, file) == "2 policies stored\n"
    assert stored(target) == stored(clinic)
    with pytest.raises(PolicyError, match="already exists"):
        run("import", target, file)
    assert run("import", "--replace", target, file) == "2 policies stored\n"
    assert stored(target) == stored(clinic)


def test_to_the_standard_output(clinic: str) -> None:
    assert [each["name"] for each in json.loads(run("export", clinic))["policies"]] == ["no; yes", "other"]


def test_a_database_without_policies(tmp_path: Path) -> None:
    path = str(tmp_path / "empty.duckdb")
    duckdb.connect(path).close()
    assert json.loads(run("export", path)) == {"policies": []}


@pytest.mark.everything
def test_all_or_none(clinic: str, tmp_path: Path) -> None:
    file, target = str(tmp_path / "policies.yaml"), str(tmp_path / "other.duckdb")
    run("export", clinic, "-o", file)
    Path(file).write_text(
        Path(file).read_text().replace("table: patients", "table: nobody", 2).replace("nobody", "patients", 1)
    )
    with duckdb.connect(target) as con:
        con.execute(TABLES)
    with pytest.raises(duckdb.CatalogException, match="nobody"):
        run("import", target, file)
    with duckdb.connect(target) as con:
        assert con.execute("SELECT table_name FROM duckdb_tables()").fetchall() == [("patients",)]


@pytest.mark.everything
def test_files_are_not_overwritten(clinic: str, tmp_path: Path) -> None:
    file = tmp_path / "policies.json"
    file.write_text("mine")
    with pytest.raises(SourceError, match="exists; hint: pass --force to replace it"):
        run("export", clinic, "-o", str(file))
    assert file.read_text() == "mine"
    run("export", clinic, "-o", str(file), "--force")
    assert json.loads(file.read_text())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["export", "nowhere.duckdb"], "there is no database nowhere.duckdb"),
        (["import", "nowhere.duckdb", "x.yaml"], "there is no database nowhere.duckdb"),
        (["export", "nowhere.duckdb", "-o", "x.txt"], "x.txt is not a policy file; hint: use one of the extensions .yaml"),
        (["import", "nowhere.duckdb", "x.csv"], "x.csv is not a policy file"),
    ],
)
def test_wrong_names(arguments: list[str], message: str) -> None:
    with pytest.raises(KanonError, match=message):
        run(*arguments)


GOOD = """\
policies:
  - name: research
    table: patients
    identifiers: [name]
    quasi_identifiers:
      - column: zip
        recoding: {type: digits, shown: [3]}
      - {column: age, weight: 2}
    requirements:
      - {type: k, k: 5}
      - type: l
        sensitive: disease
        l: 2
  - name: second
    table: patients
    quasi_identifiers: [{column: zip}]
    requirements: [{type: k, k: 2}]
"""


def test_a_file_by_hand() -> None:
    first, second = read(GOOD, "p.yaml")
    assert (first.name, first.identifiers, first.kept) == ("research", ("name",), ())
    assert [requirement.describe() for requirement in first.policy.requirements] == ["k >= 5", "l(disease) >= 2"]
    assert second.name == "second"
    assert (
        read(written([first, second], ".yml"), "p.yml") == read(written([first, second], ".json"), "p.json") == [first, second]
    )


@pytest.mark.everything
def test_a_file_says_that_rows_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    told = GOOD.replace("requirements: [{type: k, k: 2}]", "requirements: [{type: k, k: 2, per_row: true}]")
    Path("p.yaml").write_text(told)
    found = read(told, "p.yaml")
    assert [each.describe() for each in found[1].policy.requirements] == ["k >= 2 PER ROW"]
    assert read(written(found, ".yaml"), "again.yaml") == read(written(found, ".json"), "again.json") == found
    Path("in.csv").write_text("zip\n1\n1\n2\n2\n3\n")
    options = ["--policy", "p.yaml::second", "--certificate", "cert.json"]
    done = CliRunner().invoke(main, ["anonymize", "in.csv", "-o", "out.csv", *options], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert json.loads(Path("cert.json").read_text())["requirements"] == ["k >= 2 PER ROW"]
    done = CliRunner().invoke(main, ["verify", "in.csv", "out.csv", "cert.json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize(
    ("there", "mistake", "line", "message"),
    [
        ("identifiers: [name]", "identifers: [name]", 4, "unknown key 'identifers'"),
        ("column: zip\n", "colum: zip\n", 6, "a quasi-identifier"),
        ("type: digits", "type: digit", 7, "unknown recoding type 'digit'"),
        ("weight: 2", "wieght: 2", 8, "unknown key 'wieght'"),
        ("weight: 2", "weight: [2]", 8, "weight"),
        ("{type: k, k: 5}", "{type: k, k: five}", 10, "k must be a whole number"),
        ("{type: k, k: 5}", "{type: k, k: 5, per_row: 1}", 10, "per_row must be true or false"),
        ("{type: k, k: 5}", "{type: k, k: 5, per: row}", 10, "unknown key 'per'; hint: did you mean 'per_row'?"),
        ("{type: k, k: 5}", "{type: k, k: 5", 11, "expected ',' or '}'"),
        ("l: 2\n", "l: 2\n        l: 3\n", 14, "the key 'l' occurs twice"),
        ("type: l\n", "type: ll\n", 11, "unknown requirement type 'll'"),
        ("sensitive: disease", "sensitive: zip", 6, '"zip" is also a quasi-identifier'),
        ("    requirements: [{type: k, k: 2}]\n", "", 14, "lacks the key 'requirements'"),
        ("policies:", "policy:", 1, "unknown key 'policy'; hint: did you mean 'policies'?"),
        ("table: patients\n    identifiers", "table: patients\n\tidentifiers", 4, "cannot start any token"),
        ("identifiers: [name]", "identifiers: [zip]", 4, 'the column "zip" is both an identifier and a quasi-identifier'),
        ("identifiers: [name]", "identifiers: [no]", 4, "'no' is true, false or null in some YAML parsers"),
        ("identifiers: [name]", "identifiers: [true]", 2, "must be a column name, got bool"),
        ("identifiers: [name]", "identifiers: [2020-01-01]", 4, "'2020-01-01' is a date in some YAML parsers"),
        ("identifiers: [name]", "identifiers: !!python/name:os.system [x]", 4, "YAML tags are not supported"),
    ],
)
def test_a_mistake_names_its_line(there: str, mistake: str, line: int, message: str) -> None:
    assert there in GOOD
    with pytest.raises(PolicyError) as caught:
        read(GOOD.replace(there, mistake, 1), "p.yaml")
    assert f"p.yaml, line {line}: " in str(caught.value)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ("", "p.yaml", "p.yaml is empty"),
        ("[]", "p.yaml", "p.yaml, line 1: a file of policies must be a JSON object"),
        ("- a\n- b", "p.yaml", "must be a JSON object"),
        ("{", "p.json", "p.json: .*line 1"),
        ('{"policies": [{"name": "a"}]}', "p.json", "p.json: a policy lacks the key 'table'"),
        ('{"policies": 3}', "p.json", "policies must be a list"),
        (GOOD.replace("second", "Research"), "p.yaml", 'p.yaml: two policies have the name "Research"'),
    ],
)
def test_broken_files(text: str, name: str, message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        read(text, name)


@pytest.mark.everything
def test_what_is_written_is_read_back(clinic: str) -> None:
    policies = [StoredPolicy.from_json(*row) for row in stored(clinic)]
    for ending in (".yaml", ".json"):
        assert read(written(policies, ending), f"p{ending}") == policies
