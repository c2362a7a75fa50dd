"""`kanon audit` where a person has several rows: it counts people, or says that nobody settled what a row is."""

from __future__ import annotations

import csv
import json
import random
from collections import defaultdict
from pathlib import Path

import pytest
from kanon_process import Kanon

QI = ("--qi", "sex,job")


@pytest.fixture
def visits(folder: Path) -> list[dict[str, str]]:
    """Visits of 150 patients, who have one to nine of them."""
    draw = random.Random(5)
    rows = []
    for number in range(150):
        born = f"{draw.randint(1940, 2005)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
        patient = {"patient_id": f"P{number:04}", "born": born, "zip": f"{draw.randint(0, 30):05}"}
        patient |= {"sex": draw.choice("FM"), "job": draw.choice(["driver", "nurse", "clerk"])}
        rows += [patient | {"diagnosis": draw.choice(["flu", "gout", "ulcer"])} for _ in range(draw.randint(1, 9))]
    draw.shuffle(rows)
    with (folder / "visits.csv").open("w") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return rows


def people_of_classes(rows: list[dict[str, str]], *columns: str) -> list[int]:
    """Count the people of each class by the definition."""
    classes = defaultdict(set)
    for row in rows:
        classes[tuple(row[name] for name in columns)].add(row["patient_id"])
    return [len(each) for each in classes.values()]


@pytest.mark.everything
def test_a_table_of_visits_is_open(kanon: Kanon, visits: list[dict[str, str]]) -> None:
    done = kanon("audit", "visits.csv", *QI)
    fact = (
        "it is not clear whether a row is a person: patient_id repeats people: rows that share its value agree "
        "on born, zip, sex and job; "
        f"k would count rows, not people: 150 people have {len(visits)} rows; hint: pass --per patient_id, or "
        "--per-row if each row is a "
        "person"
    )
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, f"OPEN: {fact}")
    done = kanon("audit", "visits.csv", *QI, "--k", "5")
    assert (done.returncode, done.stdout.splitlines()[0]) == (3, f"OPEN: --k 5 holds for rows, but {fact}")
    assert f"error: {fact}" in done.stderr
    found = json.loads(kanon("audit", "visits.csv", *QI, "--k", "5", "--json").stdout)
    assert (found["holds"], found["broken"], found["settled"], found["unit"]) == (False, [], False, "rows")


def test_too_few_rows_are_red_though_the_unit_is_open(kanon: Kanon, visits: list[dict[str, str]]) -> None:
    done = kanon("audit", "visits.csv", "--qi", "zip,sex,job", "--k", "5")
    assert done.returncode == 1
    assert done.stdout.startswith("FAIL: the smallest class has ")


@pytest.mark.everything
@pytest.mark.parametrize("columns", [("sex", "job"), ("zip", "sex")])
def test_people_are_counted(kanon: Kanon, visits: list[dict[str, str]], columns: tuple[str, ...]) -> None:
    classes = people_of_classes(visits, *columns)
    asked = ("audit", "visits.csv", "--qi", ",".join(columns), "--per", "PATIENT_ID", "--json")
    found = json.loads(kanon(*asked).stdout)
    assert (found["settled"], found["unit"]) == (True, "PATIENT_ID")
    sizes, risk = found["k-anonymity"], found["risk of re-identification"]
    assert (sizes["people"], sizes["k"], sizes["largest_class"]) == (150, min(classes), max(classes))
    assert (sizes["rows"], sizes["classes"]) == (len(visits), len(classes))
    assert risk["prosecutor_risk"] == pytest.approx(1 / min(classes))
    assert risk["uniques_share"] == pytest.approx(classes.count(1) / 150)  # nobody here is in two classes
    assert risk["prosecutor_risk_average"] == pytest.approx(len(classes) / 150)
    assert risk["share_above_0_2"] == pytest.approx(sum(size for size in classes if size < 5) / 150)
    holds, fails = kanon(*asked, "--k", str(min(classes))), kanon(*asked, "--k", str(min(classes) + 1))
    assert (holds.returncode, fails.returncode) == (0, 1)
    assert f"the smallest class has rows of {min(classes)} p" in fails.stderr


@pytest.mark.everything
def test_the_verdict_says_what_was_counted(kanon: Kanon, visits: list[dict[str, str]]) -> None:
    assert kanon("audit", "visits.csv", *QI, "--k", "5", "--per", "patient_id").stdout.splitlines()[0] == (
        "PASS: --k 5, counting people by patient_id"
    )
    done = kanon("audit", "visits.csv", *QI, "--k", "5", "--per-row")
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "PASS: --k 5")
    done = kanon("audit", "visits.csv", *QI, "--per", "patient_id", "--max-risk", "0.0001")
    assert "the highest risk of a person is " in done.stderr


def test_people_in_several_classes_have_the_risk_of_the_smallest(kanon: Kanon, folder: Path) -> None:
    (folder / "moves.csv").write_text("id,zip\n1,a\n1,b\n2,a\n3,a\n,b\n")
    found = json.loads(kanon("audit", "moves.csv", "--qi", "zip", "--per", "id", "--json").stdout)
    assert found["k-anonymity"]["k"] == 1  # in b there is only 1, and an empty cell is nobody
    assert found["risk of re-identification"]["prosecutor_risk_average"] == pytest.approx((1 + 1 / 3 + 1 / 3) / 3)


def test_a_column_that_numbers_rows_tells_no_people_apart(kanon: Kanon, visits: list[dict[str, str]], folder: Path) -> None:
    lines = (folder / "visits.csv").read_text().splitlines()
    numbered = [f"visit,{lines[0]}", *(f"{number},{line}" for number, line in enumerate(lines[1:]))]
    (folder / "numbered.csv").write_text("\n".join(numbered) + "\n")
    done = kanon("audit", "numbered.csv", *QI, "--k", "5", "--per", "visit")
    assert done.returncode == 3
    assert "k PER visit would count rows, not people: 150 people have" in done.stderr


def test_what_contradicts_itself(kanon: Kanon, visits: list[dict[str, str]]) -> None:
    done = kanon("audit", "visits.csv", *QI, "--per", "patient_id", "--per-row")
    assert (done.returncode, "per_row means that each row is a person" in done.stderr) == (3, True)
    assert kanon("audit", "visits.csv", *QI, "--per", "patient").returncode == 3
    assert kanon("audit", "visits.csv", *QI, "--per", "patient_id", "--known", "1", "--known-rows", "1").returncode == 3


def test_names_that_repeat_are_named(kanon: Kanon, folder: Path) -> None:
    rows = [f"N{n // 8},{n % 3},{n % 2}" for n in range(240)]
    (folder / "names.csv").write_text("\n".join(["surname,zip,age", *rows]) + "\n")
    done = kanon("audit", "names.csv", "--qi", "zip,age", "--k", "5")
    assert done.returncode == 0
    assert "surname looks like an identifier of people (by its name). It is not a quasi-identifier" in done.stderr


def test_classes_of_a_release_are_no_people(kanon: Kanon, folder: Path) -> None:
    """Each class shows ranges of its own: rows that share one agree on all others, and yet are those of five people."""
    rows = [f"[{n},{n + 4}],b{n * 7 % 40},{n % 9},x{n % 6}" for n in range(40) for _ in range(5)]
    (folder / "release.csv").write_text(
        "\n".join(["born;zip;income;job".replace(";", ","), *(r.replace("[", '"[').replace("],", ']",') for r in rows)])
    )
    done = kanon("audit", "release.csv", "--k", "5")
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "PASS: --k 5")
