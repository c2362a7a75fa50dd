"""The columns of the studio: what the list says of each, recodings in words, counts of labels, advice, and the page."""

from __future__ import annotations

import csv
import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pytest
from axe import axe, violations
from studio.test_studio_browser import browser, studio  # noqa: F401

from kanon_sql.clause import recodings_of
from kanon_sql.engines.duckdb.files.places import Place
from kanon_sql.errors import PolicyError
from kanon_sql.model.recodings import Intervals
from kanon_sql.studio.advice import Adviser
from kanon_sql.studio.column_list import given, harmless, listed, matching
from kanon_sql.studio.draft import IDENTIFIER, KEPT, NONE, PERSON, QUASI_IDENTIFIER, SENSITIVE, Draft
from kanon_sql.studio.preview import SHOWN, Labelled
from kanon_sql.studio.recoding_choices import GROUPS, OTHER, held, start_of, text_of, way_of, ways, words_of
from kanon_sql.studio.source import K, Source

PEOPLE = 1500


def visits() -> list[dict[str, str]]:
    draw = random.Random(11)
    found = []
    for number in range(PEOPLE):
        born = f"{draw.randint(1930, 2009)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
        own = {"patient_id": f"P{number:05}", "birth_date": born, "zip": f"{draw.randint(10000, 10199)}"}
        own |= {"sex": draw.choice("mf"), "job": f"job {draw.randint(1, 45)}"}
        for _ in range(draw.randint(1, 3)):
            day = f"2024-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
            cost = f"{draw.lognormvariate(6, 1):.2f}"
            found.append(
                own | {"visit_date": day, "ward": draw.choice("ABC"), "diagnosis": draw.choice(["flu", "gout"]), "cost": cost}
            )
    draw.shuffle(found)
    return found


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Source]:
    found = Source(Place.of(str(write(tmp_path_factory.mktemp("studio") / "visits.csv", visits()))))
    yield found
    found.close()


def draft_of(source: Source) -> Draft:
    policy, dropped = source.first_policy
    return Draft.of(source.spelled, source.columns, policy, dropped)


def recoding(written: str) -> Any:
    return recodings_of({"column": written})["column"]


def labels_of(value: str) -> dict[str, str]:
    """Return the labels of a date of birth, written once more."""
    return {"Value": value, "By month": value[:7], "By year": value[:4], "By decade": f"{value[:3]}0s"}


@pytest.mark.parametrize("person", [None, "patient_id"])
def test_people_with_a_label_of_their_own_are_counted(source: Source, person: str | None) -> None:
    found = Labelled(source, "birth_date", recoding("INTERVALS (month, year, decade)"), person).preview()
    members: dict[tuple[str, str], set[Any]] = defaultdict(set)
    for number, row in enumerate(source.before(f"FROM {source.spelled}").to_pylist()):
        for name, label in labels_of(row["birth_date"]).items():
            members[name, label].add(number if person is None else row[person])
    for level in found.levels:
        groups = [each for (name, _), each in members.items() if name == level.name]
        assert (level.labels, level.alone) == (len(groups), len(set().union(*(each for each in groups if len(each) == 1))))
    assert found.people == (source.rows if person is None else PEOPLE)
    assert 0 < len(found.rows) <= SHOWN
    for row in found.rows:
        assert all(
            label is None or len(members[level.name, label]) >= K for level, label in zip(found.levels, row, strict=True)
        )


def test_more_values_than_a_sample_are_counted(tmp_path: Path) -> None:
    rows = [{"zip": f"{10000 + n}", "age": n % 90} for n in range(5000)]
    source = Source(Place.of(str(write(tmp_path / "many.csv", rows))))
    found = Labelled(source, "zip", recoding("DIGITS (5, 3)"), None).preview()
    with duckdb.connect() as con:
        con.execute("CREATE TABLE many AS SELECT 10000 + i AS zip FROM range(5000) AS t(i)")
        labels = con.execute("SELECT count(DISTINCT left(zip::VARCHAR, 3)) FROM many").fetchall()[0][0]
    assert [(each.name, each.labels, each.alone) for each in found.levels] == [("Value", 5000, 5000), ("First 3", labels, 0)]
    assert found.rows[0][0] is None
    source.close()


def test_groups_of_the_session_are_read_from_its_folder(source: Source, tmp_path: Path) -> None:
    jobs = [f"job {number}" for number in range(1, 46)]
    (tmp_path / "jobs.csv").write_text("".join(f"{job};{'low' if int(job[4:]) < 9 else 'high'};*\n" for job in jobs))
    found = Labelled(source, "job", recoding("HIERARCHY 'jobs.csv'"), "patient_id", tmp_path).preview()
    assert [(each.name, each.labels) for each in found.levels] == [("Value", 45), ("Level 1", 2)]
    assert {row[1] for row in found.rows} <= {"low", "high"}


