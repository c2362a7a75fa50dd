"""BEGIN PROTECTED ... COMMIT: tables that are solved together are safe together, and cost what one statement costs.

Random histories of sessions, transactions and single tables are attacked with everything that they have published.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from table_attacker import most

import kanon_sql
from kanon_sql.engines.duckdb.connect.connection import Connection
from kanon_sql.errors import KanonError, SourceError

NAMES = ("region", "sex", "age")
PAIRS = (("region", "sex"), ("age", "region"), ("sex", "age"))
TABLE = (
    "CREATE TABLE {0}_{1} AS SELECT {0}, {1}, count(*) AS n, sum(income) AS s FROM people "
    "GROUP BY CUBE ({0}, {1}) PROTECT n >= 4"
)
ONE = "CREATE TABLE one AS SELECT region, count(*) AS n FROM people GROUP BY CUBE (region) PROTECT n >= 4"


def connected(seed: int = 0, path: str = ":memory:") -> Connection:
    draw = random.Random(seed)
    con = kanon_sql.connect(path)
    con.execute("CREATE TABLE people (region INT, sex INT, age INT, income INT)")
    rows = [(draw.randrange(4), draw.randrange(2), draw.choice([0, 1, 1, 2, 2, 3]), draw.randrange(50)) for _ in range(60)]
    con.executemany("INSERT INTO people VALUES (?, ?, ?, ?)", rows)
    return con


def figures(con: Connection) -> list[tuple[Any, ...]]:
    return con.execute("SELECT cost, lower_bound, status FROM kanon_protected_tables()").fetchall()


def read(con: Connection) -> dict[tuple[Any, ...], tuple[Any, Any]]:
    """Return the rows of the tables of all pairs; a row that two of them have is the same in both."""
    rows: dict[tuple[Any, ...], tuple[Any, Any]] = {}
    for pair in PAIRS:
        for first, second, *shown in con.execute(f"FROM {pair[0]}_{pair[1]}").fetchall():
            values = {pair[0]: first, pair[1]: second}
            assert rows.setdefault(tuple(values.get(name) for name in NAMES), tuple(shown)) == tuple(shown)
    return rows


@pytest.mark.everything
@pytest.mark.parametrize("seed", range(6))
def test_no_reader_of_all_tables_proves_that_a_row_has_few_people(seed: int) -> None:
    con = connected(seed)
    con.execute(f"BEGIN PROTECTED; {'; '.join(TABLE.format(*pair) for pair in PAIRS)}; COMMIT")
    rows = read(con)
    counts = [(*row, n) for row, (n, _) in rows.items()]
    sets = "(region, sex), (region, age), (sex, age)"
    few = con.execute(f"SELECT region, sex, age FROM people GROUP BY GROUPING SETS ({sets}) HAVING count(*) < 4").fetchall()
    assert few
    for row in few:
        assert rows[row] == (None, None)
        assert most(counts, 3, row) >= 4
    truth = con.execute(
        "SELECT region, sex, age, count(*), sum(income) FROM people "
        f"GROUP BY GROUPING SETS ({sets}, (region), (sex), (age), ())"
    ).fetchall()
    assert rows.keys() == {row[:3] for row in truth}
    assert all(rows[row[:3]] in {(None, None), row[3:]} for row in truth)


@pytest.mark.everything
@pytest.mark.parametrize("seed", range(6))
def test_they_cost_what_one_statement_costs_and_at_most_what_one_after_the_other_costs(seed: int) -> None:
    con = connected(seed)
    for statement in ("BEGIN PROTECTED", *(TABLE.format(*pair) for pair in PAIRS), "COMMIT"):
        con.execute(statement)
    together = figures(con)
    assert len(together) == 3
    assert len(set(together)) == 1
    hidden = sum(n is None for n, _ in read(con).values())
    con = connected(seed)
    con.execute(
        "SELECT region, sex, age, count(*) AS n, sum(income) AS s FROM people "
        "GROUP BY GROUPING SETS ((region, sex), (region, age), (sex, age), (region), (sex), (age), ()) PROTECT n >= 4"
    ).fetchall()
    (one,) = figures(con)
    assert one[2] == "OPTIMAL"
    assert one == together[0]
    con = connected(seed)
    for pair in PAIRS:
        con.execute(TABLE.format(*pair))
    assert hidden <= sum(n is None for n, _ in read(con).values())


@pytest.mark.everything
def test_the_strictest_count_and_every_row_that_must_be_shown_hold_for_all() -> None:
    con = connected()
    con.execute("BEGIN PROTECTED")
    con.execute(
        "CREATE TABLE lenient AS SELECT region, sex, count(*) AS n FROM people GROUP BY CUBE (region, sex) PROTECT n >= 2"
    )
    con.execute(
        "CREATE TABLE strict AS SELECT sex, region, count(*) AS n FROM people GROUP BY CUBE (sex, region) PROTECT n >= 9 "
        "SHOW GROUPING SETS ((region))"
    )
    con.execute("COMMIT")
    few = con.execute("SELECT region, sex FROM people GROUP BY region, sex HAVING count(*) < 9").fetchall()
    for region, sex in few:
        assert con.execute("SELECT n FROM lenient WHERE (region, sex) = (?, ?)", [region, sex]).fetchall() == [(None,)]
    shown = con.execute("SELECT n FROM lenient WHERE region IS NOT NULL AND sex IS NULL").fetchall()
    assert None not in {n for (n,) in shown}
    assert con.execute("SELECT region, sex, n FROM lenient EXCEPT SELECT region, sex, n FROM strict").fetchall() == []


@pytest.mark.everything
def test_tables_of_other_sources_and_files_and_inserts(tmp_path: Path) -> None:
    con = connected()
    con.execute("CREATE TABLE visits AS SELECT *, 1 AS ward FROM people; CREATE TABLE kept (age INT, n BIGINT)")
    con.execute(
        f"BEGIN PROTECTED TRANSACTION; {ONE}; "
        "INSERT INTO kept SELECT age, count(*) AS n FROM visits GROUP BY age PROTECT n >= 4; "
        f"COPY (SELECT sex, count(*) AS n FROM people GROUP BY sex PROTECT n >= 4) TO '{tmp_path / 'sex.csv'}'; COMMIT"
    )
    for table, rows in (("one", 5), ("kept", 4), (f"'{tmp_path / 'sex.csv'}'", 2)):
        assert con.execute(f"SELECT count(*) FROM {table}").fetchall() == [(rows,)]
    assert len(figures(con)) == 3


@pytest.mark.everything
def test_a_file_of_a_block_that_fails_stays_and_is_remembered(tmp_path: Path) -> None:
    con = connected(path=str(tmp_path / "people.duckdb"))
    file = tmp_path / "sex.csv"
    copy = f"COPY (SELECT sex, count(*) AS n FROM people GROUP BY sex PROTECT n >= 4) TO '{file}'"
    with pytest.raises(SourceError):
        con.execute(f"CREATE TABLE one (a INT); BEGIN PROTECTED; {copy}; {ONE}; COMMIT")
    assert file.exists()
    con.close()
    later = kanon_sql.connect(str(tmp_path / "people.duckdb"))
    with pytest.raises(SourceError, match="with a different FROM"):
        later.execute("SELECT sex, count(*) AS n FROM people, range(1) WHERE age > 0 GROUP BY sex PROTECT n >= 4")


@pytest.mark.everything
def test_a_view_that_both_read_and_a_later_table(tmp_path: Path) -> None:
    con = connected()
    con.execute("CREATE VIEW adults AS FROM people WHERE age > 0")
    statements = [TABLE.format(*pair).replace("people", "adults") for pair in PAIRS]
    con.execute(f"BEGIN PROTECTED; {'; '.join(statements)}; COMMIT")
    with pytest.raises(SourceError, match="with a different FROM"):
        con.execute(ONE)
    rows = read(con)
    con.execute(
        "CREATE TABLE again AS SELECT region, sex, count(*) AS n FROM adults GROUP BY CUBE (region, sex) PROTECT n >= 4"
    )
    assert all(rows[region, sex, None][0] == n for region, sex, n in con.execute("FROM again").fetchall())


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("SELECT region, count(*) AS n FROM people GROUP BY region PROTECT n >= 4", "would show rows before all tables"),
        ("(SELECT region, count(*) AS n FROM people GROUP BY region PROTECT n >= 4)", "would show rows before all tables"),
        ("EXPLAIN PROTECT SELECT region, count(*) AS n FROM people GROUP BY region PROTECT n >= 4", "only protected tables"),
        ("CREATE OR REPLACE TEMP VIEW v AS SELECT region, count(*) AS n FROM people GROUP BY region PROTECT n >= 4", "a view"),
        ("CREATE TABLE raw AS FROM people", "only protected tables"),
        ("DELETE FROM people", "only protected tables"),
        ("BEGIN", "only protected tables"),
        ("BEGIN PROTECTED", "already active"),
        (f"{ONE} COST n", "different COST"),
        (f"{ONE} USING optimal", "different algorithm"),
        (f"{ONE} USING auto (time_limit = 3)", "different time_limit"),
        (f"{ONE} USING auto (earlier = 'ignore')", "different value of earlier"),
        (ONE.replace("GROUP BY", ", range(1) GROUP BY"), "with a different FROM"),
        (ONE.replace("count(*)", "count(DISTINCT income)") + " PER income", "different PER"),
        (ONE.replace("PROTECT n", "PROTECT m"), "m is not a count"),
    ],
)
def test_a_statement_that_cannot_wait_is_refused_and_the_others_still_wait(statement: str, text: str) -> None:
    con = connected()
    con.execute("BEGIN PROTECTED")
    assert con.execute(TABLE.format(*PAIRS[0])).fetchall() == []
    with pytest.raises(KanonError, match=text):
        con.execute(statement)
    with pytest.raises(KanonError, match="accepts no parameters"):
        con.execute(ONE, [1])
    with pytest.raises(KanonError, match="statements only as strings"):
        con.execute(con.extract_statements("SELECT 1")[0])
    assert con.cursor().execute("SELECT count(*) FROM duckdb_tables()").fetchall() == [(1,)]
    con.execute("COMMIT")
    assert con.execute("SELECT count(*) FROM region_sex").fetchall()[0][0] > 0
    assert len(figures(con)) == 1
    con.execute(ONE)  # the transaction is over


def test_what_is_wrong_with_the_words_themselves() -> None:
    con = connected()
    with pytest.raises(KanonError, match="unexpected READ; hint: write BEGIN PROTECTED"):
        con.execute("BEGIN PROTECTED READ ONLY")
    con.execute("BEGIN")
    with pytest.raises(duckdb.TransactionException, match="within a transaction"):
        con.execute("BEGIN PROTECTED")
    con.execute("COMMIT; CREATE TABLE protected AS SELECT 1 AS protected")
    assert con.execute("SELECT 'BEGIN PROTECTED; COMMIT' AS protected FROM protected").fetchall() == [
        ("BEGIN PROTECTED; COMMIT",)
    ]
    con.execute("BEGIN PROTECTED; COMMIT")
    with pytest.raises(duckdb.TransactionException):
        con.execute("COMMIT")


@pytest.mark.everything
def test_rollback_lets_go_of_all_and_an_error_takes_all_back() -> None:
    con = connected()
    con.execute(f"BEGIN PROTECTED; {ONE}; ROLLBACK")
    assert figures(con) == []
    con.execute("CREATE TABLE age_region (x INT)")
    with pytest.raises(KanonError, match="already exists"):
        con.execute(f"BEGIN PROTECTED; {'; '.join(TABLE.format(*pair) for pair in PAIRS)}; COMMIT")
    there = "SELECT table_name FROM duckdb_tables() ORDER BY ALL"
    assert con.execute(there).fetchall() == [("age_region",), ("people",)]
    con.execute(f"DROP TABLE age_region; BEGIN PROTECTED; {'; '.join(TABLE.format(*pair) for pair in PAIRS)}; COMMIT")
    assert len(read(con)) > 0


def test_a_source_that_differs_from_run_to_run_is_refused() -> None:
    con = connected()
    table = "CREATE TABLE t{0} AS SELECT region, count(*) AS n FROM people WHERE random() < 0.5 GROUP BY region PROTECT n >= 2"
    with pytest.raises(SourceError, match="source changed while the tables of one transaction"):
        con.execute(f"BEGIN PROTECTED; {table.format(1)}; {table.format(2)}; COMMIT")
    assert con.execute("SELECT count(*) FROM duckdb_tables()").fetchall() == [(1,)]


@pytest.mark.everything
def test_a_table_of_another_connection_respects_those_that_still_run() -> None:
    con = connected()
    tables = con.session.protected_tables
    seen = []
    remember = tables.remember

    def between(*arguments: Any) -> None:  # the first table is shown, the second is not yet
        remember(*arguments)
        with tables.turn() as earlier:
            seen.append(len(earlier))

    tables.remember = between
    con.execute(f"BEGIN PROTECTED; {'; '.join(TABLE.format(*pair) for pair in PAIRS)}; COMMIT")
    assert seen[0] >= 3
    assert tables._together == {}
    with tables.turn() as earlier:
        assert len(earlier) == 3


@pytest.mark.everything
def test_a_file_remembers_all_of_them(tmp_path: Path) -> None:
    path = str(tmp_path / "clinic.duckdb")
    con = connected(0, path)
    con.execute(f"BEGIN PROTECTED; {'; '.join(TABLE.format(*pair) for pair in PAIRS)}; COMMIT")
    rows = read(con)
    con.close()
    con = kanon_sql.connect(path)
    assert con.execute("SELECT count(*) FROM kanon_protected_tables").fetchall() == [(3,)]
    con.execute("CREATE OR REPLACE TABLE region_sex AS " + TABLE.format(*PAIRS[0]).partition(" AS ")[2])
    assert read(con) == rows
    con.close()


@pytest.mark.everything
@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.everything) for seed in range(4, 300))])
def test_no_reader_of_all_tables_of_all_sessions_proves_too_much(seed: int, tmp_path: Path) -> None:
    draw, path = random.Random(seed), str(tmp_path / "clinic.duckdb")
    con = connected(seed, path)
    asked: dict[str, tuple[tuple[str, ...], int]] = {}
    for _ in range(draw.randrange(2, 5)):
        if draw.random() < 0.5:
            con.close()
            con = kanon_sql.connect(path)
        block = []
        for _ in range(draw.randrange(1, 4)):
            keys = tuple(draw.sample(NAMES, draw.randrange(1, 4)))
            name, k, grouping = f"t{len(asked)}_{len(block)}", draw.randrange(2, 7), draw.choice(["CUBE", "ROLLUP", ""])
            listed = ", ".join(keys)
            shown = f" SHOW GROUPING SETS (({keys[0]}))" if grouping and draw.random() < 0.2 else ""
            block.append(
                (
                    name,
                    keys,
                    k,
                    f"CREATE TABLE {name} AS SELECT {listed}, count(*) AS n FROM people GROUP BY {grouping} ({listed}) "
                    f"PROTECT n >= {k}{shown}",
                )
            )
        together = draw.random() < 0.6
        try:
            con.execute("; ".join(["BEGIN PROTECTED", *(text for *_, text in block), "COMMIT"]) if together else block[0][-1])
        except KanonError:  # an earlier table stands against it
            continue
        asked |= {name: (keys, k) for name, keys, k, _ in (block if together else block[:1])}
    used = [name for name in NAMES if any(name in keys for keys, _ in asked.values())]
    rows: dict[tuple[Any, ...], int | None] = {}
    needed: dict[tuple[Any, ...], int] = {}
    for name, (keys, k) in asked.items():
        for *values, n in con.execute(f"FROM {name}").fetchall():
            shown = dict(zip(keys, values, strict=True))
            row = tuple(shown.get(item) for item in used)
            assert rows.setdefault(row, n) == n
            needed[row] = max(k, needed.get(row, 0))
    for row, n in rows.items():
        place = " AND ".join(f"{item} = {value}" for item, value in zip(used, row, strict=True) if value is not None)
        ((true,),) = con.execute(f"SELECT count(*) FROM people WHERE {place or 'true'}").fetchall()
        assert n in {None, true}
        if true < needed[row]:
            assert n is None
            least = needed[row] if true else 1  # nobody can rule out that somebody is in an empty row
            hidden = {each for each, count in rows.items() if count is None}
            assert most([(*each, count) for each, count in rows.items()], len(used), row, empty=hidden) >= least
    con.close()


@pytest.mark.parametrize("cut", [15, 35, 50])
def test_columns_that_say_something_about_each_other_name_no_small_group(cut: int) -> None:
    """A decade and an age group are columns of the source, and neither determines the other."""
    ages = [10 + i % 5 if i < 60 else 17 if i == 60 else 20 + i % 40 for i in range(120)]
    ages = [age for age in ages if not cut // 10 * 10 <= age < cut] + [cut - 1] * 3
    columns = {"decade": [str(age // 10 * 10) for age in ages], "older": [str(age >= cut) for age in ages]}
    one, two = kanon_sql.protect_together(pa.table(columns), [{"by": [name], "k": 5, "per_row": True} for name in columns])
    rows = [{"decade": row.get("decade"), "older": row.get("older"), "n": row["n"]} for row in one.table.to_pylist()]
    rows += [{"decade": None, "older": row["older"], "n": row["n"]} for row in two.table.to_pylist() if row["older"]]
    known = sorted({(str(age // 10 * 10), str(age >= cut)) for age in range(10, 60)})
    possible = pa.table({"decade": [decade for decade, _ in known], "older": [older for _, older in known]})
    shape = pa.schema([("decade", pa.string()), ("older", pa.string()), ("n", pa.int64())])
    published = pa.Table.from_pylist(rows, schema=shape)
    assert kanon_sql.audit_table(published, by=["decade", "older"], k=5, least=0, possible=possible).holds
