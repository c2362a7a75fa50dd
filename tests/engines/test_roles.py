"""Every column has a role: what KEEP asks for, and what columns that are released unchanged are found to tell."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from pathlib import Path

import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.certificate import Certificate
from kanon_sql.engines.duckdb.connect.connection import Connection
from kanon_sql.engines.duckdb.release.exposure import singled
from kanon_sql.errors import ClauseError, PolicyError, UnknownColumnError

TABLE = """CREATE TABLE t AS SELECT hash(i * 7) % 5 AS zip, 20 + hash(i * 3) % 4 AS age, hash(i * 7) % 5 AS region,
    i AS id, hash(i) % 2 AS notes FROM range(60) r(i)"""

ALLOWED = "USING auto (unlisted_limit = 1)"


@pytest.fixture
def con(shared_clause: Connection) -> Connection:
    shared_clause.execute(TABLE)
    return shared_clause


def last(con: Connection) -> Certificate:
    return kanon_sql.releases(con)[-1]


def test_without_keep_the_certificate_says_what_is_left(con: Connection) -> None:
    con.execute(f"FROM t ANONYMIZE BY zip, age GUARANTEE k >= 4 {ALLOWED}").fetchall()
    found = last(con)
    assert found.unchanged == ("region", "id", "notes")
    assert found.warnings == (
        "id is released unchanged and singles out 100.0% of the rows",
        "region is released unchanged and gives back 100.0% of the suppressed cells of zip",
    )
    assert Certificate.from_json(found.to_json()) == found
    assert found.figures()["released unchanged"] == "region, id, notes"


def test_what_is_kept_on_purpose_still_gives_cells_back(con: Connection) -> None:
    con.execute("FROM t ANONYMIZE BY zip, age KEEP ID, region, notes GUARANTEE k >= 4").fetchall()
    assert last(con).unchanged == ("region", "id", "notes")
    assert last(con).warnings == (
        "id is released unchanged and singles out 100.0% of the rows",
        "region is released unchanged and gives back 100.0% of the suppressed cells of zip",
    )


def test_a_coarser_label_hides_a_cell_too(con: Connection) -> None:
    con.execute("SELECT zip, age, zip AS copy FROM t ANONYMIZE BY zip IN RANGES, age KEEP copy GUARANTEE k >= 20").fetchall()
    assert last(con).warnings == ("copy is released unchanged and gives back 100.0% of the suppressed cells of zip",)


def test_nothing_is_told_where_nothing_is_left(con: Connection) -> None:
    con.execute("SELECT zip, age FROM t ANONYMIZE BY zip, age GUARANTEE k >= 4").fetchall()
    assert (last(con).unchanged, last(con).warnings) == ((), ())
    con.execute("FROM k_anonymize('t', 2)").fetchall()
    assert (last(con).unchanged, last(con).warnings) == ((), ())


@pytest.mark.parametrize(
    ("clause", "message", "error"),
    [
        (
            "BY zip, age KEEP id, notes GUARANTEE k >= 2",
            'the column "region" has no role, and KEEP requires one for every column; hint: add it to KEEP or BY, or remove it',
            PolicyError,
        ),
        ("BY zip, age KEEP id, salary GUARANTEE k >= 2", 'unknown column "salary" in KEEP', UnknownColumnError),
        ("BY zip, age KEEP zip GUARANTEE k >= 2", "the column is in both BY and KEEP", ClauseError),
        ("BY zip, age KEEP id, ID GUARANTEE k >= 2", "the kept columns", ClauseError),
        ("BY zip, age KEEP notes GUARANTEE l(notes) >= 2", "is also used in a requirement", ClauseError),
        ("BY zip, age KEEP GUARANTEE k >= 2", "expected a column", ClauseError),
    ],
)
def test_a_role_is_missing_unknown_or_given_twice(con: Connection, clause: str, message: str, error: type[Exception]) -> None:
    with pytest.raises((error, ClauseError), match=message):
        con.execute(f"FROM t ANONYMIZE {clause}").fetchall()
    assert not kanon_sql.releases(con) or last(con).rows == 60


def test_functions_keep_columns(con: Connection) -> None:
    con.execute("FROM k_anonymize('t', 4, qi := ['zip', 'age', 'region'], keep := ['id', 'notes'])").fetchall()
    assert last(con).warnings == ("id is released unchanged and singles out 100.0% of the rows",)
    with pytest.raises(PolicyError, match='"region" has no role'):
        con.execute("FROM k_anonymize('t', 4, qi := ['zip', 'age'], keep := ['id', 'notes'])")
    con.execute("FROM k_anonymize('t', 4, keep := ['id', 'notes'])").fetchall()
    assert last(con).warnings == ("id is released unchanged and singles out 100.0% of the rows",)


@pytest.mark.everything
def test_python_keeps_columns_of_every_kind_of_table(con: Connection) -> None:
    table = con.table("t").to_arrow_table()
    for source in (table, table.to_pandas(), con.table("t")):
        release = kanon_sql.anonymize(source, k=4, keep=["id", "notes"], secret="s")
        assert release.certificate.unchanged == ("id", "notes")
        told = "id is released unchanged and singles out 100.0% of the rows"
        assert release.certificate.warnings == (told,)
        plain = kanon_sql.anonymize(source, k=4, quasi_identifiers=["zip", "age"], secret="s", unlisted_limit=1)
        assert plain.certificate.warnings[0] == told
    with pytest.raises(PolicyError, match='"notes" has no role'):
        kanon_sql.anonymize(table, k=4, quasi_identifiers=["zip", "age", "region"], keep=["id"])


def test_explain_warns_before_there_is_a_release(con: Connection) -> None:
    lines = con.execute("EXPLAIN ANONYMIZE FROM t ANONYMIZE BY zip, age GUARANTEE k >= 4").fetchall()
    found = [(name, value) for name, value, *_ in lines if name in ("released unchanged", "warning")]
    assert found == [
        ("released unchanged", "region, id, notes"),
        ("warning", "id is released unchanged and singles out 100.0% of the rows"),
        ("warning", "region is released unchanged and would give back 100.0% of the cells of zip"),
    ]


def oracle(rows: list[dict[str, int]], column: str, qi: str) -> float | None:
    """Return the share of the cells of ``qi`` that the other rows with the same ``column`` tell; None for none.

    Each row is left out in turn: where 95 % of the others with its value agree, that is the guess. Guesses may be wrong in one
    of twenty cases, and in half as many as that of the commonest value.
    """
    groups = defaultdict(list)
    for row in rows:
        groups[row[column]].append(row[qi])
    common = max(Counter(row[qi] for row in rows).values()) / len(rows)
    best = None
    for least in (2, 5):
        hit = miss = 0
        for values in groups.values():
            for place, value in enumerate(values):
                others = Counter(values[:place] + values[place + 1 :])
                if len(values) < least:
                    continue
                guess, n = others.most_common(1)[0]
                if n * 100 >= 95 * (len(values) - 1):
                    hit, miss = (hit + 1, miss) if guess == value else (hit, miss + 1)
        if hit and miss / (hit + miss) <= min(0.05, (1 - common) / 2):
            best = max(best or 0.0, hit / len(rows))
    return best if best is not None and best >= 0.01 else None


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(12))
def test_the_figures_are_those_of_the_definition(con: Connection, seed: int) -> None:
    draw = random.Random(seed)
    rows = []
    for _ in range(draw.choice([30, 120])):
        qi = draw.randrange(draw.choice([2, 6]))
        noise = qi if draw.random() < draw.choice([0.9, 0.99, 1.0]) else draw.randrange(6)
        rows.append({"q": qi, "a": noise, "b": draw.randrange(40), "c": qi * 100 + draw.randrange(draw.choice([1, 20]))})
    con.raw.register("drawn", pa.Table.from_pylist(rows))
    lines = con.execute("EXPLAIN ANONYMIZE FROM drawn ANONYMIZE BY q GUARANTEE k >= 1").fetchall()
    con.raw.unregister("drawn")
    told = {value for name, value, *_ in lines if name == "warning"}
    expected = set()
    for column in "abc":
        if (share := oracle(rows, column, "q")) is not None:
            expected.add(f"{column} is released unchanged and would give back {share:.1%} of the cells of q")
    most = 0.0
    for column in ("a", "b", "c"):
        single = sum(n == 1 for n in Counter(row[column] for row in rows).values()) / len(rows)
        if single >= 0.01:
            expected.add(f"{column} is released unchanged and singles out {single:.1%} of the rows")
            most = max(most, single)
    single = sum(n == 1 for n in Counter((row["a"], row["b"], row["c"]) for row in rows).values()) / len(rows)
    if single >= most + 0.01:
        expected.add(f"the 3 columns released unchanged together single out {single:.1%} of the rows")
    assert told == expected


def test_a_large_table_is_sampled_and_says_so(con: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(singled.__kwdefaults__, "budget", 20_000)
    con.execute(
        "CREATE OR REPLACE TABLE wide AS "
        "SELECT i % 4 AS a, hash(i) % 7 AS b, i AS id, i // 2 AS c, i % 4 AS same FROM range(20000) r(i)"
    )
    con.execute("FROM wide ANONYMIZE BY a, b KEEP id, c, same GUARANTEE k >= 15000").fetchall()
    assert last(con).warnings == (
        "id is released unchanged and singles out about 100.0% of the rows (values shared by fewer than 10 rows)",
        "c is released unchanged and singles out about 100.0% of the rows (values shared by fewer than 10 rows)",
        "same is released unchanged and gives back about 100.0% of the suppressed cells of a",
    )


@pytest.mark.everything
def test_adult(con: Connection, data: Path) -> None:
    con.execute(f"CREATE TABLE adult AS FROM read_csv('{data / 'adult_full.csv.gz'}')")
    con.execute(
        """EXPLAIN ANONYMIZE FROM adult ANONYMIZE BY age, workclass, education, "marital-status", occupation, race, sex,
        "native-country" GUARANTEE k >= 5"""
    )
    told = [value for name, value, *_ in con.fetchall() if name == "warning"]
    assert '"education-num" is released unchanged and would give back 100.0% of the cells of education' in told
    assert any(each.startswith("the 7 columns released unchanged together single out 100.0%") for each in told)
