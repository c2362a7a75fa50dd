"""`kanon audit` as a CI job reads it: JSON, limits of risk, and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from kanon_process import Kanon

QI = ("--qi", "zip,age")


def test_the_figures_as_json(kanon: Kanon, people: Path) -> None:
    done = kanon("audit", "people.csv", *QI, "--json", "--sensitive", "note", "--l", "2")
    found = json.loads(done.stdout)
    assert (done.returncode, found["holds"], found["broken"]) == (0, True, [])
    assert (found["k-anonymity"]["k"], found["k-anonymity"]["rows"]) == (3, 12)
    assert found["risk of re-identification"]["prosecutor_risk"] == pytest.approx(1 / 3)
    assert found["l-diversity"]["distinct_l"] == 3


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("options", "broken"),
    [
        (("--max-risk", "0.34", "--max-unique-share", "0"), []),
        (("--max-risk", "0.33"), ["the highest risk of a row is 0.333333, above 0.33"]),
        (("--k", "4", "--max-risk", "0.2"), ["the smallest class has 3 rows", "the highest risk of a row is 0.333333"]),
        (("--sensitive", "note", "--l", "4", "--k", "4"), ["the smallest class has 3 rows", "l"]),
    ],
)
def test_limits_are_broken_with_1(kanon: Kanon, people: Path, options: tuple[str, ...], broken: list[str]) -> None:
    done = kanon("audit", "people.csv", *QI, *options, "--json")
    found = json.loads(done.stdout)
    assert done.returncode == (1 if broken else 0)
    assert found["holds"] is not bool(broken)
    assert len(found["broken"]) == len(broken)
    assert all(begin in told for begin, told in zip(broken, found["broken"], strict=True))
    assert all(each in done.stderr for each in found["broken"])


@pytest.mark.parametrize(
    ("options", "verdict"),
    [
        ((), "no threshold is set; hint: pass --k 5 for a verdict"),
        (("--k", "3", "--max-risk", "0.5"), "PASS: --k 3, --max-risk 0.5"),
        (("--k", "4"), "FAIL: the smallest class has 3 rows, fewer than k = 4"),
    ],
)
def test_the_first_line_is_the_verdict_and_risks_are_percentages(
    kanon: Kanon, people: Path, options: tuple[str, ...], verdict: str
) -> None:
    lines = kanon("audit", "people.csv", *QI, *options).stdout.splitlines()
    assert lines[0] == verdict
    assert "prosecutor_risk 33.3 %" in [" ".join(line.split()) for line in lines]


@pytest.mark.everything
def test_known_rows_of_a_person(kanon: Kanon, folder: Path) -> None:
    (folder / "visits.csv").write_text("token,sex,ward\n1,f,eye\n1,f,skin\n2,f,eye\n2,f,skin\n3,f,eye\n3,f,heart\n")
    audit = ("audit", "visits.csv", "--qi", "sex,ward", "--per", "token", "--json", "--k", "2", "--known-rows")
    one, two = kanon(*audit, "1"), kanon(*audit, "2")
    assert (one.returncode, two.returncode) == (1, 1)  # only one person was in the ward for hearts
    assert json.loads(two.stdout)["any 2 known rows of a person"] == {
        "people": 3,
        "fewest_candidates": 1,
        "people_below": 1,
        "people_below_next": 1,
        "own_columns": ["sex"],
    }
    assert "any 2 rows of a person match only 1 person, fewer than k = 2" in two.stderr
    (folder / "visits.csv").write_text("token,sex,ward\n1,f,eye\n1,f,skin\n2,f,eye\n2,f,skin\n")
    done = kanon(*audit[:-4], "--k", "2", "--known-rows", "2")
    assert done.stdout.startswith("PASS: --k 2, --known-rows 2")
    assert kanon("audit", "visits.csv", "--known-rows", "2").returncode == 3


def test_unique_rows(kanon: Kanon, people: Path) -> None:
    done = kanon("audit", "people.csv", "--qi", "note", "--max-unique-share", "0.5")
    assert done.returncode == 1
    assert "the share of unique rows is 1, above 0.5" in done.stderr


@pytest.mark.parametrize("arguments", [("nowhere.csv", *QI), ("people.csv", "--qi", "nobody"), ("people.xyz", *QI)])
def test_what_cannot_be_measured_is_3(kanon: Kanon, people: Path, arguments: tuple[str, ...]) -> None:
    assert kanon("audit", *arguments, "--k", "2").returncode == 3


def test_an_empty_table_breaks_nothing(kanon: Kanon, folder: Path) -> None:
    (folder / "empty.csv").write_text("zip,age\n")
    done = kanon("audit", "empty.csv", *QI, "--k", "5", "--max-risk", "0", "--max-unique-share", "0", "--json")
    assert (done.returncode, json.loads(done.stdout)["holds"]) == (0, True)


@pytest.mark.everything
def test_the_population_is_a_file_or_a_share(kanon: Kanon, folder: Path) -> None:
    (folder / "sample.csv").write_text("zip,age\n1,20\n1,20\n2,\n3,30\n")
    (folder / "census.csv").write_text("zip,age\n" + "1,20\n" * 5 + "2,40\n2,50\n3,30\n3,30\n3,30\n")
    done = kanon("audit", "sample.csv", "--qi", "zip,age", "--population", "census.csv", "--fraction", "0.4", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    risk = json.loads(done.stdout)["risk of re-identification"]
    assert (risk["prosecutor_risk"], risk["journalist_risk"]) == (1, 0.5)
    assert risk["population_uniques"] == pytest.approx(2.5, abs=1.5)
    plain = json.loads(kanon("audit", "sample.csv", "--qi", "zip,age", "--json").stdout)["risk of re-identification"]
    assert plain["journalist_risk"] == 1
    assert not [name for name in plain if name.startswith("population")]
    (folder / "census.csv").write_text("zip,age\n1,20\n")
    done = kanon("audit", "sample.csv", "--qi", "zip,age", "--population", "census.csv")
    assert done.returncode == 3
    assert "2 classes match no row of the population" in done.stderr
