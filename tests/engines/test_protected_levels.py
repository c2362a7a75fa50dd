"""Protected tables whose dimensions have levels: an attacker with an integer program, and the same table without the words."""

from __future__ import annotations

import itertools
import json
import random
import re
from collections import Counter
from typing import Any

import duckdb
import pytest
from ortools.sat.python import cp_model

import kanon_sql
from kanon_sql.errors import ClauseError, KanonError

K = 4

Row = tuple[str | None, str | None, int | None]


def patients(seed: int) -> Any:
    draw = random.Random(seed)
    con = kanon_sql.connect()
    con.execute("CREATE TABLE t (zip VARCHAR, sex VARCHAR)")
    zips = [f"{draw.randrange(1, 3)}{draw.randrange(2)}{draw.randrange(3)}" for _ in range(8)]
    rows = [(draw.choice(zips), draw.choice("fm")) for _ in range(draw.randrange(15, 60))]
    con.executemany("INSERT INTO t VALUES (?, ?)", rows)
    return con


def people_in(con: Any, row: Row) -> int:
    start = (row[0] or "").rstrip("*")
    found = con.execute(
        "SELECT count(*) FROM t WHERE starts_with(zip, $1) AND coalesce(sex = $2, $2 IS NULL)", [start, row[1]]
    ).fetchone()
    return int(found[0])


def most(con: Any, rows: list[Row], row: Row) -> int:
    """Return the most people that a reader of the table thinks possible in a row; a group that has no row is empty.

    The reader even knows which suppressed rows are empty.
    """
    zips = [value for (value,) in con.execute("SELECT DISTINCT zip FROM t ORDER BY ALL").fetchall()]
    model = cp_model.CpModel()
    cell = {each: model.new_int_var(0, 1000, "") for each in itertools.product(zips, "fm")}

    def total(shown: Row) -> Any:
        start = (shown[0] or "").rstrip("*")
        return sum(each for (zip_code, sex), each in cell.items() if zip_code.startswith(start) and shown[1] in {None, sex})

    for shown in rows:
        if shown[2] is None:
            model.add(total(shown) >= int(people_in(con, shown) > 0))
        else:
            model.add(total(shown) == shown[2])
    model.maximize(total(row))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    assert solver.solve(model) == cp_model.OPTIMAL
    return int(solver.objective_value)


@pytest.mark.everything
@pytest.mark.parametrize("grouping", ["CUBE (zip IN DIGITS (3, 1), sex)", "ROLLUP (zip IN DIGITS (3, 2, 1), sex)"])
@pytest.mark.parametrize("seed", range(8))
def test_no_reader_proves_that_a_row_has_few_people(seed: int, grouping: str) -> None:
    con = patients(seed)
    rows = con.execute(f"SELECT zip, sex, count(*) AS n FROM t GROUP BY {grouping} PROTECT n >= {K}").fetchall()
    for row in rows:
        count = people_in(con, row)
        assert row[2] in {None, count}
        if count < K:
            assert row[2] is None
            assert most(con, rows, row) >= (K if count else 1)
    for row in rows:
        if row[2] is None and people_in(con, row) and None not in row:
            of_sex = [each for each in rows if each[1] == row[1] and each[0] is not None and "*" not in each[0]]
            of_zip = [each for each in rows if each[0] == row[0] and each[1] is not None]
            assert min(len(of_sex), len(of_zip)) > 1


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("grouping", "sets"),
    [
        ("CUBE (zip IN DIGITS (3, 1), sex)", [(3, 1), (3, 0), (1, 1), (1, 0), (0, 1), (0, 0)]),
        ("ROLLUP (zip IN DIGITS (1, 3, 0), sex)", [(3, 1), (3, 0), (1, 0), (0, 0)]),
        ("ROLLUP (sex, zip IN DIGITS (3, 1))", [(3, 1), (1, 1), (0, 1), (0, 0)]),
        ("zip IN DIGITS (3, 1), sex", [(3, 1), (1, 1)]),
        ("GROUPING SETS (zip IN DIGITS (3, 1, 0), sex)", [(3, 0), (1, 0), (0, 0), (0, 1)]),
        ("t.zip IN DIGITS (9), CUBE (sex)", [(9, 1), (9, 0)]),
        ("1 IN DIGITS (2), 2", [(2, 1)]),
    ],
)
def test_the_rows_are_those_of_the_levels(grouping: str, sets: list[tuple[int, int]]) -> None:
    con = patients(3)
    con.execute("INSERT INTO t FROM t")  # so that each row has two people, and nothing is suppressed
    found = con.execute(f"SELECT zip, sex, count(*) AS n FROM t GROUP BY {grouping} PROTECT n >= 2").fetchall()
    people = con.execute("SELECT zip, sex FROM t").fetchall()
    expected = Counter(
        ((digits, shown), (zip_code[:digits].ljust(3, "*") if digits else None, sex if shown else None))
        for digits, shown in sets
        for zip_code, sex in people
    )
    assert sorted(map(repr, found)) == sorted(repr((*keys, count)) for (_, keys), count in expected.items())


