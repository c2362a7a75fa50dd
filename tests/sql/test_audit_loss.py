"""The loss of generalized cells: what labels stand for, the hierarchies beside them, and NULL."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import audit_oracle
import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from label_oracle import stands_for

One = Callable[..., dict[str, object]]
SQL = Path(__file__).parents[2] / "sql"

WORDS = [None, "", "a", "B", "b", "é", "a, b", "b, c", "NULL", "c", "a*", "x\ny", "[a", '"', 'c", "b', "[a, b]"]
NUMBERS = [None, "-3", "0", "2", "2.0", "10", "1e2", "35", "350", "007", "1e308", "-5e-324", "inf", "-inf", "nan"]
MIXED = [None, "9", "10", "35", "200", "unknown"]
DATES = [None, "2019-12-31", "2020-01-01", "2026-02-28", "2026-10-01", "2026-11-21", "2026-11-21 10:30:00"]
CODES = [None, "9", "98", "981", "98101", "98102", "99101", "12345"]
JOBS = [None, "nurse", "doctor", "cook", "waiter", "pilot"]
TREE = {
    "nurse": ["care", "*"],
    "doctor": ["care", "*"],
    "cook": ["food", "[10, 20)", "*"],
    "waiter": ["food", "[10, 20)", "*"],
    None: ["none", "*"],
}
LABELS = {
    "words": ["{a, b}", "{b, a, b, c}", "{NULL, c}", "{zz, a}", "{, a}", "{}", "[a, b]", "[B, é)", "[a, b, c]", "a or NULL",
              "zz or NULL", "[, c] or NULL", "{a} or NULL", "a**", "***", "b* or NULL", "[b, a]", "{a*, x\ny}", "2026",
              "[NULL, c]", '{"a, b", b}', '{"NULL", NULL}', '["", "b, c"]', '"[a, b]"', '{"""", "c"", ""b"}',
              '["a, b"c, é]', '{a, "b}',
              '"', '"c"", ""b" or NULL', "a* or NULL"],
    "numbers": ["[0, 35)", "[0, 35]", "[-3.50, 2]", "[1, 1e3) or NULL", "[a, 35]", "[2, inf]", "3*", "35*", "0**", "35 or NULL",
                "[0, 10, 35]", "{2, 2.0}", "{2, 10, NULL}", "bin 1", "[400, 500)", "[35, 0]", "2026",
                "[-inf, 0)", "[1e300, nan]", "[-1e-323, 1e30]"],
    "mixed": ["[9, 35)", "[10, 35]", "[10, unknown]", "[9, z)", "{9, unknown}", "[10, 9] or NULL", "1*"],
    "dates": ["2026", "2026-11", "2026-Q4", "2026-Q1", "2010s", "2020s", "2026-11-21", "2026-13", "2025-Q5", "202*",
              "[2019-12-31, 2026-10-01]", "[2020-01-01, 2026-10-01) or NULL", "2026 or NULL", "{2019-12-31, NULL}", "1990s"],
    "codes": ["98***", "981**", "9****", "9*", "98**", "98*", "*****", "981** or NULL", "98101*", "{98, 981}", "[98, 981]"],
    "jobs": ["care", "food", "none", "[10, 20)", "any", "{nurse, pilot}", "[a, d]", "care or NULL"],
}  # fmt: skip
VALUES = {"words": WORDS, "numbers": NUMBERS, "mixed": MIXED, "dates": DATES, "codes": CODES, "jobs": JOBS}


def load(con: duckdb.DuckDBPyConnection, name: str, rows: list[tuple[object, ...]], columns: str) -> None:
    con.execute(f"CREATE OR REPLACE TABLE {name} ({columns})")
    if rows:
        con.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(rows[0]))})", rows)


def row_of(con: duckdb.DuckDBPyConnection, query: str) -> dict[str, object]:
    con.execute(query)
    names = [column[0] for column in con.description]
    (row,) = con.fetchall()
    return dict(zip(names, row, strict=True))


@pytest.fixture(scope="module")
def shared() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as con:
        con.execute((SQL / "kanon.sql").read_text(encoding="utf-8"))
        levels = [(value, *above, *["*"] * (3 - len(above))) for value, above in TREE.items()]
        load(con, "levels", levels * 2, "level0 VARCHAR, level1 VARCHAR, level2 VARCHAR, level3 VARCHAR")
        con.execute("CREATE OR REPLACE TABLE levels AS SELECT level2, level0, level3 AS LEVEL3, level1 FROM levels")
        links = {(low, high) for value, above in TREE.items() for low, high in zip([value, *above], above, strict=False)}
        load(con, '"odd ""links"', [*sorted(links, key=repr), ("*", None)], "value VARCHAR, parent VARCHAR")
        con.execute('CREATE OR REPLACE TABLE "odd ""links" AS SELECT parent, value AS VALUE FROM "odd ""links"')
        yield con


