"""From the text of a clause to its policy."""

from __future__ import annotations

from fractions import Fraction

import pytest

from kanon_sql.clause import rewrite
from kanon_sql.errors import ClauseError, PolicyError
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_checks import MAX_LISTED_MASKS
from kanon_sql.model.recodings import Bins, Rectangles, Regions
from kanon_sql.model.requirements import AlphaAnonymity, KAnonymity, LDiversity, TCloseness


def policy_of(clause: str) -> Policy:
    policies = []
    rewrite(f"FROM t ANONYMIZE {clause}", lambda body, policy, _: policies.append(policy) or body)
    (policy,) = policies
    return policy


def masks_of(items: str):
    return policy_of(f"BY {items} GUARANTEE k >= 2").masks


def columns_of(items: str) -> list[str]:
    return [qi.column for qi in policy_of(f"BY {items} GUARANTEE k >= 2").quasi_identifiers]


def test_plain_columns():
    assert policy_of("BY zip, age GUARANTEE k >= 5") == Policy.of(k=5, quasi_identifiers=["zip", "age"])


@pytest.mark.parametrize(
    ("condition", "k"),
    [
        ("k >= 5", 5),
        ("K>=5", 5),
        ("k > 5", 6),
        ("5 <= k", 5),
        ("5 < k", 6),
        ("k >= 1_000", 1000),
        ("k >= 3 AND k >= 7 AND 5 <= k", 7),
    ],
)
def test_k(condition, k):
    assert policy_of(f"BY zip GUARANTEE {condition}").least_class_size == k


@pytest.mark.parametrize(
    "condition", ["k", "k >=", "k >= -1", "k = 5", "k >= '5'", "5 >= k", "5", "k >= 1e3", "k >= 99999999999999999999"]
)
def test_k_refused(condition):
    with pytest.raises(ClauseError, match=r"hint: write (?:ANONYMIZE BY zip )?GUARANTEE k >= 5"):
        policy_of(f"BY zip GUARANTEE {condition}")


DIVERSE = LDiversity(sensitive="disease", l=2)
CLOSE = TCloseness(sensitive="disease", t=Fraction(3, 10), metric="ordered")


@pytest.mark.parametrize(
    ("guarantee", "requirements"),
    [
        ("l(disease) >= 2", [DIVERSE]),
        ("L ( disease )>=2", [DIVERSE]),
        ("2 <= l(disease)", [DIVERSE]),
        ("4/2 <= l(disease, 'frequency')", [DIVERSE]),
        ("l(disease, 'distinct') >= 3", [LDiversity(sensitive="disease", l=3, variant="distinct")]),
        ("l(disease, 'entropy') >= 1.5", [LDiversity(sensitive="disease", l=Fraction(3, 2), variant="entropy")]),
        ("l(disease, 'recursive', 3) >= 2", [LDiversity(sensitive="disease", l=2, variant="recursive", c=3)]),
        ("l(disease, 'recursive', 1/3) >= 2", [LDiversity(sensitive="disease", l=2, variant="recursive", c="1/3")]),
        ("t(disease, 'ordered') <= .3", [CLOSE]),
        ("0.30 >= t(disease, 'ordered')", [CLOSE]),
        ("t(disease) <= 0", [TCloseness(sensitive="disease", t=0)]),
        ("t(disease) <= 1.0/3", [TCloseness(sensitive="disease", t="1/3")]),
        ("t(disease) <= 1 / 3.", [TCloseness(sensitive="disease", t="1/3")]),
        ("t(disease) <= 1_000/3_000", [TCloseness(sensitive="disease", t="1/3")]),
        ("1/3 >= t(disease)", [TCloseness(sensitive="disease", t="1/3")]),
        ("t(disease, 'main.distances') <= 1", [TCloseness(sensitive="disease", t=1, metric="main.distances")]),
        (
            "t(disease, 'hierarchical', 'tree') <= 1",
            [TCloseness(sensitive="disease", t=1, metric="hierarchical", hierarchy="tree")],
        ),
        ("alpha(disease, 'it''s') <= 1/5", [AlphaAnonymity(sensitive="disease", value="it's", alpha="1/5")]),
        ("0.2 >= ALPHA(disease, '')", [AlphaAnonymity(sensitive="disease", value="", alpha="1/5")]),
        ('l("Home disease") >= 2', [LDiversity(sensitive="Home disease", l=2)]),
        ("l(`a``b`) >= 2", [LDiversity(sensitive="a`b", l=2)]),
        ("l(l) >= 2", [LDiversity(sensitive="l", l=2)]),
        ("l(guarantee) >= 2", [LDiversity(sensitive="guarantee", l=2)]),
        ("l(linked) >= 2", [LDiversity(sensitive="linked", l=2)]),
        ("l(disease) >= 2 AND t(disease, 'ordered') <= .3", [DIVERSE, CLOSE]),
        ("t(disease, 'ordered') <= 0.3 AND l(disease) >= 2 AND l(disease) >= 2", [CLOSE, DIVERSE, DIVERSE]),
        ("l(disease) >= 2 AND l(job) >= 3", [DIVERSE, LDiversity(sensitive="job", l=3)]),
    ],
)
def test_sensitive_guarantees(guarantee, requirements):
    assert policy_of(f"BY zip GUARANTEE {guarantee}") == Policy.of(quasi_identifiers=["zip"], requirements=requirements)


