"""Masks with levels and ends in plain SQL: against the ladders of the package, and a greedy over them in Python."""

from __future__ import annotations

import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
import shadows

from kanon_sql.engines.duckdb.connect.shadowing import REFUSED
from kanon_sql.engines.written import read_masks
from kanon_sql.generalize import ladders
from kanon_sql.model.policy import Policy
from kanon_sql.solvers.budget import Budget
from kanon_sql.table.encode import encode
from kanon_sql.table.patterns import permitted

ROOT = Path(__file__).parents[2]

Row = tuple[str | None, ...]
Masks = list[list[str]]

NAMES = ["zip", "age", "born", "sex"]

VALUES = {
    "zip": ["98101", "98102", "98201", "97", "9810", "98*", "äöü11", "", None],
    "age": ["34", "35.5", "-3", "-7.5", "1e2", "61", "12", "-0.0", " 7 ", "+5.25", "35.", ".5", "1e-399", None],
    "born": ["2020-01-31", "2021-12-01", "2020-05-05 10:00:00", "1999-07-07", "0001-01-01 23:59:59.5", "9999-12-31", None],
    "sex": ["a", "b"],
}

SHOWN = {
    "zip": [
        "zip",
        "zip IN DIGITS (3)",
        "ZIP in digits(5,1)",
        "zip IN DIGITS ( 4 , 04,2 )",
        "zip IN DIGITS",
        "zip  IN DIGITS (9)",
    ],
    "age": ["age", "age IN INTERVALS (10)", "AGE IN INTERVALS (5, 2_0)", "age IN INTERVALS (2.50)", "age IN INTERVALS (.3, 7)"],
    "born": ["born", "born IN INTERVALS (month)", "born IN INTERVALS (QUARTER, decade)", "born IN INTERVALS (day, year)"],
    "sex": ["sex"],
}

CODED = {
    "age": [
        [
            "age TOP 30 BOTTOM -3",
            "age IN INTERVALS (10) BOTTOM - 3 TOP 3_0",
            "AGE in intervals only (5, 2_0) top 30 bottom -3.0",
        ],
        ["age IN INTERVALS (2.5) TOP 35.5", "age IN INTERVALS ONLY (5) TOP 35.5", "age"],
        ["age IN CUTS (-3, 12, 34) TOP 61", "age TOP 61"],
        ["age IN CUTS ONLY (-7.25, .5)", "age"],
        ["age IN CUTS (12) BOTTOM -7.5 TOP 34.75", "age BOTTOM -7.5 TOP 34.75"],
    ],
    "born": [
        ["born IN INTERVALS ONLY (year) BOTTOM 1999 TOP 2021", "born IN INTERVALS (month) BOTTOM 1999 TOP 2021", "born"],
        ["born IN INTERVALS (decade) TOP 2020", "born IN INTERVALS (day, year) TOP 2020"],
    ],
}
"""Columns with ends or cuts, those that may stand in masks together."""


def fill(con: duckdb.DuckDBPyConnection, rows: Sequence[Row]) -> None:
    con.execute(f"CREATE OR REPLACE TABLE t ({', '.join(f'{name} VARCHAR COLLATE NOCASE' for name in NAMES)}, number INTEGER)")
    con.executemany("INSERT INTO t VALUES ($1, $2, $3, $4, $5)", [(*row, number) for number, row in enumerate(rows)])


