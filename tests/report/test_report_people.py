"""The page counts people: its verdict, its first screen, and what was left open."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from dataclasses import replace
from html import unescape
from pathlib import Path

import people_tables
import pyarrow as pa
import pyarrow.csv as csv
import pytest
from click.testing import CliRunner
from page_reader import assert_sound

import kanon_sql
from kanon_sql.cli import main as kanon
from kanon_sql.errors import PolicyError
from kanon_sql.report import report

QI = ["zip", "sex"]


def visits(people: int = 150) -> pa.Table:
    """Return visits of patients, who have one to nine each."""
    draw = random.Random(3)
    rows = []
    for number in range(people):
        own = {"patient_id": f"P{number:04}", "surname": draw.choice(["Miller", "Weber", "Brown"])}
        own |= {"born": draw.randint(1930, 2010), "zip": draw.choice("123"), "sex": draw.choice("FM")}
        rows += [own | {"diagnosis": draw.choice(["flu", "gout", "ulcer"])} for _ in range(draw.randint(1, 9))]
    draw.shuffle(rows)
    return pa.Table.from_pylist(rows)


def banner(html: str) -> tuple[str, str, str]:
    assert_sound(html)
    ((colour, headline),) = re.findall(r'<div class="verdict (\w+)" role="status">\s*<strong>(.*?)</strong>', html)
    return colour, headline, html[html.index('<div class="verdict') :].partition("</div>")[0]


def first_screen(html: str) -> dict[str, str]:
    return {name: text for name, (text,) in assert_sound(html).table("Key facts for the decision").pairs.items()}


def people_of_classes(source: pa.Table, release: pa.Table) -> list[int]:
    """Count the people of each class; the rows of both tables are in one order."""
    classes = defaultdict(set)
    for row, shown in zip(source.to_pylist(), release.to_pylist(), strict=True):
        classes[tuple(shown[name] for name in QI)].add(row["patient_id"])
    return list(map(len, classes.values()))


@pytest.mark.everything
def test_the_first_screen_says_of_how_many_people() -> None:
    source = visits()
    table = source.drop_columns(["surname", "born"])
    release = kanon_sql.anonymize(
        table, k=30, quasi_identifiers=QI, per="patient_id", sensitive="diagnosis", l=2, row_order="source"
    )
    html = report(source, release, title="Visits", recipient="University", purpose="A study")
    fewest = min(people_of_classes(table, release.table))
    colour, headline, told = banner(html)
    assert (colour, headline) == ("kept", "The guarantee is kept.")
    assert f"Rows that share their quasi-identifiers belong to at least {fewest} people." in told
    assert f"finds the right person with a chance of at most {1 / fewest:.1%}" in told
    shown = first_screen(html)
    assert list(shown) == [
        *("released", "people", "purpose", "recipient", "guarantee", "an attacker who targets one person", "open questions"),
    ]
    assert shown["people"] == f"150 people in {source.num_rows} rows; patient_id identifies them"
    assert "left out: patient_id, surname, born" in shown["released"]
    assert f"smallest class: {fewest} people; no class has fewer than " in shown["guarantee"]
    assert release.certificate.smallest_class_people == fewest > 30
    claims = assert_sound(html).table("Claims that were counted again").pairs
    assert claims["people of the smallest class"] == [str(fewest), str(fewest), "✓ yes"]
    assert (
        f"picks the right person with a probability of at most {1 / fewest:.1%}" in shown["an attacker who targets one person"]
    )
    assert "diagnosis is bounded by l(diagnosis) &gt;= 2" in html
    risk = assert_sound(html).table("Risk before and after").pairs
    assert risk["people"] == ["150", "150"]
    assert risk["people of the smallest class"][1] == f"{fewest} people"
    sizes = people_of_classes(table, table)
    assert risk["people of the smallest class"][0] == str(min(sizes))
    assert "Why this release is safe" not in html
    assert "What this release guarantees, and what it does not" in html


@pytest.mark.everything
def test_rows_of_too_few_people_are_red_and_an_open_unit_is_amber() -> None:
    table = visits().drop_columns(["surname", "diagnosis"])
    shown = report(table, table, quasi_identifiers=QI, k=2)
    rows = table.group_by(QI).aggregate([([], "count_all")])["count_all"].to_pylist()
    fewest = min(people_of_classes(table, table))
    assert min(rows) > fewest + 1
    red = report(table, table, quasi_identifiers=QI, k=fewest + 1)
    assert banner(red)[:2] == ("broken", f"The guarantee is broken: a class has rows from fewer than {fewest + 1} people.")
    released = table.drop_columns(["patient_id", "born"])
    amber = report(table, released, quasi_identifiers=QI, k=2)
    assert banner(amber)[:2] == (
        "caution",
        "Caution: the guarantee is kept, but it counts rows, not people: people have several.",
    )
    assert "not settled: patient_id suggests 150 people in" in first_screen(amber)["people"]
    assert "what a row is: patient_id repeats people" in first_screen(amber)["open questions"]
    assert "nothing bounds this probability" in amber
    assert "a chance of at most" not in amber + shown


def test_two_columns_that_repeat_people_are_joined_in_the_remedy() -> None:
    source = pa.table(people_tables.namesakes(1))
    amber = report(source, source.drop_columns(["first_name", "surname"]), quasi_identifiers=["zip", "age", "sex"], k=5)
    assert "first_name and surname repeat people together: rows that share both values agree on zip, age and sex." in amber
    assert "PER one column that joins both" in amber


def test_people_that_the_two_tables_do_not_show_are_not_counted() -> None:
    """A class without values may have rows of anybody: nothing shows that it has those of k people."""
    table = visits()
    shown = {name: [None if n < 40 else cell for n, cell in enumerate(table[name].to_pylist())] for name in QI}
    release = pa.table(shown | {"diagnosis": table["diagnosis"]})
    html = report(table, release, quasi_identifiers=QI, k=15, per="patient_id")
    fewest = first_screen(html)["guarantee"]
    assert re.search(r"smallest class: \d+ to \d+ people, by the rows of the source that may be theirs", fewest)
    assert banner(html)[:2] == ("caution", "The part of the guarantee that was counted holds.")
    assert "k >= 15 PER patient_id: not counted" in fewest


@pytest.mark.everything
def test_the_certificate_states_what_the_two_tables_do_not_show() -> None:
    """A suppressed cell may be anybody's, so the tables only bound the people of a class."""
    draw, rows = random.Random(4), []
    for number in range(90):
        own = {"patient_id": number, "zip": draw.choice("1111222234567"), "sex": draw.choice("FM")}
        rows += [own | {"diagnosis": draw.choice(["flu", "gout"])} for _ in range(draw.randint(1, 9))]
    table = pa.Table.from_pylist(rows)
    release = kanon_sql.anonymize(table, k=10, quasi_identifiers=QI, per="patient_id", row_order="source")
    fewest = min(people_of_classes(table, release.table))
    html = report(table, release)
    stated = f"smallest class: {fewest} people, counted when the release was made; no class has fewer than "
    assert stated in first_screen(html)["guarantee"]
    assert f"with a probability of at most {1 / fewest:.1%}" in first_screen(html)["an attacker who targets one person"]
    claims = assert_sound(html).table("Claims that were counted again").pairs
    assert re.fullmatch(rf"\d to {fewest}", claims["people of the smallest class"][1])
    older = replace(release, certificate=replace(release.certificate, smallest_class_people=None))
    assert "smallest class: at least 10 people, counted when" in first_screen(report(table, older))["guarantee"]
    forged = replace(release, certificate=replace(release.certificate, smallest_class_people=fewest + 1))
    assert banner(report(table, forged))[:2] == ("broken", "The guarantee is broken.")


