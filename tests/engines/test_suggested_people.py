"""`kanon_sql.suggest` on visits: people are counted, identifiers are out, and what is not recognized is left to somebody."""

from __future__ import annotations

import datetime
import json
import random
from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import combinations
from typing import Any

import people_tables
import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.engines.duckdb.connect.connection import Connection
from kanon_sql.errors import PolicyError
from kanon_sql.model.policy_file import read, written
from kanon_sql.model.repetition import RepeatedPeopleError

JOBS = ("driver", "nurse", "clerk", "cook", "judge", "baker", "pilot", "smith")


def visits(people: int = 300, **more: Any) -> pa.Table:
    """Return visits of people, 3 to 6 of each; ``more`` columns get a function of the person and of the visit."""
    draw, rows = random.Random(11), []
    for person in range(people):
        born = datetime.date(1930, 1, 1) + datetime.timedelta(days=draw.randrange(28_000))
        about = {
            "patient_id": f"P{person:05}",
            "surname": draw.choice(("Smith", "Khan", "Novak", "Rossi")),
            "email": f"u{person}@example.org",
            "born": born.isoformat(),
            "zip": f"{98_000 + draw.randrange(30):05}",
            "sex": draw.choice("FM"),
            "job": draw.choice(JOBS),
        }
        for visit in range(draw.randrange(3, 7)):
            illness = draw.choice(("flu", "asthma", "fracture", "cancer"))
            rows.append(about | {"diagnosis": illness} | {name: value(person, visit) for name, value in more.items()})
    draw.shuffle(rows)
    return pa.Table.from_pylist(rows)


def roles(found: kanon_sql.Suggestion) -> dict[str, str]:
    return {each.column: each.role for each in found.roles}


def test_two_columns_that_repeat_people_together_are_a_note() -> None:
    found = kanon_sql.suggest(pa.table(people_tables.namesakes(1)))
    assert "person" not in roles(found).values()
    assert [note for note in found.notes if note.startswith("first_name, surname tell people apart together")]
    assert "first_name || '/' || surname AS person, and write PER person." in " ".join(found.notes)


@pytest.fixture
def con(shared_clause: Connection) -> Connection:
    return shared_clause


def released(con: Connection, table: pa.Table, found: kanon_sql.Suggestion) -> pa.Table:
    con.raw.register("arrow", table)
    con.raw.execute("CREATE OR REPLACE TABLE visits AS FROM arrow")
    con.raw.unregister("arrow")
    con.execute(found.sql.removesuffix("\n);\n") + ";\n    USING greedy);")
    return con.sql("SELECT * FROM visits ANONYMIZE WITH POLICY suggested").to_arrow_table()


@pytest.mark.everything
def test_people_are_counted_and_identifiers_are_out(con: Connection) -> None:
    table = visits()
    found = kanon_sql.suggest(table, table_as="visits")
    assert roles(found) == {
        "patient_id": "person",
        **dict.fromkeys(("surname", "email"), "identifier"),
        **dict.fromkeys(("born", "zip", "sex", "job"), "quasi-identifier"),
        "diagnosis": "sensitive",
    }
    assert found.notes[0] == (
        "patient_id tells people apart: rows that share it agree on born, zip, sex and job. "
        f"300 people have {table.num_rows:,} rows, and k counts people."
    )
    assert found.policy.policy.requirements[0].describe() == "k >= 5 PER patient_id"
    rows = released(con, table, found)
    assert rows.column_names == ["born", "zip", "sex", "job", "diagnosis"]
    source = table.to_pylist()
    births = defaultdict(set)
    for row in source:
        births[row["born"]].add(row["patient_id"])
    for born in set(rows.column("born").to_pylist()) & births.keys():
        assert len(births[born]) >= 5
    assert kanon_sql.releases(con)[-1].warnings == ()


@pytest.mark.everything
def test_a_date_of_birth_has_decades_if_years_single_out() -> None:
    levels = {each.column: each.recoding for each in kanon_sql.suggest(visits()).roles}
    assert levels["born"] == "INTERVALS (year, decade)"
    draw = random.Random(2)
    few = {"born": [f"19{50 + draw.randrange(2)}-{1 + draw.randrange(12):02}-01" for _ in range(400)], "sex": list("FM") * 200}
    assert next(each.recoding for each in kanon_sql.suggest(pa.table(few)).roles if each.column == "born") == (
        "INTERVALS (month, year)"
    )


