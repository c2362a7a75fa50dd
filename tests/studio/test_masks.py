"""Masks by form: what the form makes is what the statement says."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from kanon_sql.errors import PolicyError
from kanon_sql.model.policy import Policy
from kanon_sql.model.recodings import Digits
from kanon_sql.studio.draft import KEPT, QUASI_IDENTIFIER, Draft
from kanon_sql.studio.masks import ALL_OR_NOTHING, ANY, FROM_THE_RIGHT, of_kind, suppressed_columns, with_costs, with_mask

FIRST = Draft.of(
    "patients",
    ("zip", "age", "sex", "cost"),
    Policy.of(k=5, quasi_identifiers=["zip", "age", "sex"], recodings={"zip": Digits(shown=(5, 3))}),
)


def clause(policy: Policy) -> str:
    """Return the line with the masks; the statement with it is read back."""
    draft = FIRST.with_policy(policy)
    assert draft.read(draft.statement) == draft
    return draft.statement.splitlines()[2].removeprefix("ANONYMIZE BY ")


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (ANY, "zip IN DIGITS (5, 3), age, sex"),
        (ALL_OR_NOTHING, "GROUPING SETS ((zip IN DIGITS (5, 3), age, sex), ())"),
        (
            FROM_THE_RIGHT,
            "GROUPING SETS ((zip IN DIGITS (5, 3), age, sex), (zip IN DIGITS (5, 3), age), (zip IN DIGITS (5, 3)), ())",
        ),
    ],
)
def test_masks_to_start_from(kind, said):
    assert clause(of_kind(FIRST.policy, kind)) == said


def test_a_mask_is_added_changed_and_removed():
    policy = with_mask(of_kind(FIRST.policy, ALL_OR_NOTHING), 2, ["age"])
    assert clause(policy).endswith("(), (age))")
    policy = with_mask(policy, 2, ["age", "sex"])
    assert clause(policy).endswith("(), (age, sex))")
    assert with_mask(policy, 2, None) == of_kind(FIRST.policy, ALL_OR_NOTHING)
    with pytest.raises(PolicyError, match="already"):
        with_mask(policy, 3, ["SEX", "age"])
    with pytest.raises(PolicyError):
        with_mask(policy, 3, ["cost"])


def test_levels_of_a_mask_stay():
    text = (
        "FROM patients ANONYMIZE BY GROUPING SETS ((zip IN DIGITS (5, 3), age, sex), (zip IN DIGITS (3), age)) GUARANTEE k >= 5"
    )
    policy = FIRST.read(text).policy
    assert clause(with_mask(policy, 1, ["zip", "sex"])).endswith("(zip IN DIGITS (3), sex))")


def test_costs_of_masks():
    plain = Policy.of(k=5, quasi_identifiers=["zip", "age", "sex"])
    policy = of_kind(plain, FROM_THE_RIGHT)
    policy = with_costs(policy, suppressed_columns(policy))
    assert clause(policy) == "GROUPING SETS ((zip, age, sex) COST 0, (zip, age) COST 1, (zip) COST 2, () COST 3)"
    policy = with_mask(policy, 4, ["age"])
    assert clause(policy).endswith("() COST 3, (age) COST 2)")
    policy = with_costs(policy, [Fraction(5, 2), *(policy.mask_costs or ())[1:]])
    assert clause(with_mask(policy, 1, None)).startswith("GROUPING SETS ((zip, age, sex) COST 5/2, (zip) COST 2,")
    assert clause(with_mask(policy, 1, ["sex"])).startswith("GROUPING SETS ((zip, age, sex) COST 5/2, (sex) COST 1,")
    assert with_costs(policy, None).mask_costs is None
    with pytest.raises(PolicyError):
        with_costs(of_kind(FIRST.policy, ALL_OR_NOTHING), [Fraction(0), Fraction(3)])  # a column is generalized


def test_roles_under_masks():
    draft = FIRST.with_policy(of_kind(FIRST.policy, ALL_OR_NOTHING))
    assert draft.with_role("cost", KEPT).policy.keep == ("cost",)
    for column, role in (("cost", QUASI_IDENTIFIER), ("age", KEPT)):
        with pytest.raises(PolicyError, match="any combination"):
            draft.with_role(column, role)


def test_linked_columns_are_read_back():
    linked = replace(FIRST.policy, linked=(("age", "sex"),))
    draft = FIRST.with_policy(linked)
    assert draft.read(draft.statement) == draft
    assert "LINKED (age, sex)" in draft.statement
    assert draft.with_role("sex", KEPT).policy.linked == ()