def test_without_a_k_two_rows_are_guaranteed():
    assert policy_of("BY zip GUARANTEE t(disease) <= 1").requirements[0] == KAnonymity(k=2)
    assert policy_of("BY zip GUARANTEE l(disease) >= 1 AND k >= 1").requirements[0] == KAnonymity(k=1)


def test_the_greatest_k_comes_first():
    policy = policy_of("BY zip GUARANTEE k >= 3 AND l(disease) >= 2 AND 7 <= k")
    assert policy == Policy.of(k=7, quasi_identifiers=["zip"], sensitive="disease", l=2)


def test_the_words_of_guarantees_may_be_columns():
    policy = policy_of("BY l, t, alpha, k GUARANTEE l(disease) >= 2")
    assert [qi.column for qi in policy.quasi_identifiers] == ["l", "t", "alpha", "k"]


@pytest.mark.parametrize(
    ("spelled", "weight"),
    [("3", 3), ("1_000", 1000), ("0.5", Fraction(1, 2)), (".25", Fraction(1, 4)), ("2.", 2), ("00.10", Fraction(1, 10))],
)
def test_weight(spelled, weight):
    policy = policy_of(f"BY zip, age WEIGHT {spelled}, CUBE (sex WEIGHT 7) GUARANTEE k >= 2")
    assert [qi.weight for qi in policy.quasi_identifiers] == [1, weight, 7]


def test_words_of_the_clause_may_be_columns():
    assert columns_of("k, by, cube, rollup, weight WEIGHT 2, sets, grouping, date, name, anonymize, linked") == [
        "k", "by", "cube", "rollup", "weight", "sets", "grouping", "date", "name", "anonymize", "linked",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("items", "linked"),
    [
        ("a, b, c LINKED (a, b)", (("a", "b"),)),
        ("a, b, c WEIGHT 2 LINKED (c, a, b)", (("c", "a", "b"),)),
        ("a, b, c, d LINKED (a, b) LINKED (d, c)", (("a", "b"), ("d", "c"))),
        ("a, b linked (A, `b`)", (("a", "b"),)),
        ("linked, LINKED2 LINKED (linked, linked2)", (("linked", "LINKED2"),)),
        ("linked WEIGHT 2, a LINKED (linked, a)", (("linked", "a"),)),
        ("CUBE (a, linked), b LINKED (b, linked)", (("b", "linked"),)),
        ('"LINKED", a LINKED ("LINKED", a)', (("LINKED", "a"),)),
        ("ROLLUP (a, b, c) LINKED (b, c)", (("b", "c"),)),
    ],
)
def test_linked(items, linked):
    assert policy_of(f"BY {items} GUARANTEE k >= 2").linked == linked


