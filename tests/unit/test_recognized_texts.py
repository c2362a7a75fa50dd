"""Texts are recognized by their forms; figures, dates, zip codes and short codes are not taken for numbers of people."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import duckdb
import pytest
import recognized_texts

import kanon_sql
from kanon_sql.recognition import Recognized, recognized

COLUMNS = recognized_texts.columns()
UNNAMED = "c1"


@pytest.mark.parametrize(("kind", "written"), COLUMNS, ids=str)
def test_texts_are_what_they_look_like(kind: str | None, written: str) -> None:
    found = recognized(UNNAMED, COLUMNS[kind, written])
    assert (None if found is None else found.kind) == kind
    assert found is None or found.role == ("quasi-identifier" if kind == "date" else "identifier")


def test_nineteen_texts_say_nothing() -> None:
    texts = [f"u{number}@example.org" for number in range(20)]
    assert recognized(UNNAMED, texts[:19]) is None
    assert recognized(UNNAMED, [*texts[:19], None, "*", ""]) is None
    assert recognized(UNNAMED, texts) is not None


def test_four_of_five_texts_have_to_look_so() -> None:
    texts = [f"u{number}@example.org" for number in range(80)]
    assert recognized(UNNAMED, [*texts, *["unknown"] * 20]) is not None
    assert recognized(UNNAMED, [*texts, *["unknown"] * 21]) is None


def test_values_that_repeat_are_recognized() -> None:
    found = recognized(UNNAMED, ["ann@example.org", "bob@example.org"] * 500)
    assert found is not None
    assert found.kind == "e-mail address"


def test_a_checksum_needs_ten_different_numbers() -> None:
    numbers = [text for text in COLUMNS["national number", "Netherlands"] if text and text.isdigit()]
    assert recognized(UNNAMED, [*set(numbers)][:9] * 10) is None
    assert recognized(UNNAMED, [*set(numbers)][:10] * 10) is not None


def test_texts_of_their_own_form_decide_before_the_name() -> None:
    texts = COLUMNS["e-mail address", "plain"]
    for name in ("city", "diagnosis", "patient_id", "remarks"):
        found = recognized(name, texts)
        assert found is not None
        assert (found.kind, found.reason) == ("e-mail address", "looks like e-mail")


@pytest.mark.parametrize("name", ["diagnosis", "job", "c1"])
def test_free_text_under_any_name_is_an_identifier(name: str) -> None:
    found = recognized(name, COLUMNS["free text", "notes"])
    assert found is not None
    assert (found.role, found.kind) == ("identifier", "free text")


@pytest.mark.parametrize("name", ["city", "county"])
def test_places_are_no_names(name: str) -> None:
    found = recognized(name, ["Santa Maria", "Thomas Hill", "Martin County"] * 20)
    assert found is not None
    assert found.role == "quasi-identifier"


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("phone", ["yes", "no"]),
        ("patient", ["0", "1", "1"]),
        ("email", ["true", "false", None]),
        ("Note", ["1.3", "2.7", "5", "1.0"]),
        ("lat", ["low", "high", "low"]),
    ],
)
def test_texts_may_contradict_a_name(name: str, texts: list[str | None]) -> None:
    assert recognized(name, texts) is None


@pytest.mark.sweep
@pytest.mark.parametrize("texts", [["a", "b", "c"] * 20, ["pending", "done", None], ["12", "none"] * 20, []])
def test_a_note_is_free_text_however_short_and_few_its_texts_are(texts: list[str | None]) -> None:
    assert recognized("note", texts) == Recognized(role="identifier", kind="free text", reason="by its name")
    with kanon_sql.register(duckdb.connect()) as con:
        con.execute("CREATE TABLE t (note VARCHAR)")
        con.executemany("INSERT INTO t VALUES (?)", [[text] for text in [*texts, None]])
        assert con.execute("SELECT role, reason FROM profile('t')").fetchall() == [("identifier", "by its name")]


def test_a_name_needs_no_texts() -> None:
    assert recognized("surname", []) == Recognized(role="identifier", kind="name", reason="by its name")
    assert recognized("surname", [None, "*"]) == recognized("surname", ["Smith", "Smith"]) == recognized("surname", [])


@pytest.mark.everything
def test_nothing_recognized_holds_a_text() -> None:
    for texts in COLUMNS.values():
        assert not any(text in repr(recognized(UNNAMED, texts)) for text in texts if text and len(text) > 5)


NO_IDENTIFIERS = {"adult_full": set(), "adult_arx": set(), "cmc": set(), "us_zipcodes": set(), "us_counties_nodes": {"name"}}
"""Tables of people and places, and the columns that are identifiers. The name of a county reads like one of a person."""


@pytest.mark.sweep
@pytest.mark.parametrize("table", NO_IDENTIFIERS)
def test_tables_of_people_without_names_have_no_identifiers(table: str, data: Path) -> None:
    with gzip.open(data / f"{table}.csv.gz", "rt", encoding="utf-8", newline="") as file:
        head, *rows = list(csv.reader(file))
    step = max(1, len(rows) // 1000)
    for place, name in enumerate(head):
        found = recognized(name, [row[place] for row in rows[::step]])
        assert (found is not None and found.role == "identifier") == (name in NO_IDENTIFIERS[table]), name
        unnamed = recognized(UNNAMED, [row[place] for row in rows[::step]])
        assert unnamed is None, name
