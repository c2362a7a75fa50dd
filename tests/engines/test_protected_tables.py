"""Protected tables: an attacker with an integer program, earlier tables, the gate, and what is refused."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from table_attacker import most

import kanon_sql
from kanon_sql.engines.cells import gate
from kanon_sql.engines.cells.base_cells import BaseCells
from kanon_sql.engines.cells.published_set import PublishedSet
from kanon_sql.engines.cells.published_system import published_system
from kanon_sql.engines.cells.related_keys import related_keys
from kanon_sql.errors import AuditError, KanonError, SourceError
from kanon_sql.model.protection import Protection
from kanon_sql.model.tabulation import Item, Tabulation, conjuncts
from kanon_sql.solvers.budget import Budget
from kanon_sql.solvers.cells import suppress

K = 4


@pytest.fixture
def con() -> kanon_sql.engines.duckdb.connect.connection.Connection:
    con = kanon_sql.connect()
    con.execute(
        "CREATE TABLE people AS SELECT 'r' || (range * 7 % 11 % 4) AS region, 's' || (range * 31 % 7 % 2) AS sex, "
        "range * 37 % 5 AS age, (range % 50)::DECIMAL(10, 2) AS income, range AS id FROM range(60)"
    )
    return con


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(24))
def test_no_reader_proves_that_a_row_has_few_people(seed: int) -> None:
    draw = random.Random(seed)
    keys = draw.choice([1, 2, 2, 3])
    names = ["a", "b", "c"][:keys]
    people = [tuple(draw.randrange(draw.choice([2, 3])) for _ in names) for _ in range(draw.randrange(8, 40))]
    con = kanon_sql.connect()
    con.execute(f"CREATE TABLE t ({', '.join(f'{name} INT' for name in names)})")
    con.executemany(f"INSERT INTO t VALUES ({', '.join('?' for _ in names)})", people)
    grouping = draw.choice(["CUBE", "ROLLUP"])
    listed = ", ".join(names)
    sql = f"SELECT {listed}, count(*) AS n FROM t GROUP BY {grouping} ({listed})"
    rows = con.execute(f"{sql} PROTECT n >= {K}").fetchall()
    truth = {each[:-1]: each[-1] for each in con.execute(sql).fetchall()}
    assert {each[:-1] for each in rows} >= set(truth)
    assert all(each[-1] in {None, truth.get(each[:-1])} for each in rows)
    empty = {each[:-1] for each in rows} - set(truth)
    for row in rows:
        if row[:-1] in empty:
            assert most(rows, keys, row[:-1], empty=empty) >= 1
        elif truth[row[:-1]] < K:
            assert row[-1] is None
            assert most(rows, keys, row[:-1], empty=empty) >= K
    for row, key in itertools.product([each[:-1] for each in rows if each[-1] is None and each[:-1] in truth], range(keys)):
        if row[key] is not None and len({each[key] for each in people}) > 1:
            group = (*row[:key], ..., *row[key + 1 :])
            assert sum((*each[:key], ..., *each[key + 1 : -1]) == group and each[key] is not None for each in rows) > 1


Person = tuple[int, int, int]


def _lies(person: Person, row: tuple[Any, ...]) -> bool:
    return row[0] in {person[0], None} and row[1] in {person[1], None}


def _known(people: list[Person], coalition: tuple[Person, ...], measure: int) -> dict[str, list[tuple[Any, int]]]:
    """Return what contributors know: what they have, and all of a cell that has no others."""
    held: dict[tuple[int, int], list[Person]] = {}
    for each in coalition:
        held.setdefault(each[:2], []).append(each)
    found: dict[str, list[tuple[Any, int]]] = {"known": [], "least": []}
    for cell, own in held.items():
        whole = len(own) == sum(each[:2] == cell for each in people)
        found["known" if whole else "least"].append((cell, sum(each[2] for each in own) if measure else len(own)))
    return found


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(12))
def test_no_reader_and_no_contributor_estimates_a_sum_too_closely(seed: int) -> None:
    draw = random.Random(seed)
    people = [(draw.randrange(3), draw.randrange(3), draw.choice([1, 2, 5, 20, draw.randrange(1, 100)])) for _ in range(30)]
    con = kanon_sql.connect()
    con.execute("CREATE TABLE t (a INT, b INT, v INT)")
    con.executemany("INSERT INTO t VALUES (?, ?, ?)", people)
    pooled = seed % 3
    protect = "PROTECT n >= 3 AND p(s) >= 15 AND dominance(s, 1) <= 0.7" + f" AGAINST CONTRIBUTORS {pooled}" * (pooled > 0)
    rows = con.execute(f"SELECT a, b, count(*) AS n, sum(v) AS s FROM t GROUP BY CUBE (a, b) {protect}").fetchall()
    shown = {each[:2]: each[2:] for each in rows}
    for row in (row for row in shown if any(_lies(each, row) for each in people)):
        values = sorted((each[2] for each in people if _lies(each, row)), reverse=True)
        total, largest = sum(values), values[0]
        needed = max(largest / 0.7, largest * 1.15 + sum(values[1 : 1 + max(1, pooled)]))
        if len(values) >= 3 and needed <= total:
            continue
        assert shown[row] == (None, None)
        assert most(rows, 2, row) >= (3 if len(values) < 3 else 0)
        assert most(rows, 2, row, measure=1) >= max(needed, total * 1.15) - 1e-9
        below = min(total * 0.85, 2 * total - needed)
        assert most(rows, 2, row, measure=1, lowest=True) <= max(0, below) + 1e-9
        for _ in range(8):
            coalition = tuple(draw.sample(people, max(1, pooled)))
            others = list(people)
            for each in coalition:
                others.remove(each)
            inside = [each[2] for each in others if _lies(each, row)]
            own = sum(each[2] for each in coalition if _lies(each, row))
            known = [_known(people, coalition, measure) for measure in (0, 1)]
            if inside and not pooled:  # nobody says to them that they are alone
                known[1] = {"least": known[1]["known"] + known[1]["least"]}
            if inside and pooled and len(values) < 3:
                assert most(rows, 2, row, **known[0]) >= 3
            if inside:
                assert most(rows, 2, row, measure=1, **known[1]) - own >= max(inside) * 1.15 - 1e-9


def test_a_person_of_a_neighbouring_row_learns_nothing_of_the_only_one_here() -> None:
    """Two people are x, one of them in each wing; whoever is x in the east would know of the one in the west."""
    con = kanon_sql.connect()
    con.execute(
        "CREATE TABLE t AS SELECT ['x', 'y'][1 + (i > 1)::INT] AS a, ['east', 'west'][1 + i % 2] AS b FROM range(9) t(i)"
    )
    sql = "SELECT a, b, count(*) AS n FROM t GROUP BY CUBE (a, b) PROTECT n >= 2 ROWS ABSENT AGAINST CONTRIBUTORS"
    rows = con.execute(sql).fetchall()
    keys = [*itertools.product(("x", "y", None), ("east", "west", None))]
    missing = [(*each, None) for each in keys if each not in {row[:2] for row in rows}]
    known, empty = [(("x", "east"), 1)], {row[:2] for row in missing}
    assert most([*rows, *missing], 2, ("x", "west"), known=known, empty=empty) >= 2


@pytest.mark.everything
def test_a_row_without_people_is_absent_and_a_suppressed_one_may_be(con: Any) -> None:
    sql = "SELECT region, sex, age, count(*) AS n FROM people GROUP BY CUBE (region, sex, age) PROTECT n >= 4"
    rows = con.execute(f"{sql} ROWS ABSENT USING auto (earlier = 'ignore')").fetchall()
    stay = con.execute(f"{sql} USING auto (earlier = 'ignore')").fetchall()
    assert None not in [each[-1] for each in rows]
    assert len(rows) <= len(stay)


def test_sums_are_suppressed_with_the_count_and_exact(con: Any) -> None:
    rows = con.execute(
        "SELECT region, sex, count(*) AS n, sum(income) AS s, GROUPING(region, sex) AS g FROM people "
        "GROUP BY CUBE (region, sex) PROTECT n >= 5 AND p(s) >= 10 AND dominance(s, 1) <= 0.3"
    ).fetchall()
    truth = con.execute(
        "SELECT region, sex, count(*), sum(income), GROUPING(region, sex) FROM people GROUP BY CUBE (region, sex)"
    ).fetchall()
    truth = {(each[0], each[1]): each for each in truth}
    largest = dict(con.execute("SELECT region || sex, max(income) FROM people GROUP BY ALL").fetchall())
    for region, sex, n, s, g in rows:
        _, _, count, total, grouping = truth[region, sex]
        assert g == grouping
        assert (n is None) == (s is None)
        assert n is None or (n, s) == (count, total)
        if region is not None and sex is not None and largest[region + sex] > total * 3 / 10:
            assert n is None


@pytest.mark.everything
def test_an_earlier_table_stays_as_it_was(con: Any) -> None:
    fine = con.execute("SELECT region, sex, age, count(*) AS n FROM people GROUP BY CUBE (region, sex, age) PROTECT n >= 4")
    before = {each[:3]: each[3] for each in fine.fetchall()}
    after = con.execute("SELECT region, sex, count(*) AS n FROM people GROUP BY CUBE (region, sex) PROTECT n >= 4").fetchall()
    assert all(before[region, sex, None] == n for region, sex, n in after)
    assert {(region, sex) for region, sex, _ in after} == {(region, sex) for region, sex, age in before if age is None}


@pytest.mark.everything
def test_another_filter_other_people_and_a_changed_source_are_refused(con: Any) -> None:
    table = "SELECT region, count(*) AS n FROM people {} GROUP BY CUBE (region) PROTECT n >= 4"
    con.execute(table.format(""))
    for refused in (
        table.format(", range(1)"),
        "WITH other AS (FROM people) SELECT region, count(*) AS n FROM other GROUP BY region PROTECT n >= 4",
        "SELECT sex, count(DISTINCT id) AS n FROM people GROUP BY sex PROTECT n >= 4 PER id",
    ):
        with pytest.raises(KanonError, match="was released before"):
            con.execute(refused)
    con.execute("DELETE FROM people WHERE id = 3")
    with pytest.raises(KanonError, match="the source has changed"):
        con.execute(table.format(""))
    con.execute(f"{table.format('')} USING auto (earlier = 'ignore')")


PAIRS = [("region", "sex"), ("age", "region"), ("sex", "age")]
ONE_BY_ONE = "SELECT {0}, {1}, count(*) AS n, sum(income) AS s FROM people GROUP BY CUBE ({0}, {1}) PROTECT n >= 4"


@pytest.mark.everything
@pytest.mark.parametrize("together", [False, True])
def test_tables_with_other_keys_are_safe_together(con: Any, together: bool) -> None:
    statements = [ONE_BY_ONE.format(*pair) for pair in PAIRS]
    if together:
        names = [f"t{number}" for number in range(len(PAIRS))]
        con.execute("; ".join(f"CREATE TABLE {name} AS {sql}" for name, sql in zip(names, statements, strict=True)))
        statements = [f"FROM {name}" for name in names]
    rows: dict[tuple[Any, ...], tuple[Any, Any]] = {}
    for pair, sql in zip(PAIRS, statements, strict=True):
        places = ["region", "sex", "age"].index(pair[0]), ["region", "sex", "age"].index(pair[1])
        for first, second, *shown in con.execute(sql).fetchall():
            row = [None, None, None]
            row[places[0]], row[places[1]] = first, second
            assert rows.setdefault(tuple(row), tuple(shown)) == tuple(shown)
    counts = [(*row, n) for row, (n, _) in rows.items()]
    few = con.execute(
        "SELECT region, sex, age FROM people GROUP BY GROUPING SETS ((region, sex), (region, age), (sex, age)) "
        "HAVING count(*) < 4"
    ).fetchall()
    assert few
    for row in few:
        assert rows[row] == (None, None)
        assert most(counts, 3, row) >= 4


@pytest.mark.everything
def test_a_later_table_protects_the_sums_of_an_earlier_one() -> None:
    draw = random.Random(3)
    for _ in range(10):
        con = kanon_sql.connect()
        con.execute("CREATE TABLE t (a INT, b INT, v INT)")
        people = [(draw.randrange(3), draw.randrange(3), draw.choice([1, 2, 5, 20, draw.randrange(1, 100)])) for _ in range(40)]
        con.executemany("INSERT INTO t VALUES (?, ?, ?)", people)
        shown = "SELECT a, b, count(*) AS n, sum(v) AS s FROM t GROUP BY"
        con.execute(f"{shown} a, b PROTECT n >= 2 AND dominance(s, 2) <= 0.8")
        con.execute(f"{shown} CUBE (a, b) PROTECT n >= 2")
        table = con.execute(f"{shown} CUBE (a, b) PROTECT n >= 2").fetchall()
        held: dict[tuple[int, int], list[int]] = {}
        for a, b, v in people:
            held.setdefault((a, b), []).append(v)
        for cell, values in held.items():
            largest = sum(sorted(values, reverse=True)[:2])
            if largest > 0.8 * sum(values):
                assert most(table, 2, cell, measure=1) >= largest / 0.8 - 1e-9


def test_a_prepared_table_does_not_miss_a_later_one(con: Any) -> None:
    con.execute("CREATE VIEW shown AS SELECT region, count(*) AS n FROM people GROUP BY region PROTECT n >= 4")
    con.execute("SELECT sex, count(*) AS n FROM people GROUP BY sex PROTECT n >= 4")
    with pytest.raises(KanonError, match="after this statement was prepared"):
        con.execute("FROM shown")


def test_the_function_and_the_clause_know_of_each_other(con: Any) -> None:
    con.execute("SELECT region, sex, count(*) AS n FROM people GROUP BY CUBE (region, sex) PROTECT n >= 5").fetchall()
    rows = con.execute("FROM protect('people', by := ['region'])").fetchall()
    assert len(rows) == 5
    assert con.execute("SELECT count(*) FROM kanon_protected_tables()").fetchall() == [(2,)]
    con.execute("FROM protect('people', by := ['age'], measures := MAP {'s': 'income'}, p := MAP {'s': 10})")


def test_a_person_is_counted_once() -> None:
    con = kanon_sql.connect()
    con.execute("CREATE TABLE visits AS SELECT range // 3 AS patient, range // 3 % 2 AS ward FROM range(24)")
    sql = "SELECT ward, count(DISTINCT patient) AS n FROM visits GROUP BY CUBE (ward) PROTECT n >= {} PER patient"
    assert con.execute(sql.format(4)).fetchall() == [(0, 4), (1, 4), (None, 8)]
    con.execute("INSERT INTO visits VALUES (0, 1)")
    with pytest.raises(KanonError, match="a person has rows with different keys"):
        con.execute(f"{sql.format(4)} USING auto (earlier = 'ignore')")


@pytest.mark.everything
def test_statements_around_a_protected_table(con: Any, tmp_path: Any) -> None:
    sql = "SELECT region, count(*) AS n FROM people GROUP BY CUBE (region) PROTECT n >= 5"
    con.execute(f"CREATE TABLE stored AS {sql}")
    con.execute(f"CREATE VIEW seen AS {sql}")
    con.execute(f"COPY ({sql} ORDER BY n) TO '{tmp_path / 'table.csv'}'")
    for table in ("stored", "seen", f"read_csv('{tmp_path / 'table.csv'}')", f"(WITH t AS ({sql}) FROM t)"):
        assert con.execute(f"SELECT count(*) FROM {table}").fetchall() == [(5,)]
    explained = dict(con.execute(f"EXPLAIN PROTECT {sql}").fetchall())
    assert explained["guarantee"] == "n >= 5"


def test_an_empty_source_has_no_groups(con: Any) -> None:
    sql = "SELECT region, count(*) AS n FROM (FROM people LIMIT 0) GROUP BY {} PROTECT n >= 5"
    assert con.execute(sql.format("region")).fetchall() == []
    assert con.execute(sql.format("CUBE (region)")).fetchall() == [(None, 0)]


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("sql", "words"),
    [
        (
            "SELECT region, avg(income) AS a, count(*) AS n FROM people GROUP BY region PROTECT n >= 5",
            "avg.*cannot be protected",
        ),
        ("SELECT region, count(*) AS n FROM people GROUP BY region HAVING count(*) > 3 PROTECT n >= 5", "HAVING"),
        ("SELECT region, count(*) AS n FROM people GROUP BY region PROTECT m >= 5", "m is not a count"),
        ("SELECT region, count(*) AS n FROM people GROUP BY region PROTECT n >= 1", "at least 2"),
        ("SELECT region, count(*) AS n FROM people GROUP BY region PROTECT n >= 5 AND p(x) >= 10", "x is not a sum"),
        ("SELECT region, sum(income * 1.5::DOUBLE) AS s FROM people GROUP BY region PROTECT count(*) >= 5", "whole or decimal"),
        ("SELECT region, sum(-income) AS s FROM people GROUP BY region PROTECT count(*) >= 5", "negative"),
        ("SELECT region, id, count(*) AS n FROM people GROUP BY region PROTECT n >= 5", "id is not a key"),
        ("SELECT region, count(*) * 2 AS n FROM people GROUP BY region PROTECT n >= 5", "expression over counts"),
        ("SELECT nullif(age, 0) AS a, count(*) AS n FROM people GROUP BY CUBE (a) PROTECT n >= 5", "NULLs.*GROUPING"),
        ("SELECT region, count(DISTINCT id) AS n FROM people GROUP BY region PROTECT n >= 5", "PER id"),
        ("SELECT region, count(*) AS n FROM people GROUP BY region PROTECT n >= 5 PROTECT n >= 6", "only one PROTECT"),
        (
            "SELECT region, count(*) AS n FROM people GROUP BY region PROTECT n >= 5 SHOW GROUPING SETS ((age))",
            "age is not a key",
        ),
        ("SELECT region, count(*) AS n FROM people GROUP BY region PROTECT n >= 5 UNION SELECT 1, 2", "UNION"),
        ("SELECT region, count(*) AS n FROM people GROUP BY region PROTECT n >= 5 WHERE id > 3", "WHERE must come before"),
        ("EXPLAIN PROTECT SELECT 1 AS protect", "EXPLAIN PROTECT needs"),
        ("FROM protect('people', by := 'region')", "list of columns"),
        ("FROM protect('people', by := ['region'], grouping := 'cubes')", "did you mean 'cube'"),
    ],
)
def test_what_cannot_be_protected_is_refused(con: Any, sql: str, words: str) -> None:
    with pytest.raises(KanonError, match=words):
        con.execute(sql).fetchall()


def test_the_word_as_a_name_is_no_clause(con: Any) -> None:
    assert con.execute("SELECT count(*) AS protect FROM people protect").fetchall() == [(60,)]
    assert len(con.execute("SELECT region AS protect, count(*) FROM people GROUP BY protect").fetchall()) == 4


def test_rows_that_must_be_shown_are_or_the_table_is_refused(con: Any) -> None:
    sql = "SELECT region, age, count(*) AS n FROM people GROUP BY CUBE (region, age) PROTECT n >= {} "
    sql += "SHOW GROUPING SETS ((region), ())"
    rows = con.execute(sql.format(4)).fetchall()
    assert all(n is not None for region, age, n in rows if age is None)
    with pytest.raises(KanonError, match="too few people"):
        con.execute(f"{sql.format(50)} USING auto (earlier = 'ignore')")


def _solved(protection: Protection) -> tuple[Any, Any]:
    keys = np.array(list(itertools.product(range(3), range(3))), np.int64)
    cells = BaseCells(
        keys=keys,
        people=np.array([1, 9, 9, 9, 2, 9, 9, 9, 9]),
        sums=np.array([[70], [90], [90], [90], [110], [90], [90], [90], [90]]),
        contributors=np.array([[1], [9], [9], [9], [2], [9], [9], [9], [9]]),
        largest=[np.array([[70, 0, 0], *[[30, 10, 10]] * 3, [100, 10, 0], *[[30, 10, 10]] * 4])],
    )
    sets = ((0, 1), (0,), (1,), ())
    items = (Item(name="s", kind="sum", places=(0,)),)
    tabulation = Tabulation(keys=("a", "b"), sums=("v",), sets=sets, items=items, source="t", reads=("t",))
    sets = [PublishedSet(keys=each) for each in tabulation.sets]
    table, _ = published_system(cells, tabulation, sets, [], [], [(tabulation, protection)])
    return table, suppress(table, Budget())


def test_the_gate_refuses_what_was_tampered_with() -> None:
    table, found = _solved(Protection(k=5))
    gate.check(table, found.suppressed, found.witnesses)
    shown = found.suppressed.copy()
    shown[np.flatnonzero(shown & ~table.primary)[0]] = False
    primary = found.suppressed & ~table.primary
    witnesses = found.witnesses
    changed = witnesses.change.copy()
    changed[0] += 1
    for suppressed, given in (
        (shown, witnesses),
        (primary, witnesses),
        (found.suppressed, replace(witnesses, change=changed)),
        (found.suppressed, replace(witnesses, change=-witnesses.change)),
        (
            found.suppressed,
            replace(witnesses, row=witnesses.row[:1], measure=witnesses.measure[:1], start=witnesses.start[:2]),
        ),
    ):
        with pytest.raises(AuditError, match="nothing was released"):
            gate.check(table, suppressed, given)


def test_the_gate_refuses_what_contributors_know() -> None:
    table, found = _solved(Protection.of(k=5, p={"s": 10}, contributors=1))
    gate.check(table, found.suppressed, found.witnesses)
    counts, sums = table.measures
    for changed, words in (
        (replace(sums, known=sums.value), "smaller than contributors know"),
        (replace(sums, fixed=np.ones(9, np.uint8)), "a cell that a contributor knows"),
        (replace(sums, below=np.where(sums.below >= 0, 0, -1)), "too little"),
    ):
        with pytest.raises(AuditError, match=words):
            gate.check(replace(table, measures=(counts, changed)), found.suppressed, found.witnesses)
    less = replace(counts, below=np.where(counts.required > table.values(0), 0, -1))
    with pytest.raises(AuditError, match="no witness with a smaller value"):
        gate.check(replace(table, measures=(less, sums)), found.suppressed, found.witnesses)


def test_a_registered_connection_has_the_function() -> None:
    con = kanon_sql.register(duckdb.connect())
    con.execute("CREATE TABLE people AS SELECT range % 3 AS region FROM range(8)")
    assert con.execute("FROM protect('people', by := ['region'], k := 2)").fetchall() == [(0, 3), (1, 3), (2, 2), (None, 8)]


@pytest.mark.everything
def test_the_same_table_once_more_has_the_same_certificate(con: Any) -> None:
    table = "SELECT region, sex, count(*) AS n FROM people GROUP BY CUBE (region, sex) PROTECT n >= 7"
    first = con.execute(table).fetchall()
    assert con.execute(table).fetchall() == first
    one, two = con.session.protected_tables.certificates
    assert one.secondary > 0
    assert replace(two, number=one.number) == one
    assert two.to_json() == replace(one, number=2).to_json()
    con.execute(table.replace("AS n", "AS people").replace("PROTECT n", "PROTECT people")).fetchall()
    assert con.session.protected_tables.certificates[-1].together is not None  # it has another column, so it is another table


def test_a_certificate_counts_the_rows_of_its_table_and_nothing_that_no_table_has(con: Any) -> None:
    table = "SELECT {0}, {1} FROM people GROUP BY {2} PROTECT n >= 6 PER ROW USING auto (earlier = 'ignore')"
    for slots in (
        ("region", "count(*) AS n, count(*) FILTER (WHERE age > 2) AS old", "region"),
        ("region, age, sex", "count(*) AS n", "GROUPING SETS ((region), (age, sex))"),
    ):
        rows = con.execute(table.format(*slots)).fetchall()
        certificate = kanon_sql.protected_tables(con)[-1]
        keys = slots[0].count(",") + 1
        counts = [count for row in rows for count in row[keys:]]
        assert (certificate.rows, certificate.primary + certificate.secondary) == (len(counts), counts.count(None)), slots


def test_words_of_sql_and_constant_keys_say_nothing_about_other_keys() -> None:
    values = np.array([*itertools.product(range(3), range(3), range(2), range(1))], np.int64)
    keys = ["CASE WHEN age < 3 THEN 'zip' ELSE 'b' END", "left(CAST(zip AS VARCHAR), 1)", "CAST(age >= 2 AS BOOLEAN)", "sex"]
    assert related_keys(values, keys) == [{2}, set(), {0}, set()]
    for condition, parts in (
        ("zip = $$a and b$$ | | age", 1),
        ("zip = E'a\\' and b' | | age | | 'x'", 1),
        ("t . end = 1 or ( zip = '1' and age = 1 )", 1),
        ("zip between 1 and age", 1),
        ("zip = '1 or 2' and age = 1", 2),
        ("( zip = 1 and ( age = 1 or sex = 'f' ) )", 2),
        ("case when zip = 1 and age = 1 then true end and sex = 'f'", 2),
    ):
        assert len(conjuncts(condition)) == parts, condition
    together = related_keys(values[:, 1:3], ["left(zip, 1)", "age"], "zip = E'a\\' and b' | | age | | 'x'")
    assert together == [{1}, {0}]


def test_a_count_of_0_is_suppressed_where_an_empty_row_says_that_somebody_may_be_there() -> None:
    con = kanon_sql.connect()
    con.execute(
        "CREATE TABLE t AS SELECT if(i = 0, 'a', 'b' || i % 2) AS job, if(i % 3 = 0, 'x', 'y') AS unit FROM range(60) t(i)"
    )
    sql = "SELECT job, unit, count(*) AS n, count(*) FILTER (WHERE unit = 'y') AS c FROM t GROUP BY CUBE (job, unit)"
    rows = {row[:2]: row[2:] for row in con.execute(f"{sql} PROTECT n >= 4 PER ROW").fetchall()}
    assert rows["a", "x"] == rows["a", "y"] == rows["a", None] == (None, None)
    assert rows[None, None] == (60, 40)


def test_a_table_that_nobody_is_in_is_remembered() -> None:
    rows = [(50, "210")] * 2 + [(age, zip_) for age in (20, 70) for zip_ in ("100", "110")] * 4
    people = f"CREATE TABLE people AS FROM (VALUES {str(rows)[1:-1]}) t(age, zip)"
    nobody = "SELECT zip, count(*) AS n FROM people WHERE zip = '210' AND age >= 60 GROUP BY CUBE (zip) PROTECT n >= 3 PER ROW"
    table = "SELECT zip, age >= 60 AS over60, count(*) AS n FROM people GROUP BY ALL PROTECT n >= 3 PER ROW"
    con = kanon_sql.connect()
    con.execute(people)
    assert con.execute(nobody).fetchall() == [(None, 0)]
    assert ("210", True, None) not in con.execute(table).fetchall()
    con = kanon_sql.connect()
    con.execute(people)
    assert ("210", True, None) in con.execute(table).fetchall()
    with pytest.raises(SourceError, match="suppresses an empty row that this one would reveal as empty"):
        con.execute(nobody)


def test_a_grand_total_is_shown_though_people_are_alone_in_all_lines(con: Any) -> None:
    draw = np.random.default_rng(1)
    rows = pa.table({key: np.minimum(draw.geometric(0.35, 120), 6) for key in "abcd"})
    con.raw.register("alone", rows)
    cube = "SELECT a, b, c, d, count(*) AS n FROM alone GROUP BY CUBE (a, b, c, d) PROTECT n >= 5 USING greedy"
    shown = con.execute(cube).fetchall()
    con.raw.unregister("alone")
    assert (None, None, None, None, 120) in shown


CODED = """CREATE TABLE coded AS SELECT ['n', 's', 'e'][1 + i % 3] AS region, i AS id, i % 17 = 0 AS hiv, i * 37 % 101 AS cost,
    1 + i % 2 AS answer, 1 + i * 7 % 11 % 3 AS score FROM range(90) t(i)"""


@pytest.mark.parametrize(
    ("added", "text"),
    [
        ("hiv::INT", "every contributor adds the same number to the sum s"),
        ("CASE WHEN id = 77 THEN cost END", "fewer than 3 people contribute to the sum s"),
        ("1 + hiv::INT", "everyone adds one of two numbers to the sum s"),
        ("CAST(answer AS DECIMAL(9, 2)) * 0.5", "everyone adds one of two numbers to the sum s"),
        ("CASE WHEN hiv THEN 40 ELSE 10 END", "everyone adds one of two numbers to the sum s"),
    ],
)
def test_sums_that_count_people_are_refused(added: str, text: str) -> None:
    con = kanon_sql.connect()
    con.execute(CODED)
    for per in ("PER ROW", "PER id"):
        with pytest.raises(SourceError, match=text):
            con.execute(f"SELECT region, count(*) AS n, sum({added}) AS s FROM coded GROUP BY region PROTECT n >= 5 {per}")


def test_sums_of_more_numbers_and_indicators_are_taken() -> None:
    con = kanon_sql.connect()
    con.execute(CODED)
    query = "SELECT region, count(*) AS n, {} AS s FROM coded GROUP BY ROLLUP (region) PROTECT n >= 5 PER ROW ORDER BY ALL"
    for added in ("cost", "score", "answer + score", "7"):
        assert con.execute(query.format(f"sum({added})")).fetchall()
    expected = con.execute(query.format("count(*) FILTER (WHERE hiv)")).fetchall()
    for condition in ("if(hiv, 1, 0)", "if(hiv, 1, NULL)", "CASE WHEN hiv THEN 1 ELSE 0 END"):
        assert con.execute(query.format(f"sum({condition})")).fetchall() == expected
