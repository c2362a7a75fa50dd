"""`kanon profile` and `kanon suggest`."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from kanon_process import Kanon

import kanon_sql


def test_a_profile_shows_roles_and_no_value(kanon: Kanon, people: Path, folder: Path) -> None:
    done = kanon("profile", "people.csv")
    assert done.returncode == 0
    for word in ("12 rows", "zip", "quasi-identifier", "postal code", "VARCHAR"):
        assert word in done.stdout
    assert "00501" not in done.stdout
    assert len(done.stdout.splitlines()) == 2 + 3


@pytest.mark.everything
def test_a_suggestion_runs_on_the_table_it_is_for(kanon: Kanon, people: Path, folder: Path) -> None:
    con = kanon_sql.connect(str(folder / "clinic.duckdb"))
    con.execute(f"CREATE TABLE people AS FROM read_csv('{people}', all_varchar := true)")
    con.close()
    done = kanon("suggest", "clinic.duckdb::people", "--k", "3")
    assert (done.returncode, done.stderr) == (0, "")
    (folder / "policy.sql").write_text(done.stdout)
    assert kanon("run", "policy.sql", "--db", "clinic.duckdb").returncode == 0
    with duckdb.connect(str(folder / "clinic.duckdb")) as plain:
        assert plain.execute('SELECT name, "table" FROM kanon_policies').fetchall() == [("suggested", "people")]


@pytest.mark.everything
def test_a_suggestion_in_a_file_is_imported(kanon: Kanon, people: Path, folder: Path) -> None:
    with duckdb.connect(str(folder / "clinic.duckdb")) as con:
        con.execute(f"CREATE TABLE people AS FROM read_csv('{people}', all_varchar := true)")
    done = kanon("suggest", "people.csv", "-o", "policy.json", "--name", "research")
    assert done.returncode == 0
    assert "postal code" in done.stdout
    assert kanon("policy", "import", "clinic.duckdb", "policy.json").returncode == 0
    assert kanon("suggest", "people.csv", "-o", "policy.json").returncode == 1
    assert kanon("suggest", "people.csv", "-o", "policy.json", "--force").returncode == 0


@pytest.mark.everything
def test_names_of_columns_cannot_steer_the_terminal(kanon: Kanon, folder: Path) -> None:
    (folder / "in.csv").write_text("zip\x1b[31m\u202e,b\n" + "98101,x\n98102,y\n" * 4)
    told = kanon("suggest", "in.csv", "-o", "policy.yaml")
    refused = kanon("audit", "in.csv", "--qi", "nope")
    for text in (told.stdout, refused.stderr):
        assert "zip\\x1b[31m\\u202e" in text
        assert not {"\x1b", "\u202e"} & set(text)


def test_what_nobody_expected_is_told_without_its_words(kanon: Kanon, people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ValueError("CANARY")

    monkeypatch.setattr("kanon_sql.engines.duckdb.files.tables.load", broken)
    done = kanon("profile", "people.csv")
    assert done.returncode == 1
    assert done.stderr.startswith("error: internal error: ValueError at kanon_sql.cli.streams")
    assert "CANARY" not in done.stdout + done.stderr


@pytest.mark.everything
def test_a_template_gives_the_guarantee(kanon: Kanon, people: Path) -> None:
    done = kanon("suggest", "people.csv", "--template", "cms-11")
    assert done.returncode == 0, done.stderr
    assert "-- CMS cell size suppression policy" in done.stdout
    assert "GUARANTEE k >= 11" in done.stdout
    wrong = kanon("suggest", "people.csv", "--template", "cms11")
    assert wrong.returncode == 1
    assert "hint: did you mean 'cms-11'?" in " ".join(wrong.stderr.split())


@pytest.mark.everything
def test_an_older_policy_is_not_replaced_by_a_weaker_one(kanon: Kanon, people: Path) -> None:
    assert kanon("suggest", "people.csv", "-o", "policy.yaml", "--k", "3").returncode == 0
    weaker = kanon("suggest", "people.csv", "-o", "policy.yaml", "--template", "hipaa-safe-harbor", "--force")
    told = " ".join(weaker.stderr.split())
    assert (weaker.returncode, told) == (
        1,
        "error: policy.yaml guarantees k >= 3, but the new policy guarantees only k >= 1; hint: pass --k 3, or choose a "
        "different -o",
    )
    assert "k: 3" in Path("policy.yaml").read_text()
    done = kanon("suggest", "people.csv", "-o", "policy.yaml", "--template", "hipaa-safe-harbor", "--force", "--k", "3")
    assert done.returncode == 0, done.stderr
    assert "changed" in done.stderr
    assert "k: 3" in Path("policy.yaml").read_text()


@pytest.mark.everything
def test_what_is_not_recognized_is_asked_for(kanon: Kanon, folder: Path) -> None:
    rows = "".join(f"9810{n % 4},code {n % 13}\n" for n in range(130))
    (folder / "in.csv").write_text(f"zip,thing\n{rows}")
    done = kanon("suggest", "in.csv", "-o", "policy.yaml")
    assert (done.returncode, done.stderr) == (0, "")
    assert "thing: add a role in policy.yaml; columns without a role are not released" in " ".join(done.stdout.split())
    text = Path("policy.yaml").read_text()
    assert text.startswith(
        "# zip: quasi-identifier, postal code\n"
        "# Add these columns to identifiers, quasi_identifiers or kept. Until then, they are not released.\n"
        "# ? thing: IDENTIFIER, BY or KEEP?  (nothing recognized)\n"
        "policies:\n"
    )
    refused = kanon("anonymize", "in.csv", "-o", "out.csv", "--policy", "policy.yaml")
    assert refused.returncode == 1
    assert 'the column "thing" has no role in the policy "suggested"' in " ".join(refused.stderr.split())
    assert not Path("out.csv").exists()
    Path("policy.yaml").write_text(text.replace("- name: suggested\n", "- name: suggested\n  identifiers: [thing]\n"))
    assert kanon("anonymize", "in.csv", "-o", "out.csv", "--policy", "policy.yaml").returncode == 0
