"""Patterns: which are permitted, and in which order they are tried."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from kanon_sql.model.policy import Policy
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.encode import encode
from kanon_sql.table.patterns import LISTED_COLUMNS, PatternSet, permitted


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


def test_linked_columns_are_one_bit_of_the_cost_of_both() -> None:
    _, found = patterns(COLUMNS, linked=[["c", "a"]])
    assert sorted(found.shown.tolist()) == [0b00, 0b01, 0b10, 0b11]
    assert dict(zip(found.shown.tolist(), found.cost.tolist(), strict=True)) == {0b11: 0, 0b01: 1, 0b10: 2, 0b00: 3}


def test_listed_masks_that_split_linked_columns_are_left_out() -> None:
    masks = [["a", "b", "c"], ["a", "b"], ["b"], ["C", "a"], ["c"], []]
    table, found = patterns(COLUMNS, quasi_identifiers=["a", "b", "c"], masks=masks, linked=[["a", "c"]])
    assert table.columns == (("a", "c"), ("b",))
    assert sorted(found.shown.tolist()) == [0b00, 0b01, 0b10, 0b11]
    _, found = patterns(COLUMNS, quasi_identifiers=["a", "b", "c"], masks=masks[:3], linked=[["a", "c"]])
    assert sorted(found.shown.tolist()) == [0b10, 0b11]


def test_what_is_linked_counts_once_towards_the_columns_that_are_listed() -> None:
    wide = {f"c{i}": [1, 2] for i in range(LISTED_COLUMNS + 2)}
    assert not patterns(wide, linked=[["c0", "c17"]])[1].listed
    for linked in ([["c0", "c17"], ["c3", "c4"]], [["c5", "c6", "c7"]]):
        assert len(patterns(wide, linked=linked)[1].shown) == 1 << LISTED_COLUMNS
    masks = [["c0", "c17", "c1"], ["c0"]]
    table, found = patterns(wide, quasi_identifiers=list(wide), masks=masks, linked=[["c0", "c17"]])
    assert (found.shown.tolist(), found.cost.tolist()) == ([0b11], [15])
    assert len(table.columns) == 17


def test_the_sixtieth_column_has_its_bit() -> None:
    wide = {f"c{i}": [1, 2] for i in range(60)}
    _, found = patterns(wide, quasi_identifiers=list(wide), masks=[["c59"], list(wide)])
    assert found.shown.tolist() == [(1 << 60) - 1, 1 << 59]
