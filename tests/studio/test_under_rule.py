"""A rule to start from never weakens the statement that it changes."""

from __future__ import annotations

import pytest

from kanon_sql.clause import recodings_of
from kanon_sql.model.policy import Policy
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.requirements import KAnonymity, LDiversity, People, TCloseness
from kanon_sql.studio.draft import Draft
from kanon_sql.studio.under_rule import changes, under_rule

COLUMNS = ("patient_id", "name", "zip", "born", "job", "disease", "note")


def column(name: str, recoding: str | None = None) -> QuasiIdentifier:
    return QuasiIdentifier(column=name, recoding=recodings_of({name: recoding})[name] if recoding else None)


def draft(*requirements: object, dropped: tuple[str, ...] = ("name", "note"), by: tuple[QuasiIdentifier, ...] = ()) -> Draft:
    chosen = by or tuple(map(column, ("zip", "born", "job")))
    policy = Policy(quasi_identifiers=chosen, requirements=requirements)  # type: ignore[arg-type]
    return Draft.of("visits", COLUMNS, policy, dropped)


def rule(k: int = 1, per: str | None = None, **more: object) -> Policy:
    counted = KAnonymity(k=k) if per is None else People(k=k, per=per)
    chosen = (column("zip", "DIGITS (3)"), column("born", "INTERVALS (year)"))
    return Policy(quasi_identifiers=chosen, requirements=(counted, *more.get("requirements", ())))  # type: ignore[misc]


def said(found: Draft) -> list[str]:
    return [each.describe() for each in found.policy.requirements]


@pytest.mark.parametrize(
    ("before", "k", "per", "after"),
    [
        (KAnonymity(k=5), 1, None, "k >= 5"),
        (KAnonymity(k=5), 10, None, "k >= 10"),
        (People(k=5, per="patient_id"), 1, None, "k >= 5 PER patient_id"),
        (KAnonymity(k=5), 1, "patient_id", "k >= 5 PER patient_id"),
        (KAnonymity(k=5, per_row=True), 1, None, "k >= 5 PER ROW"),
        (People(k=5, per="patient_id"), 11, "patient_id", "k >= 11 PER patient_id"),
    ],
)
def test_the_larger_k_counts_and_people_stay(before: object, k: int, per: str | None, after: str) -> None:
    assert said(under_rule(draft(before), rule(k, per), ["name", "patient_id", "note"]))[0] == after


def test_what_tells_people_apart_is_read_and_not_dropped() -> None:
    found = under_rule(draft(People(k=5, per="patient_id")), rule(), ["name", "patient_id"])
    assert found.dropped == ("name", "note")
    assert "patient_id" not in found.query.split("FROM")[0]


def test_other_guarantees_stay_and_the_stricter_number_counts() -> None:
    mine = (LDiversity(sensitive="disease", l=3), TCloseness(sensitive="disease", t="0.5"))
    theirs = (LDiversity(sensitive="disease", l=2), TCloseness(sensitive="disease", t="0.3"))
    found = under_rule(draft(KAnonymity(k=5), *mine), rule(10, requirements=theirs), ["name"])
    assert sorted(said(found)) == ["k >= 10", "l(disease) >= 3", "t(disease) <= 3/10"]


def test_columns_stay_hidden() -> None:
    before = draft(KAnonymity(k=5), by=(column("born", "INTERVALS ONLY (decade)"), column("job"), column("zip")))
    found = under_rule(before, rule(), ["name"])
    levels = {each.column: each.recoding for each in found.policy.quasi_identifiers}
    assert levels == {
        "zip": column("zip", "DIGITS (3)").recoding,
        "born": column("born", "INTERVALS ONLY (decade)").recoding,
        "job": None,
    }
    assert found.dropped == ("name", "note")


def test_what_would_change_is_shown() -> None:
    before = draft(KAnonymity(k=5))
    assert changes(before, before) == []
    assert changes(before, under_rule(before, rule(10), ["name", "job"])) == [
        "- SELECT * EXCLUDE (name, note)",
        "+ SELECT * EXCLUDE (name, job, note)",
        "- ANONYMIZE BY zip, born, job",
        "+ ANONYMIZE BY zip IN DIGITS (3), born IN INTERVALS (year)",
        "- GUARANTEE k >= 5",
        "+ GUARANTEE k >= 10",
    ]
