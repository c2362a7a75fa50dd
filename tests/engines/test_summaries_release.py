"""RANGES and SETS: each class shows what its own rows have, no more and no less."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from requirement_oracle import Histogram, diverse, equal, moved, total

import kanon_sql
from kanon_sql.errors import AuditError, InfeasibleError, PolicyError, SourceError
from kanon_sql.model.requirements import LDiversity
from kanon_sql.solvers.summaries import mondrian
from kanon_sql.solvers.summaries.partition import SummaryPartition

QUERY = """
    SELECT *, age AS was_age, day AS was_day, job AS was_job, zip AS was_zip FROM p
    ANONYMIZE BY age IN RANGES, day IN RANGES, job IN SETS, zip IN DIGITS, sex
    KEEP was_age, was_day, was_job, was_zip GUARANTEE k >= {k}
"""


@pytest.fixture
def con(shared_clause):
    shared_clause.execute("""
        CREATE TABLE p AS
        SELECT CASE WHEN i % 11 > 0 THEN i * 7 % 60 END AS age, DATE '2024-02-01' + (i * 13 % 90)::INTEGER AS day,
               CASE WHEN i % 17 > 0 THEN 'job ' || (i * i % 13) END AS job, (10000 + i * 37 % 900)::VARCHAR AS zip,
               CASE i % 2 WHEN 0 THEN 'f' ELSE 'm' END AS sex
        FROM range(240) t(i)
    """)
    return shared_clause


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


@pytest.mark.everything
@pytest.mark.sweep
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


@pytest.mark.everything
def test_less_is_lost_than_by_suppression(con) -> None:
    con.execute(QUERY.format(k=5)).fetchall()
    con.execute("FROM p ANONYMIZE BY age, day, job, zip, sex GUARANTEE k >= 5").fetchall()
    summaries, suppressed = (each for each in con.session.releases[-2:])
    assert summaries.algorithm == "mondrian"
    assert summaries.lower_bound <= summaries.cost < suppressed.lower_bound


@pytest.mark.everything
def test_same_input_same_output(con) -> None:
    once = Counter(con.execute(QUERY.format(k=4)).fetchall())
    con.execute("CREATE OR REPLACE TABLE p AS FROM p ORDER BY hash(zip, age)")
    assert Counter(con.execute(QUERY.format(k=4)).fetchall()) == once


def test_table_functions_and_suppressed_texts(con) -> None:
    options = "recodings := MAP {'age': 'RANGES'}, suppress := '*', unlisted_limit := 1"
    query = f"FROM k_anonymize('p', 3, qi := ['age', 'sex'], {options})"
    rows = con.execute(query).fetchall()
    assert min(Counter((row[0], row[4]) for row in rows).values()) >= 3


@pytest.mark.parametrize(
    ("query", "error", "message"),
    [
        (
            "FROM p ANONYMIZE BY age IN RANGES GUARANTEE k >= 241 USING auto (unlisted_limit = 1)",
            InfeasibleError,
            "240 rows, fewer than k = 241",
        ),
        (
            "FROM p ANONYMIZE BY age IN RANGES GUARANTEE k >= 2 USING greedy (unlisted_limit = 1)",
            PolicyError,
            "cannot create RANGES or SETS",
        ),
    ],
)
def test_bad_input(con, query: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        con.execute(query).fetchall()


@pytest.mark.sweep
@pytest.mark.parametrize("table", ["nobody", "one", "nulls"])
def test_tables_of_little(con, table: str) -> None:
    con.execute("""
        CREATE TABLE nobody AS FROM p WHERE false;
        CREATE TABLE one AS SELECT 1 AS age, 'x' AS job;
        CREATE TABLE nulls AS SELECT NULL::INTEGER AS age, NULL::VARCHAR AS job FROM range(3)
    """)
    rows = con.execute(f"SELECT age, job FROM {table} ANONYMIZE BY age IN RANGES, job IN SETS GUARANTEE k >= 1").fetchall()
    assert rows == {"nobody": [], "one": [("1", "x")], "nulls": [(None, None)] * 3}[table]


@pytest.mark.everything
def test_numbers_among_texts_are_texts(con) -> None:
    con.execute("CREATE TABLE mixed AS SELECT ['1', '10', '9', 'abc'][1 + i % 4] AS code, i % 3 AS other FROM range(24) t(i)")
    for how in ("RANGES", "INTERVALS", "SETS"):
        rows = con.execute(f"FROM mixed ANONYMIZE BY code IN {how}, other GUARANTEE k >= 5").fetchall()
        assert min(Counter(rows).values()) >= 5


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(("summary", "wrong"), [("ranges", "[1, 2]"), ("sets", "{job 1, job 2}"), ("sets", "{job 1")])
def test_summaries_that_do_not_cover_are_not_released(con, monkeypatch, summary: str, wrong: str) -> None:
    from kanon_sql.engines import solving

    monkeypatch.setattr(solving, summary, lambda labels, number, code: [wrong] * (int(number.max()) + 1))
    with pytest.raises(AuditError, match="do not cover what they stand for; nothing was released"):
        con.execute(QUERY.format(k=5)).fetchall()


SENSITIVE = """
    CREATE TABLE patients AS
    SELECT i AS id, i * 7 % 60 AS age, 'job ' || (i * i % 13) AS job,
           ['flu', 'flu', 'gout', NULL, 'cold', 'flu'][1 + i % 11 % 6] AS disease, CASE WHEN i % 9 > 0 THEN i % 4 END AS ward
    FROM range(240) t(i)
