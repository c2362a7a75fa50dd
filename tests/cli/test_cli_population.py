"""k-map and delta-presence in the command: released, certified, verified, audited and reported."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest
from kanon_process import Kanon

from kanon_sql.certificate import Certificate

QI = ("--qi", "zip,age")
KEEP = ("--keep", "nr")
KEPT = "warning: nr is released unchanged and singles out 100.0% of the rows\n"


@pytest.fixture
def patients(folder: Path) -> Path:
    path = folder / "patients.csv"
    path.write_text("\n".join(["zip,age,nr", *(f"0{n % 5},{20 + n % 7},{n}" for n in range(30))]) + "\n")
    (folder / "census.csv").write_text("\n".join(["zip,age", *(f"0{n % 6},{20 + n % 11}" for n in range(120))]) + "\n")
    return path


def matches(folder: Path, row: dict[str, str]) -> int:
    people = list(csv.DictReader((folder / "census.csv").read_text().splitlines()))
    return sum(all(row[name] in ("", one[name]) for name in ("zip", "age")) for one in people)


@pytest.mark.everything
def test_a_release_is_certified_verified_and_audited(kanon: Kanon, patients: Path, folder: Path) -> None:
    mapped = (*QI, "--k-map", "3", "--population", "census.csv")
    done = kanon("anonymize", "patients.csv", "-o", "out.csv", *mapped, *KEEP, "--certificate", "c.json")
    assert (done.returncode, done.stderr) == (0, KEPT)
    released = list(csv.DictReader((folder / "out.csv").read_text().splitlines()))
    assert min(matches(folder, row) for row in released) >= 3
    assert all(row["zip"] or row["age"] for row in released)
    claimed = json.loads((folder / "c.json").read_text())
    assert claimed["requirements"] == ["k >= 3 IN census"]
    assert claimed["status"] == "OPTIMAL"
    assert kanon("audit", "out.csv", *mapped).returncode == 0
    broken = kanon("audit", "patients.csv", *mapped, "--json")
    assert broken.returncode == 1
    told = json.loads(broken.stdout)
    assert told["k-map"]["k_map"] < 3
    assert told["k-map"]["k_map"] == 1
    assert told["broken"] == ["k-map: some class matches 1 row of the population"]
    proofs = ("patients.csv", "out.csv", "c.json")
    done = kanon("verify", *proofs, "--beside", "census=census.csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert "k >= 3 IN census" in done.stdout
    missing = kanon("verify", *proofs)
    assert missing.returncode == 1
    assert "uses the table 'census', which is missing" in missing.stderr
    (folder / "census.csv").write_text("zip,age\n00,20\n")
    refused = kanon("verify", *proofs, "--beside", "census=census.csv")
    assert refused.returncode == 1
    assert "k >= 3 IN census does not hold: some class matches" in refused.stderr


@pytest.mark.everything
def test_rows_of_the_release_are_counted_where_k_is_named(kanon: Kanon, patients: Path, folder: Path) -> None:
    options = (*QI, "--k", "2", "--k-map", "3", "--population", "census.csv", "--suppress", "-", "--algorithm", "greedy")
    done = kanon("anonymize", "patients.csv", "-o", "out.csv", *options, *KEEP, "--certificate", "c.json")
    assert (done.returncode, done.stderr) == (0, KEPT)
    assert json.loads((folder / "c.json").read_text())["requirements"] == ["k >= 2", "k >= 3 IN census"]
    assert kanon("verify", "patients.csv", "out.csv", "c.json", "--beside", "census=census.csv").returncode == 0


@pytest.mark.everything
def test_a_policy_in_a_file_names_its_population(kanon: Kanon, patients: Path, folder: Path) -> None:
    policy = {
        "name": "mapped",
        "table": "patients",
        "kept": ["nr"],
        "quasi_identifiers": [{"column": "zip", "recoding": {"type": "digits"}}, {"column": "age"}],
        "requirements": [{"type": "k_map", "k": 3, "population": "census"}],
    }
    (folder / "p.json").write_text(json.dumps({"policies": [policy]}))
    ask = ("anonymize", "patients.csv", "-o", "out.csv", "--policy", "p.json", "--certificate", "c.json")
    assert "the policy uses the table 'census', which is missing" in kanon(*ask).stderr
    done = kanon(*ask, "--beside", "census=census.csv")
    assert (done.returncode, done.stderr) == (0, KEPT)
    done = kanon("verify", "patients.csv", "out.csv", "c.json", "--beside", "census=census.csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert "the matches of generalized cells in the population" in " ".join(done.stdout.split())
    page = (
        "report",
        "patients.csv",
        "out.csv",
        "-o",
        "r.html",
        "--certificate",
        "c.json",
        "--population",
        "census.csv",
        "--json",
    )
    told = json.loads(kanon(*page).stdout)
    assert (told["holds"], told["uncounted"]) == (True, ["k >= 3 IN census"])
    assert told["guarantee"][0]["holds"] is None  # it was told as held
    text = (folder / "r.html").read_text()
    assert (
        "Caution: the part of the guarantee that was counted holds, but columns released unchanged on purpose undo it." in text
    )
    assert "<td>not counted</td>" in text
    assert "The guarantee is kept." not in text


@pytest.mark.everything
def test_presence_is_certified_verified_and_audited(kanon: Kanon, patients: Path, folder: Path) -> None:
    own = [line.rsplit(",", 1)[0] for line in (folder / "patients.csv").read_text().splitlines()[1:]]
    (folder / "town.csv").write_text((folder / "census.csv").read_text() + "\n".join(own) + "\n")
    asked = (*QI, "--presence", "0.5", "--population", "town.csv")
    done = kanon("anonymize", "patients.csv", "-o", "out.csv", *asked, *KEEP, "--suppress", "*", "--certificate", "c.json")
    assert (done.returncode, done.stderr) == (0, KEPT)
    assert json.loads((folder / "c.json").read_text())["requirements"] == ["presence(town) <= 1/2"]
    assert kanon("audit", "out.csv", *asked).returncode == 0
    broken = kanon("audit", "out.csv", *QI, "--presence", "1/100", "--population", "town.csv", "--json")
    assert broken.returncode == 1
    told = json.loads(broken.stdout)
    assert 0.01 < told["delta-presence"]["presence"] <= 0.5
    assert told["broken"][0].startswith("delta-presence: the shares of some row of the population add up to 0.")
    done = kanon("verify", "patients.csv", "out.csv", "c.json", "--beside", "town=town.csv")
    assert (done.returncode, done.stderr) == (0, "")
    page = ("report", "patients.csv", "out.csv", "-o", "r.html", "--certificate", "c.json", "--population", "town.csv")
    assert kanon(*page).returncode == 0
    assert "of 150 rows of the population, none has shares of more than 0." in (folder / "r.html").read_text()
    (folder / "town.csv").write_text("zip,age\n00,20\n")
    refused = kanon("verify", "patients.csv", "out.csv", "c.json", "--beside", "town=town.csv")
    assert refused.returncode == 1
    assert "presence(town) <= 1/2 does not hold: " in refused.stderr


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--presence", "0.3"), "presence needs a population table; hint: pass --population census.csv"),
        (("--k-map", "3"), "k_map needs a population table; hint: pass --population census.csv"),
        (("--population", "census.csv"), "no guarantee is set; hint: "),
        (("--k-map", "3", "--population", "nobody.csv"), "nobody.csv"),
        (("--k-map", "500", "--population", "census.csv"), "the population has 120 rows"),
    ],
)
def test_what_is_missing_is_named(kanon: Kanon, patients: Path, arguments: tuple[str, ...], told: str) -> None:
    done = kanon("anonymize", "patients.csv", "-o", "out.csv", *QI, *KEEP, *arguments)
    assert done.returncode
    assert told in done.stderr
    assert kanon("audit", "patients.csv", *QI, "--k-map", "3").returncode == 2


@pytest.mark.everything
def test_a_report_counts_a_guarantee_in_its_own_population_or_not_at_all(kanon: Kanon, patients: Path, folder: Path) -> None:
    """With one file for two populations, the page said of both what holds of one."""
    requirements = [{"type": "k_map", "k": 3, "population": name} for name in ("census", "town")]
    named = {"table": "patients", "kept": ["nr"], "quasi_identifiers": [{"column": "zip"}, {"column": "age"}]}
    (folder / "p.json").write_text(json.dumps({"policies": [{"name": "both", "requirements": requirements, **named}]}))
    (folder / "town.csv").write_text("zip,age\n00,20\n00,21\n00,22\n")
    files = ("--beside", "census=census.csv", "--beside", "town=town.csv")
    done = kanon("anonymize", "patients.csv", "-o", "out.csv", "--policy", "p.json", "--certificate", "c.json", *files)
    assert (done.returncode, done.stderr) == (0, KEPT)
    page = ("report", "patients.csv", "out.csv", "-o", "r.html", "--population", "census.csv")
    refused = [kanon(*page, "--certificate", "c.json"), kanon(*page, *QI)]
    assert [done.returncode for done in refused] == [1, 1]
    assert "uses several populations, but a report supports only one" in refused[0].stderr
    assert "no guarantee uses the population" in refused[1].stderr
    assert not (folder / "r.html").exists()


@pytest.mark.everything
def test_a_value_that_is_an_asterisk_is_no_suppressed_cell(kanon: Kanon, folder: Path) -> None:
    """Whatever stands for suppressed cells, `*` was counted as one of them, and matched everybody."""
    (folder / "s.csv").write_text("zip,age\n" + "*,20\n" * 3 + "00,30\n" * 3)
    census = "zip,age\n" + "00,30\n" * 5
    (folder / "census.csv").write_text(census + "*,20\n" * 4)
    asked = (*QI, "--k-map", "3", "--population", "census.csv", "--suppress", "-", "--certificate", "c.json")
    assert kanon("anonymize", "s.csv", "-o", "out.csv", *asked).returncode == 0
    assert (folder / "out.csv").read_text().count("*") == 3
    verify = ("verify", "s.csv", "out.csv", "c.json", "--beside", "census=census.csv")
    report = ("report", "s.csv", "out.csv", "-o", "r.html", "--force", "--certificate", "c.json", "--population", "census.csv")
    assert [kanon(*command).returncode for command in (verify, report)] == [0, 0]
    (folder / "census.csv").write_text(census + "*,20\n" + "11,20\n" * 3)
    broken = kanon(*verify)
    assert (broken.returncode, kanon(*report).returncode) == (1, 1)
    assert "k >= 3 IN census does not hold: some class matches 1 row of the population" in broken.stderr


@pytest.mark.everything
def test_cells_that_show_the_text_of_suppressed_ones_are_not_counted(kanon: Kanon, folder: Path) -> None:
    """A forged certificate may call any value the text of suppressed cells: then it would match everybody."""
    (folder / "s.csv").write_text("zip,age\n" + "11,20\n" * 3 + "00,30\n" * 3)
    (folder / "census.csv").write_text("zip,age\n" + "00,30\n" * 5 + "11,20\n" * 4)
    asked = (*QI, "--k-map", "3", "--population", "census.csv", "--suppress", "-", "--certificate", "c.json")
    assert kanon("anonymize", "s.csv", "-o", "out.csv", *asked).returncode == 0
    (folder / "census.csv").write_text("zip,age\n" + "00,30\n" * 5 + "22,20\n" * 4)
    true = Certificate.from_json((folder / "c.json").read_text())
    policy = json.dumps(json.loads(true.policy) | {"suppress": "11"}, sort_keys=True, separators=(",", ":"))
    (folder / "c.json").write_text(replace(true, policy=policy).to_json())
    done = kanon("verify", "s.csv", "out.csv", "c.json", "--beside", "census=census.csv")
    assert "only by the checksum" in done.stdout
    assert "(the source contains their text), and so their matches in the population" in " ".join(done.stdout.split())
    page = ("report", "s.csv", "out.csv", "-o", "r.html", "--certificate", "c.json", "--population", "census.csv", "--json")
    assert json.loads(kanon(*page).stdout)["uncounted"] == ["k >= 3 IN census"]
