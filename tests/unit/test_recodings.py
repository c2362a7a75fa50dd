"""Recodings as policies say them, and the ladders that they make of values."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from kanon_sql.errors import PolicyError
from kanon_sql.model.masks import AtLevels
from kanon_sql.model.policy import Policy
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.recoding_levels import joined, within
from kanon_sql.model.recodings import (
    Bins,
    Digits,
    Generalization,
    Intervals,
    Levels,
    Ranges,
    Rectangles,
    Regions,
    Sets,
)
from kanon_sql.table.labels.digits import digit_levels
from kanon_sql.table.labels.intervals import decimal, interval_levels
from kanon_sql.table.labels.levels import hierarchy_levels
from kanon_sql.table.ladder import Ladder

HALF = Fraction(1, 2)

RECODINGS = [
    None,
    Digits(),
    Digits(shown=(3, 5), loss=(Fraction(1, 10),)),
    Intervals(),
    Intervals(objective="sum"),
    Intervals(steps=("5", 10, Fraction(25))),
    Intervals(steps=("month", "year"), loss=("0.1", "1/2")),
    Levels(table='my."levels"'),
    Bins(),
    *(Bins(algorithm=name) for name in Bins.ALGORITHMS),
    Regions(edges="map", components="merge"),
    *(Regions(edges="map", algorithm=name) for name in Regions.ALGORITHMS),
    Ranges(),
    Sets(),
]


@pytest.mark.parametrize("recoding", RECODINGS, ids=repr)
def test_a_policy_keeps_its_recodings_in_json(recoding: object) -> None:
    policy = Policy(quasi_identifiers=(QuasiIdentifier(column="a", recoding=recoding), QuasiIdentifier(column="b")))
    assert Policy.from_json(policy.to_json()) == policy
    assert policy.generalized == (() if recoding is None else ("a",))


def test_rectangles_name_each_other() -> None:
    lat, lon = (QuasiIdentifier(column=a, recoding=Rectangles(beside=b)) for a, b in (("lat", "LON"), ("Lon", "lat")))
    policy = Policy(quasi_identifiers=(lat, lon))
    assert Policy.from_json(policy.to_json()) == policy
    assert policy.rectangles == (("lat", "Lon"),)
    assert policy.resolve(["LAT", "LON"]).rectangles == (("LAT", "LON"),)
    for others in ((QuasiIdentifier(column="lon"),), (), (QuasiIdentifier(column="lon", recoding=Rectangles(beside="x")),)):
        with pytest.raises(
            PolicyError, match=r'the coordinate ".*" needs ".*" as its partner; hint: write \(lat, lon\) IN RECTANGLES'
        ):
            Policy(quasi_identifiers=(lat, *others))


@pytest.mark.parametrize("name", ["auto", *Rectangles.ALGORITHMS])
def test_rectangles_have_one_algorithm(name: str) -> None:
    lat, lon = (
        QuasiIdentifier(column=a, recoding=Rectangles(beside=b, algorithm=name)) for a, b in (("lat", "lon"), ("lon", "lat"))
    )
    policy = Policy(quasi_identifiers=(lat, lon))
    assert Policy.from_json(policy.to_json()) == policy
    assert [qi.recoding.algorithm for qi in policy.resolve(["LAT", "LON"]).quasi_identifiers] == [name] * 2
    other = QuasiIdentifier(column="lon", recoding=Rectangles(beside="lat", algorithm="kd_tree" if name == "auto" else "auto"))
    with pytest.raises(
        PolicyError,
        match='the coordinates "lat" and "lon" use different algorithms; hint: choose one algorithm for both columns',
    ):
        Policy(quasi_identifiers=(lat, other))


def test_the_tables_of_a_policy() -> None:
    recodings = {"a": Levels(table="h"), "b": Regions(edges="map"), "c": Levels(table="h")}
    assert Policy.of(quasi_identifiers=["a", "b", "c"], recodings=recodings).tables == ("h", "map")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"recodings": {"a": Ranges()}, "masks": [["a"], []]}, "cannot be combined with masks"),
        ({"recodings": {"a": Sets()}, "linked": [["b", "c"]]}, "cannot be combined with linked columns"),
        ({"recodings": {"a": Bins()}, "linked": [["a", "b"]]}, 'the linked column "a" is also generalized'),
        ({"recodings": {"x": Bins()}}, '"x" in a recoding is not a quasi-identifier'),
        ({"recodings": {"a": {"type": "digits", "show": [3]}}}, "the recoding 'digits' has the unknown key 'show'"),
        ({"recodings": {"a": {"type": "hierarchy"}}}, "the recoding 'hierarchy' lacks the key 'table'"),
        ({"recodings": {"a": {"type": "digits", "shown": 3}}}, "shown must be a list"),
        ({"recodings": {"a": 3}}, "unknown recoding type int"),
        ({"recodings": {"a": {"type": "regions", "edges": ""}}}, "the table of neighbours"),
        (
            {"recodings": {"a": {"type": "regions", "edges": "map", "algorithm": "fold"}}},
            "there is no algorithm 'fold' for REGIONS; hint: the algorithms for REGIONS are auto, regions, region_exact",
        ),
        (
            {"recodings": {"a": {"type": "bins", "algorithm": "folds"}}},
            "no algorithm 'folds' for BINS; hint: .* auto, balanced, spread",
        ),
        (
            {"recodings": {"a": {"type": "bins", "algorithm": 3}}},
            "the algorithm for BINS must be a name, got int; hint: use 'auto'",
        ),
        ({"recodings": {"a": {"type": "intervals", "objective": "min"}}}, "the objective of intervals cannot be 'min'"),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict, message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        Policy.of(quasi_identifiers=["a", "b", "c"], **options)


def test_digits() -> None:
    every = {4: ["9876*", "98", None], 3: ["987**", "98", None], 2: ["98***", "98", None], 1: ["9****", "9*", None]}
    assert digit_levels(["98765", "98", None], [], every=True) == (every, True, ())
    assert digit_levels(["98765", "98"], [7, 2]) == ({}, True, ()), "it shows no less than the values"
    assert digit_levels(["98765", "98"], [4, 2]) == ({4: ["9876*", "98"]}, False, ()), "the finest stands for the values"
    assert digit_levels([None], []) == ({}, True, ())


def test_levels_of_digits_at_which_more_values_look_alike() -> None:
    values = ["98765", "98761", "98123", "13", "14", None]
    looks = {
        4: ["9876*", "9876*", "9812*", "13", "14", None],
        2: ["98***", "98***", "98***", "13", "14", None],
        1: ["9****", "9****", "9****", "1*", "1*", None],
    }
    losses = [Fraction(number, 5) for number in range(1, 5)]
    assert digit_levels(values, []) == (looks, True, ())
    assert digit_levels(values, [], losses) == (looks, True, (losses[0], losses[2], losses[3]))
    assert digit_levels(values, [9, 4, 3, 1], losses[:3]) == ({4: looks[4], 1: looks[1]}, True, (losses[0], losses[2]))
    with pytest.raises(PolicyError, match="there are 4 losses for 3 levels"):
        digit_levels(values, [4, 3, 1], losses)


def test_long_values_have_few_levels_and_many_are_refused() -> None:
    long = ["9" * 100_000 + end for end in ("1", "2", "3x", "4x")]
    levels, exact, _ = digit_levels(long, [])
    assert list(levels) == [100_000]
    assert exact
    assert [label[-2:] for label in levels[100_000]] == ["9*", "9*", "**", "**"]
    steps = ["7" * count + "0" * (62 - count) for count in range(63)]
    with pytest.raises(
        PolicyError, match=r"DIGITS creates too many levels: 61 \(maximum 60\); hint: list fewer levels, as in DIGITS \(5, 3\)"
    ):
        digit_levels(steps, [])
    with pytest.raises(PolicyError, match=r"DIGITS creates too many levels: 99999 \(maximum 60\)"):
        digit_levels(["9" * 100_000], [], every=True)


def test_intervals_lie_within_wider_ones() -> None:
    steps = Intervals(steps=(Fraction(5), Fraction(10), Fraction(25)))
    assert [*interval_levels(["22", "27", "-3", "7.5", None], steps).values()] == [
        ["[20, 25)", "[25, 30)", "[-5, 0)", "[5, 10)", None],
        ["[20, 25)", "[25, 30)", "[-10, 0)", "[0, 10)", None],
        ["[0, 25)", "[25, 50)", "[-25, 0)", "[0, 25)", None],
    ]
    assert interval_levels(["0.7"], Intervals(steps=(Fraction(1, 4),))) == {Fraction(1, 4): ["[0.5, 0.75)"]}
    with pytest.raises(PolicyError, match="interval widths and ends must be decimal numbers"):
        interval_levels(["1"], Intervals(steps=(Fraction(1, 3),)))
    with pytest.raises(PolicyError, match="2 of the 3 distinct values are not numbers"):
        interval_levels(["1", "x", "inf"], steps)


def test_periods() -> None:
    days = ["2026-11-21", "2026-12-01 23:59:59.5", "2019-01-01", "0007-01-01"]
    found = [*interval_levels(days, Intervals(steps=("day", "month", "quarter", "year", "decade"))).values()]
    assert [each[0] for each in found] == ["2026-11-21", "2026-11", "2026-Q4", "2026", "2020s"]
    assert [each[1] for each in found] == ["2026-12-01", "2026-12", "2026-Q4", "2026", "2020s"]
    assert [each[3] for each in found] == ["0007-01-01", "0007-01", "0007-Q1", "0007", "0000s"]
    with pytest.raises(PolicyError, match="1 of the 1 distinct values are not dates or timestamps"):
        interval_levels(["2026-13-01"], Intervals(steps=("year",)))


@pytest.mark.parametrize(("value", "text"), [(HALF, "0.5"), (-HALF, "-0.5"), (Fraction(-7), "-7"), (Fraction(1, 80), "0.0125")])
def test_decimals(value: Fraction, text: str) -> None:
    assert decimal(value) == text


def test_a_hierarchy_of_levels_and_one_of_parents() -> None:
    levels = {"level0": ["a", "b", "c"], "level1": ["x", "x", "y"], "level2": ["*", "*", "*"]}
    assert hierarchy_levels(["a", "c", None], levels) == {1: ["x", "y", None]}
    parents = {"value": ["a", "b", "x", "c"], "parent": ["x", "x", "*", "*"]}
    assert hierarchy_levels(["a", "b", "c"], parents) == {1: ["x", "x", "c"]}
    with pytest.raises(PolicyError, match="1 of the 2 distinct values are missing from the hierarchy"):
        hierarchy_levels(["a", "q"], levels)


def test_some_levels_of_a_hierarchy() -> None:
    levels = {"level0": ["a", "b"], "level1": ["x", "y"], "level2": ["z", "z"], "level3": ["*", "*"]}
    assert hierarchy_levels(["a", "b"], levels, [0, 2]) == {2: ["z", "z"]}
    with pytest.raises(PolicyError, match="the hierarchy has no level 3: it has 2 levels between the values and its root"):
        hierarchy_levels(["a", "b"], levels, [3])


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        (Digits(shown=(5,)), Digits(shown=(3,)), Digits(shown=(3, 5))),
        (Digits(shown=(5,)), Digits(), Digits()),
        (Intervals(steps=("month",)), Intervals(steps=("year", "decade")), Intervals(steps=("month", "year", "decade"))),
        (Intervals(steps=(10,)), Intervals(steps=(5, 20)), Intervals(steps=(5, 10, 20))),
        (Levels(table="t", levels=(2,)), Levels(table="t", levels=(0,)), Levels(table="t", levels=(0, 2))),
        (Levels(table="t", levels=(2,)), Levels(table="t"), Levels(table="t")),
        (Bins(), Bins(), Bins()),
    ],
)
def test_levels_are_joined(one: Generalization, other: Generalization, both: Generalization) -> None:
    assert joined(one, other) == joined(other, one) == both
    assert within(one, both) or one == both
    assert not within(both, one) or one == both


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Digits(), Intervals(steps=(5,))),
        (Intervals(), Intervals(steps=(5,))),
        (Levels(table="t"), Levels(table="u")),
        (Digits(shown=(3,), loss=(HALF,)), Digits(shown=(2,))),
        (Bins(), Ranges()),
        (Bins(algorithm="fold"), Bins(algorithm="spread")),
    ],
)
def test_two_kinds_are_not_joined(one: Generalization, other: Generalization) -> None:
    with pytest.raises(PolicyError, match="the column has two recodings"):
        joined(one, other)
    with pytest.raises(PolicyError, match="intervals must be numbers or periods, not both"):
        joined(Intervals(steps=(5,)), Intervals(steps=("year",)))


def test_masks_at_levels() -> None:
    three = AtLevels(column="A", recoding=Digits(shown=(3,)))
    policy = Policy.of(
        masks=[[three, "b"], ["a"], [AtLevels(column="a", recoding=Digits(shown=(5,)))]], quasi_identifiers=["a", "b"]
    )
    assert policy.quasi_identifiers[0].recoding == Digits(shown=(3, 5))
    assert policy.masks == ((three, "b"), ("a",), (AtLevels(column="a", recoding=Digits(shown=(5,))),))
    assert policy.levelled == {"A", "a"}
    assert Policy.from_json(policy.to_json()) == policy
    resolved = policy.resolve(["a", "b"])
    assert resolved.levelled == {"a"}
    own = QuasiIdentifier(column="a", recoding=Digits(shown=(4,)))
    assert Policy.of(masks=[[three, "b"], []], quasi_identifiers=[own, "b"]).quasi_identifiers[0].recoding == Digits(
        shown=(3, 4)
    )
    alone = Policy.of(masks=[[three, "b"], []], quasi_identifiers=["a", "b"])
    assert alone.masks == (("A", "b"), ()), "all levels of a column are its name alone"
    with pytest.raises(PolicyError, match='a mask shows "A" at levels that do not exist'):
        Policy.from_json(policy.to_json().replace('"shown":[5,3]', '"shown":[5]'))
    with pytest.raises(PolicyError, match="twice"):
        Policy.of(masks=[[three, "a"]], quasi_identifiers=["a", "b"])


def ladder(levels: list[list[str | None]], rows: list[int] | None = None, **options: object) -> Ladder:
    texts = ["a", "b", "c", "d"]
    value = np.arange(4, dtype=np.int32)
    return Ladder.of(value, texts, np.array(rows or [1] * 4), levels, **{"exact": True, **options})


def test_the_loss_of_a_level_is_the_share_of_the_domain_that_a_row_covers() -> None:
    made = ladder([["ab", "ab", "c", "d"], ["ab", "ab", "cd", "cd"]], rows=[3, 3, 1, 1])
    assert made.loss == (0, Fraction(250, 1000), Fraction(333, 1000))
    assert made.steps == [Fraction(250, 1000), Fraction(83, 1000), Fraction(667, 1000)]
    assert made.labels[1] == ["ab", "c", "d"]
    assert [codes.tolist() for codes in made.codes] == [[0, 1, 2, 3], [0, 0, 1, 2], [0, 0, 1, 1]]


def test_levels_that_tell_no_less_are_left_out() -> None:
    levels: list[list[str | None]] = [["A", "B", "C", "D"], ["ab", "ab", "c", "d"], ["+", "+", "y", "z"]]
    made = ladder(levels, exact=True)
    assert made.labels == (["a", "b", "c", "d"], ["ab", "c", "d"])
    assert made.shown == (True, True)


def test_labels_that_tell_as_much_stand_for_values_that_may_not_be_shown() -> None:
    made = ladder([["A", "B", "C", "D"], ["ab", "ab", "c", "d"]], exact=False)
    assert made.labels == (["A", "B", "C", "D"], ["ab", "c", "d"])
    assert made.shown == (True, True)


def test_levels_that_masks_name_stay() -> None:
    levels: list[list[str | None]] = [["A", "B", "C", "D"], ["ab", "ab", "c", "d"]]
    made = ladder(levels, names=["one", "two"])
    assert made.labels == (["a", "b", "c", "d"], ["A", "B", "C", "D"], ["ab", "c", "d"])
    assert made.names == (0, "one", "two")
    alone = Ladder.of(np.zeros(1, np.int32), ["a"], np.array([3]), [["A"]], exact=True, names=["one"])
    assert alone.loss == (0, Fraction(1, 1000))


def test_a_level_loses_less_than_the_next_and_the_last_less_than_suppression() -> None:
    made = ladder([["abcd"] * 4], exact=True)
    assert made.loss == (0, Fraction(999, 1000))
    made = ladder([["a", "bcd", "bcd", "bcd"], ["abcd"] * 4], rows=[1, 9999, 1, 1])
    assert made.loss == (0, Fraction(667, 1000), Fraction(999, 1000))
    texts = [f"{number}" for number in range(3000)]
    rows = np.array([1, *[10**6] * 2999])
    levels: list[list[str | None]] = [["x", "y", *["z"] * 2998], ["x", *["z"] * 2999], ["all"] * 3000]
    made = Ladder.of(np.arange(3000, dtype=np.int32), list(texts), rows, levels, exact=True)
    assert made.loss == (0, Fraction(997, 1000), Fraction(998, 1000), Fraction(999, 1000))


def test_losses_may_be_given() -> None:
    made = ladder([["A", "B", "C", "D"], ["ab", "ab", "c", "d"]], loss=[Fraction(1, 10), Fraction(1, 5)])
    assert made.loss == (0, Fraction(1, 5))
    with pytest.raises(PolicyError, match="there are 1 losses for 2 levels"):
        ladder([["A", "B", "C", "D"], ["ab", "ab", "c", "d"]], loss=[Fraction(1, 10)])


def test_levels_must_not_split() -> None:
    with pytest.raises(PolicyError, match="level 2 splits a group of level 1"):
        ladder([["ab", "ab", "c", "d"], ["a", "bcd", "bcd", "bcd"]])
