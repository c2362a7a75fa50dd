"""`kanon_sql.audit` of a table in which a person has several rows."""

from __future__ import annotations

import random

import people_tables
import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.errors import AuditError
from kanon_sql.model.repetition import RepeatedPeopleError


def visits() -> pa.Table:
    draw = random.Random(11)
    rows = []
    for patient in range(120):
        own = {"patient": patient, "born": draw.randint(1930, 2010), "zip": draw.randint(1, 9), "sex": draw.choice("FM")}
        own |= {"job": draw.choice(["driver", "nurse", "clerk", "cook"])}
        rows += [own | {"cost": draw.random()} for _ in range(draw.randint(1, 8))]
    draw.shuffle(rows)
    return pa.Table.from_pylist(rows)


@pytest.mark.everything
def test_nothing_passes_before_the_unit_is_settled() -> None:
    table = visits()
    open_ = kanon_sql.audit(table, quasi_identifiers=["sex", "zip"])
    assert (open_.settled, open_.people) == (False, None)
    assert open_.warnings[0].startswith("it is not clear whether a row is a person: patient repeats people")
    with pytest.raises(RepeatedPeopleError) as refused:
        kanon_sql.audit(table, quasi_identifiers=["sex"], k=5)
    assert (refused.value.column, refused.value.people, refused.value.rows) == ("patient", 120, table.num_rows)
    assert str(refused.value).endswith("hint: pass per='patient', or per_row=True if each row is a person")
    assert kanon_sql.audit(table, quasi_identifiers=["sex"], k=5, per_row=True).settled


def test_two_columns_that_repeat_people_together_are_both_named() -> None:
    table = pa.table(people_tables.namesakes(1))
    with pytest.raises(
        RepeatedPeopleError, match="it is not clear whether a row is a person: first_name and surname repeat people"
    ) as refused:
        kanon_sql.audit(table, quasi_identifiers=["zip", "age", "sex"], k=5)
    assert (refused.value.column, refused.value.columns) == ("first_name, surname", ("first_name", "surname"))
    assert "first_name || '/' || surname AS person" in str(refused.value)


def test_people_are_counted() -> None:
    table = visits()
    people = {(row["patient"], row["sex"]) for row in table.to_pylist()}
    fewest = min(sum(sex == each for _, sex in people) for each in "FM")
    counted = kanon_sql.audit(table, quasi_identifiers=["sex"], k=fewest, per="patient")
    assert (counted.k, counted.people, counted.settled) == (fewest, 120, True)
    assert counted.highest_risk == pytest.approx(1 / fewest)
    assert f"the smallest of {fewest} people" in repr(counted)
    with pytest.raises(AuditError, match=f"the smallest class has rows of {fewest} people"):
        kanon_sql.audit(table, quasi_identifiers=["sex"], k=fewest + 1, per="patient")