@pytest.mark.parametrize(
    ("column", "first"), [("birth_date", "dates"), ("zip", "characters"), ("cost", "widths"), ("job", "suppress")]
)
def test_each_way_is_a_recoding_that_the_statement_reads(source: Source, column: str, first: str) -> None:
    holding = held(source, column)
    offered = ways(column, holding)
    assert offered[0] == first
    draft = draft_of(source).with_role(column, QUASI_IDENTIFIER)
    for way in offered:
        if way == GROUPS:
            continue
        found = start_of(way, holding)
        assert way_of(found) == way != OTHER
        changed = draft.with_column(column, weight=Fraction(2), recoding=text_of(found))
        assert draft.read(changed.statement).policy.quasi_identifiers == changed.policy.quasi_identifiers
        assert words_of(found)
        Labelled(source, column, found, None)  # it suits the values


def test_the_list_says_what_a_column_is(source: Source) -> None:
    draft = draft_of(source)
    columns = listed(source, draft, source.alone("patient_id"), PEOPLE, confirmed=False)
    found = {each.name: each for each in columns}
    assert columns[0].role == NONE
    assert harmless(source, ["ward", "zip"]) == ["ward"]
    assert (found["sex"].looks, found["birth_date"].shown) == ("Sex, by its name", "Date, month or year")
    assert (found["patient_id"].role, found["patient_id"].share) == (PERSON, 1.0)
    assert {each.name for each in matching(columns, "DATE", "")} == {"birth_date", "visit_date"}
    assert [each.name for each in matching(columns, "", SENSITIVE)] == ["diagnosis"]


def test_columns_that_nobody_knows_are_marked_until_the_step_is_left(tmp_path: Path) -> None:
    rows = [{"zip": f"{n % 9}0001", "shoe": f"{n * 37 % 300}"} for n in range(600)]
    source = Source(Place.of(str(write(tmp_path / "shoes.csv", rows))))
    draft = draft_of(source)
    for confirmed in (False, True):
        columns = {each.name: each for each in listed(source, draft, source.alone(None), 600, confirmed=confirmed)}
        assert (columns["shoe"].role, columns["shoe"].left_open) == (IDENTIFIER, not confirmed)
    source.close()


def test_several_columns_get_a_role_at_once(source: Source) -> None:
    draft = draft_of(source)
    kept = given(source, draft, ["ward", "sex", "birth_date"], KEPT)
    assert {kept.role(each) for each in ("ward", "sex", "birth_date")} == {KEPT}
    again = given(source, kept, ["sex", "birth_date"], QUASI_IDENTIFIER)
    recodings = {each.column: each.recoding for each in again.policy.quasi_identifiers}
    assert (recodings["birth_date"], recodings["sex"]) == (Intervals(steps=("month", "year")), None)
    own = draft.with_column("birth_date", weight=Fraction(3), recoding="INTERVALS ONLY (decade)")
    assert given(source, own, ["birth_date", "ward"], QUASI_IDENTIFIER).policy.quasi_identifiers[0].weight == 3
    with pytest.raises(PolicyError, match="choose one column"):
        draft.with_roles(["zip", "sex"], PERSON)


@dataclass
class Released:
    """A run with its rows."""

    draft: Draft
    rows: Any

    @property
    def release(self) -> tuple[None, Any]:
        return None, self.rows


def test_a_column_that_loses_too_much_gets_advice(source: Source) -> None:
    draft = draft_of(source).with_column("birth_date", weight=Fraction(1), recoding="")
    common: dict[str, Any] = {"source": source, "person": "patient_id", "people": PEOPLE}
    advised = {each.column: each for each in Adviser(draft=draft, **common).all()}
    assert advised["birth_date"].why.startswith("Nearly everyone has a value of their own")
    followed = draft.with_column("birth_date", weight=Fraction(1), recoding=advised["birth_date"].recoding)
    assert "birth_date" not in {each.column for each in Adviser(draft=followed, **common).all()}

    # what the last release lost counts more than what is expected
    yearly = draft.with_column("birth_date", weight=Fraction(1), recoding="INTERVALS (month, year)")
    rows = source.before(f"SELECT * REPLACE (NULLIF(birth_date, birth_date) AS birth_date) FROM {source.spelled}")
    advised = {each.column: each for each in Adviser(draft=yearly, runs=[Released(yearly, rows)], **common).all()}  # type: ignore[list-item]
    assert advised["birth_date"].why == "The last release suppressed 100% of its cells."
    assert advised["birth_date"].recoding == "INTERVALS (year, decade)"

    wrong = draft.with_column("job", weight=Fraction(1), recoding="INTERVALS (5, 10)")
    assert any("45 distinct values are not numbers" in each.why for each in Adviser(draft=wrong, **common).all())