def test_linked_columns_leave_masks_out():
    policy = policy_of("BY ROLLUP (a, b, c), d LINKED (b, c) GUARANTEE k >= 2")
    assert policy.permitted_masks == (("a", "b", "c", "d"), ("a", "b", "c"), ("a", "d"), ("a",), ("d",), ())


def test_guarantee_may_be_a_quoted_column():
    assert columns_of('"GUARANTEE", "Zip Code", "a""b", `c``d`, "größe"') == ["GUARANTEE", "Zip Code", 'a"b', "c`d", "größe"]


@pytest.mark.parametrize(
    ("items", "masks"),
    [
        ("a, b", None),
        ("CUBE (a, b)", None),
        ("a, CUBE (b, c), d", None),
        ("ROLLUP (a, b, c)", (("a", "b", "c"), ("a", "b"), ("a",), ())),
        ("GROUPING SETS ((a, b), (c), ())", (("a", "b"), ("c",), ())),
        ("GROUPING SETS (a, (b), ())", (("a",), ("b",), ())),
        ("GROUPING SETS (ROLLUP (a, b), c)", (("a", "b"), ("a",), (), ("c",))),
        ("GROUPING SETS (CUBE (a, b))", (("a", "b"), ("a",), ("b",), ())),
        ("GROUPING SETS ((a, b), (B, A), (a, b))", (("a", "b"),)),
        ("c, ROLLUP (a, b)", (("c", "a", "b"), ("c", "a"), ("c",), ("a", "b"), ("a",), ())),
        ("GROUPING SETS ((a), ()), ROLLUP (b)", (("a", "b"), ("a",), ("b",), ())),
        ("GROUPING SETS ((a)), GROUPING SETS ((b), (c))", (("a", "b"), ("a", "c"))),
    ],
)
def test_masks(items, masks):
    assert masks_of(items) == masks


def test_columns_are_gathered_in_the_order_of_their_first_mention():
    assert columns_of("GROUPING SETS ((b, a), (c, B)), d") == ["b", "a", "c", "d"]


def test_a_column_keeps_its_first_spelling():
    assert masks_of("GROUPING SETS ((Zip), (ZIP, age))") == (("Zip",), ("Zip", "age"))


def test_a_weight_may_be_repeated():
    assert (
        policy_of("BY GROUPING SETS ((a WEIGHT 2), (a), (a WEIGHT 2.0, b)) GUARANTEE k >= 2").quasi_identifiers[0].weight == 2
    )


def names(letter: str, count: int) -> str:
    return ", ".join(f"{letter}{number}" for number in range(count))


def test_sixty_plain_columns_are_not_listed():
    assert masks_of(names("a", 60)) is None


@pytest.mark.everything
def test_the_most_masks_are_listed():
    masks = masks_of(f"{names('a', 15)}, ROLLUP (b)")
    assert len(masks) == len(set(masks)) == MAX_LISTED_MASKS


@pytest.mark.parametrize(
    "items",
    [
        f"{names('a', 16)}, ROLLUP (b)",
        f"{names('a', 59)}, ROLLUP (b)",
        f"GROUPING SETS (CUBE ({names('a', 60)}), ())",
        f"GROUPING SETS (CUBE ({names('a', 500)}))",
        ", ".join(f"ROLLUP ({names(letter, 15)})" for letter in "abcde"),
    ],
)
def test_too_many_masks_are_refused_unlisted(items):
    with pytest.raises(ClauseError, match=f"too many masks .maximum {MAX_LISTED_MASKS}."):
        masks_of(items)


def test_using():
    policy = policy_of("BY zip GUARANTEE k >= 2 USING Optimal (time_limit = 60, SEED = 7, suppress = '*')")
    assert (policy.algorithm, policy.time_limit, policy.seed, policy.suppress) == ("optimal", 60, 7, "*")


def test_using_without_options():
    assert policy_of("BY zip GUARANTEE k >= 2 USING greedy").algorithm == "greedy"


@pytest.mark.parametrize(("value", "text"), [("'it''s'", "it's"), ("''", ""), ("NULL", None), ("'\u200b'", "\u200b")])
def test_suppress(value, text):
    assert policy_of(f"BY zip GUARANTEE k >= 2 USING auto (suppress = {value})").suppress == text