@pytest.mark.everything
def test_what_is_not_recognized_has_no_role_until_somebody_gives_one(con: Connection) -> None:
    table = visits(
        trait=lambda person, _: f"t{person % 7}",  # of the person
        floor=lambda person, visit: (person * 5 + visit * 3) % 4,
        reading=lambda person, visit: (person * 31 + visit * 17) % 170,  # many values
        rare=lambda person, visit: int(person == 3 and visit == 0),
        site=lambda *_: "A",
    )
    found = kanon_sql.suggest(table, table_as="visits")
    assert {name: role for name, role in roles(found).items() if name in ("trait", "floor", "reading", "rare", "site")} == {
        **dict.fromkeys(("trait", "reading", "rare"), "undecided"),
        **dict.fromkeys(("floor", "site"), "kept"),
    }
    assert found.undecided == ("trait", "reading", "rare")
    assert "    -- ? trait: IDENTIFIER, BY or KEEP?  (the rows of a person agree on it)\n" in found.sql
    con.raw.register("arrow", table)
    con.raw.execute("CREATE OR REPLACE TABLE visits AS FROM arrow")
    con.raw.unregister("arrow")
    with pytest.raises(
        PolicyError, match='the columns "trait", "reading", "rare" have no role in the policy "suggested"; hint'
    ):
        con.execute(found.sql)
    for ending in (".yaml", ".json"):
        (policy,) = read(written([found.policy], ending, found.questions), f"policy{ending}")
        with pytest.raises(PolicyError, match='"trait", "reading", "rare" have no role'):
            policy.check_columns(table.column_names)


def test_columns_that_are_kept_are_shared_together() -> None:
    draw = random.Random(5)
    table = pa.table({"zip": ["98101", "98102"] * 200} | {f"c{n}": [draw.randrange(4) for _ in range(400)] for n in range(5)})
    found = kanon_sql.suggest(table)
    kept = [name for name, role in roles(found).items() if role == "kept"]
    groups = defaultdict(int)
    for row in zip(*(table.column(name).to_pylist() for name in kept), strict=True):
        groups[row] += 1
    assert 0 < len(kept) < 5
    assert min(groups.values()) >= 20


def test_a_sensitive_column_of_single_values_is_generalized(con: Connection) -> None:
    table = visits(salary=lambda person, _: 20_000 + person * 37, treatment=lambda person, visit: f"plan {person * 7 + visit}")
    found = kanon_sql.suggest(table, table_as="visits")
    assert {name: role for name, role in roles(found).items() if name in ("salary", "treatment")} == {
        "salary": "quasi-identifier",
        "treatment": "undecided",
    }
    assert next(each.recoding for each in found.roles if each.column == "salary") == "INTERVALS (500, 2500)"
    assert "have a value of fewer than" in next(each.reason for each in found.roles if each.column == "salary")


def test_a_household_is_told() -> None:
    draw = random.Random(8)
    rows = []
    for household in range(150):
        about = {"household": f"H{household}", "zip": f"{98_000 + draw.randrange(60):05}", "race": draw.choice("abcd"),
                 "income_class": draw.choice("lmh"), "religion": draw.choice("pqrstuv")}  # fmt: skip
        rows += [about | {"age": draw.randrange(90), "sex": draw.choice("FM"), "job": draw.choice(JOBS)} for _ in range(3)]
    found = kanon_sql.suggest(pa.Table.from_pylist(rows))
    assert found.policy.policy.people is None
    assert roles(found)["household"] == "quasi-identifier"
    assert any(each.startswith("Rows that share household agree on ") for each in found.notes)