def test_grouping_tells_levels_apart_and_show_means_the_finest() -> None:
    con = patients(5)
    rows = con.execute(
        "SELECT zip, GROUPING(zip) AS g, count(*) AS n FROM t GROUP BY zip IN DIGITS (3, 2, 0) PROTECT n >= 2"
    ).fetchall()
    assert {(None if each[0] is None else each[0].count("*"), each[1]) for each in rows} == {(0, 1), (1, 2), (None, 3)}
    con.execute("INSERT INTO t FROM t; INSERT INTO t VALUES ('111', 'f'), ('333', 'f')")
    table = "SELECT zip, sex, count(*) AS n FROM t GROUP BY CUBE (zip IN DIGITS (3, 1), sex) PROTECT n >= 2"
    with pytest.raises(KanonError, match="SHOW lists a grouping set that contains a HIDE row or a row with too few people"):
        con.execute(f"{table} SHOW GROUPING SETS ((zip)) USING auto (earlier = 'ignore')").fetchall()


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("grouping", "text"),
    [
        ("zip IN DIGITS", "expected ( before the numbers of characters"),
        ("zip IN DIGITS (0)", "a level must show at least one character"),
        ("zip IN DIGITS (2.5)", "must be a whole number"),
        ("zip IN DIGITS (99999999999)", "must be a whole number"),
        ("zip IN DIGITS (3) TOP 9", "unexpected TOP after the levels"),
        (
            "zip IN HIERARCHY geo",
            "HIERARCHY needs its levels in parentheses before PROTECT; hint: write job IN HIERARCHY jobs (0, 1)",
        ),
        ("zip IN INTERVALS", "INTERVALS needs its levels in parentheses"),
        ("zip IN INTERVALS ('sum')", "INTERVALS needs its levels in parentheses"),
        ("zip IN INTERVALS (10, 5)", "interval widths must be in ascending order"),
        ("zip IN CUTS (5) LOSS (0.5)", "LOSS is not supported before PROTECT"),
        ("zip IN SETS", "SETS cannot have levels before PROTECT"),
    ],
)
def test_other_levels_are_refused(grouping: str, text: str) -> None:
    with pytest.raises(ClauseError, match=re.escape(text)):
        patients(1).execute(f"SELECT zip, count(*) AS n FROM t GROUP BY {grouping} PROTECT n >= 2")


@pytest.mark.parametrize(
    ("levels", "sql"),
    [
        ("age IN INTERVALS (5, 20)", ["age // 5 * 5", "age // 20 * 20"]),
        (
            "age IN CUTS (18, 65) TOP 90 BOTTOM 3",
            ["CASE WHEN age <= 3 THEN 0 WHEN age < 18 THEN 1 WHEN age < 65 THEN 2 WHEN age < 90 THEN 3 ELSE 4 END"],
        ),
        ("born IN INTERVALS (quarter, decade)", ["date_trunc('quarter', born)", "year(born) // 10"]),
        ("job IN HIERARCHY jobs (0, 1)", ["job", "CASE WHEN job IN ('cook', 'smith') THEN 0 ELSE 1 END"]),
    ],
)
def test_levels_of_recodings_are_groupings_by_expressions(levels: str, sql: list[str]) -> None:
    with kanon_sql.connect() as con:
        con.execute(
            "CREATE TABLE jobs AS FROM (VALUES ('cook', 'craft'), ('smith', 'craft'), ('nurse', 'care')) AS j(level0, level1)"
        )
        con.execute(
            "CREATE TABLE people AS SELECT i * i % 97 AS age, DATE '2015-02-03' + CAST(i * 9 AS INTEGER) AS born, "
            "['cook', 'nurse', 'smith'][1 + i * 7 % 11 % 3] AS job, i % 2 AS sex FROM range(300) AS t(i)"
        )
        column = levels.split()[0]
        rows = con.execute(
            f"SELECT {column}, sex, count(*) AS n FROM people GROUP BY CUBE ({levels}, sex) PROTECT n >= 5 PER ROW"
        ).fetchall()
        sets = ", ".join(f"({each}, sex), ({each})" for each in sql)
        plain = con.execute(f"SELECT sex, count(*) FROM people GROUP BY GROUPING SETS ({sets}, (sex), ())").fetchall()
        assert Counter(sex for _, sex, _ in rows) == Counter(sex for sex, _ in plain)
        shown = Counter((sex, n) for _, sex, n in rows if n is not None)
        assert not shown - Counter(plain)
        assert sum(shown.values()) > len(plain) // 3
        reads = json.loads(con.session.protected_tables.certificates[-1].tabulation)["reads"]
        assert [each for each in reads if not each.startswith("#")] == ['"memory"."main"."people"']


