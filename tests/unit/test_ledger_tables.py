"""The audit of published tables: what they prove together, in words and in figures."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import duckdb
import pytest

from kanon_sql.engines.ledger.audit import audit_tables
from kanon_sql.errors import PolicyError, SourceError
from kanon_sql.model.published_table import PublishedRow, PublishedTable
from kanon_sql.solvers.budget import UNLIMITED, Budget

ADULT = Path(__file__).resolve().parent.parent.parent.parent / "shared" / "data" / "adult_full.csv.gz"


def table(
    number: int, keys: tuple[str, ...], rows: dict[tuple[str | None, ...], int | None], **others: object
) -> PublishedTable:
    """Return a table; None is a suppressed count."""
    published = tuple(
        PublishedRow(keys=labels, lower=1 if count is None else count, upper=count, suppressed=count is None)
        for labels, count in rows.items()
    )
    return PublishedTable(number=number, name=f"{number}.csv", keys=keys, rows=published, **others)  # type: ignore[arg-type]


@pytest.mark.skipif(not ADULT.exists(), reason="the table Adult is not there")
def test_five_tables_that_are_safe_alone_give_eight_groups_away() -> None:
    tables, shown = [], {}
    for number, age in enumerate((18, 25, 30, 40, 45), start=1):
        query = f"SELECT education, sex, count(*) FROM '{ADULT}' WHERE age >= {age} GROUP BY ALL"
        with duckdb.connect() as con:
            rows = {(education, sex): count for education, sex, count in con.execute(query).fetchall()}
        assert len(rows) == 32
        assert min(rows.values()) >= 5
        tables.append(table(number, ("education", "sex"), rows, condition=f"age >= {age}"))
        shown[age] = rows
    expected = {
        (labels, one, other): shown[one][labels] - shown[other][labels]
        for labels in shown[18]
        for one, other in product(shown, repeat=2)
        if one < other and 1 <= shown[one][labels] - shown[other][labels] <= 4
    }
    found = audit_tables(tables, 5, UNLIMITED)
    assert len(expected) == 8
    assert sorted((each.least, each.most) for each in found.findings) == sorted((count, count) for count in expected.values())
    assert {(each.chain[0].keys, len(each.chain)) for each in found.findings} == {(labels, 2) for labels, _, _ in expected}
    assert not found.undecided


def test_a_finding_is_told_with_its_chain() -> None:
    found = audit_tables(
        [table(1, ("age",), {("10-19",): 61, (None,): 200}), table(2, ("age",), {("10-19",): 60}, condition="age >= 15")],
        5,
        UNLIMITED,
    )
    (finding,) = found.findings
    assert finding.text == "age 10-19: 61 (table 1), of these age 15 to 19: 60 (table 2). One person: age 10 to 14."
    assert [link.sign for link in finding.chain] == [1, -1]
    assert not found.holds
    assert found.to_dict()["findings"][0]["chain"][0]["keys"] == ["10-19"]
    assert "1 proven" in repr(found)


def test_a_small_count_is_a_finding_by_itself() -> None:
    found = audit_tables([table(1, ("sex",), {("F",): 3, ("M",): 40})], 5, UNLIMITED)
    assert [(each.kind, each.least, each.most) for each in found.findings] == [("shown", 3, 3)]


def test_a_suppressed_row_follows_from_the_total() -> None:
    rows = {("F",): None, ("M",): 40, (None,): 43}
    (finding,) = audit_tables([table(1, ("sex",), rows)], 5, UNLIMITED).findings
    assert (finding.group, finding.least, finding.most) == ("sex F", 3, 3)


def test_two_suppressed_rows_hide_each_other() -> None:
    rows = {("F",): None, ("M",): 40, ("X",): None, (None,): 60}
    assert audit_tables([table(1, ("sex",), rows)], 5, UNLIMITED).holds


def test_a_table_that_leaves_rows_out_does_not_add_up() -> None:
    rows = {("F",): None, ("M",): 40, (None,): 46}
    assert [each.group for each in audit_tables([table(1, ("sex",), rows)], 10, UNLIMITED).findings][:1]
    found = audit_tables([table(1, ("sex",), rows, absent=True)], 10, UNLIMITED)
    assert {(each.group, each.least, each.most) for each in found.findings} == {
        ("sex F", 1, 6),
        ("sex other than M", 6, 6),
    }


def test_the_complement_of_a_condition_nobody_can_read() -> None:
    tables = [
        table(1, ("sex",), {("F",): 50}),
        table(2, ("sex",), {("F",): 48}, condition="is_ill(id)"),
        table(3, ("sex",), {("F",): None}, condition="NOT IS_ILL( id )"),
    ]
    found = audit_tables(tables, 5, UNLIMITED).findings
    assert [(each.group, each.least, each.most) for each in found] == [
        ("sex F, (IS_ILL(id)) IS NOT TRUE", 2, 2),
        ("sex F, NOT (IS_ILL(id))", 1, 2),
    ]


def test_labels_of_two_systems_are_not_compared() -> None:
    """Nobody knows which countries a region has: that they add up to less proves nothing."""
    one = table(1, ("place",), {("north",): 30, ("south",): 30})
    other = table(2, ("place",), {("A",): 28, ("B",): 31})
    assert audit_tables([one, other], 5, UNLIMITED).holds


def test_states_are_different_people() -> None:
    one = table(1, ("sex",), {("F",): 30}, state="January")
    other = table(2, ("sex",), {("F",): 31}, state="February")
    found = audit_tables([one, other], 5, UNLIMITED)
    assert (found.findings, found.contradictions) == ((), ())
    assert found.undecided == ("people who joined or left between January and February",)
    assert not found.holds  # nobody has looked at them


def test_a_table_without_a_state_is_a_state_of_its_own() -> None:
    tables = [table(1, ("sex",), {("F",): 31}), table(2, ("sex",), {("F",): 30}, state="February")]
    found = audit_tables(tables, 5, UNLIMITED)
    assert found.findings == ()
    assert found.undecided == ("people who joined or left between no state and February",)


def test_rows_that_contradict_each_other_prove_nothing() -> None:
    tables = [table(1, ("sex",), {("F",): 30, ("M",): 3}), table(2, ("sex",), {("F",): 31})]
    found = audit_tables(tables, 5, UNLIMITED)
    assert len(found.contradictions) == 1
    assert [each.group for each in found.findings] == ["sex M"]
    assert not found.holds


def test_what_time_did_not_suffice_for_is_undecided() -> None:
    rows = {(str(one), str(other)): (None if (one + other) % 3 else 12) for one in range(6) for other in range(6)}
    rows |= {(str(one), None): 40 for one in range(6)} | {(None, str(other)): 40 for other in range(6)}
    found = audit_tables([table(1, ("a", "b"), rows)], 5, Budget(seconds=0.0))
    assert found.undecided
    assert not found.holds


def test_mistakes_are_named() -> None:
    with pytest.raises(PolicyError, match=r"condition of the table 1\.csv cannot be read; hint: "):
        audit_tables([table(1, ("sex",), {("F",): 3}, condition="age >=")], 5, UNLIMITED)
    with pytest.raises(SourceError, match="too many digits; hint: "):
        audit_tables([table(1, ("sex",), {("F",): 1 << 50})], 5, UNLIMITED)