@pytest.mark.everything
@settings(max_examples=30, deadline=None)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_the_loss_of_any_label(shared: duckdb.DuckDBPyConnection, data: st.DataObject, seed: int) -> None:
    rng = random.Random(seed)
    names = data.draw(st.permutations(sorted(VALUES)))
    domains = {name: rng.sample(VALUES[name], rng.randint(1, len(VALUES[name]))) for name in names}
    rows = [tuple(rng.choice(domains[name]) for name in names) for _ in range(rng.randint(1, 25))]

    def cell(name: str, value: str | None, values: set[str | None]) -> str | None:
        label = rng.choice([value, value, None, *LABELS[name]])
        meant = stands_for(label, values, TREE if name == "jobs" else None) if label is not None else set()
        return label if value is not None or not meant or None in meant else None

    columns = {name: set(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}
    released = [tuple(cell(name, value, columns[name]) for name, value in zip(names, row, strict=True)) for row in rows]
    types = ", ".join(f"{name} VARCHAR" for name in names)
    load(shared, "o", rows, types)
    load(shared, "r", released, types)
    expected = audit_oracle.utility(released, rows, names)
    found = row_of(shared, "FROM utility('r', 'o')")
    assert found["loss"] == expected["loss"]
    assert found == pytest.approx(expected)
    expected = audit_oracle.utility(released, rows, names, {"jobs": TREE})
    for table in ("levels", 'memory.main."odd ""links"'):
        found = row_of(shared, f"FROM utility('r', 'o', {names}, hierarchies := MAP {{'Jobs': '{table}'}})")
        assert found["loss"] == expected["loss"]
        assert found == pytest.approx(expected)


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("kind", "values", "label", "covered"),
    [
        ("VARCHAR", ["98101", "98102", "99101", "12345"], "98***", 2),
        ("INTEGER", [98101, 98102, 99101, 12345], "9****", 3),
        ("VARCHAR", ["98", "981", "98101"], "98***", 1),
        ("VARCHAR", ["98", "981", "98101"], "98*", 1),
        ("VARCHAR", ["98", "982", "981", "98101"], "98*", 2),
        ("VARCHAR", ["98", "981", "98101", "99101"], "98**", 3),
        ("INTEGER", [2, 10, 35, 350], "[10, 35)", 1),
        ("INTEGER", [2, 10, 35, 350], "[10, 35]", 2),
        ("INTEGER", [2, 10, 35, None], "[10, 35] or NULL", 3),
        ("INTEGER", [2, 10, 35, 36], "[10, 35] or NULL", 2),
        ("INTEGER", [2, 10, None], "2 or NULL", 2),
        ("DOUBLE", [0.1, 0.25, 1e-7, 1e30], "[0.1, 1e31)", 3),
        ("HUGEINT", [10**20, 10**20 + 1, 10**20 + 2], f"[{10**20}, {10**20 + 1}]", 2),
        ("DECIMAL(9, 2)", ["1.50", "2.00", "10.00"], "[1.5, 10)", 2),
        ("VARCHAR", ["adams", "Baker", "cohen", "dorn"], "[adams, cohen]", 2),
        ("DATE", ["2026-09-30", "2026-10-01", "2026-12-31", "2027-01-01"], "2026-Q4", 2),
        ("DATE", ["2026-09-30", "2026-10-01", "2026-12-31", "2027-01-01"], "2026", 3),
        ("DATE", ["0199-12-31", "0200-10-01", "0209-12-31", "0210-01-01"], "0200s", 2),
        ("TIMESTAMP", ["2026-11-30 10:00:00", "2026-11-01 00:00:00", "2026-12-01 00:00:00"], "2026-11", 2),
        ("TIMESTAMP", ["2026-11-30 10:00:00", "2026-11-30 11:00:00", "2026-12-01 00:00:00"], "2026-11-30", 2),
        ("TIMESTAMP", ["2026-11-30 10:00:00", "2026-12-01 00:00:00"], "[2026-11-30 10:00:00, 2026-12-01 00:00:00]", 2),
        ("VARCHAR", ["flu", "gout", "pox"], "{flu, gout}", 2),
        ("VARCHAR", ["flu, acute", "gout", "acute"], '{"flu, acute", gout}', 2),
        ("VARCHAR", ["flu, acute", "gout", "pox", "NULL"], '{"flu, acute", "NULL"}', 2),
        ("VARCHAR", ["flu, acute", 'say "x", y', None], '{"say ""x"", y", NULL}', 2),
        ("VARCHAR", ["a", "a, b", "a, c", "b"], '["a, b", b]', 3),
        ("VARCHAR", ["[a, b]", "b", "c"], '"[a, b]"', 1),
        ("VARCHAR", ["a*", "ab", "b", None], "a* or NULL", 2),
        ("DOUBLE", [1e308, 5e-324, -1e308, float("inf"), float("nan")], "[5e-324, inf]", 3),
        ("DOUBLE", [1e308, 5e-324, -1e308, float("inf"), float("nan")], "[inf, nan]", 2),
        ("DOUBLE", [1e30, 2.0, -2e30, -3e30], "[-2e+30, 2.0]", 2),
        ("HUGEINT", [2**126, 2**126 + 1, -(2**126)], f"[{-(2**126)}, {2**126}]", 2),
        ("VARCHAR", ["flu", None, "pox"], "{flu, NULL}", 2),
        ("VARCHAR", ["flu", "*", "pox"], "{flu, NULL}", 2),
        # what no rule reads stands for the whole column
        ("VARCHAR", ["flu", "gout", "pox"], "{flu, rash}", None),
        ("VARCHAR", ["flu, acute", "gout", "acute"], "{flu, acute, gout}", None),
        ("VARCHAR", ["flu", "gout", "pox"], '{flu, "gout}', None),
        ("VARCHAR", ["flu", "gout", "pox"], "{flu, NULL}", None),
        ("VARCHAR", ["flu", "gout", "pox"], "bin 07", None),
        ("VARCHAR", ["flu", "gout", "pox"], "2026", None),
        ("INTEGER", [2, 10, 35], "[3, 9]", None),
        ("INTEGER", [2, 10, 35], "[two, 10]", None),
        ("INTEGER", [2026, 2027], "2020s", None),
        ("VARCHAR", ["9", "10", "unknown"], "[9, 20)", None),
        ("VARCHAR", ["a, b", "c, d", "e"], "[a, b, c, d]", None),
    ],
)
def test_what_a_label_stands_for(
    con: duckdb.DuckDBPyConnection, one: One, kind: str, values: list[object], label: str, covered: int | None
) -> None:
    # as texts where they are large: DuckDB 1 takes them for floats
    load(con, "o", [(str(value) if kind == "HUGEINT" else value,) for value in values], f"a {kind}")
    load(con, "r", [(label,) for _ in values], "a VARCHAR")
    found = one("FROM utility('r', 'o')")
    domain = len(values)
    assert found["loss"] == {"a": ((covered or domain) - 1) / (domain - 1)}
    assert found["unread_cells"] == (0 if covered else domain)
    assert found["generalized_cells"] == domain


