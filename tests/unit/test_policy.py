"""Policies: what they refuse, and their canonical JSON."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

import kanon_sql
from kanon_sql.errors import KanonError, PolicyError, UnknownColumnError
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_checks import MAX_LISTED_MASKS, MAX_QUASI_IDENTIFIERS
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.requirements import AlphaAnonymity, LDiversity, TCloseness


@pytest.mark.parametrize("k", [0, -1, 2.0, "2", None, True, [2]])
def test_k_is_a_whole_number_of_at_least_one(k: Any) -> None:
    with pytest.raises(PolicyError, match="k must be a whole number of at least 1"):
        Policy.of(k=k, quasi_identifiers=["a"])


def test_k_of_one_is_allowed() -> None:
    assert Policy.of(k=1, quasi_identifiers=["a"]).least_class_size == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"quasi_identifiers": []}, "at least one quasi-identifier"),
        ({"quasi_identifiers": ["a", "b", "a"]}, "twice"),
        ({"quasi_identifiers": ["zip", "ZIP"]}, "twice"),
        ({"quasi_identifiers": [""]}, "column name"),
        ({"quasi_identifiers": [None]}, "column name"),
        ({"quasi_identifiers": [3]}, "column name"),
        ({"quasi_identifiers": "zip"}, "list of names"),
        ({"quasi_identifiers": [f"c{i}" for i in range(MAX_QUASI_IDENTIFIERS + 1)]}, "too many quasi-identifiers: 61"),
        ({"quasi_identifiers": ["a"], "masks": []}, "the list of masks is empty"),
        ({"quasi_identifiers": ["a"], "masks": "a"}, "list of names"),
        ({"quasi_identifiers": ["a", "b"], "masks": [["a", "A"]]}, "twice"),
        ({"quasi_identifiers": ["a", "b"], "masks": ["ab"]}, "mask"),
        ({"quasi_identifiers": ["a"], "masks": [[3]]}, "column name"),
        ({"quasi_identifiers": ["a"], "masks": [["a"]] * (MAX_LISTED_MASKS + 1)}, "too many masks"),
        ({"quasi_identifiers": ["a"], "masks": [["a"], None]}, "a mask must be a list of the columns"),
        ({"quasi_identifiers": ["a", "b"], "linked": "ab"}, "list of names"),
        ({"quasi_identifiers": ["a", "b"], "linked": ["a", "b"]}, "a linked group must be a list of columns"),
        ({"quasi_identifiers": ["a", "b"], "linked": [None]}, "a linked group must be a list of columns"),
        ({"quasi_identifiers": ["a", "b"], "linked": [[]]}, "linked group 1 needs at least two columns"),
        ({"quasi_identifiers": ["a", "b", "c"], "linked": [["a", "b"], ["c"]]}, "linked group 2 needs at least two columns"),
        (
            {"quasi_identifiers": ["a", "b"], "linked": [["a", "A"]]},
            'the column "A" occurs twice in the columns of linked group 1',
        ),
        ({"quasi_identifiers": ["a", "b", "c"], "linked": [["a", "b"], ["c", "B"]]}, '"B" is in two linked groups'),
        ({"quasi_identifiers": ["a", "b"], "linked": [["a", 3]]}, "column name"),
        ({"linked": [["a", "b"], ["b", "c"]]}, '"b" is in two linked groups'),
        (
            {"quasi_identifiers": ["a", "b"], "linked": [["a", "b"]], "masks": [["a"], ["B"]]},
            "only some of the linked columns",
        ),
        ({"linked": [["a", "b"]], "masks": [["a"]]}, "only some of the linked columns"),
        ({"quasi_identifiers": ["a"], "weights": {"a": 0}}, "above 0"),
        ({"quasi_identifiers": ["a"], "weights": {"a": -1}}, "above 0"),
        ({"quasi_identifiers": ["a"], "weights": {"a": "much"}}, "must be a number"),
        ({"quasi_identifiers": ["a"], "weights": {"a": None}}, "must be a number"),
        ({"quasi_identifiers": ["a"], "weights": {"a": float("nan")}}, "must be a number"),
        ({"quasi_identifiers": ["a"], "weights": {"a": float("inf")}}, "must be a number"),
        ({"quasi_identifiers": ["a"], "weights": {"a": Decimal("Infinity")}}, "must be a number"),
        ({"quasi_identifiers": ["a"], "weights": {"a": "1/0"}}, "must be a number"),
        ({"quasi_identifiers": ["a"], "algorithm": ""}, "algorithm"),
        ({"quasi_identifiers": ["a"], "algorithm": None}, "algorithm"),
        ({"quasi_identifiers": ["a"], "time_limit": 0}, "time_limit"),
        ({"quasi_identifiers": ["a"], "time_limit": float("nan")}, "time_limit"),
        ({"quasi_identifiers": ["a"], "time_limit": "1"}, "time_limit"),
        ({"quasi_identifiers": ["a"], "time_limit": True}, "time_limit"),
        ({"quasi_identifiers": ["a"], "seed": -1}, "seed"),
        ({"quasi_identifiers": ["a"], "seed": 1.5}, "seed"),
        ({"quasi_identifiers": ["a"], "suppress": 0}, "suppress"),
    ],
)
def test_a_senseless_policy_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        Policy.of(**arguments)


def test_a_policy_needs_a_requirement() -> None:
    with pytest.raises(PolicyError, match="needs a guarantee"):
        Policy(quasi_identifiers=(QuasiIdentifier(column="a"),), requirements=())


@pytest.mark.parametrize(
    "arguments",
    [
        {"quasi_identifiers": ["a"], "masks": [["a"], ["zip"]]},
        {"quasi_identifiers": ["a"], "weights": {"zip": 2}},
        {"quasi_identifiers": ["a"], "linked": [["a", "zip"]]},
    ],
)
def test_an_unknown_column_is_named(arguments: dict[str, Any]) -> None:
    with pytest.raises(UnknownColumnError, match=r'"zip".*"a"'):
        Policy.of(**arguments)


def test_an_unknown_recoding_is_refused() -> None:
    with pytest.raises(PolicyError, match="unknown recoding type 'blur'; hint: use one of suppress, digits"):
        QuasiIdentifier(column="a", recoding="blur")


def test_every_error_ends_in_the_one_root() -> None:
    assert issubclass(PolicyError, KanonError)
    assert issubclass(PolicyError, ValueError)
    assert issubclass(UnknownColumnError, PolicyError)


def test_the_hint_lists_at_most_twelve_columns() -> None:
    message = str(UnknownColumnError.of("x", [f"c{i}" for i in range(40)], "a mask"))
    assert '"c11", ...' in message
    assert "c12" not in message
    assert str(UnknownColumnError.of("x", [], "a mask")).endswith("none")


def test_weights_are_exact() -> None:
    policy = Policy.of(quasi_identifiers=["a", "b", "c"], weights={"a": 0.1, "b": "1/3", "C": Decimal("2.50")})
    assert [qi.weight for qi in policy.quasi_identifiers] == [Fraction(1, 10), Fraction(1, 3), Fraction(5, 2)]


def test_a_weight_without_quasi_identifiers_keeps_every_column() -> None:
    policy = Policy.of(weights={"b": 3}).resolve(["a", "B", "c"])
    assert [(qi.column, qi.weight) for qi in policy.quasi_identifiers] == [("a", 1), ("B", 3), ("c", 1)]
    assert not policy.every_column


def test_resolving_takes_the_spelling_of_the_table_and_keeps_the_order_of_the_policy() -> None:
    policy = Policy.of(quasi_identifiers=["ZIP", "age"], masks=[["Age"], ["zip", "AGE"]]).resolve(["Age", "job", "Zip"])
    assert [qi.column for qi in policy.quasi_identifiers] == ["Zip", "Age"]
    assert policy.masks == (("Age",), ("Zip", "Age"))


def test_resolving_names_the_missing_quasi_identifier() -> None:
    with pytest.raises(UnknownColumnError, match=r'"zip".*"age", "job"'):
        Policy.of(quasi_identifiers=["zip"]).resolve(["age", "job"])


def test_resolving_names_the_missing_column_of_a_mask() -> None:
    with pytest.raises(UnknownColumnError, match=r'"zip" in mask 1'):
        Policy.of(masks=[["zip"], []]).resolve(["age", "job"])


def test_resolving_spells_and_checks_the_linked_columns() -> None:
    policy = Policy.of(quasi_identifiers=["ZIP", "age", "City"], linked=[["zip", "CITY"]]).resolve(["age", "city", "Zip"])
    assert policy.linked == (("Zip", "city"),)
    with pytest.raises(UnknownColumnError, match=r'"town" in linked group 1'):
        Policy.of(linked=[["zip", "town"]]).resolve(["age", "zip"])


def test_masks_that_split_linked_columns_are_not_permitted() -> None:
    policy = Policy.of(
        quasi_identifiers=["a", "b", "c", "d"],
        masks=[["a", "b", "c"], ["a", "c"], ["B", "A"], ["c"], ["c", "d", "a", "b"], []],
        linked=[["a", "b"], ["c", "d"]],
    )
    assert policy.permitted_masks == (("B", "A"), ("c", "d", "a", "b"), ())
    assert policy.masks is not None
    assert len(policy.masks) == 6, "the policy says what was asked for"
    assert Policy.of(linked=[["a", "b"]]).permitted_masks is None


POLICIES = [
    Policy.of(quasi_identifiers=["a"]),
    Policy.of(),
    Policy.of(k=7, quasi_identifiers=["b", "ä\"'; ☂", "a b"], masks=[["b"], [], ["a b", "b"]], weights={"b": "2/3"}),
    Policy.of(weights={"zip": 3}, masks=[["zip", "age"]], algorithm="greedy", time_limit=0.5, seed=9, suppress="*"),
    Policy.of(quasi_identifiers=["a", "b", "ü", "d"], linked=[["ü", "b"], ["d", "a"]]),
    Policy.of(
        quasi_identifiers=["a"],
        sensitive="ü",
        l="7/3",
        t=1 / 3,
        metric="hierarchical",
        hierarchy="tree",
        requirements=[
            AlphaAnonymity(sensitive="Ü", value="it's", alpha=0.2),
            LDiversity(sensitive="b", l=2, variant="entropy"),
        ],
    ),
]


@pytest.mark.parametrize("policy", POLICIES, ids=["plain", "every column", "masks", "options", "linked", "sensitive"])
def test_json_goes_both_ways(policy: Policy) -> None:
    text = policy.to_json()
    assert Policy.from_json(text) == policy
    assert Policy.from_json(text).to_json() == text


def test_json_is_canonical() -> None:
    text = Policy.of(k=3, quasi_identifiers=["ü"], weights={"ü": "4/2"}).to_json()
    data = json.loads(text)
    assert text == json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert data["quasi_identifiers"] == [{"column": "ü", "recoding": "suppress", "weight": 2}]
    assert data["requirements"] == [{"k": 3, "type": "k"}]
    assert text == Policy.from_json(json.dumps(dict(reversed(data.items())), indent=2)).to_json()


def test_keys_left_out_take_their_defaults() -> None:
    assert Policy.from_json('{"every_column": true}') == Policy.of(k=2)
    assert Policy.from_json('{"quasi_identifiers": [{"column": "a"}]}') == Policy.of(quasi_identifiers=["a"])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "k=5",
        "[]",
        "null",
        "3",
        '{"k": 5}',
        "{}",
        '{"every_column": 1}',
        '{"quasi_identifiers": null}',
        '{"quasi_identifiers": {}}',
        '{"quasi_identifiers": ["a"]}',
        '{"quasi_identifiers": [{}]}',
        '{"quasi_identifiers": [{"weight": 2}]}',
        '{"quasi_identifiers": [{"column": "a", "levels": 2}]}',
        '{"quasi_identifiers": [{"column": null}]}',
        '{"every_column": true, "requirements": []}',
        '{"every_column": true, "requirements": null}',
        '{"every_column": true, "requirements": ["k"]}',
        '{"every_column": true, "requirements": [{"type": "k"}]}',
        '{"every_column": true, "requirements": [{"k": 2}]}',
        '{"every_column": true, "requirements": [{"type": ["k"], "k": 2}]}',
        '{"every_column": true, "requirements": [{"type": "m", "m": 2}]}',
        '{"every_column": true, "requirements": [{"type": "k", "k": 2, "l": 3}]}',
        '{"every_column": true, "requirements": [{"type": "k", "k": 2.5}]}',
        '{"every_column": true, "masks": []}',
        '{"every_column": true, "masks": ["a"]}',
        '{"every_column": true, "masks": [[null]]}',
        '{"every_column": true, "linked": null}',
        '{"every_column": true, "linked": ["ab"]}',
        '{"every_column": true, "linked": [["a", null]]}',
        '{"every_column": true, "linked": [["a"]]}',
        '{"every_column": true, "time_limit": -1}',
        '{"every_column": true, "suppress": 1}',
        '{"every_column": true, "seed": "x"}',
    ],
)
def test_bad_json_is_a_policy_error(text: str) -> None:
    with pytest.raises(PolicyError):
        Policy.from_json(text)


def test_sensitive_columns_are_told_once_in_the_order_of_their_first_mention() -> None:
    diverse, close = LDiversity(sensitive="job", l=2), TCloseness(sensitive="Disease", t=0.3)
    policy = Policy.of(requirements=[diverse, close, AlphaAnonymity(sensitive="DISEASE", value="flu", alpha=0.5), diverse])
    assert policy.sensitive == ("job", "Disease")
    assert len(policy.requirements) == 5, "requirements that follow from others stay"
    assert Policy.of().sensitive == ()


def test_the_names_of_one_sensitive_column_make_requirements() -> None:
    policy = Policy.of(k=3, sensitive="disease", l=2, variant="recursive", c=3, t="0.3", metric="ordered")
    assert [requirement.describe() for requirement in policy.requirements] == [
        "k >= 3",
        "l(disease, 'recursive', 3) >= 2",
        "t(disease, 'ordered') <= 3/10",
    ]


def test_the_least_class_meets_every_requirement() -> None:
    assert Policy.of(sensitive="disease", l=4.5).least_class_size == 5
    assert Policy.of(k=7, sensitive="disease", l=4.5, t=0).least_class_size == 7
    assert Policy.of(k=1, sensitive="disease", t=0).least_class_size == 1


def test_every_column_that_is_not_sensitive_identifies() -> None:
    policy = Policy.of(sensitive="DISEASE", t=0.3, weights={"age": 3}).resolve(["Zip", "Disease", "Age"])
    assert [(qi.column, qi.weight) for qi in policy.quasi_identifiers] == [("Zip", 1), ("Age", 3)]
    assert policy.sensitive == ("Disease",), "spelled as the table does"
    assert not policy.every_column
    assert policy.resolve(["Zip", "Disease", "Age"]) == policy


def test_resolving_keeps_the_thresholds() -> None:
    policy = Policy.of(quasi_identifiers=["zip"], sensitive="disease", l="4/3", t="1/3", metric="numeric")
    found = policy.resolve(["zip", "DISEASE", "note"])
    assert [requirement.describe() for requirement in found.requirements] == [
        "k >= 2",
        "l(DISEASE) >= 4/3",
        "t(DISEASE, 'numeric') <= 1/3",
    ]


def test_an_unknown_sensitive_column_is_named() -> None:
    with pytest.raises(UnknownColumnError, match=r'unknown column "disease" in the guarantee.*"zip", "age"'):
        Policy.of(sensitive="disease", l=2).resolve(["zip", "age"])


def test_a_table_of_sensitive_columns_only_is_refused() -> None:
    with pytest.raises(PolicyError, match="at least one quasi-identifier"):
        Policy.of(sensitive="disease", l=2).resolve(["disease"])


@pytest.mark.parametrize(
    "arguments",
    [
        {"quasi_identifiers": ["zip", "Disease"]},
        {"weights": {"DISEASE": 2}},
        {"masks": [["zip", "disease"], []]},
        {"linked": [["zip", "disease"]]},
    ],
)
def test_a_column_is_sensitive_or_identifies(arguments: dict[str, Any]) -> None:
    with pytest.raises(PolicyError, match='the sensitive column "disease" is also a quasi-identifier'):
        Policy.of(sensitive="disease", l=2, **arguments)


def test_a_sensitive_column_has_one_tree() -> None:
    trees = [
        TCloseness(sensitive="disease", t=0.3, metric="hierarchical", hierarchy=name) for name in ("tree", "TREE", "forest")
    ]
    assert len(Policy.of(requirements=trees[:2]).requirements) == 3
    with pytest.raises(PolicyError, match='the sensitive column "disease" has two hierarchies'):
        Policy.of(requirements=trees)


@pytest.mark.parametrize("requirement", ["l(disease) >= 2", {"type": "k", "k": 2}, LDiversity, None])
def test_a_requirement_is_an_object(requirement: Any) -> None:
    with pytest.raises(PolicyError, match="a requirement cannot be a "):
        Policy.of(requirements=[requirement])


def test_a_name_without_its_guarantee_is_refused() -> None:
    with pytest.raises(PolicyError, match="no guarantee uses the sensitive column"):
        Policy.of(sensitive="disease")
    with pytest.raises(PolicyError, match="l, t, beta and delta need a sensitive column"):
        Policy.of(l=2)


@pytest.mark.parametrize("options", [{"quasi_identifiers": ["Kanon#n"]}, {"quasi_identifiers": ["a"], "per": "kanon#x"}])
def test_names_of_the_program_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(PolicyError, match="is reserved; hint: rename the column"):
        Policy.of(**options)


def test_completion_finds_every_public_name() -> None:
    assert {*kanon_sql.__all__} <= {*dir(kanon_sql)}


def test_k_and_the_sensitive_requirements() -> None:
    policy = kanon_sql.Policy.of(k=7, sensitive="disease", l=2)
    assert policy.k == 7
    assert policy.sensitive_requirements == (kanon_sql.LDiversity(sensitive="disease", l=2),)


def test_a_policy_shows_what_it_guarantees() -> None:
    about = {"requirements": [AlphaAnonymity(sensitive="disease", value="hiv", alpha=Fraction(1, 5))], "time_limit": 30}
    policy = Policy.of(
        k=5, quasi_identifiers=["zip", "my age"], keep=["notes"], linked=[["zip", "my age"]], suppress="CANARY", **about
    )
    assert repr(policy).splitlines() == [
        "guarantee         k >= 5, alpha(disease, 'hiv') <= 1/5",
        'quasi-identifiers zip, "my age"',
        "linked            1 group of columns",
        "kept              notes",
        "solver            auto, seed 0, at most 30 s",
    ]
    assert repr(Policy.of(k=2)).splitlines()[1] == "quasi-identifiers every column that is not sensitive"


def test_a_policy_of_many_columns_is_still_short() -> None:
    many = Policy.of(k=2, quasi_identifiers=[f"c{i}" for i in range(60)], masks=[[f"c{i}"] for i in range(40)])
    assert repr(many).splitlines()[1:3] == [
        "quasi-identifiers c0, c1, c2, c3, c4, c5, c6, c7 and 52 more",
        "masks             40 permitted",
    ]
    coarse = QuasiIdentifier(column="zip", recoding={"type": "digits"})  # type: ignore[arg-type]
    assert "coarsened         zip\n" in repr(Policy(quasi_identifiers=(coarse,)))
