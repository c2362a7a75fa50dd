"""RANGES and SETS: each class shows what its own rows have, no more and no less."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

import kanon_sql
from kanon_sql.errors import AuditError, InfeasibleError, PolicyError

QUERY = """
    SELECT *, age AS was_age, day AS was_day, job AS was_job, zip AS was_zip FROM p
    ANONYMIZE BY age IN RANGES, day IN RANGES, job IN SETS, zip IN DIGITS, sex GUARANTEE k >= {k}
"""


@pytest.fixture
def con():
    with kanon_sql.connect() as con:
        con.execute("""
            CREATE TABLE p AS
            SELECT CASE WHEN i % 11 > 0 THEN i * 7 % 60 END AS age, DATE '2024-02-01' + (i * 13 % 90)::INTEGER AS day,
                   CASE WHEN i % 17 > 0 THEN 'job ' || (i * i % 13) END AS job, (10000 + i * 37 % 900)::VARCHAR AS zip,
                   CASE i % 2 WHEN 0 THEN 'f' ELSE 'm' END AS sex
            FROM range(240) t(i)
        """)
        yield con


def classes(rows: list[tuple[Any, ...]]) -> dict[tuple[Any, ...], list[tuple[Any, ...]]]:
    found: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
    for row in rows:
        found.setdefault(row[:5], []).append(row[5:])
    return found


def ranged(values: list[Any]) -> str | None:
    known = sorted(value for value in values if value is not None)
    if not known:
        return None
    text = str(known[0]) if known[0] == known[-1] else f"[{known[0]}, {known[-1]}]"
    return text + (" or NULL" if None in values else "")


@pytest.mark.parametrize("k", [2, 5, 40])
def test_a_class_shows_what_its_rows_have(con, k: int) -> None:
    rows = con.execute(QUERY.format(k=k)).fetchall()
    assert len(rows) == 240
    everything = {row[7] for row in rows}
    for (age, day, job, code, _), members in classes(rows).items():
        assert len(members) >= k
        ages, days, jobs, zips = (list(each) for each in zip(*members, strict=True))
        # Two classes may look alike; together they are one, with no more than the range of both.
        assert age == ranged(ages)
        assert day in (ranged(days), None)
        held = set(jobs)
        if job is not None and job.startswith("{"):
            assert {None if text == "NULL" else text for text in job[1:-1].split(", ")} == held
        else:
            assert held in ({job}, everything) or job is None
        assert code is None or all(each.startswith(code.rstrip("*")) for each in zips)


def test_less_is_lost_than_by_suppression(con) -> None:
    con.execute(QUERY.format(k=5)).fetchall()
    con.execute("FROM p ANONYMIZE BY age, day, job, zip, sex GUARANTEE k >= 5").fetchall()
    summaries, suppressed = (each for each in con.session.releases[-2:])
    assert summaries.algorithm == "mondrian"
    assert summaries.lower_bound <= summaries.cost < suppressed.lower_bound


def test_same_input_same_output(con) -> None:
    once = Counter(con.execute(QUERY.format(k=4)).fetchall())
    con.execute("CREATE OR REPLACE TABLE p AS FROM p ORDER BY hash(zip, age)")
    assert Counter(con.execute(QUERY.format(k=4)).fetchall()) == once


def test_table_functions_and_suppressed_texts(con) -> None:
    query = "FROM k_anonymize('p', 3, qi := ['age', 'sex'], recodings := MAP {'age': 'RANGES'}, suppress := '*')"
    rows = con.execute(query).fetchall()
    assert min(Counter((row[0], row[4]) for row in rows).values()) >= 3


@pytest.mark.parametrize(
    ("query", "error", "message"),
    [
        ("FROM p ANONYMIZE BY age IN RANGES GUARANTEE k >= 241", InfeasibleError, "240 rows, fewer than k = 241"),
        ("FROM p ANONYMIZE BY age IN RANGES GUARANTEE k >= 2 USING greedy", PolicyError, "makes no RANGES and SETS"),
    ],
)
def test_bad_input(con, query: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        con.execute(query).fetchall()


@pytest.mark.parametrize("table", ["nobody", "one", "nulls"])
def test_tables_of_little(con, table: str) -> None:
    con.execute("""
        CREATE TABLE nobody AS FROM p WHERE false;
        CREATE TABLE one AS SELECT 1 AS age, 'x' AS job;
        CREATE TABLE nulls AS SELECT NULL::INTEGER AS age, NULL::VARCHAR AS job FROM range(3)
    """)
    rows = con.execute(f"SELECT age, job FROM {table} ANONYMIZE BY age IN RANGES, job IN SETS GUARANTEE k >= 1").fetchall()
    assert rows == {"nobody": [], "one": [("1", "x")], "nulls": [(None, None)] * 3}[table]


def test_numbers_among_texts_are_texts(con) -> None:
    con.execute("CREATE TABLE mixed AS SELECT ['1', '10', '9', 'abc'][1 + i % 4] AS code, i % 3 AS other FROM range(24) t(i)")
    for how in ("RANGES", "INTERVALS", "SETS"):
        rows = con.execute(f"FROM mixed ANONYMIZE BY code IN {how}, other GUARANTEE k >= 5").fetchall()
        assert min(Counter(rows).values()) >= 5


@pytest.mark.parametrize(("summary", "wrong"), [("ranges", "[1, 2]"), ("sets", "{job 1, job 2}"), ("sets", "{job 1")])
def test_summaries_that_do_not_cover_are_not_released(con, monkeypatch, summary: str, wrong: str) -> None:
    from kanon_sql.udfs import kanon_fit

    monkeypatch.setattr(kanon_fit, summary, lambda labels, number, code: [wrong] * (int(number.max()) + 1))
    with pytest.raises(AuditError, match="do not cover what they stand for; nothing was released"):
        con.execute(QUERY.format(k=5)).fetchall()
