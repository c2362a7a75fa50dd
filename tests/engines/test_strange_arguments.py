"""Every argument of a table function, part of the clause and field of a policy, given what it cannot be."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

import kanon_sql
from kanon_sql.engines.duckdb.connect.connection import Connection
from kanon_sql.errors import KanonError, PolicyError
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_file import read

LONG = "x" * 100_000

SQL_VALUES = (
    "NULL",
    "true",
    "-1",
    "0",
    "1e300",
    "170141183460469231731687303715884105727",
    "0.1",
    "'NaN'::DOUBLE",
    "'inf'::DOUBLE",
    "''",
    "' '",
    "'nope'",
    "chr(0)",
    "'a' || chr(0) || 'b'",
    "'\"'",
    "';'",
    "'{'",
    "'a.b.c.d'",
    "repeat('x', 100000)",
    "[]",
    "[NULL]",
    "['']",
    "['age', 'AGE']",
    "[['age']]",
    "[[NULL]]",
    "[1]",
    "[[1]]",
    "['nope']",
    "[['nope']]",
    "{'a': 1}",
    "MAP {}",
    "MAP {'age': NULL}",
    "MAP {'nope': 3}",
    "MAP {'age': 'nope'}",
    "MAP {'age': -1}",
    "MAP {'age': 'NaN'::DOUBLE}",
    "MAP {1: 2}",
    "MAP {'age': ['x']}",
    "MAP {'age': repeat('(', 100000)}",
    "MAP {'age': 'RECTANGLES WITH age'}",
    "DATE '2020-01-01'",
    "INTERVAL 1 DAY",
    "'\\x00'::BLOB",
    "repeat('[', 100000)",
    "[repeat('x', 100000)]",
    "MAP {'age': 'DIGITS (0)'}",
    "MAP {'age': 'INTERVALS (0)'}",
    "MAP {'age': 'HIERARCHY nope'}",
    "MAP {'age': 'REGIONS t'}",
    "MAP {'age': 'DIGITS (99999999999)'}",
)

SHARED = (
    "qi",
    "k",
    "per",
    "masks",
    "linked",
    "weights",
    "hierarchies",
    "recodings",
    "full_domain",
    "algorithm",
    "time_limit",
    "seed",
    "max_suppressed",
    "suppress",
)

CALLS = [
    *(f"k_anonymize('t', 2, {name} := {{}})" for name in SHARED if name != "k"),
    "k_anonymize({}, 2)",
    "k_anonymize('t', {})",
    "l_diversify('t', {}, 2)",
    "l_diversify('t', 'd', {})",
    "l_diversify('t', 'd', 2, variant := {})",
    "l_diversify('t', 'd', 2, variant := 'recursive', c := {})",
    "t_close('t', {}, 0.5)",
    "t_close('t', 'd', {})",
    "t_close('t', 'd', 0.5, metric := {})",
    "t_close('t', 'd', 0.5, metric := 'hierarchical', hierarchy := {})",
    "pattern_guided('t', {})",
    "anonymize('t', {})",
    "bin_labels('t', {}, 2)",
    "bin_labels('t', 'age', {})",
    "region_labels('t', 'age', {}, 2)",
    "region_labels('t', 'age', 't', 2, components := {})",
    "rectangle_labels('t', 'age', {}, 2)",
]

CLAUSE_VALUES = (
    "",
    "NULL",
    "-1",
    "0",
    "1e300",
    "99999999999999999999999999999999999999",
    "0.1",
    "''",
    "'x'",
    "nope",
    '"nope"',
    '"a\0b"',
    "(",
    "()",
    "\ud800",
    "'\ud800'",
    '"\ud800"',
    "\0",
    LONG,
    f"'{LONG}'",
    "(" * 5000,
    "1/0",
    "k",
    "$1",
    "?",
    "1;",
    "--",
    "/*",
    "x.y",
    "*",
    "[1]",
)

CLAUSES = [
    "FROM t ANONYMIZE BY {} GUARANTEE k >= 2",
    "FROM t ANONYMIZE BY age WEIGHT {} GUARANTEE k >= 2",
    "FROM t ANONYMIZE BY age IN {} GUARANTEE k >= 2",
    "FROM t ANONYMIZE BY age IN DIGITS ({}) GUARANTEE k >= 2",
    "FROM t ANONYMIZE BY age IN INTERVALS ({}) GUARANTEE k >= 2",
    "FROM t ANONYMIZE BY age IN INTERVALS (5) LOSS ({}) GUARANTEE k >= 2",
    "FROM t ANONYMIZE BY age IN HIERARCHY {} GUARANTEE k >= 2",
    "FROM t ANONYMIZE BY (age, {}) IN RECTANGLES GUARANTEE k >= 2",
    "FROM t ANONYMIZE BY age, zip LINKED (age, {}) GUARANTEE k >= 2",
    "FROM t ANONYMIZE BY GROUPING SETS ((age), {}) GUARANTEE k >= 2",
    "FROM t ANONYMIZE BY age GUARANTEE {}",
    "FROM t ANONYMIZE BY age GUARANTEE k >= {}",
    "FROM t ANONYMIZE BY age GUARANTEE k >= 2 PER {}",
    "FROM t ANONYMIZE BY age GUARANTEE l({}) >= 2",
    "FROM t ANONYMIZE BY age GUARANTEE l(d, {}) >= 2",
    "FROM t ANONYMIZE BY age GUARANTEE t(d, 'hierarchical', {}) <= 0.5",
    "FROM t ANONYMIZE BY age GUARANTEE alpha(d, {}) <= 0.5",
    "FROM t ANONYMIZE BY age GUARANTEE k >= 2 USING {}",
    "FROM t ANONYMIZE BY age GUARANTEE k >= 2 USING auto (time_limit = {})",
    "FROM t ANONYMIZE BY age GUARANTEE k >= 2 USING auto (seed = {})",
    "FROM t ANONYMIZE BY age GUARANTEE k >= 2 USING full_domain (max_suppressed = {})",
    "FROM t ANONYMIZE BY age GUARANTEE k >= 2 USING auto (suppress = {})",
    "FROM t ANONYMIZE WITH POLICY {}",
]

JSON_VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    10**400,
    0.1,
    float("nan"),
    float("inf"),
    "",
    "nope",
    "\ud800",
    "a\0b",
    LONG,
    [],
    [None],
    [[]],
    {},
    {"a": 1},
    ["\ud800"],
    [{"column": "\ud800"}],
    [{"type": []}],
    [{"type": "k", "k": "x"}],
    [{"type": "t", "sensitive": "d", "t": "1/0"}],
    [{"column": "age", "recoding": {"type": "digits", "shown": "x"}}],
    [{"column": "age", "recoding": {"type": "intervals", "steps": 5}}],
    [{"column": "age", "weight": "1e99999"}],
    [["age", {"column": "age"}]],
    [["age", {"column": "age", "recoding": None}]],
    [["age", 1]],
)


@pytest.fixture(scope="module")
def con() -> Iterator[Connection]:
    with kanon_sql.connect() as con:
        con.raw.execute("CREATE TABLE t AS SELECT i % 4 AS age, i % 3 AS zip, 'CANARY' || i % 5 AS d FROM range(24) t(i)")
        yield con


DUCKDB_SPEAKS = ("hint", "does not exist", "Unsupported type")
"""A hint of ours, or what DuckDB says itself: of a table that is missing, and before version 2 of an empty map."""


def told(error: BaseException) -> str:
    text = str(error)
    assert "CANARY" not in text
    assert "kanon#" not in text
    return text


def ours(con: Connection, query: str) -> None:
    try:
        con.execute(query).fetchall()
    except KanonError as error:
        told(error)


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("call", CALLS)
def test_arguments_of_functions(con: Connection, call: str) -> None:
    for value in SQL_VALUES:
        ours(con, f"FROM {call.format(value)}")


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("call", CALLS)
def test_arguments_of_functions_on_a_connection_of_yours(con: Connection, call: str) -> None:
    """There, DuckDB hands on the text of our error, and shows the statement of the user, never what was made of it."""
    unhinted: list[str] = []
    for value in SQL_VALUES:
        try:
            con.raw.execute(f"FROM {call.format(value)}").fetchall()
        except duckdb.Error as error:
            text = told(error)
            unhinted += [] if any(each in text for each in DUCKDB_SPEAKS) else [text]
    assert not unhinted


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("clause", CLAUSES)
def test_parts_of_the_clause(con: Connection, clause: str) -> None:
    for value in CLAUSE_VALUES:
        ours(con, clause.format(value))


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("field", [*Policy.__dataclass_fields__, "nope", "\ud800"])
def test_fields_of_a_policy(con: Connection, field: str) -> None:
    for value in JSON_VALUES:
        data = {"quasi_identifiers": [{"column": "age"}], field: value}
        text = json.dumps(data)
        try:
            policy = Policy.from_json(text)
        except PolicyError as error:
            told(error)
        else:
            assert Policy.from_json(policy.to_json()) == policy
        ours(con, "FROM anonymize('t', '" + text.replace("'", "''") + "')")
        try:
            read(json.dumps({"policies": [{"name": "p", "table": "t", **data}]}), "p.json")
        except PolicyError as error:
            told(error)


TWICE = [
    '{"every_column": true, "every_column": true}',
    '{"every_column": true, "requirements": [{"type": "k", "k": 5, "k": 1}]}',
    '{"quasi_identifiers": [{"column": "age", "recoding": {"type": "digits", "shown": [1], "shown": [2]}}]}',
]


@pytest.mark.parametrize("text", TWICE)
def test_a_key_that_stands_twice_is_refused(con: Connection, text: str) -> None:
    message = r"has the key '(every_column|k|shown)' twice; hint: remove one of the two"
    with pytest.raises(PolicyError, match=message):
        Policy.from_json(text)
    with pytest.raises(PolicyError, match=message):
        con.execute(f"FROM anonymize('t', '{text}')")
    with pytest.raises(PolicyError, match=message):
        read('{"policies": [{"name": "p", "table": "t", ' + text[1:] + "]}", "p.json")
    con.execute('CREATE TABLE kanon_policies (name TEXT, "table" TEXT, policy TEXT, created TIMESTAMP)')
    try:
        con.execute("INSERT INTO kanon_policies VALUES ('p', 't', ?, now())", [text])
        with pytest.raises(KanonError, match=message):
            con.execute("FROM t ANONYMIZE WITH POLICY p")
    finally:
        con.execute("DROP TABLE kanon_policies")


@pytest.mark.parametrize(
    "text", ["[" * 5000 + "]" * 5000, '{"a":' * 5000 + "1" + "}" * 5000, '"\\ud800"', "1" * 5000, "NaN", "", "nul"]
)
def test_json_that_cannot_be_read_is_refused(con: Connection, text: str) -> None:
    whole = '{"suppress": ' + text + "}"
    for ask in (
        lambda: Policy.from_json(whole),
        lambda: con.execute(f"FROM anonymize('t', '{whole}')"),
        lambda: read(whole, "p.json"),
    ):
        with pytest.raises(PolicyError, match="hint"):
            ask()


def test_names_that_are_no_text(con: Connection) -> None:
    table = con.sql("FROM t").to_arrow_table()
    for arguments in (
        {"quasi_identifiers": ["\ud800"]},
        {"suppress": "\ud800"},
        {"sensitive": "\ud800", "l": 2},
        {"sensitive": "d", "t": 1, "metric": "\ud800"},
        {"algorithm": "\ud800"},
        {"masks": [["\ud800"]]},
        {"linked": [["age", "\ud800"]]},
        {"per": "\ud800"},
        {"recodings": {"age": "HIERARCHY \ud800"}},
        {"weights": {"\ud800": 2}},
    ):
        with pytest.raises(PolicyError):
            kanon_sql.anonymize(table, **arguments)
    for query in ("FROM k_anonymize('\ud800', 2)", "SELECT '\ud800', age FROM t ANONYMIZE BY age GUARANTEE k >= 2"):
        with pytest.raises(KanonError, match="surrogate"):
            con.execute(query)