def test_a_column_of_one_value_loses_nothing(con: duckdb.DuckDBPyConnection, one: One) -> None:
    con.execute("CREATE TABLE o AS SELECT 'x' AS a, i AS b FROM range(4) t(i)")
    con.execute("CREATE TABLE r AS FROM (VALUES ('odd', NULL), ('*', NULL), ('x', NULL), (NULL, NULL)) t(a, b)")
    found = one("FROM utility('r', 'o')")
    assert found["loss"] == {"a": 0.0, "b": 1.0}
    assert (found["suppressed_cells"], found["generalized_cells"], found["unread_cells"]) == (6, 1, 1)


@pytest.mark.parametrize(("suppress", "suppressed"), [("'*'", 2), ("NULL", 1), ("'it''s'", 2), ("'none'", 1)])
def test_what_stands_for_a_suppressed_cell(con: duckdb.DuckDBPyConnection, one: One, suppress: str, suppressed: int) -> None:
    con.execute("CREATE TABLE o AS FROM (VALUES ('x'), ('x'), ('y'), ('y')) t(a)")
    con.execute("CREATE TABLE r AS FROM (VALUES ('x'), ('*'), ('it''s'), (NULL)) t(a)")
    found = one(f"FROM utility('r', 'o', suppress := {suppress})")
    assert (found["suppressed_cells"], found["generalized_cells"]) == (suppressed, 3 - suppressed)


