"""Whom the rows of a table describe, in the studio: the first policy, what an attacker finds, counts, and ways out."""

from __future__ import annotations

import csv
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import kanon_sql
from kanon_sql.engines.duckdb.files.places import Place
from kanon_sql.errors import KanonError
from kanon_sql.report.unit import unit_text
from kanon_sql.studio.counts import CountForm, unit
from kanon_sql.studio.draft import IDENTIFIER, NONE, PERSON, Draft
from kanon_sql.studio.hand_over import report_of
from kanon_sql.studio.look import attacker, look, suppressed_by
from kanon_sql.studio.plain_verdict import tiles
from kanon_sql.studio.run import Run
from kanon_sql.studio.session import Session
from kanon_sql.studio.source import SUGGESTED, K, Source
from kanon_sql.studio.steps import STEPS
from kanon_sql.studio.unit import of_rows
from kanon_sql.studio.ways_out import ways_out


@pytest.fixture
def source(tmp_path: Path) -> Iterator[Source]:
    """Visits of 120 patients."""
    draw = random.Random(2)
    rows = []
    for number in range(120):
        own = {"patient_id": f"P{number:04}", "email": f"p{number}@example.org", "born": draw.randint(1930, 2010)}
        own |= {"zip": draw.choice("123"), "sex": draw.choice("FM")}
        rows += [own | {"diagnosis": draw.choice(["flu", "gout", "ulcer"])} for _ in range(draw.randint(1, 9))]
    draw.shuffle(rows)
    with (tmp_path / "visits.csv").open("w") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    found = Source(Place.of(str(tmp_path / "visits.csv")))
    yield found
    found.close()


def released(source: Source, draft: Draft) -> Run:
    """Run a draft here, not in a process of its own."""
    run = Run(1, "first", draft)
    with kanon_sql.connect() as con:
        con.register(source.name, source.before(f"FROM {source.spelled}"))
        run.rows = con.sql(draft.statement).to_arrow_table()
        run.proof = kanon_sql.releases(con)[-1].to_json()
    return run


def refusal(source: Source, statement: str) -> str:
    with kanon_sql.connect() as con:
        con.register(source.name, source.before(f"FROM {source.spelled}"))
        with pytest.raises(KanonError) as refused:
            con.execute(statement).fetchall()
    return str(refused.value)


def first_draft(source: Source) -> Draft:
    policy, dropped = source.first_policy
    return Draft.of(source.spelled, source.columns, policy, dropped)


@pytest.mark.everything
def test_the_first_policy_counts_people_and_drops_identifiers(source: Source) -> None:
    draft = first_draft(source)
    assert (draft.role("patient_id"), draft.role("email")) == (PERSON, IDENTIFIER)
    assert "k >= 5 PER patient_id" in draft.statement
    assert {"patient_id", "email"}.isdisjoint(released(source, draft).release[1].column_names)


def test_leaving_every_step_does_not_make_rows_people(source: Source) -> None:
    """Whoever only presses Next has said nothing: the engine still refuses rows that repeat people."""
    session = Session()
    session.open(source.place)
    session.draft = first_draft(source).with_role("patient_id", IDENTIFIER)
    for step in STEPS:
        session.confirm(step.path)
    policy = session.draft.policy
    assert (policy.people, policy.per_row) == (None, False)
    assert "patient_id repeats people" in refusal(source, session.draft.statement)
    session.end()


def test_a_table_too_wide_for_a_suggestion_counts_people(source: Source, tmp_path: Path) -> None:
    rows = source.before(f"FROM {source.spelled}")
    for number in range(SUGGESTED):
        rows = rows.append_column(f"answer_{number}", [[hash((number, place)) % 3 for place in range(rows.num_rows)]])
    pq.write_table(rows, tmp_path / "wide.parquet")
    wide = Source(Place.of(str(tmp_path / "wide.parquet")))
    assert wide.suggested is None
    draft = first_draft(wide)
    assert "PER patient_id" in draft.statement
    run = released(wide, draft)
    assert run.release[0].smallest_class_people >= K
    assert {"patient_id", "email"}.isdisjoint(run.release[1].column_names)
    wide.close()


