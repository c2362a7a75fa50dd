"""Values that break things: for every type of DuckDB a domain of SQL expressions, awkward names, and settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from fuzz.label_rules import numbered

CANARY = "CANARY"
"""No error may hold it: it stands in cells only."""


@dataclass(frozen=True)
class Domain:
    """A type and expressions of its values.

    ``numeric`` values can be in intervals of numbers, ``dated`` ones in periods; ``key`` orders them as the type does. Arrow
    cannot hand on types whose ``arrow`` is False. ``fold`` is their collation; ``twins`` look different and are equal in SQL.
    """

    kind: str
    values: tuple[str, ...]
    numeric: bool = False
    dated: bool = False
    key: Callable[[str], object] | None = None
    arrow: bool = True
    fold: str = ""
    twins: bool = False

    @property
    def type(self) -> str:
        """The type as a column of a table is declared."""
        return f"{self.kind} COLLATE {self.fold}" if self.fold else self.kind


def _whole(kind: str, *values: int) -> Domain:
    return Domain(kind, tuple(f"'{value}'" for value in values), numeric=True, key=numbered, arrow="HUGE" not in kind)


def _texts(*values: str) -> tuple[str, ...]:
    return tuple("'" + value.replace("'", "''") + "'" for value in values)


def _bytes(text: str) -> bytes:
    return text.encode()


INTEGER = _whole("INTEGER", 1, 2, 3, 17, 23, 34, 35, 40, -5, 0)
WORDS = Domain("VARCHAR", _texts("flu", "asthma", "ulcer", "gout", f"{CANARY}-hiv", "'quoted'", ""), key=_bytes)
ZIPS = Domain("VARCHAR", _texts("98101", "98102", "98109", "98201", "981", "02138", "0", "98101-2"), key=_bytes)

PLAIN = (
    INTEGER,
    WORDS,
    ZIPS,
    Domain("DATE", _texts("2020-01-01", "2020-01-31", "2020-02-01", "2019-12-31", "1999-06-15"), dated=True, key=_bytes),
    Domain("DECIMAL(6,2)", _texts("1.00", "1.50", "2.25", "-3.10", "10.00", "0.00"), numeric=True, key=numbered),
    Domain("BOOLEAN", ("true", "false")),
    Domain(
        "TIMESTAMP", _texts("2020-01-01 00:00:00", "2020-01-01 00:00:00.000001", "2021-05-05 12:00:00"), dated=True, key=_bytes
    ),
    Domain("ENUM ('low', 'mid', 'Martian', 'high')", _texts("low", "mid", "high"), key=("low", "mid", "Martian", "high").index),
)
"""Types of ordinary tables."""

NASTY = (
    _whole("TINYINT", -128, 127, 0),
    _whole("SMALLINT", -32768, 32767, 1),
    _whole("BIGINT", -(2**63), 2**63 - 1, 2**53, 2**53 + 1, 2**60 + 1),
    _whole("HUGEINT", 2**127 - 1, -(2**127) + 1, 2**64, -1),
    _whole("UHUGEINT", 2**128 - 1, 2**128 - 2, 0),
    _whole("UTINYINT", 255, 0),
    _whole("USMALLINT", 65535, 0),
    _whole("UINTEGER", 2**32 - 1, 0),
    _whole("UBIGINT", 2**64 - 1, 2**64 - 2, 0),
    Domain(
        "DECIMAL(38,10)",
        _texts("1234567890123456789012345678.0000000001", "1234567890123456789012345678.0000000002"),
        numeric=True,
        key=numbered,
    ),
    Domain(
        "DOUBLE",
        _texts("0.0", "-0.0", "nan", "-nan", "inf", "-inf", "1e30", "1e308", "5e-324", "0.1", "0.30000000000000004", "2.0"),
        numeric=True,
        twins=True,
    ),
    Domain("DOUBLE", _texts("0.0", "-0.0", "1.5", "2.0"), numeric=True, twins=True),
    Domain("FLOAT", _texts("0.0", "-0.0", "nan", "0.1", "16777216", "1e30"), numeric=True, twins=True),
    Domain(
        "VARCHAR",
        (
            *_texts(", ", "a, b", "[a", "[1, 2]", "{x}", "*", "NULL", "null", "é", "😀", "日本", 'a"b', "it's", " ", "a", "A"),
            "'a' || chr(0)",
            "'a' || chr(8203)",
            "'e' || chr(769)",
            "chr(10)",
            "chr(9) || 'x'",
        ),
        key=_bytes,
    ),
    Domain(
        "VARCHAR", _texts("bin 1", "region 1", "98***", "[35, 40)", "[1, 2] or NULL", "{a, b}", "a", "b", "NULL"), key=_bytes
    ),
    Domain("VARCHAR", _texts("a", "A", "b", "B", "c"), fold="NOCASE", key=None, twins=True),
    Domain("VARCHAR", _texts("e", "é", "a", "á", "x"), fold="NOACCENT", key=None, twins=True),
    Domain(
        "DOUBLE", _texts("0.0", "inf", "-inf", "nan", "1e30", "1e308", "5e-324", "0.1", "0.30000000000000004"), numeric=True
    ),
    Domain("INTERVAL", _texts("1 month", "29 days", "1 year", "1 second")),
    Domain("DOUBLE[]", ("[0.0::DOUBLE]", "[1.0::DOUBLE]", "['nan'::DOUBLE]", "[]")),
    Domain("BLOB", ("'\\x00'::BLOB", "'\\x00\\x00'::BLOB", "''::BLOB", "'a'::BLOB")),
    Domain("BIT", ("'0'::BIT", "'00'::BIT", "'1'::BIT", "'0101'::BIT"), arrow=False),
    Domain("UUID", _texts("00000000-0000-0000-0000-000000000001", "ffffffff-ffff-ffff-ffff-ffffffffffff")),
    Domain("DATE", ("'infinity'", "'-infinity'", "'290000-12-31 (BC)'", "'2020-02-29'"), arrow=False),
    Domain("TIME", _texts("00:00:00", "01:02:03.000004", "23:59:59.999999")),
    Domain("TIME", _texts("00:00:00", "24:00:00"), arrow=False),
    Domain("TIMETZ", _texts("01:00:00+01", "00:00:00+00", "05:00:00+00"), arrow=False),
    Domain("TIMESTAMP_S", _texts("2020-01-01 00:00:00", "2020-01-02 00:00:00")),
    Domain("TIMESTAMP_MS", _texts("2020-01-01 00:00:00.001", "2020-01-01 00:00:00.002")),
    Domain("TIMESTAMP_NS", _texts("2020-01-01 00:00:00.000000001", "2020-01-01 00:00:00.000000002")),
    Domain("TIMESTAMPTZ", _texts("2020-01-01 00:00:00+00", "2020-01-01 00:00:00+01", "2020-06-01 00:00:00+00")),
    Domain("INTERVAL", _texts("1 month", "30 days", "720 hours", "29 days", "1 year", "12 months"), twins=True),
    Domain("INTEGER[]", ("[1, NULL]", "[1]", "[]", "[NULL]", "[2, 1]")),
    Domain("DOUBLE[]", ("[0.0::DOUBLE]", "['-0.0'::DOUBLE]", "['nan'::DOUBLE]", "[]"), twins=True),
    Domain("INTERVAL[]", ("[INTERVAL '1 month']", "[INTERVAL '30 days']", "[]"), twins=True),
    Domain("VARCHAR[][]", ("[['a'], []]", "[['a']]", "[[NULL]]", "[['NULL']]")),
    Domain("INTEGER[2]", ("[1, 2]", "[2, 1]", "[1, NULL]")),
    Domain("DOUBLE[2]", ("[0.0, 1.0]", "['-0.0'::DOUBLE, 1.0::DOUBLE]"), twins=True),
    Domain("STRUCT(x INTEGER, y VARCHAR)", ("{'x': 1, 'y': 'a'}", "{'x': 1, 'y': NULL}", "{'x': NULL, 'y': 'NULL'}")),
    Domain(
        "STRUCT(x DOUBLE[], y STRUCT(z DOUBLE))",
        (
            "{'x': [0.0::DOUBLE], 'y': {'z': '-0.0'::DOUBLE}}",
            "{'x': ['-0.0'::DOUBLE], 'y': {'z': 0.0::DOUBLE}}",
            "{'x': [], 'y': {'z': NULL}}",
        ),
        twins=True,
    ),
    Domain("MAP(VARCHAR, INTEGER)", ("MAP {'a': 1}", "MAP {'a': 2}", "MAP {}")),
    Domain("MAP(VARCHAR, DOUBLE)", ("MAP {'a': 0.0::DOUBLE}", "MAP {'a': '-0.0'::DOUBLE}"), twins=True),
    Domain("UNION(n INTEGER, s VARCHAR)", ("union_value(n := 1)", "union_value(s := 'x')"), arrow=False),
    Domain("JSON", _texts('{"a": 1}', '{"a":1}', "null", '"x"', "[1, 2.0]"), arrow=False),
    Domain("BIGNUM", ("1", "2"), arrow=False),
)
"""Types and values at the edges."""

NAMES = (
    "zip", "age", "sex", "job", "Disease", "select", 'a"b', "Ünï", "two words", "*", "^a.*$", "k", "n", "rowid",
    "piece", "parts", "row_type", "it's", "x.y", "COLUMNS", "count", "q", "shown", "qi", "order", "日本", "size",
    "passed", "release", "hidden", "place", "row", "v", "a,b", "$1", "source", "released", "t",
)  # fmt: skip
"""Names of columns; among them those that generated SQL might use itself."""

SETTINGS = (
    "default_collation = 'NOCASE'",
    "default_null_order = 'NULLS FIRST'",
    "default_null_order = 'NULLS_FIRST_ON_ASC_LAST_ON_DESC'",
    "default_order = 'DESC'",
    "integer_division = true",
    "ieee_floating_point_ops = false",
    "preserve_insertion_order = false",
    "TimeZone = 'America/New_York'",
    "TimeZone = 'Asia/Kathmandu'",
    "threads = 1",
    "threads = 4",
    "memory_limit = '200MB'",
    "arrow_lossless_conversion = true",
    "arrow_output_list_view = true",
    "produce_arrow_string_view = true",
    "arrow_large_buffer_size = true",
    "order_by_non_integer_literal = true",
    "scalar_subquery_error_on_multiple_rows = false",
    "old_implicit_casting = true",
    "lambda_syntax = 'ENABLE_SINGLE_ARROW'",
    "lambda_syntax = 'DISABLE_SINGLE_ARROW'",
    "enable_object_cache = true",
    "prefer_range_joins = true",
    "perfect_ht_threshold = 0",
    "disabled_optimizers = 'common_subplan,cte_inlining,materialized_cte'",
    "disabled_optimizers = 'statistics_propagation,join_order,filter_pushdown'",
    "enable_external_access = false",
    "lock_configuration = false",
    "errors_as_json = true",
    "immediate_transaction_mode = true",
)
"""What a connection may be set to, one or two at a time; what this DuckDB does not know is left out."""

WEIGHTS = (Fraction(1), Fraction(2), Fraction(3), Fraction(1, 10), Fraction(5, 2), Fraction(7, 3))