def greedy(rows: Sequence[Row], masks: Masks, k: int) -> list[Row] | None:
    """Return what each row shows: the cheapest pattern first, by the costs of the package; None where rows are left over."""
    types = list(dict.fromkeys(rows))
    count = np.array([rows.count(each) for each in types], np.int64)
    texts = {name: pa.array([each[place] for each in types], pa.string()) for place, name in enumerate(NAMES)}
    policy = Policy.of(k=k, quasi_identifiers=NAMES, masks=read_masks(masks)).resolve(NAMES)
    climbed = ladders(policy, texts, count, {}, Budget())
    table, policy = encode(pa.StructArray.from_arrays(list(texts.values()), NAMES), count, policy, climbed)
    patterns = permitted(table, policy)
    released = [place for place in range(len(table.columns)) if not table.hidden_levels >> place & 1]
    shown = [[number for number, place in enumerate(released) if bits >> place & 1] for bits in patterns.shown.tolist()]
    order = sorted(zip(patterns.cost.tolist(), shown, strict=True), key=lambda each: each[1], reverse=True)
    levels = [table.columns[:place].count(names) for place, names in enumerate(table.columns)]
    found: dict[Row, Row] = {}
    for _, places in sorted(order, key=lambda each: each[0]):
        classes = defaultdict(list)
        for number, origin in enumerate(table.origin.tolist()):
            if types[origin] not in found:
                classes[tuple(table.codes[number][[released[place] for place in places]].tolist())].append(number)
        for members in classes.values():
            if sum(table.weight[number] for number in members) < k:
                continue
            for number in members:
                row = types[table.origin[number]]
                cells = dict.fromkeys(NAMES)
                for place in (released[place] for place in reversed(places)):  # the finest level comes last
                    (name,) = table.columns[place]
                    code = table.codes[number][place]
                    cells[name] = climbed[name].labels[levels[place]][code] if name in climbed else row[NAMES.index(name)]
                found[row] = tuple(cells.values())
    return [found[row] for row in rows] if len(found) == len(types) else None


def covers(label: str, value: str) -> bool:
    """Tell whether a label stands for a value, read from both texts alone."""
    if label == value:
        return True
    if found := re.fullmatch(r"\[(.+), (.+)\)", label):
        return Fraction(found[1]) <= Fraction(value.strip()) < Fraction(found[2])
    if found := re.fullmatch(r"\((.+), (.+)\)", label):
        return Fraction(found[1]) < Fraction(value.strip()) < Fraction(found[2])
    if found := re.fullmatch(r"(<=|<|)([0-9.-]+)(\+?)", label):
        own, end = Fraction(value[:4] if re.match("[0-9]{4}-", value) else value.strip()), Fraction(found[2])
        if found[1] or found[3]:
            return own >= end if found[3] else own <= end if found[1] == "<=" else own < end
    if found := re.fullmatch(r"([0-9]{4})-Q([1-4])", label):
        return value[:4] == found[1] and (int(value[5:7]) - 1) // 3 + 1 == int(found[2])
    if re.fullmatch(r"[0-9]{3}0s", label):
        return value[:3] == label[:3]
    return value.startswith(label.rstrip("*"))


