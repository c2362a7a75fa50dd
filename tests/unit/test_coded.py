"""Coding: every Arrow type, NULL as a category, exact keys, no influence of the order of the rows."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from kanon_sql.errors import InfeasibleError, PolicyError, SourceError, UnknownColumnError
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import AlphaAnonymity, LDiversity, TCloseness
from kanon_sql.table.coded_table import CodedTable
from kanon_sql.table.encode import encode
from kanon_sql.table.equal_values import Spellings
from kanon_sql.table.keys import mixed_radix
from kanon_sql.table.recoding import Recoding, hidden_bits
from kanon_sql.table.sensitive_values import labelled, measured

UTC = dt.UTC


def coded(columns: dict[str, pa.Array], count: list[int] | None = None, **policy: Any) -> CodedTable:
    rows = pa.StructArray.from_arrays(list(columns.values()), list(columns))
    weights = np.array(count or [1] * len(rows), np.int64)
    return encode(rows, weights, Policy.of(**policy))[0]


VALUES: list[tuple[pa.DataType, list[Any]]] = [
    *((kind, [3, None, 0, 1]) for kind in (pa.int8(), pa.int16(), pa.int32(), pa.int64())),
    *((kind, [3, None, 0, 255]) for kind in (pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())),
    (pa.int64(), [-(2**63), None, 2**63 - 1, 0]),
    (pa.uint64(), [2**64 - 1, None, 0, 2**63]),
    (pa.decimal128(38, 0), [Decimal("1" + 37 * "0"), None, Decimal("-1" + 37 * "0"), Decimal("1" + 36 * "0" + "1")]),
    (pa.decimal128(9, 2), [Decimal("1.10"), None, Decimal("1.11"), Decimal("-1.10")]),
    (pa.decimal256(60, 5), [Decimal("1.00001"), None, Decimal("1.00002")]),
    (pa.float32(), [0.5, None, float("nan"), float("inf"), -float("inf"), 1.0]),
    (pa.float64(), [0.1, None, float("nan"), float("inf"), -float("inf"), 0.1 + 2**-56]),
    (pa.bool_(), [True, None, False]),
    (pa.string(), ["a", None, "", "A", "é", "e\u0301"]),
    (pa.large_string(), ["a", None, "", "A"]),
    (pa.binary(), [b"a", None, b"", b"\x00", b"\xff"]),
    (pa.large_binary(), [b"a", None, b"", b"\x00"]),
    (pa.binary(2), [b"ab", None, b"ba"]),
    (pa.date32(), [dt.date(2020, 1, 1), None, dt.date(1, 1, 1), dt.date(9999, 12, 31)]),
    (pa.date64(), [dt.date(2020, 1, 1), None, dt.date(1970, 1, 1)]),
    (pa.time32("s"), [dt.time(1), None, dt.time(2)]),
    (pa.time64("us"), [dt.time(1, 2, 3, 4), None, dt.time(1, 2, 3, 5)]),
    (pa.time64("ns"), [1, None, 2]),
    (pa.timestamp("s"), [dt.datetime(2020, 1, 1), None, dt.datetime(2020, 1, 2)]),
    (pa.timestamp("ns"), [1, None, 2]),
    (pa.timestamp("us", tz="UTC"), [dt.datetime(2020, 1, 1, tzinfo=UTC), None, dt.datetime(2020, 1, 2, tzinfo=UTC)]),
    (pa.timestamp("us", tz="Europe/Vienna"), [dt.datetime(2020, 1, 1, tzinfo=UTC), None, dt.datetime(1999, 1, 2, tzinfo=UTC)]),
    (pa.duration("us"), [dt.timedelta(seconds=1), None, dt.timedelta(days=1)]),
    (pa.month_day_nano_interval(), [(0, 30, 0), None, (1, 0, 0), (0, 0, 1)]),
    (pa.list_(pa.int32()), [[1, 2], None, [], [2, 1], [None]]),
    (pa.large_list(pa.string()), [["a"], None, [], ["a", None]]),
    (pa.list_(pa.int32(), 2), [[1, 2], None, [2, 1]]),
    (
        pa.struct([("x", pa.int32()), ("y", pa.string())]),
        [{"x": 1, "y": "a"}, None, {"x": None, "y": None}, {"x": 1, "y": "b"}],
    ),
    (pa.map_(pa.string(), pa.int32()), [[("a", 1)], None, [], [("a", 2)]]),
    (pa.list_(pa.list_(pa.float64())), [[[0.5], []], None, [[0.5]], [[0.5, None]]]),
    (pa.dictionary(pa.int8(), pa.string()), ["a", None, "b"]),
]


@pytest.mark.parametrize(("kind", "values"), VALUES, ids=[str(kind) for kind, _ in VALUES])
def test_every_type_gets_one_code_a_value(kind: pa.DataType, values: list[Any]) -> None:
    column = pa.array(values, pa.string()).dictionary_encode() if pa.types.is_dictionary(kind) else pa.array(values, kind)
    table = coded({"a": column}, list(range(1, len(values) + 1)))
    assert table.codes.dtype == np.int32
    assert table.codes.flags.c_contiguous
    assert table.codes[:, 0].tolist() == list(range(len(values)))
    assert sorted(table.weight.tolist()) == list(range(1, len(values) + 1))
    assert (table.weight == table.origin + 1).all()
    assert values[table.origin[-1]] is None, "NULL has the last code"


@pytest.mark.parametrize(("kind", "values"), VALUES, ids=[str(kind) for kind, _ in VALUES])
def test_the_order_of_the_rows_does_not_matter(kind: pa.DataType, values: list[Any]) -> None:
    if pa.types.is_dictionary(kind):
        kind = pa.string()
    other = pa.array([i % 2 for i in range(len(values))])
    straight = coded({"a": pa.array(values, kind), "b": other}, list(range(1, len(values) + 1)))
    turned = coded({"a": pa.array(values[::-1], kind), "b": other[::-1]}, list(range(len(values), 0, -1)))
    assert (straight.codes == turned.codes).all()
    assert (straight.weight == turned.weight).all()


def test_the_null_type_is_one_category() -> None:
    table = coded({"a": pa.nulls(3), "b": pa.array([2, 1, 3])})
    assert table.codes.tolist() == [[0, 0], [0, 1], [0, 2]]


def test_unions_tell_their_tags_apart() -> None:
    union = pa.UnionArray.from_sparse(
        pa.array([0, 1, 0], pa.int8()), [pa.array([1, 1, 2], pa.int32()), pa.array([1.0, 1.0, 2.0], pa.float64())]
    )
    assert coded({"a": union}).codes[:, 0].tolist() == [0, 1, 2]


def test_numbers_and_texts_are_coded_in_their_order() -> None:
    table = coded({"a": pa.array([10, None, 9, -1])})
    assert table.origin.tolist() == [3, 2, 0, 1]
    table = coded({"a": pa.array(["b", "a", None])})
    assert table.origin.tolist() == [1, 0, 2]


def test_an_enum_follows_its_own_order_and_unused_values_leave_no_gap() -> None:
    enum = pa.DictionaryArray.from_arrays(pa.array([3, None, 1], pa.uint8()), pa.array(["low", "mid", "unused", "high"]))
    table = coded({"a": enum})
    assert table.origin.tolist() == [2, 0, 1]
    assert table.codes[:, 0].tolist() == [0, 1, 2]
    assert table.cardinality.tolist() == [3]


def test_a_column_without_null_starts_at_zero() -> None:
    assert coded({"a": pa.array([5, 7])}).codes[:, 0].tolist() == [0, 1]


def test_equal_nans_are_one_value_and_the_two_zeros_are_two() -> None:
    with pytest.raises(SourceError, match="became equal"):
        coded({"a": pa.array([float("nan"), float("nan")])})
    assert coded({"a": pa.array([0.0, -0.0])}).cardinality.tolist() == [2]


def test_equal_row_types_are_refused_without_their_values() -> None:
    with pytest.raises(SourceError, match="became equal") as caught:
        coded({"a": pa.array(["secret", "secret"])})
    assert "secret" not in str(caught.value)


def test_only_the_quasi_identifiers_are_coded_in_the_order_of_the_policy() -> None:
    rows = {"a": pa.array([1, 2]), "B": pa.array(["x", "y"]), "c": pa.array([3, 3])}
    table = coded(rows, quasi_identifiers=["c", "b"])
    assert table.columns == (("c",), ("B",))


def test_linked_columns_are_one_coded_column_with_a_code_a_combination() -> None:
    rows = {
        "city": pa.array(["a", "a", "b", None, None]),
        "age": pa.array([1, 2, 1, 1, 1]),
        "zip": pa.array([7, 7, 7, 7, None]),
    }
    options: dict[str, Any] = {"quasi_identifiers": ["city", "age", "zip"], "weights": {"zip": "1/2"}}
    table = coded(rows, linked=[["ZIP", "city"]], **options)
    assert table.columns == (("city", "zip"), ("age",))
    assert table.width.tolist() == [2, 1]
    assert (table.unit, table.cost.tolist()) == (2, [3, 2])
    back = table.codes[np.argsort(table.origin)]
    assert back[0, 0] == back[1, 0]
    assert sorted(back[1:, 0].tolist()) == [0, 1, 2, 3], "a NULL in one of them is a value like any other"
    assert (table.codes == coded(rows, linked=[["city", "zip"]], **options).codes).all()


def test_many_wide_linked_columns_are_told_apart() -> None:
    rng = np.random.default_rng(3)
    values = rng.integers(0, 1000, (300, 12))
    values[150:, :11] = values[:150, :11]  # combinations that differ in the last column alone
    table = coded({f"c{i}": pa.array(values[:, i]) for i in range(12)}, linked=[[f"c{i}" for i in range(12)]])
    assert table.cardinality.tolist() == [300]


def test_an_unknown_column_is_an_error() -> None:
    with pytest.raises(UnknownColumnError, match='"z"'):
        coded({"a": pa.array([1])}, quasi_identifiers=["z"])


def test_sixty_columns_are_coded_and_sixty_one_are_refused() -> None:
    columns = {f"c{i}": pa.array([i, None, 3]) for i in range(60)}
    table = coded(columns)
    assert table.codes.shape == (3, 60)
    with pytest.raises(PolicyError, match="too many quasi-identifiers: 61"):
        coded(columns | {"one more": pa.array([1, 2, 3])})


def test_costs_are_whole_numbers_of_a_common_unit() -> None:
    columns = {"a": pa.array([1]), "b": pa.array([1]), "c": pa.array([1])}
    table = coded(columns, quasi_identifiers=["a", "b", "c"], weights={"a": "1/3", "b": 0.5})
    assert (table.unit, table.cost.tolist()) == (6, [2, 3, 6])
    assert table.exact_cost(7) == Fraction(7, 6)


def test_weights_that_cannot_be_added_exactly_are_refused() -> None:
    with pytest.raises(PolicyError, match="span too wide a range"):
        coded({"a": pa.array([1]), "b": pa.array([1])}, quasi_identifiers=["a", "b"], weights={"a": "1/10000000000"})


def keys(codes: np.ndarray, cardinality: np.ndarray) -> list[tuple[int, ...]]:
    word, stride, words = mixed_radix(cardinality)
    return [tuple(int(sum(row[word == w] * stride[word == w])) for w in range(words)) for row in codes.astype(object)]


def test_mixed_radix_keys_identify_every_row() -> None:
    cardinality = np.array([3, 1, 4, 2], np.int64)
    grid = np.stack(np.meshgrid(*[np.arange(c) for c in cardinality], indexing="ij"), -1).reshape(-1, 4)
    assert mixed_radix(cardinality)[2] == 1
    assert len(set(keys(grid, cardinality))) == 24


def test_mixed_radix_takes_another_word_before_the_key_overflows() -> None:
    cardinality = np.full(60, 1000, np.int64)
    word, stride, words = mixed_radix(cardinality)
    assert words == 10
    assert (np.diff(word) >= 0).all()
    for w in range(words):
        here = word == w
        assert sum(int(s) * 999 for s in stride[here]) < 1 << 62
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 1000, (200, 60))
    twin = codes.copy()
    twin[np.arange(200), rng.integers(0, 60, 200)] += 1
    assert len(set(keys(np.concatenate([codes, twin]), cardinality + 1))) == 400


def test_mixed_radix_fills_one_word_to_the_limit() -> None:
    assert mixed_radix(np.array([1 << 31, 1 << 31], np.int64))[2] == 1
    assert mixed_radix(np.array([1 << 31, 1 << 31, 2], np.int64))[2] == 2


def test_many_key_words_keep_the_table_ascending() -> None:
    rng = np.random.default_rng(2)
    values = rng.integers(0, 50, (50, 40))
    values[:, 0] = np.arange(50)  # no two row types are equal
    shuffled = values[rng.permutation(50)]
    one = coded({f"c{i}": pa.array(values[:, i]) for i in range(40)})
    other = coded({f"c{i}": pa.array(shuffled[:, i]) for i in range(40)})
    assert mixed_radix(one.cardinality)[2] > 1
    assert (one.codes == other.codes).all()


def test_hidden_bits_and_the_cost_of_a_recoding() -> None:
    table = coded({"a": pa.array([1, 2]), "b": pa.array([1, 2])}, [3, 4], quasi_identifiers=["a", "b"], weights={"b": 5})
    shown = np.array([0b01, 0b10, 0b00], np.uint64)
    assert hidden_bits(shown, 2).tolist() == [[0, 1], [1, 0], [1, 1]]
    recoding = Recoding(row_type=np.array([0, 0, 1], np.int32), shown=shown, count=np.array([1, 2, 4], np.int64))
    assert recoding.cost(table) == 1 * 5 + 2 * 1 + 4 * 6
    assert hidden_bits(np.array([1 << 59], np.uint64), 60).sum() == 59


SENSITIVE = {
    "zip": pa.array(["x", "y", "x", "x", "y"]),
    "disease": pa.array(["flu", "flu", None, "asthma", "gout"]),
    "pay": pa.array([3, 1, 2, 2, 2]),
}


def sensitive(*requirements: Any, columns: dict[str, pa.Array] = SENSITIVE, count: list[int] | None = None) -> CodedTable:
    return coded(columns, count, requirements=requirements)


def test_sensitive_attributes_are_coded_beside_the_quasi_identifiers() -> None:
    table = sensitive(LDiversity(sensitive="DISEASE", l=2), TCloseness(sensitive="pay", t=1), count=[1, 2, 3, 4, 5])
    assert table.columns == (("zip",),)
    disease, pay = table.sensitive
    assert (disease.column, pay.column) == ("disease", "pay")
    assert table.codes[:, 0].tolist() == [0, 0, 0, 1, 1]
    assert pay.codes.tolist() == [1, 1, 2, 0, 1]
    assert disease.codes.tolist() == [0, 3, 1, 1, 2], "NULL is the last value"
    assert table.weight.tolist() == [4, 3, 1, 2, 5]
    assert disease.count.tolist() == [4, 3, 5, 3]
    assert pay.count.tolist() == [2, 12, 1]
    assert table.origin.tolist() == [3, 2, 0, 1, 4]
    assert (disease.codes.dtype, disease.count.dtype) == (np.int32, np.int64)
    assert table.codes.flags.c_contiguous
    assert disease.codes.flags.c_contiguous
    assert (disease.named, disease.distances, list(pay.distances)) == ({}, {}, ["equal"])


def test_row_types_with_equal_codes_follow_their_sensitive_values_whatever_the_order_of_the_source() -> None:
    requirement = LDiversity(sensitive="disease", l=2)
    turned = {name: column.take(pa.array([4, 2, 0, 3, 1])) for name, column in SENSITIVE.items()}
    one, other = sensitive(requirement, count=[1, 2, 3, 4, 5]), sensitive(requirement, columns=turned, count=[5, 3, 1, 4, 2])
    assert (one.codes == other.codes).all()
    assert (one.sensitive[0].codes == other.sensitive[0].codes).all()
    assert (one.weight == other.weight).all()
    assert one.columns == (("zip",), ("pay",))


def test_without_sensitive_attributes_there_are_none() -> None:
    assert coded({"a": pa.array([1, 2])}).sensitive == ()


def test_row_types_that_differ_in_nothing_are_refused_with_sensitive_attributes_too() -> None:
    columns = {"a": pa.array([1, 1]), "s": pa.array(["secret", "secret"])}
    with pytest.raises(SourceError, match="became equal") as caught:
        sensitive(LDiversity(sensitive="s", l=1), columns=columns)
    assert "secret" not in str(caught.value)


FLOATS = [-float("inf"), -2.5, -1e-300, 0.0, 1e-300, 7.0, float("inf"), float("nan"), None]


@pytest.mark.parametrize("kind", [pa.float32(), pa.float64()], ids=str)
def test_sensitive_floats_are_coded_in_the_order_of_numbers(kind: pa.DataType) -> None:
    values = FLOATS if kind == pa.float64() else [each for each in FLOATS if each is None or abs(each) != 1e-300]
    columns = {"q": pa.array(range(len(values))), "s": pa.array(values, kind)}
    table = sensitive(TCloseness(sensitive="s", t=1, metric="ordered"), columns=columns)
    assert table.sensitive[0].codes.tolist() == list(range(len(values)))


@pytest.mark.parametrize("nan", [float("nan"), -float("nan")])
def test_every_nan_is_the_largest_number(nan: float) -> None:
    columns = {"q": pa.array([0, 1]), "s": pa.array(np.array([nan, 1.0]))}
    assert sensitive(LDiversity(sensitive="s", l=1), columns=columns).sensitive[0].codes.tolist() == [1, 0]


def test_a_sensitive_enum_follows_its_own_order() -> None:
    enum = pa.DictionaryArray.from_arrays(pa.array([3, None, 1], pa.uint8()), pa.array(["z", "y", "unused", "a"]))
    table = sensitive(TCloseness(sensitive="s", t=1, metric="ordered"), columns={"q": pa.array([1, 2, 3]), "s": enum})
    assert table.sensitive[0].codes.tolist() == [1, 2, 0]
    assert table.sensitive[0].distances["ordered"].scale == 2


@pytest.mark.parametrize("column", [pa.array([[1], [2]]), pa.array([{"x": 1}, {"x": 2}])], ids=["list", "struct"])
def test_nested_values_have_no_order(column: pa.Array) -> None:
    columns = {"q": pa.array([1, 2]), "s": column}
    with pytest.raises(PolicyError, match=r"t\(s, 'ordered'\) <= 1: values of this type have no order"):
        sensitive(TCloseness(sensitive="s", t=1, metric="ordered"), columns=columns)
    assert len(sensitive(TCloseness(sensitive="s", t=1), columns=columns).sensitive[0].count) == 2


def test_costs_that_cannot_be_added_over_all_rows_are_refused() -> None:
    columns = {"a": pa.array([1, 2])}
    weights = {"a": 2**30}
    assert coded(columns, [2**32, 2**32 - 1], weights=weights).rows == 2**33 - 1
    with pytest.raises(PolicyError, match="too large to sum over all rows"):
        coded(columns, [2**32, 2**32], weights=weights)


def known(requirements: list[Any], tables: dict[str, Any] | None = None, labels: list[str | None] | None = None) -> CodedTable:
    rows = pa.StructArray.from_arrays(list(SENSITIVE.values()), list(SENSITIVE))
    table, policy = encode(rows, np.ones(5, np.int64), Policy.of(requirements=requirements))
    texts = {"disease": SENSITIVE["disease"] if labels is None else pa.array(labels), "pay": SENSITIVE["pay"].cast(pa.string())}
    return measured(table, policy, {name: texts[name] for name in labelled(policy)}, tables or {}, Spellings.of(table))


def test_a_value_that_no_row_has_is_refused() -> None:
    message = r"alpha\(disease, 'plague'\) <= 1: no row has this value.*hint: .* in CAST\(disease AS VARCHAR\)"
    with pytest.raises(InfeasibleError, match=message):
        known([AlphaAnonymity(sensitive="disease", value="plague", alpha=1)])


def test_values_and_distances_that_need_more_than_codes() -> None:
    tree = {"level0": ["flu", "asthma", "gout", None], "level1": ["lung", "lung", "joint", "none"], "level2": ["*"] * 4}
    apart = {"a": ["flu", "flu", "gout"], "b": ["gout", "asthma", "asthma"], "distance": ["1", "0.5", "1"]}
    requirements = [
        AlphaAnonymity(sensitive="disease", value="gout", alpha=1),
        TCloseness(sensitive="Disease", t=1, metric="hierarchical", hierarchy="tree"),
        TCloseness(sensitive="disease", t=1, metric="ordered"),
        TCloseness(sensitive="PAY", t=1, metric="numeric"),
        LDiversity(sensitive="pay", l=1),
    ]
    assert Policy.of(quasi_identifiers=["zip"], requirements=requirements).tables == ("tree",)
    disease, pay = known(requirements, {"tree": tree}).sensitive
    assert disease.named == {"gout": 2}
    assert sorted(disease.distances) == ["hierarchical", "ordered"]
    assert disease.distances["hierarchical"].scale == 4
    assert pay.distances["numeric"].length.tolist() == [1, 1]
    with pytest.raises(PolicyError, match=r"t\(disease, 'apart'\) <= 1: 1 of the 4 distinct values are missing from the table"):
        known([TCloseness(sensitive="disease", t=1, metric="apart")], {"apart": apart})


def test_a_named_value_is_one_value() -> None:
    with pytest.raises(SourceError, match=r"alpha\(disease, 'flu'\) <= 1: 2 different values match this text"):
        known([AlphaAnonymity(sensitive="disease", value="flu", alpha=1)], labels=["flu", "flu", None, "flu", "gout"])


def test_empty_cells_and_words_are_no_numbers() -> None:
    requirement = TCloseness(sensitive="disease", t=1, metric="numeric")
    with pytest.raises(PolicyError, match="empty cells are not numbers"):
        known([requirement])
    with pytest.raises(PolicyError, match="2 of the 4 values are not numbers") as caught:
        known([requirement], labels=["3.5", "3.5", "secret", "1", "x"])
    assert "secret" not in str(caught.value)
    assert known([requirement], labels=["10", "10", "9", "8.5", "12"]).sensitive[0].distances["numeric"].scale == 7