@pytest.mark.everything
def test_names_that_repeat_are_amber() -> None:
    draw = random.Random(8)
    source = pa.table({name: [draw.choice(each) for _ in range(300)] for name, each in (("surname", "ABCDEF"), ("zip", "123"))})
    release = source.set_column(1, "zip", pa.array([None if cell == "1" else cell for cell in source["zip"].to_pylist()]))
    html = report(source, release, quasi_identifiers=["zip"], k=5)
    colour, headline, told = banner(html)
    assert (colour, headline) == ("caution", "Caution: the guarantee is kept, but a released column looks like an identifier.")
    assert "surname looks like an identifier of people." in told
    assert "surname looks like an identifier of people (by its name). Remove it, or release it on purpose" in html
    kept = report(source, release, quasi_identifiers=["zip"], k=5, keep=["surname"])
    assert banner(kept)[0] == "caution"
    assert "The policy permits this: KEEP lists it." in kept
    assert "identifiers released on purpose (KEEP): surname" in first_screen(kept)["open questions"]


@pytest.mark.everything
def test_a_row_that_is_a_person_by_decree_is_named() -> None:
    table = visits().drop_columns(["surname"])
    release = kanon_sql.anonymize(table.drop_columns(["patient_id", "born"]), k=5, quasi_identifiers=QI, per_row=True)
    html = report(table, release)
    shown = first_screen(html)
    assert "the policy says PER ROW, so each row is a person, although patient_id repeats people" in shown["people"]
    assert "PER ROW: the author states that each row is a person" in unescape(shown["open questions"])
    assert "k >= 5 PER ROW" in shown["guarantee"]
    with pytest.raises(PolicyError, match="the certificate already defines what a row is"):
        report(table, release, per="patient_id")


@pytest.mark.everything
def test_the_command_counts_people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table = visits().drop_columns(["surname"])
    csv.write_csv(table, "visits.csv")
    csv.write_csv(table.drop_columns(["patient_id", "born"]), "released.csv")
    asked = ["report", "visits.csv", "released.csv", "-o", "page.html", "--qi", ",".join(QI), "--force"]
    done = CliRunner().invoke(kanon, [*asked, "--k", "2"])
    assert (done.exit_code, "patient_id repeats people" in done.stderr) == (0, True)
    done = CliRunner().invoke(kanon, [*asked, "--k", "40", "--per", "patient_id"])
    assert (done.exit_code, "the release breaks its guarantee" in done.stderr) == (1, True)
    done = CliRunner().invoke(kanon, [*asked, "--k", "2", "--per-row"])
    assert (done.exit_code, "patient_id repeats" in done.stderr) == (0, False)