def test_nulls_behind_labels(con: duckdb.DuckDBPyConnection, one: One) -> None:
    """The NULL of the release may be the one of the original, or suppressed while that one is in the range."""
    con.execute("CREATE TABLE o AS FROM (VALUES (1), (2), (3), (NULL)) t(a)")
    con.execute("CREATE TABLE r AS FROM (VALUES ('[1, 2] or NULL'), ('[1, 2] or NULL'), ('[1, 2] or NULL'), ('3')) t(a)")
    found = one("FROM utility('r', 'o')")
    assert (found["suppressed_cells"], found["loss"]) == (0, {"a": 0.5})
    con.execute("CREATE OR REPLACE TABLE r AS FROM (VALUES ('[1, 2] or NULL'), ('[1, 2] or NULL'), (NULL), (NULL)) t(a)")
    found = one("FROM utility('r', 'o')")
    assert found["suppressed_cells"] == 2
    assert found["loss"] == {"a": pytest.approx((2 + 2 * 2 / 3) / 4)}
    con.execute("CREATE OR REPLACE TABLE r AS FROM (VALUES ('[1, 2]'), ('[1, 2]'), (NULL), (NULL)) t(a)")
    assert one("FROM utility('r', 'o')")["suppressed_cells"] == 1


def test_hierarchies_of_several_columns(con: duckdb.DuckDBPyConnection, one: One) -> None:
    con.execute("CREATE TABLE o AS FROM (VALUES ('flu', 1), ('gout', 2), ('pox', 3), ('pox', 4)) t(\"it's\", n)")
    con.execute("CREATE TABLE r AS FROM (VALUES ('any', 'low'), ('body', 'low'), ('body', 'high'), ('pox', 'low')) t(a, b)")
    con.execute(
        "CREATE TABLE d AS FROM (VALUES ('flu', 'body'), ('gout', 'body'), ('pox', 'skin'), ('body', 'any'), ('skin', 'any')) "
        "t(value, parent)"
    )
    con.execute(
        "CREATE TABLE n AS FROM (VALUES (1, 'low'), (2, 'low'), (3, 'high'), (4, 'high'), (5, 'high')) t(level0, level1)"
    )
    found = one("FROM utility('r', 'o', hierarchies := MAP {'IT''S': 'd', 'n': 'main.n'})")
    assert found["loss"] == {"it's": pytest.approx((1 + 0.5 + 0.5) / 4), "n": pytest.approx(4 * (1 / 3) / 4)}
    assert found["unread_cells"] == 0
    assert one("FROM utility('r', 'o', hierarchies := $1)", [{"n": "n"}])["unread_cells"] == 3
    assert one("FROM utility('r', 'o', hierarchies := MAP {})")["unread_cells"] == 7
    con.execute("CREATE TABLE circle AS FROM (VALUES ('flu', 'body'), ('body', 'flu'), ('gout', 'body')) t(value, parent)")
    assert one("FROM utility('r', 'o', hierarchies := MAP {'it''s': 'circle'})")["loss"]["it's"] == pytest.approx(
        (1 + 0.5 + 0.5) / 4
    )


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("hierarchies", "error", "text"),
    [
        ("MAP {'b': 'good'}", duckdb.InvalidInputException, "names what is none of the columns: b"),
        ("MAP {'a': 'o'}", duckdb.InvalidInputException, "the columns of a hierarchy are not"),
        ("MAP {'a': 'good', 'A': 'good'}", duckdb.InvalidInputException, "names a column twice"),
        ("MAP {'a': 'good; DROP TABLE o'}", duckdb.InvalidInputException, "something that is not a table: good; DROP TABLE o"),
        ("MAP {'a': '(SELECT 1)'}", duckdb.InvalidInputException, "something that is not a table"),
        ("MAP {'a': NULL}", duckdb.InvalidInputException, "something that is not a table: NULL"),
        ("MAP {'a': 'nope'}", duckdb.CatalogException, "nope"),
        ("'good'", duckdb.ConversionException, "MAP"),
    ],
)
def test_wrong_hierarchies(con: duckdb.DuckDBPyConnection, hierarchies: str, error: type[Exception], text: str) -> None:
    con.execute("CREATE TABLE o AS FROM (VALUES ('x'), ('y')) t(a)")
    con.execute("CREATE TABLE good AS FROM (VALUES ('x', 'z')) t(value, parent)")
    for columns in ("*", "count(*)"):
        with pytest.raises(error, match=text):  # a release that has no labels is no excuse
            con.execute(f"SELECT {columns} FROM utility('o', 'o', hierarchies := {hierarchies})").fetchall()