@pytest.mark.everything
def test_wide_tables_count_people(con: Connection) -> None:
    draw = random.Random(3)
    names = [f"{word}_{place}" for place in range(7) for word in ("age", "city")][:13]
    rows = []
    for person in range(60):
        about = {name: str(draw.randrange(6)) for name in names}
        rows += [{"patient_id": person} | about] * draw.randrange(3, 6)
    found = kanon_sql.suggest(pa.Table.from_pylist(rows))
    assert [each.describe() for each in found.policy.policy.requirements] == ["k >= 5 PER patient_id FOR ANY 3 COLUMNS"]

    def below(columns: Iterable[str]) -> int:
        classes = defaultdict(list)
        for row in rows:
            classes[tuple(row[name] for name in columns)].append(row["patient_id"])
        return sum(len(each) for each in classes.values() if len(set(each)) < 5)

    two, three = (max(below(chosen) for chosen in combinations(names, size)) / len(rows) for size in (2, 3))
    told = f"For the worst set of 2 columns, {two:.1%} of the rows are in classes of fewer than 5 people"
    assert f"{told}; for the worst set of 3, {three:.1%}." in found.notes


def test_a_date_that_nothing_reads_is_dropped_by_a_rule() -> None:
    dates = [f"2021-05-0{1 + n % 9}{'' if n % 3 else ' at noon'}" for n in range(60)]
    found = kanon_sql.suggest(pa.table({"zip": ["98101"] * 60, "seen": dates}), template="hipaa-safe-harbor")
    assert roles(found)["seen"] == "identifier"


@pytest.mark.everything
@pytest.mark.parametrize("name", ["hipaa-safe-harbor", "gdpr"])
def test_rules_count_people_and_read_texts(con: Connection, name: str) -> None:
    table = visits(
        ageatdx=lambda person, _: str(20 + person % 78),
        seen=lambda person, visit: f"20{10 + person % 9}-0{1 + visit}-1{person % 10}T10:00:0{visit}{'Z' * (visit % 2)}",
        said=lambda person, visit: f"Ann Smith called from 206-555-01{person % 90:02} about visit {visit}",
    )
    found = kanon_sql.suggest(table, template=name, table_as="visits")
    told = {each.column: (each.role, each.recoding) for each in found.roles}
    assert told["patient_id"] == ("person", None)
    assert told["said"] == ("identifier", None)
    assert (told["ageatdx"][1] or "").endswith("TOP 90")
    assert (told["seen"][1] or "").startswith("INTERVALS ONLY")
    assert found.policy.policy.people == kanon_sql.People(k=1 if name == "hipaa-safe-harbor" else 10, per="patient_id")
    rows = released(con, table, found)
    assert not {"said", "patient_id"} & {*rows.column_names}
    assert max(len(each or "") for each in rows.column("seen").to_pylist()) <= 7
    ages = {each for each in rows.column("ageatdx").to_pylist() if each and each.isdigit()}
    assert all(int(each) < 90 for each in ages)
    assert json.loads(found.policy.to_json())["identifiers"]


@pytest.mark.everything
def test_a_number_of_a_person_counts_by_its_name_where_little_else_is_known() -> None:
    """Two rows of a customer agree on one personal column, which is no evidence."""
    draw = random.Random(4)
    ages = [str(18 + draw.randrange(60)) for _ in range(80)]
    rows = [{"customer_id": 7 * n, "age": ages[n // 8], "sex": draw.choice("FM")} for n in range(80) for _ in range(3)]
    found = kanon_sql.suggest(pa.Table.from_pylist(rows))
    assert found.policy.policy.requirements[0].describe() == "k >= 5 PER customer_id"
    assert found.notes[0] == "customer_id tells people apart, by its name. 80 people have 240 rows, and k counts people."
    single = kanon_sql.suggest(pa.Table.from_pylist(rows[::3]))
    assert single.policy.policy.people is None
    assert roles(single)["customer_id"] == "identifier"


@pytest.mark.parametrize("make", [people_tables.clinics, people_tables.spellings])
def test_what_is_proposed_is_what_a_release_asks_for(make: Callable[[int], people_tables.Columns]) -> None:
    visits, by = pa.table(make(1)), ["zip", "age", "sex"]
    found = kanon_sql.suggest(visits)
    with pytest.raises(RepeatedPeopleError) as refused:
        kanon_sql.anonymize(visits, 5, quasi_identifiers=by, drop=[name for name in visits.column_names if name not in by])
    person = str(refused.value).partition("such as ")[2].partition(" AS person")[0]
    assert f"{person} AS person, and write PER person." in " ".join(found.notes)
    assert "person" not in roles(found).values()
