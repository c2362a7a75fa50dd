"""The labels of a person that facts may show instead: always those of the ladder of the true value, and never finer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanon_sql.engines.duckdb.database.coarser_labels import coarser_labels, has_ladder, ladder_of
from kanon_sql.model.quasi_identifier import QuasiIdentifier
from kanon_sql.model.recodings import Digits, Intervals, Levels, Ranges

TREE = {"level0": ["a", "b", "c"], "level1": ["ab", "ab", "c"], "level2": ["*", "*", "*"]}
TANGLED = {"level0": ["a", "b", "x"], "level1": ["x", "x", "y"], "level2": ["up", "up", "down"], "level3": ["*", "*", "*"]}


def values(texts: list[str]) -> dict[str | None, int]:
    return dict.fromkeys(texts, 1)


@given(st.sets(st.integers(0, 99), min_size=1), st.randoms())
def test_every_label_leads_to_labels_of_its_value(numbers: set[int], draw) -> None:
    texts = sorted(map(str, numbers))
    ladder = ladder_of(QuasiIdentifier(column="age", recoding=Intervals(steps=(5, 20))), values(texts), {})
    ways = {
        text: [names[codes[place]] for names, codes in zip(ladder.labels, ladder.codes, strict=True)]
        for place, text in enumerate(texts)
    }
    chosen = {text: draw.choice(ways[text]) for text in texts}
    rows = coarser_labels(ladder, [None, *sorted(set(chosen.values()))])
    assert rows is not None
    found = {row[0]: row for row in rows}
    for text, label in chosen.items():
        level = max(place for place, each in enumerate(ways[text]) if each == label)
        assert found[label] == (*[label] * (level + 1), *ways[text][level + 1 :], "*")


def test_hierarchies_have_levels_unless_a_label_has_two_meanings() -> None:
    qi = QuasiIdentifier(column="place", recoding=Levels(table="tree"))
    assert coarser_labels(ladder_of(qi, values(["a", "b", "c"]), {"tree": TREE}), ["a", "ab"]) == [
        ("a", "ab", "*"),
        ("ab", "ab", "*"),
    ]
    tangled = ladder_of(qi, values(["a", "b", "x"]), {"tree": TANGLED})
    assert coarser_labels(tangled, ["a"]) == [("a", "x", "*")]
    assert coarser_labels(tangled, ["a", "x"]) is None


@pytest.mark.parametrize(
    ("recoding", "found"),
    [(Digits(), True), (Intervals(steps=(5,)), True), (Intervals(), False), (Ranges(), False), (None, False)],
)
def test_labels_that_depend_on_the_class_have_no_ladder(recoding, found: bool) -> None:
    assert has_ladder(QuasiIdentifier(column="age", recoding=recoding)) is found