@pytest.mark.everything
def test_labels_in_the_shell(con: duckdb.DuckDBPyConnection, shell: str) -> None:
    script = """
        CREATE TABLE o AS FROM (VALUES ('98101', 34, 'flu', DATE '2026-11-02'), ('98109', 51, 'gout', DATE '2026-10-01'),
            ('99000', 28, 'flu', DATE '2025-01-01'), (NULL, NULL, 'pox', NULL)) t(zip, age, job, d);
        CREATE TABLE r AS FROM (VALUES ('98***', '[28, 34] or NULL', '{flu, gout}', '2026-Q4'),
            ('98***', '51', 'body', '2026-Q4'), ('*', '[28, 34] or NULL', 'body', '2025'),
            (NULL, '[28, 34] or NULL', 'mind', NULL)) t(zip, age, job, d);
        CREATE TABLE jobs AS FROM (VALUES ('flu', 'body'), ('gout', 'body'), ('pox', 'mind'), ('mind', 'any')) t(value, parent);
    """
    query = "SELECT ncp, loss, unread_cells FROM utility('r', 'o', hierarchies := MAP {'job': 'jobs'});"
    con.execute(script)
    names = ["ncp", "loss", "unread_cells"]
    expected = [dict(zip(names, row, strict=True)) for row in con.execute(query).fetchall()]
    done = subprocess.run(
        [shell, "-init", "/dev/null", "-batch", "-json"],
        input=f".read kanon.sql\n{script}{query}\n",
        capture_output=True,
        text=True,
        cwd=SQL,
        timeout=120,
        check=False,
    )
    assert done.stderr == ""
    assert json.loads(done.stdout) == expected
    assert expected[0]["loss"] == {"zip": pytest.approx(5 / 12), "age": 0.5, "job": 0.375, "d": pytest.approx(1 / 6)}


RECODINGS = {
    "age": ["IN RANGES", "IN INTERVALS (5, 10, 25)", "IN INTERVALS", "IN DIGITS"],
    "zip": ["IN SETS", "IN DIGITS", "IN DIGITS (3)"],
    "seen": ["IN RANGES", "IN INTERVALS (month, quarter, year, decade)"],
    "job": ["IN SETS", "IN HIERARCHY jobs"],
}


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("turn", range(4))
def test_every_release_is_read(turn: int) -> None:
    """A label stands for at least the original values of the rows that show it, and a set for no others."""
    kanon_sql = pytest.importorskip("kanon_sql")
    with kanon_sql.connect() as con:
        con.execute(
            "CREATE TABLE jobs AS SELECT 'job ' || i AS level0, 'group ' || i // 3 AS level1, '*' AS level2 FROM range(9) r(i)"
        )
        con.execute(
            "CREATE TABLE o AS SELECT (hash(i) % 60)::INTEGER AS age, (98000 + hash(i * 3) % 400)::VARCHAR AS zip, "
            "DATE '2019-05-01' + (hash(i * 5) % 2000)::INTEGER AS seen, 'job ' || hash(i * 7) % 9 AS job FROM range(300) t(i)"
        )
        summaries = turn == 0  # classes that show their own values go with columns that do, or plain ones
        by = {name: kinds[0] if summaries else kinds[1:][turn % (len(kinds) - 1)] for name, kinds in RECODINGS.items()}
        items = ", ".join(f"{name} {kind}" for name, kind in by.items())
        using = f"USING {'auto' if summaries else 'greedy'} (row_order = 'source')"
        con.execute(f"CREATE TABLE r AS FROM o ANONYMIZE BY {items} GUARANTEE k >= 5 {using}")
        names = list(RECODINGS)
        released, original = (con.execute(f"SELECT COLUMNS(*)::VARCHAR FROM {table}").fetchall() for table in "ro")
        tree = {f"job {i}": [f"group {i // 3}", "*"] for i in range(9)}
        expected = audit_oracle.utility(released, original, names, {"job": tree})
        found = row_of(con, "FROM utility('r', 'o', hierarchies := MAP {'job': 'jobs'})")
        assert found["unread_cells"] == 0 < found["generalized_cells"]
        for figure in ("suppressed_cells", "generalized_cells", "loss"):
            assert found[figure] == expected[figure]
        assert found["ncp"] == pytest.approx(expected["ncp"])
        for j, name in enumerate(names):
            values = {row[j] for row in original}
            behind: dict[str | None, set[str | None]] = {}
            for after, before in zip(released, original, strict=True):
                behind.setdefault(after[j], set()).add(before[j])
            for label, held in behind.items():
                if label is not None and label not in values:
                    meant = stands_for(label, values, tree if name == "job" else None)
                    assert held <= meant
                    assert held == meant or "SETS" not in by[name]