def table_of(rng: random.Random) -> tuple[list[Row], Masks]:
    rows = [tuple(rng.choice(VALUES[name]) for name in NAMES) for _ in range(rng.choice([8, 20, 60]))]
    ways = {name: rng.choice([SHOWN[name], *CODED.get(name, ())]) for name in NAMES}
    chosen = {name: rng.sample(ways[name], min(2, len(ways[name]))) for name in NAMES}  # few enough levels
    masks = [[rng.choice(chosen[name]) for name in NAMES if rng.random() < 0.7] for _ in range(rng.randint(1, 4))]
    return rows, [*masks, []] if rng.random() < 0.8 else masks


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(200))
def test_the_greedy_over_the_ladders_of_the_package(con: duckdb.DuckDBPyConnection, seed: int) -> None:
    rng = random.Random(seed)
    rows, masks = table_of(rng)
    k = rng.choice([1, 2, 3, 5])
    fill(con, rows)
    try:
        released = con.execute(
            "FROM pattern_guided('t', $1, k := $2, qi := $3, keep := ['number'])", [masks, k, NAMES]
        ).fetchall()
    except duckdb.InvalidInputException as error:
        told = str(error)
        if "levels, and at most 12" in told or ("left over" in told and [] not in masks and greedy(rows, masks, k) is None):
            return
        raise
    assert sorted(row[-1] for row in released) == list(range(len(rows)))
    assert min(Counter(row[:-1] for row in released).values()) >= k
    for *shown, number in released:
        for label, value in zip(shown, rows[number], strict=True):
            assert label is None or (value is not None and covers(label, value)), (label, value)
    expected = greedy(rows, masks, k)
    if expected is not None:
        assert {row[-1]: row[:-1] for row in released} == dict(enumerate(expected))


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    ("value", "levels"),
    [
        ("(i - 7)::TINYINT", "INTERVALS (5)"),
        ("(i - 7)::HUGEINT * 100000000000000000", "INTERVALS (500000000000000000)"),
        ("(i - 7) / 4", "INTERVALS (1.25)"),
        ("((i - 7) / 3)::FLOAT", "INTERVALS (2)"),
        ("((i - 7) / 8)::DECIMAL(9, 4)", "INTERVALS (.75)"),
        ("((i - 7) * 1e-19)::DECIMAL(38, 37)", "INTERVALS (0.000000000000000001)"),
        ("(100 + i)::INTEGER", "DIGITS (2)"),
        ("(100 + i) / 8", "DIGITS (2)"),
        ("(['x', 'y', 'xy', 'yx'])[1 + i % 4]::ENUM ('x', 'y', 'xy', 'yx')", "DIGITS (1)"),
        ("[i::DECIMAL(9, 4)]", "DIGITS (2)"),
        ("DATE '1999-11-30' + i::INTEGER * 9", "INTERVALS (month)"),
        ("DATE '1999-11-30' + i::INTEGER * 40", "INTERVALS (quarter)"),
        ("DATE '1999-11-30' + i::INTEGER * 80", "INTERVALS (year)"),
        ("TIMESTAMP '1999-11-30 23:59:59.5' + to_hours(7 * i)", "INTERVALS (day)"),
        ("(i - 7) / 4", "INTERVALS (1.25) TOP 2.5 BOTTOM -1"),
        ("(i - 7)::TINYINT", "CUTS ONLY (-5, 0, 9)"),
        ("DATE '1999-11-30' + i::INTEGER * 80", "INTERVALS ONLY (year) BOTTOM 2000 TOP 2003"),
        ("(DATE '1999-11-30' + i::INTEGER * 1000)::TIMESTAMP_S", "INTERVALS (decade)"),
    ],
)
def test_names_types_and_labels_are_those_of_the_package(
    con: duckdb.DuckDBPyConnection, shared: Any, value: str, levels: str
) -> None:
    found = []
    for each in (con, shared):
        each.execute(f"""CREATE OR REPLACE TABLE t AS SELECT {value} AS "Born", i AS number FROM range(24) AS r(i)""")
        result = each.execute(
            "FROM pattern_guided('t', $1, k := 2, qi := ['BORN'], keep := ['number'])", [[[f"Born IN {levels}"], []]]
        )
        columns = [(column[0], str(column[1])) for column in result.description]
        found.append((columns, [row[0] for row in sorted(result.fetchall(), key=lambda row: row[-1])]))
    assert found[0][0] == found[1][0] == [("Born", "VARCHAR"), ("number", "BIGINT")]
    # the package splits groups where rows are left over, so it may show what is suppressed here, and the other way round
    both = [each for each in zip(found[0][1], found[1][1], strict=True) if None not in each]
    assert all(one == other for one, other in both)
    assert len(both) > 10


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("masks", "told"),
    [
        (
            ["zip IN HIERARCHY h"],
            "levels other than DIGITS, INTERVALS, CUTS, TOP and BOTTOM (use these, or release with",
        ),
        (["zip IN BINS"], "levels other than DIGITS, INTERVALS, CUTS, TOP and BOTTOM"),
        (["zip IN RANGES"], "levels other than DIGITS, INTERVALS, CUTS, TOP and BOTTOM"),
        (["zip IN DIGIT (3)"], "a mask names a column that is not in qi"),
        (["nope IN DIGITS (3)"], "a mask names a column that is not in qi"),
        (["zip IN DIGITS (0)"], "not a number of characters from 1"),
        (["zip IN DIGITS (2.5)"], "not a number of characters from 1"),
        (["zip IN DIGITS ()"], "the levels of a mask cannot be read"),
        (["zip IN DIGITS (3"], "the levels of a mask cannot be read"),
        (["zip IN DIGITS (3) LOSS (0.1)"], "the levels of a mask cannot be read"),
        (["zip IN DIGITS (3'; DROP TABLE t)"], "the levels of a mask cannot be read"),
        (["age IN INTERVALS"], "INTERVALS in a mask has no widths"),
        (["age IN INTERVALS ('max')"], "the levels of a mask cannot be read"),
        (["age IN INTERVALS (0)"], "not a width above 0"),
        (["age IN INTERVALS (-5)"], "the levels of a mask cannot be read"),
        (["age IN INTERVALS (1e3)"], "not one of"),
        (["age IN INTERVALS (1234567890123456789)"], "at most 18 digits"),
        (["age IN INTERVALS (10, 5)"], "the widths of intervals must ascend"),
        (["age IN INTERVALS (year, month)"], "the widths of intervals must ascend"),
        (["age IN INTERVALS (month, 5)"], "not one of"),
        (["age IN INTERVALS (week)"], "not one of"),
        (["age IN INTERVALS (5)", "age"], "a mask names a column twice"),
        (["age IN INTERVALS (5) TOP ninety"], "the levels of a mask cannot be read"),
        (["age TOP ninety"], "a mask names a column that is not in qi"),
        (["age TOP 1.2.3"], "an end or a cut that is not a number"),
        (["age TOP 90 TOP 80"], "TOP or BOTTOM twice"),
        (["age TOP 3 BOTTOM 3"], "TOP must be above BOTTOM"),
        (["age IN INTERVALS TOP 90"], "INTERVALS in a mask has no widths"),
        (["zip IN DIGITS (3) TOP 90"], "DIGITS in a mask has no TOP, BOTTOM or ONLY"),
        (["age IN CUTS"], "the levels of a mask cannot be read"),
        (["age IN CUTS (5, 3)"], "cuts must ascend"),
        (["age IN CUTS (5, 30) TOP 20"], "cuts must be above BOTTOM and at most TOP"),
        (["age IN CUTS (5, 30) BOTTOM 5"], "cuts must be above BOTTOM and at most TOP"),
        (["zip IN CUTS (5)"], "2 of the 4 values of the column zip are no numbers"),
        (["zip TOP 5"], "2 of the 4 values of the column zip are no numbers"),
        (["born IN INTERVALS (year) TOP 2000.5"], "TOP and BOTTOM of dates are years"),
        (["age IN INTERVALS (5)", "zip IN DIGITS (1)", "ZIP"], "a mask names a column twice"),
        (
            ["zip IN INTERVALS (5)"],
            "2 of the 4 values of the column zip are no numbers (take INTERVALS (month, year) for dates)",
        ),
        (["age IN INTERVALS (month)"], "4 of the 4 values of the column age are no dates or timestamps (take widths such as"),
        (
            ["born IN INTERVALS (month)"],
            "2 of the 4 values of the column born are dates outside the years 1 to 9999 (leave such",
        ),
        (["big IN INTERVALS (0.001)"], "values of the column big have more than 36 digits"),
        (["text IN DIGITS", "zip"], "the column text has 40 levels, and at most 12 without Python (list fewer"),
    ],
)
def test_what_cannot_be_released_so_is_refused_without_a_value(
    con: duckdb.DuckDBPyConnection, masks: list[str], told: str
) -> None:
    con.execute("""CREATE TABLE t AS SELECT ['7133', '71x9', NULL, '71y9'][1 + i % 4] AS zip, 7131 + i % 4 AS age,
        ['0044-03-15 (BC)', '10000-01-01', '2026-11-21', NULL][1 + i % 4]::DATE AS born,
        repeat((7137 + i)::VARCHAR, 9)::HUGEINT AS big, repeat('7139', 10) AS text FROM range(8) AS r(i)""")
    with pytest.raises(duckdb.Error) as raised:
        con.execute(
            "FROM pattern_guided('t', $1, qi := ['zip', 'age', 'big', 'text', 'born'])", [[masks, ["text IN DIGITS (2)"]]]
        ).fetchall()
    assert told.replace("not one of", "not one of day, month") in str(raised.value)
    assert not re.search("71[0-9x-z]", str(raised.value))