def test_the_share_in_small_groups_is_that_of_sql(source: Source) -> None:
    share = Labelled(source, "birth_date", recoding("INTERVALS (year)"), "patient_id").share_below(5, ["sex", "ward"])
    counted = source.con.cursor().execute(
        f"""SELECT coalesce(sum(n) FILTER (n < 5), 0) / sum(n) FROM (
            SELECT count(DISTINCT patient_id) AS n FROM {source.spelled} GROUP BY left(birth_date, 4), sex, ward)"""
    )
    assert share == pytest.approx(counted.fetchone()[0])
    assert 0 < share < 1


@pytest.mark.everything
def test_the_page(browser: Any, tmp_path: Path) -> None:  # noqa: F811
    from playwright.sync_api import expect

    draw = random.Random(5)
    rows = [row | {f"question {n}": f"answer {draw.randint(1, 30)}" for n in range(50)} for row in visits()]
    script = axe()
    with studio(str(write(tmp_path / "visits.csv", rows)), folder=tmp_path) as address:
        tab = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
        errors: list[str] = []
        tab.on("pageerror", lambda error: errors.append(str(error)))
        tab.goto(address)
        tab.goto(address.partition("/?")[0] + "/columns")

        # a role in its row; a change keeps the focus, and the statement is current
        role: Callable[[str], Any] = lambda name: tab.get_by_label(f"Role of {name}", exact=True)  # noqa: E731
        find = tab.get_by_label("Find a column")
        find.fill("sex")
        expect(tab.get_by_label("Choose 1 column", exact=True)).to_be_visible(timeout=30_000)
        role("sex").focus()
        role("sex").select_option("identifier")
        tab.get_by_role("button", name="Undo").and_(tab.locator(":enabled")).wait_for()
        assert tab.evaluate("document.activeElement.ariaLabel") == "Role of sex"
        tab.get_by_text("SQL of this step").click()
        sql = tab.locator("pre.sql")
        expect(sql).not_to_contain_text("sex", timeout=10_000)

        expect(role("sex")).to_have_value("identifier")

        # several at once, and Undo
        find.fill("question 1")
        tab.get_by_label("Choose 11 columns").check()
        tab.get_by_label("Role for 11 columns").select_option("quasi-identifier")
        tab.get_by_role("button", name="Apply").click()
        expect(role("question 1")).to_have_value("quasi-identifier")
        expect(sql).to_contain_text('"question 19"')
        tab.get_by_role("button", name="Undo").click()
        expect(role("question 1")).to_have_value("identifier")

        # what is refused is not shown as done, and says why
        tab.get_by_label("Show the columns with this role").select_option("quasi-identifier")
        find.fill("")
        tab.get_by_label("Choose 4 columns").check()
        tab.get_by_label("Role for 4 columns").select_option("identifier")
        tab.get_by_role("button", name="Apply").click()
        tab.get_by_role("button", name="Dismiss").click()
        expect(role("zip")).to_have_value("quasi-identifier")
        tab.get_by_role("button", name="Clear", exact=True).click()
        tab.get_by_label("Show the columns with this role").select_option("")

        # all that nobody recognized
        tab.get_by_role("button", name="Keep all 50").click()
        expect(tab.get_by_text("were not recognized")).to_have_count(0)
        expect(tab.get_by_text("Left out until you choose")).to_have_count(0)
        find.fill("birth")

        # the sheet: from the value to decades by the preview, and importance
        tab.get_by_role("button", name="Details of birth_date").click()
        expect(tab.get_by_text(f"of {PEOPLE:,} people have a value of their own; by month")).to_be_visible(timeout=20_000)
        tab.get_by_role("checkbox", name="decade").click()
        expect(tab.get_by_role("columnheader", name="By decade")).to_be_visible(timeout=20_000)
        tab.get_by_label("Importance").fill("2")
        tab.get_by_label("Importance").press("Tab")
        expect(tab.get_by_text("2 times as important")).to_be_visible()
        own = violations(tab, script)
        assert own == []
        tab.get_by_role("radio", name="The value, or an empty cell").click()
        tab.keyboard.press("Escape")

        # advice, by one click
        tab.get_by_role("button", name="Use date, month or year").click()
        expect(sql).to_contain_text("birth_date IN INTERVALS (month, year) WEIGHT 2", timeout=20_000)
        assert violations(tab, script) == []
        assert errors == []
    assert (tmp_path / "said").read_text() == ""