def test_values_without_a_label_are_refused() -> None:
    con = patients(4)
    con.execute("CREATE TABLE sexes AS FROM (VALUES ('f', 'a'), ('f', 'b')) AS s(level0, level1)")
    for levels, text in (
        ("sex IN INTERVALS (5)", r"the key IN INTERVALS \(5\) has values that are not numbers"),
        ("sex IN HIERARCHY sexes (1)", "a value has two labels in the hierarchy|is not in the hierarchy"),
    ):
        with pytest.raises((KanonError, duckdb.Error), match=text):
            con.execute(f"SELECT sex, count(*) AS n FROM t GROUP BY {levels} PROTECT n >= 2").fetchall()


def test_an_expression_with_in_is_a_key() -> None:
    rows = patients(2).execute("SELECT sex IN ('f') AS f, count(*) AS n FROM t GROUP BY sex IN ('f') PROTECT n >= 2").fetchall()
    assert {each[0] for each in rows} == {True, False}


@pytest.mark.everything
def test_earlier_tables_with_levels_are_remembered() -> None:
    con = patients(7)
    first = "SELECT zip, count(*) AS n FROM t GROUP BY zip IN DIGITS (3, 0) PROTECT n >= 4"
    shown = con.execute(first).fetchall()
    con.execute("SELECT zip, sex, count(*) AS n FROM t GROUP BY CUBE (zip IN DIGITS (3, 1), sex) PROTECT n >= 4").fetchall()
    assert sorted(map(repr, con.execute(first).fetchall())) == sorted(map(repr, shown))


@pytest.mark.parametrize(
    "grouping", ["zip, zip IN DIGITS (3, 1)", "zip IN DIGITS (1), zip", "zip IN DIGITS (3), zip IN DIGITS (1)"]
)
def test_a_column_has_its_levels_once(grouping: str) -> None:
    with pytest.raises(ClauseError, match="zip has levels in GROUP BY; hint: list it there once"):
        patients(1).execute(f"SELECT zip, count(*) AS n FROM t GROUP BY GROUPING SETS ({grouping}) PROTECT n >= 2")


def test_coarse_levels_and_other_keys_together_may_single_people_out() -> None:
    con = kanon_sql.connect()
    con.execute("CREATE TABLE t AS SELECT (10 + i % 4)::VARCHAR AS zip, i // 8 AS a, i % 8 AS b FROM range(64) AS r(i)")
    with pytest.warns(kanon_sql.KanonWarning, match="the keys .*zip.* single out 100.0% of the people"):
        con.execute("SELECT zip, a, b, count(*) AS n FROM t GROUP BY zip IN DIGITS (1), a, b PROTECT n >= 2").fetchall()


@pytest.mark.everything
def test_other_names_and_values() -> None:
    con = kanon_sql.connect()
    alone = "USING auto (earlier = 'ignore')"
    for name, value in (('"select"', "'12'"), ('"a ""quoted"" name"', "'12'"), ("e", "'12'::ENUM ('12', '9')"), ("n", "12")):
        con.execute(f"CREATE OR REPLACE TABLE odd AS SELECT {value} AS {name} FROM range(9)")
        asked = f"SELECT {name}, count(*) AS m FROM odd GROUP BY {name} IN DIGITS (2, 1) PROTECT m >= 2 {alone}"
        assert sorted(con.execute(asked).fetchall()) == [("1*", 9), ("12", 9)]
    con.execute(
        "CREATE OR REPLACE TABLE odd AS SELECT CASE WHEN i > 4 THEN repeat('x', 100000) END AS zip FROM range(9) AS r(i)"
    )
    with pytest.raises(KanonError, match="the key zip has NULLs"):
        con.execute(f"SELECT zip, count(*) AS n FROM odd GROUP BY zip IN DIGITS (2, 0) PROTECT n >= 2 {alone}").fetchall()
    rows = con.execute(f"SELECT zip, count(*) AS n FROM odd GROUP BY zip IN DIGITS (2) PROTECT n >= 2 {alone}").fetchall()
    assert sorted((len(zip_code or ""), n) for zip_code, n in rows) == [(0, 5), (100000, 4)]


def test_a_macro_of_the_session_does_not_change_labels() -> None:
    con = patients(4)
    con.execute("""CREATE MACRO "left"(a, b) AS a; CREATE MACRO repeat(a, b) AS ''; CREATE MACRO length(a) AS 0""")
    rows = con.execute("SELECT zip, count(*) AS n FROM t GROUP BY zip IN DIGITS (1) PROTECT n >= 2").fetchall()
    assert {zip_code[1:] for zip_code, _ in rows} == {"**"}