def test_time_limit_may_be_a_fraction():
    assert policy_of("BY zip GUARANTEE k >= 2 USING auto (time_limit = .5)").time_limit == 0.5


@pytest.mark.parametrize(
    "options", ["()", "(seed)", "(seed 1)", "(seed = )", "(seed = 1", "(seed = 1,)", "('seed' = 1)", "(seed = x)"]
)
def test_broken_options_are_refused(options):
    with pytest.raises(ClauseError):
        policy_of(f"BY zip GUARANTEE k >= 2 USING auto {options}")


def test_what_the_policy_refuses_is_an_error_of_the_clause():
    with pytest.raises(ClauseError, match=r"too many quasi-identifiers: 61 \(maximum 60\)") as caught:
        policy_of(f"BY {names('a', 61)} GUARANTEE k >= 2")
    assert isinstance(caught.value.__cause__, PolicyError)
    assert (caught.value.line, caught.value.column) == (1, 8)
    assert caught.value.text.startswith("ANONYMIZE BY a0")


def test_an_error_points_at_its_line_and_column():
    with pytest.raises(ClauseError) as caught:
        rewrite("SELECT 'größe 😀', zip -- ü\nFROM t\n  ANONYMIZE BY zip, p.age GUARANTEE k >= 2", lambda body, *_: body)
    assert (caught.value.line, caught.value.column, caught.value.text) == (3, 22, ".")


@pytest.mark.parametrize(
    ("item", "recodings"),
    [
        *((f"zip IN BINS ({name})", {"zip": Bins(algorithm=name)}) for name in ("auto", *Bins.ALGORITHMS)),
        *((f"zip IN REGIONS map ({name})", {"zip": Regions(edges="map", algorithm=name)}) for name in Regions.ALGORITHMS),
        ("zip IN REGIONS map ('merge', Regions)", {"zip": Regions(edges="map", components="merge", algorithm="regions")}),
        (
            "(lat, lon) IN RECTANGLES (KD_TREE) WEIGHT 2",
            {a: Rectangles(beside=b, algorithm="kd_tree") for a, b in (("lat", "lon"), ("lon", "lat"))},
        ),
    ],
)
def test_algorithms_of_groupings(item, recodings):
    policy = policy_of(f"BY {item} GUARANTEE k >= 5")
    assert {qi.column: qi.recoding for qi in policy.quasi_identifiers} == recodings
    assert Policy.from_json(policy.to_json()) == policy


def test_costs_of_masks():
    policy = policy_of("BY GROUPING SETS ((zip, age) COST 0, CUBE (sex) COST 7/3, age COST 1.5) GUARANTEE k >= 2")
    assert policy.masks == (("zip", "age"), ("sex",), (), ("age",))
    assert policy.mask_costs == (0, Fraction(7, 3), Fraction(7, 3), Fraction(3, 2))
    assert Policy.from_json(policy.to_json()) == policy
    assert masks_of("GROUPING SETS ((cost), cost, ())") == (("cost",), ()), "a column may be called cost"


@pytest.mark.parametrize(
    ("items", "problem"),
    [
        ("GROUPING SETS ((zip) COST 0, ())", "of the 2 grouping sets, 1 has no COST"),
        ("GROUPING SETS ((zip) COST 0, (age), ())", "of the 3 grouping sets, 2 have no COST"),
        ("GROUPING SETS ((zip) COST 0, (zip) COST 1)", "a mask has two costs"),
        ("GROUPING SETS ((zip) COST 0, () COST 1), age", "GROUPING SETS with COST must be the only item in BY"),
        ("GROUPING SETS ((zip WEIGHT 2) COST 0, () COST 1)", "has a weight, but the masks have costs"),
        ("GROUPING SETS ((zip) COST -1, () COST 1)", "expected a number|below 0|COST 2"),
    ],
)
def test_costs_that_are_refused(items, problem):
    with pytest.raises(ClauseError, match=problem):
        policy_of(f"BY {items} GUARANTEE k >= 2")
