"""The lab of careless users: its judge finds planted leaks and nothing else, and its user follows errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from benchmarks.careless.advice import ways_out
from benchmarks.careless.generator import table
from benchmarks.careless.judge import Release, judge
from benchmarks.careless.request import Request
from benchmarks.careless.table import Column, Table
from benchmarks.careless.walk import RefusedError, walk

PERSON = np.repeat(np.arange(12), 3)
"""Twelve people with three rows each."""


def visits(**more: list[Any]) -> Table:
    cells: dict[str, tuple[Any, list[Any]]] = {
        "key": ("key", PERSON.tolist()),
        "zip": ("personal", (PERSON // 6).tolist()),
        "drug": ("category", (np.arange(36) % 3).tolist()),
    }
    cells |= {name: ("measure", values) for name, values in more.items()}
    columns = tuple(Column(name, meaning, pa.array(values)) for name, (meaning, values) in cells.items())
    return Table("by hand", "visits", "en", columns, PERSON, keyed=True)


def rules(source: Table, release: Release) -> list[str]:
    return [each.rule for each in judge(source, release, 5)]


def shown(source: Table, *names: str, **changed: list[Any]) -> pa.Table:
    rows = source.arrow.select(list(names))
    for name, cells in changed.items():
        rows = rows.set_column(rows.column_names.index(name), name, pa.array(cells))
    return rows


def test_classes_of_six_people_give_nothing_away() -> None:
    source = visits()
    rows = shown(source, "zip", "drug")
    assert rules(source, Release(rows, ("zip",), seen=("key", "zip", "drug"), ordered=rows)) == []
    assert rules(source, Release(rows, ("zip",), seen=("key", "zip", "drug"))) == []


def test_a_released_key_is_a_value_of_a_person_even_in_one_row() -> None:
    source = visits()
    rows = shown(source, "key", "zip", key=[None] * 35 + [11])
    assert rules(source, Release(rows, ("zip",), seen=("key", "zip"), ordered=rows)) == ["own value"]


@pytest.mark.parametrize("ordered", [True, False])
def test_a_class_of_one_person_with_many_rows_is_found(ordered: bool) -> None:
    source = visits()
    zips = [None] * 30 + [1] * 6
    rows = shown(source, "zip", "drug", zip=zips)
    given = Release(rows, ("zip",), seen=("key", "zip"), ordered=rows if ordered else None)
    assert rules(source, given) == (["class"] if ordered else [])  # six rows agree with those of six people
    keys = [None] * 33 + [11] * 3
    rows = shown(source, "key", "drug", key=keys)
    assert rules(source, Release(rows, ("key",), seen=("key",), ordered=rows if ordered else None)) == ["class"]


def test_a_class_is_lost_if_nothing_that_was_seen_tells_people_apart() -> None:
    source = visits()
    rows = shown(source, "zip", zip=[None] * 30 + [1] * 6)
    assert rules(source, Release(rows, ("zip",), seen=("zip",), ordered=rows)) == ["unwarned"]
    told = "far more rows agree on all columns that describe people than chance explains"
    assert rules(source, Release(rows, ("zip",), seen=("zip",), told=told, ordered=rows)) == ["lost"]


@pytest.mark.parametrize(("share", "rule"), [(11, "limit"), (9, "rare")])
def test_values_of_one_person_have_a_limit_in_a_table_of_50_rows(share: int, rule: str) -> None:
    source = visits(cost=[100 + row if row < share else 0 for row in range(36)])
    rows = shown(source, "zip", "cost")
    assert rules(source, Release(rows, ("zip",), seen=("key",), ordered=rows)) == [rule]
    assert rules(source, Release(rows, ("zip",), sensitive=("cost",), seen=("key",), ordered=rows)) == ["rare"]


def test_columns_are_judged_together() -> None:
    source = visits(a=(PERSON // 4).tolist(), b=(PERSON % 4).tolist())
    rows = shown(source, "zip", "a", "b")
    assert rules(source, Release(rows, ("zip",), seen=("key",), ordered=rows)) == ["together"]
    assert rules(source, Release(rows, ("zip",), seen=("key",), ordered=rows, suggested=True)) == []


def test_counts_are_about_people_not_rows() -> None:
    source = visits()
    rows = pa.table({"key": [None, 3, 4], "n": [36, 3, None]})
    assert rules(source, Release(rows, ("key",), counts="n")) == ["count"]
    assert rules(source, Release(rows.slice(0, 1), ("key",), counts="n")) == []


class Scripted:
    """A surface that gives the errors of a list, then rows."""

    def __init__(self, *texts: str) -> None:
        self.texts, self.asked = list(texts), list[Request]()

    def prepare(self, _table: Table, _random: np.random.Generator, request: Request) -> Request:
        return Request(("zip", "drug"))

    def release(self, source: Table, request: Request) -> Release:
        self.asked.append(request)
        if self.texts:
            raise RefusedError(self.texts.pop(0))
        rows = source.arrow.select(list(request.by))
        return Release(rows, request.by, seen=tuple(source.arrow.column_names), ordered=rows)


def test_the_user_takes_the_first_way_out_but_writes_nothing_on_purpose() -> None:
    surface = Scripted(
        "drug identifies people; hint: name it in KEEP, leave it out of the SELECT, or put it into BY",
        "key repeats people: 12 have 36 rows; hint: write `PER ROW`, or `k >= 5 PER key`",
    )
    walked = walk(surface, visits(), "any")
    assert (walked.released, walked.asked_people, walked.findings) == (True, True, ())
    assert [(each.cut, each.per) for each in surface.asked] == [((), None), (("drug",), None), (("drug",), "key")]


def test_the_user_gives_up_where_nothing_is_offered() -> None:
    walked = walk(Scripted("no release; hint: a smaller k"), visits(), "any")
    assert (walked.released, walked.failed) == (False, False)


@pytest.mark.parametrize(
    ("text", "way", "columns", "option"),
    [
        ("patient_id repeats people; hint: write `k >= 5 PER patient_id`, or `PER ROW`", "per", ["patient_id"], False),
        ("patient_id repeats people; hint: --per patient_id, or --per-row", "per", ["patient_id"], False),
        ("patient_id repeats people; hint: per := 'patient_id', or per_row := true", "per", ["patient_id"], False),
        ("patient_id repeats people; hint: per => 'patient_id', or per_row => true", "per", ["patient_id"], False),
        ("PER_NO (and so does zip); hint: one row per person (ON (PER_NO)), or per := 'PER_NO'", "one row", ["PER_NO"], False),
        ("E-Mail and zip identify; hint: drop => array('E-Mail', 'zip')", "drop", ["E-Mail", "zip"], True),
        ('2 columns: "E-Mail" and zip identify; hint: --drop "E-Mail,zip"', "drop", ["E-Mail", "zip"], True),
        ("zip, id and E-Mail together; hint: leave some of them out of the SELECT", "drop", ["zip", "id"], False),
        ("zip is an e-mail address; nothing was released (leave it out with a view, or name it in qi)", "drop", ["zip"], False),
    ],
)
def test_ways_out_are_read_from_errors(text: str, way: str, columns: list[str], option: bool) -> None:
    first = ways_out(text, ["patient_id", "PER_NO", "E-Mail", "zip", "id", "E"])[0]
    assert (first.way, list(first.columns), first.option) == (way, columns, option)


@pytest.mark.everything
def test_tables_are_those_of_their_seed() -> None:
    drawn = [table(f"t{number}") for number in range(80)]
    assert drawn[7].arrow == table("t7").arrow
    assert {each.kind for each in drawn} == {"visits", "orders", "payroll", "log-ins", "classes", "households", "survey"}
    assert {each.language for each in drawn} == {"en", "de", "fr", "es", "it", "nl", "pt", "pl"}
    assert all(each.single == (each.kind in ("classes", "households", "survey")) for each in drawn)
    assert all(each.people >= 5 and 60 <= len(each.person) <= 3040 for each in drawn)
    assert all(len(set(map(str.casefold, each.arrow.column_names))) == len(each.columns) for each in drawn)
