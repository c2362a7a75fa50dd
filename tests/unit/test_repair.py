"""Strictness: the last rows find a class, or the release is refused with the counts that say why."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from solving import plain

from kanon_sql import pipeline
from kanon_sql.certificate import Status
from kanon_sql.errors import InfeasibleError, UnknownAlgorithmError
from kanon_sql.model.policy import Policy
from kanon_sql.solvers.budget import Budget, Moment
from kanon_sql.solvers.instances.repair import PartialRecoding, repair
from kanon_sql.solvers.k_anonymity.greedy import solve
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.encode import encode
from kanon_sql.table.patterns import permitted
from kanon_sql.table.recoding import Recoding


def coded(rows: list[str], **arguments: object) -> tuple[CodedTable, Policy]:
    """One text per row, one letter per column, called a, b, c, ..."""
    kinds = Counter(rows)
    names = [chr(ord("a") + place) for place in range(len(rows[0]))]
    columns = [pa.array([kind[place] for kind in kinds]) for place in range(len(names))]
    policy = Policy.of(**{"quasi_identifiers": names, **arguments})
    return encode(pa.StructArray.from_arrays(columns, names), np.array(list(kinds.values()), np.int64), policy)


def sizes(table: CodedTable, recoding: Recoding) -> Counter[tuple[int | None, ...]]:
    """Return the rows of each class, after checking that every row is there exactly once."""
    rows = np.zeros(table.row_types, np.int64)
    np.add.at(rows, recoding.row_type, recoding.count)
    assert rows.tolist() == table.weight.tolist()
    assert (recoding.count > 0).all()
    assert (np.diff(recoding.row_type) >= 0).all()
    found: Counter[tuple[int | None, ...]] = Counter()
    for row_type, shown, count in zip(recoding.row_type, recoding.shown, recoding.count, strict=True):
        key = tuple(int(code) if int(shown) >> c & 1 else None for c, code in enumerate(table.codes[row_type]))
        found[key] += int(count)
    return found


def solved(rows: list[str], **arguments: object) -> tuple[CodedTable, Recoding, Counter[tuple[int | None, ...]]]:
    table, policy = coded(rows, **arguments)
    k = policy.least_class_size
    recoding = solve(plain(table, permitted(table, policy), k), Budget())
    found = sizes(table, recoding)
    assert min(found.values()) >= k
    return table, recoding, found


def test_a_leftover_takes_the_row_that_is_surplus_in_a_large_class() -> None:
    table, recoding, found = solved(["xx", "xx", "xx", "xy"])
    assert sorted(found.values()) == [2, 2]
    assert recoding.cost(table) == 2


def test_a_leftover_dissolves_a_class_where_no_class_has_a_surplus() -> None:
    table, recoding, found = solved(["xx", "xx", "xy"])
    assert list(found.values()) == [3]
    assert recoding.cost(table) == 3


def test_leftovers_that_agree_in_nothing_are_still_released() -> None:
    table, recoding, _ = solved(["aa", "aa", "bb", "bb", "cc"])
    assert recoding.cost(table) == 6


def test_a_row_type_may_be_split_between_classes() -> None:
    table, recoding, found = solved(["xx"] * 10 + ["xy"], k=5)
    assert recoding.cost(table) == 5
    assert sorted(found.values()) == [5, 6]


def test_masks_without_the_all_suppressed_one() -> None:
    table, recoding, found = solved(["xx", "xy", "xx", "zy", "zx"], masks=[["a"], ["a", "b"]])
    assert recoding.cost(table) <= 3 + 2
    assert all(key[0] is not None for key in found)


def test_rows_that_fit_no_mask_are_counted_in_the_error() -> None:
    with pytest.raises(InfeasibleError, match=r"1 row is left, and it does not fit into any class of at least 2 rows.*hint"):
        solved(["xx", "xx", "yz"], masks=[["a"], ["b"]])


def test_masks_that_only_work_together_are_found() -> None:
    # Every row must find its partner: x1-x2 by a, y3-z3 by b; greedy could take x2-y2 first.
    table, recoding, _ = solved(["x1", "x2", "y2", "y3"], masks=[["a"], ["b"]])
    assert recoding.cost(table) == 4


def test_fewer_rows_than_k_are_refused_with_both_numbers() -> None:
    table, policy = coded(["xx", "xy"], k=3)
    with pytest.raises(InfeasibleError, match="2 rows, fewer than k = 3"):
        pipeline.run(table, policy)


def test_k_of_all_rows_is_one_class() -> None:
    table, recoding, found = solved(["xx", "xy", "zx"], k=3)
    assert list(found.values()) == [3]
    assert recoding.cost(table) == 6


def test_nothing_is_suppressed_where_nothing_needs_to_be() -> None:
    table, recoding, found = solved(["xx"] * 3 + ["yy"] * 4, k=3)
    assert recoding.cost(table) == 0
    assert sorted(found.values()) == [3, 4]


def test_repair_leaves_a_complete_recoding_alone() -> None:
    table, policy = coded(["xx", "xx"])
    partial = PartialRecoding.of_row_types(table, np.ones(1, np.bool_), np.array([3], np.uint64))
    assert repair(table, permitted(table, policy), 2, partial) is partial


def test_repair_places_everybody_even_when_nobody_is_placed() -> None:
    table, policy = coded(["ab", "cd", "ef", "gh", "ij"], k=3)
    partial = PartialRecoding.of_row_types(table, np.zeros(5, np.bool_), np.zeros(5, np.uint64))
    recoding = repair(table, permitted(table, policy), 3, partial).recoding()
    assert list(sizes(table, recoding).values()) == [5]


def test_pieces_of_one_row_type_under_one_pattern_are_joined() -> None:
    partial = PartialRecoding(
        row_type=np.array([1, 0, 1, 1], np.int32),
        shown=np.array([1, 3, 1, 2], np.uint64),
        count=np.array([2, 5, 3, 1], np.int64),
        placed=np.ones(4, np.bool_),
    )
    recoding = partial.recoding()
    assert recoding.row_type.tolist() == [0, 1, 1]
    assert recoding.shown.tolist() == [3, 1, 2]
    assert recoding.count.tolist() == [5, 5, 1]


def test_classes_are_numbered_by_what_they_show() -> None:
    table, _ = coded(["xx", "zx", "xy"])
    assert table.codes.tolist() == [[0, 0], [1, 0], [0, 1]]
    partial = PartialRecoding(
        row_type=np.array([0, 2, 1, 1], np.int32),
        shown=np.array([1, 1, 2, 0], np.uint64),
        count=np.ones(4, np.int64),
        placed=np.array([True, True, True, False]),
    )
    number = partial.classes(table).tolist()
    assert number[0] == number[1] != number[2]
    assert number[3] == -1
    assert sorted(set(number)) == [-1, 0, 1]


def test_a_budget_that_is_over_still_gives_a_release() -> None:
    rng = np.random.default_rng(5)
    rows = ["".join(row) for row in rng.choice(list("abcd"), (400, 9))]
    table, policy = coded(rows, k=4)
    recoding = solve(plain(table, permitted(table, policy), 4), Budget(seconds=0))
    assert min(sizes(table, recoding).values()) >= 4


def test_the_report_may_stop_the_work() -> None:
    def stop(moment: Moment) -> None:
        assert 0 <= moment.done <= 1
        raise KeyboardInterrupt

    table, policy = coded(["xx", "xy", "zx"])
    with pytest.raises(KeyboardInterrupt):
        pipeline.run(table, policy, Budget.of(policy, stop))


@pytest.mark.parametrize("k", [2, 3, 7, 25])
@pytest.mark.parametrize("columns", [3, 6, 18])
def test_strict_on_random_tables(k: int, columns: int) -> None:
    rng = np.random.default_rng(columns * k)
    rows = ["".join(row) for row in rng.choice(list("aaabbc"), (150, columns))]
    table, recoding, _ = solved(rows, k=k)
    assert 0 <= recoding.lower_bound <= recoding.cost(table) <= 150 * columns


def test_the_pipeline_certifies_what_it_did() -> None:
    table, policy = coded(["xx", "xx", "xx", "xy"], algorithm="greedy")
    recoding, certificate = pipeline.run(table, policy)
    assert certificate.cost == recoding.cost(table) == 2
    assert certificate.lower_bound == 1
    assert certificate.status is Status.FEASIBLE
    assert (certificate.rows, certificate.row_types, certificate.cells) == (4, 2, 8)
    assert certificate.suppressed_cells == 2
    assert certificate.requirements == ("k >= 2",)
    assert not certificate.audited
    assert Policy.from_json(certificate.policy) == policy


def test_the_pipeline_calls_nothing_optimal_that_is_not_proven() -> None:
    table, policy = coded(["xx", "xx"])
    assert pipeline.run(table, policy)[1].status is Status.OPTIMAL
    table, policy = coded(["xx", "yy", "zz"])
    certificate = pipeline.run(table, policy)[1]
    assert certificate.cost == 6
    assert (certificate.status is Status.OPTIMAL) == (certificate.lower_bound == 6)


def test_weighted_costs_are_counted_in_the_unit_of_the_user() -> None:
    table, policy = coded(["xx", "xy"], weights={"b": "1/3"})
    certificate = pipeline.run(table, policy)[1]
    assert certificate.cost * 3 == 2
    assert certificate.suppressed_cells == 2


def test_an_unknown_algorithm_is_refused() -> None:
    table, policy = coded(["xx", "xx"], algorithm="magic")
    with pytest.raises(UnknownAlgorithmError, match="'magic'; hint: the algorithms are auto, refine, optimal, greedy, "):
        pipeline.run(table, policy)
