"""Whom the rows of a table describe, in the studio: the first policy, what an attacker finds, counts, and ways out."""

from __future__ import annotations

import csv
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import kanon_sql
from kanon_sql.engines.duckdb.places import Place
from kanon_sql.errors import KanonError
from kanon_sql.studio.counts import statement_of
from kanon_sql.studio.draft import IDENTIFIER, NONE, PERSON, Draft
from kanon_sql.studio.hand_over import report_of
from kanon_sql.studio.look import attacker, look
from kanon_sql.studio.run import Run
from kanon_sql.studio.source import Source
from kanon_sql.studio.ways_out import ways_out

pytestmark = [pytest.mark.unlisted, pytest.mark.filterwarnings("ignore::kanon_sql.KanonWarning")]


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


def test_the_first_policy_counts_people_and_drops_identifiers(source: Source) -> None:
    draft = first_draft(source)
    assert (draft.role("patient_id"), draft.role("email")) == (PERSON, IDENTIFIER)
    assert "k >= 5 PER patient_id" in draft.statement
    assert {"patient_id", "email"}.isdisjoint(released(source, draft).release[1].column_names)


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
    assert "left out: patient_id, email" in html


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
    asked = (source.spelled, ["zip"], "with all totals", 5)
    assert "patient_id repeats people" in refusal(source, statement_of(*asked))
    assert statement_of(*asked, per_row=True).endswith("PROTECT n >= 5 PER ROW")
    assert re.search(
        r"count\(DISTINCT patient_id\).*PROTECT n >= 5 PER patient_id", statement_of(*asked, None, "patient_id"), re.S
    )
    for settled in (statement_of(*asked, None, "patient_id"), statement_of(*asked, per_row=True)):
        with kanon_sql.connect() as con:
            con.register(source.name, source.before(f"FROM {source.spelled}"))
            assert con.execute(settled).fetchall()