"""
ASKED = "FROM patients ANONYMIZE BY age IN RANGES, job IN SETS KEEP id, ward GUARANTEE k >= 4 AND {}"


def histograms(rows: list[tuple[Any, ...]], column: int) -> tuple[list[Histogram], Histogram]:
    """Return the histogram of each class, by what it shows, and that of the whole table; NULL is the last value."""
    values = sorted({row[column] for row in rows}, key=lambda value: (value is None, value or 0))
    found: dict[tuple[Any, ...], Histogram] = {}
    for row in rows:
        held = found.setdefault(row[1:3], {})
        held[values.index(row[column]) + 1] = held.get(values.index(row[column]) + 1, 0) + 1
    return list(found.values()), total(list(found.values()))


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    ("guarantee", "kept"),
    [
        ("l(disease, 'distinct') >= 3", lambda one, _: diverse(LDiversity(sensitive="s", l=3, variant="distinct"), one)),
        ("l(disease) >= 1.9", lambda one, _: diverse(LDiversity(sensitive="s", l="1.9"), one)),
        ("l(disease, 'entropy') >= 2", lambda one, _: diverse(LDiversity(sensitive="s", l=2, variant="entropy"), one)),
        ("t(disease) <= 0.2", lambda one, all_of: moved(one, all_of, equal) <= Fraction(1, 5)),
        ("alpha(disease, 'gout') <= 0.25", lambda one, _: Fraction(one.get(3, 0), sum(one.values())) <= Fraction(1, 4)),
    ],
)
def test_every_class_keeps_what_is_guaranteed_of_its_diseases(con, guarantee: str, kept: Any) -> None:
    con.execute(SENSITIVE)
    rows = con.execute(ASKED.format(guarantee)).fetchall()
    assert Counter((row[0], row[3]) for row in rows) == Counter(con.execute("SELECT id, disease FROM patients").fetchall())
    found, everyone = histograms(rows, 3)
    assert len(found) > 10
    assert all(sum(each.values()) >= 4 and kept(each, everyone) for each in found)
    assert rows == con.execute(ASKED.format(guarantee)).fetchall()


@pytest.mark.everything
def test_two_attributes_and_a_column_that_is_neither_range_nor_set(con) -> None:
    con.execute(SENSITIVE)
    rows = con.execute("""
        SELECT id, age, job, disease, ward FROM patients
        ANONYMIZE BY age IN RANGES, job KEEP id GUARANTEE k >= 3 AND t(disease) <= 0.3 AND l(ward, 'distinct') >= 2
    """).fetchall()
    found, everyone = histograms(rows, 3)
    assert all(moved(each, everyone, equal) <= Fraction(3, 10) for each in found)
    assert all(len(each) >= 2 for each in histograms(rows, 4)[0])
    assert con.session.releases[-1].lower_bound <= con.session.releases[-1].cost


@pytest.mark.everything
def test_every_column_and_a_table_function(con) -> None:
    con.execute(SENSITIVE)
    con.execute("CREATE TABLE few AS SELECT age, job, disease FROM patients")
    recodings, named = "recodings := MAP {'age': 'RANGES', 'job': 'SETS'}", "qi := ['age', 'job'], keep := ['id', 'ward']"
    for query in (
        f"FROM t_close('few', 'disease', 0.3, {recodings})",
        f"SELECT age, job, disease FROM t_close('patients', 'disease', 0.3, {named}, {recodings})",
    ):
        found, everyone = histograms([(0, *row) for row in con.execute(query).fetchall()], 3)
        assert all(moved(each, everyone, equal) <= Fraction(3, 10) for each in found)
        assert len(found) > 5


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("guarantee", "message"),
    [
        ("l(disease) >= 2.5", r"cannot hold in any release, because even the whole table breaks it"),
        ("l(disease, 'distinct') >= 5", r"it has 4 different values"),
        ("alpha(disease, 'flu') <= 0.1", r"of 240 rows"),
    ],
)
def test_what_the_whole_table_breaks_is_refused(con, guarantee: str, message: str) -> None:
    con.execute(SENSITIVE)
    with pytest.raises(InfeasibleError, match=message):
        con.execute(ASKED.format(guarantee)).fetchall()


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    ("guarantee", "message"),
    [
        ("l(disease, 'distinct') >= 4", r"classes break l\(disease, 'distinct'\) >= 4: the worst has . different values"),
        ("t(disease) <= 0.1", r"classes break t\(disease\) <= 1/10: the worst is at a distance of 0\."),
        ("alpha(disease, 'flu') <= 0.5", r"classes break alpha\(disease, 'flu'\) <= 1/2"),
        ("beta(disease) <= 0.1", r"classes break beta\(disease\) <= 1/10: in the worst, one value has"),
        ("delta(disease) <= 0.2", r"classes break delta\(disease\) <= 1/5: in the worst, "),
    ],
)
def test_a_division_that_breaks_a_guarantee_is_not_released(con, monkeypatch, guarantee: str, message: str) -> None:
    def by_rows(table: Any, kinds: Any, null: Any, asked: Any, budget: Any) -> SummaryPartition:
        """Put neighbouring row types into classes of four rows or more, whatever their diseases."""
        number = (np.cumsum(table.weight) - table.weight) // 8
        return SummaryPartition(row_type=np.arange(table.row_types, dtype=np.int32), number=number, count=table.weight)

    con.execute(SENSITIVE)
    before = len(con.session.releases)
    monkeypatch.setattr(mondrian, "solve", by_rows)
    clause = "ANONYMIZE BY age IN RANGES, job IN SETS KEEP id, disease, ward GUARANTEE k >= 4"
    con.execute(f"CREATE TABLE kept AS FROM patients {clause}")
    for statement in ("", "CREATE TABLE made AS "):
        with pytest.raises(AuditError, match=message):
            con.execute(statement + ASKED.format(guarantee)).fetchall()
    assert len(con.session.releases) == before + 1


def test_long_texts_take_no_more_than_the_memory_limit(con) -> None:
    con.execute("CREATE TABLE long AS SELECT repeat(chr(65 + i::INT % 26), 20_000) || i AS s FROM range(200) AS r(i)")
    con.execute("SET memory_limit = '100MB'")
    try:
        with pytest.raises(SourceError, match=r"the values released for s would take \d{3} MB, but memory_limit allows 99 MB"):
            con.execute("FROM long ANONYMIZE BY s IN SETS GUARANTEE k >= 60 PER ROW")
    finally:
        con.execute("RESET memory_limit")


@pytest.mark.parametrize("suppress", ["0", "1", "{a}", None])
def test_no_token_is_taken_for_what_a_suppressed_cell_shows(suppress: str | None) -> None:
    source = pa.table({"s": ["a", "a", "b", "b", None, None], "q": ["x", "x", "x", "x", "y", "y"]})
    release = kanon_sql.anonymize(source, k=2, recodings={"s": "SETS"}, suppress=suppress, per_row=True)
    assert release.certificate.classes == 3
    assert Counter(release.table.column("s").to_pylist()) == {"a": 2, "b": 2, None: 2}