@pytest.mark.everything
def test_an_attacker_finds_people(source: Source) -> None:
    run = released(source, first_draft(source))
    before, after, people = attacker(source, run, ["zip", "sex"])
    classes: dict[tuple[Any, ...], set[Any]] = defaultdict(set)
    for row in source.before(f"FROM {source.spelled}").to_pylist():
        classes[row["zip"], row["sex"]].add(row["patient_id"])
    fewest = run.release[0].smallest_class_people
    assert (before, after, people) == (min(map(len, classes.values())), fewest, True)
    facts = look(source, run)
    assert facts.unit.per == "patient_id"
    assert facts.unit.at_least == fewest >= 5
    html = report_of(source, run)
    assert "120 people in" in html
    assert "removed: patient_id, email" in html


@pytest.mark.everything
def test_values_and_figures_are_those_of_people(source: Source) -> None:
    """A value of one person with many rows is no frequent value, and it singles this person out."""
    rows = source.before(f"FROM {source.spelled}").to_pylist()
    people: dict[str, dict[str, set[str]]] = {name: defaultdict(set) for name in source.columns}
    for row in rows:
        for name, value in row.items():
            people[name][value].add(row["patient_id"])
    assert source.person == "patient_id"
    assert source.alone("patient_id") == {
        name: len(set().union(*(each for each in people[name].values() if len(each) == 1))) for name in source.columns
    }
    assert source.alone(None)["patient_id"] < source.alone("patient_id")["patient_id"] == 120
    for name in source.columns:
        known = {value for value, members in people[name].items() if len(members) >= 5}
        assert {value for value, _ in source.frequent(name, "patient_id")} <= known
    assert source.frequent("email")
    assert source.frequent("email", "patient_id") == []
    assert sum(n for _, n in source.histogram("born", "patient_id")) <= sum(n for _, n in source.histogram("born"))
    run = released(source, first_draft(source))
    shown = {each.value for each in suppressed_by(source, run, "born")}
    assert shown <= {value for value, members in people["born"].items() if len(members) >= 5}
    figures = {tile.name.partition(";")[0]: tile.value for tile in tiles(run.release[0], look(source, run))}
    fewest = run.release[0].smallest_class_people
    assert figures[f"people released, in {len(rows)} rows"] == "120"
    assert figures["people in the smallest class"] == str(fewest)
    assert figures["highest risk of a person"] == f"{1 / fewest:.1%}"
    assert not any("of a row" in name for name in figures)
    by_rows = released(source, first_draft(source).with_role("patient_id", IDENTIFIER).with_rows())
    facts = look(source, by_rows)
    assert unit_text(facts.unit, facts.rows).endswith("although patient_id repeats people")


@pytest.mark.everything
def test_refusals_have_ways_out(source: Source) -> None:
    by = "ANONYMIZE BY zip, sex GUARANTEE k >= 5"
    repeated = refusal(source, f"SELECT zip, sex, diagnosis FROM {source.spelled} {by}")
    assert list(ways_out("patient_id", NONE, repeated)) == [("Count people by patient_id", PERSON)]
    assert list(ways_out("zip", NONE, repeated)) == []
    named = refusal(source, f"SELECT email, zip, sex FROM {source.spelled} {by} PER ROW")
    assert next(role for _, role in ways_out("email", NONE, named)) == IDENTIFIER
    chosen = refusal(source, f"SELECT email, zip FROM {source.spelled} ANONYMIZE BY email, zip GUARANTEE k >= 5 PER ROW")
    assert [label for label, _ in ways_out("email", "quasi-identifier", chosen)] == ["Drop email"]
    draft = first_draft(source)
    assert "k >= 5 PER ROW" in draft.with_rows().statement
    assert draft.with_rows().with_role("patient_id", PERSON).policy.people is not None


def test_a_table_of_counts_settles_what_it_counts(source: Source) -> None:
    form, draft = CountForm(keys=("zip",)), first_draft(source)
    per_row, per_person = draft.with_rows(), draft.with_role("patient_id", PERSON)
    open_one = draft.with_policy(replace(draft.policy, requirements=of_rows(draft.policy, per_row=False)))
    assert "patient_id repeats people" in refusal(source, form.statement(source, open_one.policy))
    assert (unit(open_one.policy), unit(per_row.policy), unit(per_person.policy)) == ("rows", "people", "people")
    assert form.statement(source, per_row.policy).endswith("PROTECT n >= 5 PER ROW")
    counted = form.statement(source, per_person.policy)
    assert re.search(r"count\(DISTINCT patient_id\).*PROTECT n >= 5 PER patient_id", counted, re.S)
    for settled in (counted, form.statement(source, per_row.policy)):
        with kanon_sql.connect() as con:
            con.register(source.name, source.before(f"FROM {source.spelled}"))
            assert con.execute(settled).fetchall()
