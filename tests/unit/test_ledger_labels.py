"""Labels and conditions of a ledger: which values they have in common, as far as a reader can tell."""

from __future__ import annotations

import pytest

from kanon_sql.clause.condition_sets import parsed_condition
from kanon_sql.errors import PolicyError
from kanon_sql.model.published_table import PublishedRow, PublishedTable
from kanon_sql.solvers.ledger.label_ranges import Scale
from kanon_sql.solvers.ledger.universe import Universe


def universe(*labels: tuple[str, ...], conditions: tuple[str | None, ...] = ()) -> Universe:
    """Return the universe of tables by one key."""
    wanted = [*conditions, *([None] * (len(labels) - len(conditions)))]
    tables = [
        PublishedTable(
            number=number,
            name=f"t{number}",
            keys=("a",),
            rows=tuple(PublishedRow(keys=(label,), lower=1, upper=None) for label in each),
            condition=condition,
        )
        for number, (each, condition) in enumerate(zip(labels, wanted, strict=True), start=1)
    ]
    return Universe.of(tables, [parsed_condition(table.condition, table.name) for table in tables])


def masks(*labels: tuple[str, ...], conditions: tuple[str | None, ...] = ()) -> list[tuple[int, int]]:
    """Return the column and the values of each label."""
    return [row.region[0] for row in universe(*labels, conditions=conditions).rows]


@pytest.mark.parametrize(
    "labels",
    [
        ("10-19", "10 to 19", "10..19", "[10, 20)", "[10, 19]", "(9, 19]", "10 \u2013 19"),
        ("15+", "15 and over", "15 or more", ">= 15", ">=15", "\u226515", "over 14", "> 14"),
        ("<15", "under 15", "< 15", "14 and under", "up to 14", "<= 14", "at most 14"),
        ("2020-01", "2020-01-01 to 2020-01-31", "[2020-01-01, 2020-02-01)"),
        ("2020-Q1", "2020 Q1", "2020-01 to 2020-03"),
        ("2020", "2020-01 to 2020-12"),
    ],
)
def test_labels_of_the_same_range(labels: tuple[str, ...]) -> None:
    assert len({*masks(labels)}) == 1


def test_ranges_are_cut_into_intervals() -> None:
    (_, ten), (_, twenty), (_, over), (_, single) = masks(("10-19", "20-29"), ("15 and over", "17"))
    assert not ten & twenty
    assert ten & over
    assert ten & ~over
    assert twenty & over == twenty
    assert single & ten & over == single


def test_ranges_that_share_an_end_do_not_overlap() -> None:
    (_, one), (_, other) = masks(("10-20", "20-30"))
    assert not one & other


def test_between_fractions_there_are_others() -> None:
    (_, one), (_, other), (_, both) = masks(("0.5-1.5", "2-3", "0.5-3"))
    assert (one | other) != both


def test_a_label_with_stars_contains_longer_ones() -> None:
    (_, outer), (_, inner), (_, other) = masks(("981**", "98101", "97***"))
    assert inner & outer == inner != outer
    assert not other & outer


def test_labels_without_a_common_one_are_two_columns() -> None:
    (one, _), (other, _) = masks(("north",), ("A",))
    assert one != other
    (one, _), _, (other, _) = masks(("north",), ("south", "north"))
    assert one == other


def test_texts_are_not_compared_with_ranges_but_for_no_value() -> None:
    (line, ten), (missing, none), (texts, _) = masks(("10-19", "unknown", "young"))
    assert line == missing != texts
    assert not ten & none


def test_conditions_are_sets_of_values() -> None:
    regions = universe(("F", "M"), ("F",), ("F",), conditions=("a = 'F'", "A <> 'F'", "NOT a IN ('F', 'M')")).conditions
    ((column, women),), ((same, others),), ((_, rest),) = regions
    assert column == same
    assert not women & others
    assert rest & others == rest != others


def test_a_condition_and_its_complement_leave_out_null() -> None:
    found = universe((), (), conditions=("b >= 15", "NOT b >= 15"))
    ((column, over),), ((_, under),) = found.conditions
    assert not over & under
    assert over | under != found.columns[column].full


def test_conditions_that_cannot_be_read_are_true_or_false() -> None:
    one, other, third = universe((), (), (), conditions=("f(x) > 3", "NOT F( X )>3", "g(x)")).conditions
    assert one[0][0] == other[0][0] != third[0][0]
    assert not one[0][1] & other[0][1]


def test_a_conjunction_is_a_box() -> None:
    found = parsed_condition("age >= 15 AND sex = 'F' AND age < 20", "t")
    assert [(part.column, part.text) for part in found] == [("age", "age >= 15 AND age < 20"), ("sex", "sex = 'F'")]


@pytest.mark.parametrize("condition", ["", "age >=", "SELECT 1", "a; b", "x IN (SELECT 1)"])
def test_what_is_not_a_condition_is_refused(condition: str) -> None:
    with pytest.raises(PolicyError, match="the condition of the table t cannot be read; hint: "):
        parsed_condition(condition, "t")


def test_a_date_that_does_not_exist_is_a_text() -> None:
    assert Scale(dates=True).range("2020-02-31") is None
