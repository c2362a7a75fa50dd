"""Patterns: which are permitted, and in which order they are tried."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from kanon_sql.coded import CodedTable, encode
from kanon_sql.patterns import LISTED_COLUMNS, PatternSet, permitted
from kanon_sql.policy import Policy


def patterns(columns: dict[str, list[Any]], **arguments: Any) -> tuple[CodedTable, PatternSet]:
    rows = pa.StructArray.from_arrays([pa.array(each) for each in columns.values()], list(columns))
    table, policy = encode(rows, np.ones(len(rows), np.int64), Policy.of(**arguments))
    return table, permitted(table, policy)


COLUMNS = {"a": [1, 2, 3, 4], "b": [1, 1, 2, 2], "c": [1, 1, 1, 2]}


def test_every_combination_is_permitted_cheapest_first() -> None:
    _, found = patterns(COLUMNS)
    assert found.listed
    assert sorted(found.shown.tolist()) == list(range(8))
    assert found.cost.tolist() == [0, 1, 1, 1, 2, 2, 2, 3]
    assert (found.shown[0], found.shown[-1]) == (0b111, 0)


def test_the_larger_domain_is_hidden_first() -> None:
    _, found = patterns(COLUMNS)
    assert found.shown[1] == 0b110  # hides a, which has four values


def test_weights_decide_before_domains() -> None:
    _, found = patterns(COLUMNS, quasi_identifiers=["a", "b", "c"], weights={"a": "5/2"})
    assert found.cost.tolist() == sorted(found.cost.tolist())
    assert found.cost.tolist() == [0, 2, 2, 4, 5, 7, 7, 9]
    assert found.shown[4] == 0b110


def test_listed_masks_are_the_only_ones_and_count_once() -> None:
    _, found = patterns(COLUMNS, quasi_identifiers=["a", "b", "c"], masks=[[], ["c", "a"], ["a", "C"], ["b"]])
    assert found.shown.tolist() == [0b101, 0b010, 0]
    assert found.cost.tolist() == [1, 2, 3]


def test_the_order_of_the_masks_does_not_matter() -> None:
    masks = [["a"], ["b"], ["c"], ["a", "b"], []]
    _, one = patterns(COLUMNS, quasi_identifiers=["a", "b", "c"], masks=masks)
    _, other = patterns(COLUMNS, quasi_identifiers=["a", "b", "c"], masks=masks[::-1])
    assert one.shown.tolist() == other.shown.tolist()


def test_wide_tables_are_searched_not_listed() -> None:
    wide = {f"c{i}": [1, 2] for i in range(LISTED_COLUMNS + 1)}
    assert not patterns(wide)[1].listed
    assert len(patterns(dict(list(wide.items())[1:]))[1].shown) == 1 << LISTED_COLUMNS
    _, found = patterns(wide, quasi_identifiers=list(wide), masks=[["c16"], []])
    assert found.shown.tolist() == [1 << 16, 0]


def test_the_sixtieth_column_has_its_bit() -> None:
    wide = {f"c{i}": [1, 2] for i in range(60)}
    _, found = patterns(wide, quasi_identifiers=list(wide), masks=[["c59"], list(wide)])
    assert found.shown.tolist() == [(1 << 60) - 1, 1 << 59]
