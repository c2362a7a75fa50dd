"""Values that SQL calls equal are one, and texts are told apart by their bytes: whatever is measured is as of plain numbers."""

from __future__ import annotations

import random

import duckdb
import pytest

# each class of values: those that SQL calls equal, or a text that a collation takes for the one before; in the order of SQL
KINDS: dict[str, tuple[str, list[list[str]]]] = {
    "zero": ("DOUBLE", [["0.0"], ["1.5"], ["'nan'::DOUBLE", "-('nan'::DOUBLE)"]]),
    "float": ("DOUBLE", [["-1.0"], ["0.0", "-0e0", "'-0.0'::DOUBLE"], ["2.0"]]),
    "interval": (
        "INTERVAL",
        [["INTERVAL 29 DAYS"], ["INTERVAL 1 MONTH", "INTERVAL 30 DAYS", "INTERVAL 720 HOURS"], ["INTERVAL 1 YEAR"]],
    ),
    "floats": ("DOUBLE[]", [["[]"], ["[0e0]", "['-0.0'::DOUBLE]"], ["[1e0]"], ["[NULL]"]]),
    "intervals": ("INTERVAL[]", [["[INTERVAL 29 DAYS]"], ["[INTERVAL 1 MONTH]", "[INTERVAL 30 DAYS]"], ["[NULL::INTERVAL]"]]),
    "struct": (
        "STRUCT(x DOUBLE, y INTERVAL, s VARCHAR)",
        [
            ["{'x': 0e0, 'y': INTERVAL 1 MONTH, 's': 'A'}", "{'x': '-0.0'::DOUBLE, 'y': INTERVAL 30 DAYS, 's': 'A'}"],
            ["{'x': 0e0, 'y': INTERVAL 1 MONTH, 's': 'a'}", "{'x': 0e0, 'y': INTERVAL 720 HOURS, 's': 'a'}"],
            ["{'x': 1e0, 'y': INTERVAL 1 MONTH, 's': 'a'}"],
        ],
    ),
    "map": ("MAP(VARCHAR, DOUBLE)", [["MAP {'a': 0e0}", "MAP {'a': '-0.0'::DOUBLE}"], ["MAP {'a': 1e0}"]]),
    "collated": ("VARCHAR COLLATE NOCASE", [["'A'"], ["'B'"], ["'a'"], ["'b'"]]),
    "accents": ("VARCHAR COLLATE NOACCENT", [["'e'"], ["'x'"], ["'é'"]]),
    "huge": ("HUGEINT", [["-1"], ["0"], ["18446744073709551616"]]),
    "lists": ("INTEGER[]", [["[]"], ["[1]"], ["[NULL]"]]),
}  # fmt: skip

FOLDED = {"collated": [0, 1, 0, 1], "accents": [0, 1, 0]}
"""Sensitive values are one if SQL calls them equal, by a collation too: they say the same."""

ONE_TABLE = (
    "SELECT * FROM k_anonymity('t', ['a', 'b'])",
    "SELECT * FROM k_known('t', ['a', 'b'], 1)",
    "SELECT * FROM history_risk('t', 'a', ['b'], 1)",
    "SELECT list_sort(list(class_size)) FROM equivalence_classes('t', ['a', 'b'])",
    "SELECT * FROM l_diversity('s', ['b'], 'sa')",
    "SELECT * FROM t_closeness('s', ['b'], 'sa')",
    "SELECT * FROM beta_likeness('s', ['b'], 'sa')",
    "SELECT * FROM delta_disclosure('s', ['b'], 'sa')",
    "SELECT * FROM reidentification_risk('t', ['a', 'b'])",
    "SELECT column_name, \"distinct\", nulls, uniques FROM profile('t') ORDER BY 1",
    "SELECT columns, singled_out FROM unique_columns('t', 2) ORDER BY 1",
    "SELECT list_sort(list(suda_score)) FROM suda_scores('t', qi := ['a', 'b'])",
)

TWO_TABLES = (
    "SELECT * FROM reidentification_risk('t', ['a', 'b'], population := 'p')",
    "SELECT * FROM k_mapping('t', ['a', 'b'], population := 'p')",
    "SELECT * FROM delta_presence('t', ['a', 'b'], population := 'p')",
    "SELECT * FROM intersection_risk('t', 'other', 'person', ['a', 'b'], k := 2)",
    "SELECT * FROM intersection_risk('t', 'other', 'a', ['b'], k := 2)",
    "SELECT * FROM suppression_certificate('released', 't', 2, ['a', 'b'])",
    "SELECT suppressed_cells, suppressed_share, classes, discernibility FROM utility('released', 't', ['a', 'b'])",
)
"""Between tables, values are compared as texts: intervals are equal here only if they look the same."""

Content = list[list[int | None]]


def filled(con: duckdb.DuckDBPyConnection, names: list[str], contents: dict[str, Content], draw: random.Random | None) -> None:
    """Fill tables with looks that are drawn, or with the numbers of classes of values."""
    kinds = [KINDS[name] for name in names]
    folds = FOLDED.get(names[0], list(range(len(kinds[0][1]))))
    for table, content in contents.items():
        types = [kind if draw else "INTEGER" for kind, _ in kinds]
        con.execute(f"CREATE OR REPLACE TABLE {table} (person INTEGER, a {types[0]}, b {types[1]})")
        for number, row in enumerate(content):
            chosen = enumerate(row if draw or table != "s" else [None if row[0] is None else folds[row[0]], row[1]])
            looks = [("NULL", place, 0) if cell is None else (str(cell), place, cell) for place, cell in chosen]
            cells = [text if text == "NULL" or not draw else draw.choice(kinds[place][1][cell]) for text, place, cell in looks]
            con.execute(f"INSERT INTO {table} VALUES ({number}, {', '.join(cells)})")
    con.execute("ALTER TABLE s RENAME a TO sa")