@pytest.mark.everything
def test_two_kinds_of_levels_for_a_column_are_refused(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE t AS SELECT i AS a FROM range(4) AS r(i)")
    told = "levels of two kinds for a column"
    for one, other, why in (
        ("DIGITS (1)", "INTERVALS (5)", told),
        ("INTERVALS (year)", "INTERVALS (5)", told),
        ("CUTS (2)", "INTERVALS (5)", told),
        ("CUTS (2)", "CUTS (3)", told),
        ("INTERVALS (5) TOP 9", "INTERVALS (5) TOP 8", "other ends for a column"),
        ("INTERVALS (5) TOP 9", "INTERVALS (5)", "other ends for a column"),
    ):
        with pytest.raises(duckdb.Error, match=f"kanon: masks have {why}"):
            con.execute("FROM pattern_guided('t', $1, qi := ['a'])", [[[f"a IN {one}"], [f"a IN {other}"]]]).fetchall()


@pytest.mark.everything
@pytest.mark.own_connection
def test_odd_names_settings_and_an_empty_table(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("SET default_collation = 'NOCASE'; SET default_null_order = 'nulls_first'; SET default_order = 'DESC'")
    con.execute("""CREATE TABLE t AS SELECT ['aB', 'ab', 'ac'][1 + i % 3] AS "{0} ""it's", i % 10 AS "class",
        i AS label0, i % 2 AS "in digits" FROM range(30) AS r(i)""")
    masks = [["{0} \"it's IN DIGITS (1)", "CLASS IN INTERVALS (5)", "in digits IN DIGITS (1)"], []]
    names = ["{0} \"it's", "class", "in digits"]
    result = con.execute("SELECT * FROM pattern_guided('t', $1, k := 5, qi := $2, keep := ['LABEL0'])", [masks, names])
    assert [column[0] for column in result.description] == ["{0} \"it's", "class", "label0", "in digits"]
    rows = result.fetchall()
    assert Counter(row[0] for row in rows) == {"a*": 30}
    assert {row[1] for row in rows} == {"[0, 5)", "[5, 10)"}
    assert min(Counter((row[0], row[1], row[3]) for row in rows).values()) >= 5
    con.execute("CREATE TABLE nobody AS FROM t LIMIT 0")
    assert con.execute("FROM pattern_guided('nobody', $1, qi := $2)", [masks, names]).fetchall() == []


@pytest.mark.everything
@pytest.mark.own_connection
@pytest.mark.parametrize("body", ["true", pytest.param("NULL", marks=pytest.mark.everything)])
def test_no_macro_takes_the_place_of_a_function(con: duckdb.DuckDBPyConnection, body: str) -> None:
    con.execute("""CREATE TABLE t AS SELECT (i * 7 % 110)::VARCHAR AS a, (i * i % 50) / 4 - 3 AS b,
        DATE '2026-01-30' + (i % 77)::INTEGER AS c FROM range(60) AS r(i)""")
    masks = [["a IN DIGITS (2, 1)", "b IN INTERVALS (2.5)"], ["a IN DIGITS (1)", "c IN INTERVALS (quarter)"], []]
    call, values = "FROM pattern_guided('t', $1, k := 3, qi := $2)", [masks, ["a", "b", "c"]]
    right = con.execute(call, values).fetchall()
    assert len({row[:3] for row in right}) > 5
    shadows.shadow_all(con, body, leave=REFUSED)  # DuckDB itself refuses these
    assert con.execute(call, values).fetchall() == right


def functions(node: Any) -> Iterator[tuple[str, str]]:
    """Yield schema and name of each function of a parsed statement; operators are functions, too."""
    if isinstance(node, dict):
        if node.get("class") == "FUNCTION":
            yield node["schema"], node["function_name"]
        node = list(node.values())
    for each in node if isinstance(node, list) else ():
        yield from functions(each)


@pytest.mark.everything
def test_every_function_of_the_statement_is_qualified(con: duckdb.DuckDBPyConnection) -> None:
    text = (ROOT / "sql" / "greedy_release.sql").read_text(encoding="utf-8").rstrip().removesuffix(");")
    con.execute(
        "CREATE MACRO statement(tbl, k, qi, masks, keep, unlisted_limit, per_row, drop, sa, guarantee) AS "
        f"({text.partition('FROM system.main.query(')[2]})"
    )
    levels = "[['a IN DIGITS (3)', 'b IN INTERVALS (5) TOP 9'], ['c IN INTERVALS (month)', 'b TOP 9'], []]"
    for masks, sensitive in product((levels, "[['a'], []]", "NULL"), ("NULL, NULL", "'s', 'size > 1'")):
        call = f"statement('t', 2, ['a', 'b', 'c'], {masks}, ['d'], 0.2, false, ['e'], {sensitive})"
        written = con.execute(f"SELECT {call}").fetchall()[0][0]
        (parsed,) = con.execute("SELECT json_serialize_sql($1)", [written]).fetchall()[0]
        bare = {name for schema, name in functions(json.loads(parsed)) if schema != "main"}
        assert bare == {"row"}  # the parser takes it for syntax, whatever stands in front of it


@pytest.mark.everything
@pytest.mark.own_connection
def test_the_audit_counts_what_labels_show(con: duckdb.DuckDBPyConnection) -> None:
    text = (ROOT / "sql" / "greedy_release.sql").read_text(encoding="utf-8")
    guard = "HAVING system.main.sum(size) >= {0}"
    assert text.count(guard) == 1
    con.execute(text.replace(guard, "HAVING system.main.sum(size) >= 1"))
    con.execute("CREATE TABLE t AS SELECT (i // 10)::VARCHAR AS a FROM range(900) AS r(i) UNION ALL SELECT '7'")
    for shape in ("FROM {}", "SELECT count(*) FROM {}", "FROM {} LIMIT 1", "SELECT exists (FROM {})", "FROM {} WHERE a = '77'"):
        with pytest.raises(duckdb.InvalidInputException, match="kanon: the audit found a class of fewer than 12 rows"):
            con.execute(shape.format("pattern_guided('t', [['a IN DIGITS (2)']], k := 12, qi := ['a'])")).fetchall()


@pytest.mark.everything
def test_the_audit_macros_read_such_a_release(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE t AS SELECT (98100 + i)::VARCHAR AS zip, 20 + i AS age FROM range(20) AS r(i)")
    con.execute("""CREATE TABLE r AS FROM pattern_guided('t',
        [['zip IN DIGITS (4)'], ['zip IN DIGITS (3)', 'age IN INTERVALS (5)'], []], k := 5, qi := ['zip', 'age'])""")
    assert Counter(con.execute("FROM r").fetchall()) == {("981**", f"[{low}, {low + 5})"): 5 for low in (20, 25, 30, 35)}
    assert con.execute("SELECT k, classes FROM k_anonymity('r', ['zip', 'age'])").fetchall() == [(5, 4)]
    figures = "SELECT suppressed_cells, generalized_cells, unread_cells, ncp FROM utility('r', 't', ['zip', 'age'])"
    assert con.execute(figures).fetchall() == [(0, 40, 0, (1 + 4 / 19) / 2)]
    with pytest.raises(duckdb.Error, match="not by suppression alone"):
        con.execute("FROM suppression_certificate('r', 't', 5, ['zip', 'age'])").fetchall()