def measured(con: duckdb.DuckDBPyConnection, call: str) -> object:
    """Return what is measured, with doubles as they are told, or the error that the tables differ so."""
    try:
        rows = con.execute(call).fetchall()
        return [tuple(round(cell, 9) if isinstance(cell, float) else cell for cell in row) for row in rows]
    except duckdb.InvalidInputException as error:
        return str(error)


@pytest.mark.everything
@pytest.mark.parametrize("seed", [*range(8), *(pytest.param(seed, marks=pytest.mark.everything) for seed in range(8, 80))])
def test_each_measure_is_that_of_plain_numbers(con: duckdb.DuckDBPyConnection, seed: int) -> None:
    draw = random.Random(seed)
    names = draw.sample(sorted(KINDS), 2)
    classes = [len(KINDS[name][1]) for name in names]
    rows: Content = [[draw.choice([None, *range(size)]) for size in classes] for _ in range(draw.randrange(2, 14))]
    released: Content = [[each if draw.random() < 0.7 else None for each in row] for row in rows]
    people = [*rows, *([draw.randrange(size) for size in classes] for _ in range(5))]
    contents = {"t": rows, "s": rows, "released": released, "other": rows[::-1], "p": people}
    calls = ONE_TABLE if any("INTERVAL" in KINDS[name][0] for name in names) else ONE_TABLE + TWO_TABLES
    filled(con, names, contents, draw)
    looks = {call: measured(con, call) for call in calls}
    filled(con, names, contents, None)
    assert looks == {call: measured(con, call) for call in calls}


def test_a_collation_inside_of_a_value_with_an_interval_merges_nothing(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("""CREATE TABLE t AS SELECT {'s': s, 'i': [INTERVAL 1 MONTH, INTERVAL 30 DAYS][1 + n % 2]} AS a, n AS b
        FROM (SELECT ['Ann', 'ANN', 'ann'][1 + n // 4 % 3] COLLATE NOCASE AS s, n FROM range(24) AS r(n))""")
    assert con.execute("SELECT k, classes FROM k_anonymity('t', ['a'])").fetchall() == [(8, 3)]
    released = con.execute("SELECT b, encode(a.s) FROM k_anonymize('t', 4, qi := ['a'], keep := ['b']) ORDER BY b").fetchall()
    assert released == con.execute("SELECT b, encode(a.s) FROM t ORDER BY b").fetchall()


TWINS = {
    "zeros": ["'0.0'::DOUBLE", "'-0.0'::DOUBLE"],
    "intervals": ["INTERVAL 1 MONTH", "INTERVAL 30 DAYS"],
    "zeros inside": ["{'x': ['0.0'::DOUBLE]}", "{'x': ['-0.0'::DOUBLE]}"],
    "intervals inside": ["[INTERVAL 1 MONTH]", "[INTERVAL 30 DAYS]"],
}


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("twins", TWINS)
def test_the_certificate_proves_no_bound_from_two_looks_of_one_value(con: duckdb.DuckDBPyConnection, twins: str) -> None:
    con.execute(f"CREATE TABLE t AS SELECT 1 AS a, [{', '.join(TWINS[twins])}][1 + i % 2] AS o FROM range(4) AS r(i)")
    assert con.execute("SELECT k, classes FROM k_anonymity('t', ['a', 'o'])").fetchall() == [(4, 1)]
    proof = "SELECT status, smallest_class, suppressed_cells, lower_bound FROM suppression_certificate({}, 't', 3, ['a', 'o'])"
    assert con.execute(proof.format("'t'")).fetchall() == [("OPTIMAL", 4, 0, 0)]
    con.execute("CREATE TABLE released AS FROM k_anonymize('t', 3, qi := ['a', 'o'])")
    assert con.execute(proof.format("'released'")).fetchall() == [("OPTIMAL", 4, 0, 0)]
    assert con.execute("SELECT count(DISTINCT o::VARCHAR) FROM released").fetchall() == [(1,)]  # and no look tells rows apart


NAMES = """CREATE TABLE t (name VARCHAR COLLATE NOCASE);
    INSERT INTO t SELECT array_to_string([chr(65 + 32 * (i >> place & 1)::INTEGER) FOR place IN range(10)], '')
    FROM range(1000) AS r(i)"""


@pytest.mark.everything
def test_names_that_a_collation_takes_for_one_are_counted_by_their_bytes(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(NAMES)
    assert con.execute("SELECT count(DISTINCT encode(name)) FROM t").fetchall() == [(1000,)]
    assert con.execute("SELECT \"distinct\", uniques FROM profile('t')").fetchall() == [(1000, 1000)]
    assert con.execute("FROM unique_columns('t', 1)").fetchall() == [(["name"], 1000, 1.0)]
    assert con.execute("SELECT count(*) FROM suda_scores('t') WHERE suda_score > 0").fetchall() == [(1000,)]
    wide = ", ".join(f"{place} AS c{place}" for place in range(40))
    con.execute(f"CREATE VIEW wide AS SELECT name, {wide} FROM t, range(105)")  # of so many cells, a part is counted
    (found,) = con.execute("SELECT \"distinct\" FROM profile('wide') WHERE column_name = 'name'").fetchall()[0]
    assert 800 < found < 1200
