"""A release that grows and has tokens: what a batch and those before it give away together."""

from __future__ import annotations

import threading
from collections import Counter
from pathlib import Path
from typing import Any

import naive
import pytest
from growing import state

import kanon_sql
from kanon_sql import errors
from kanon_sql.engines.duckdb.connect.connection import Connection

POLICY = "IDENTIFIER visit, patient AS PSEUDONYM{}; BY zip; GUARANTEE k >= 3"

TOKENS = ("kanon_token_releases", "kanon_tokens")


@pytest.fixture
def con(shared_clause: Connection) -> Connection:
    shared_clause.execute("CREATE TABLE visits (visit INTEGER, patient VARCHAR, zip INTEGER)")
    create(shared_clause)
    return shared_clause


def create(con: Any, linkable: str = "") -> None:
    con.execute(f"CREATE OR REPLACE ANONYMIZATION POLICY research ON visits ({POLICY.format(linkable)})")


def come(con: Any, people: list[int], zips: int) -> None:
    """Let people come, each once."""
    con.execute(
        f"INSERT INTO visits SELECT (SELECT count(*) FROM visits) + row_number() OVER (), 'P' || p, p % {zips} "
        f"FROM (SELECT unnest({people}) AS p)"
    )


def append(con: Any, **options: Any) -> kanon_sql.Batch:
    return kanon_sql.append("visits", "released", key="visit", con=con, policy="research", **options)


def everything(con: Any) -> list[Any]:
    """Return all that an append may write."""
    found = state(con)
    for table in TOKENS:
        there = con.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name = ?", [table]).fetchall() == [(1,)]
        found.append(sorted(con.execute(f"SELECT * FROM {table}").fetchall(), key=repr) if there else None)
    return found


def released(con: Any) -> Counter[tuple[Any, ...]]:
    return Counter(con.execute("SELECT patient, zip FROM released").fetchall())


def test_people_who_come_once_are_released_batch_by_batch(con: Connection) -> None:
    come(con, list(range(12)), 3)
    (risk,) = append(con).certificate.histories
    assert (risk.people, risk.fewest, risk.releases) == (12, 4, 0)
    come(con, list(range(12, 24)), 4)
    (risk,) = append(con).certificate.histories
    assert (risk.people, risk.fewest, risk.releases) == (12, 3, 0)
    assert [(name, n) for name, n in con.execute("SELECT name, count(*) FROM kanon_token_releases GROUP BY 1").fetchall()] == [
        ('"main"."released"', 2)
    ]


@pytest.mark.everything
def test_a_batch_that_singles_people_out_with_earlier_ones_is_refused(con: Connection) -> None:
    come(con, list(range(12)), 3)
    append(con)
    first = released(con)
    come(con, list(range(12)), 4)
    before = everything(con)
    with pytest.raises(errors.AuditError, match=r"those of 1 earlier release: .* 12 of 12 people are alone") as refused:
        append(con, returning="release")
    assert "P1" not in str(refused.value)
    assert everything(con) == before
    create(con, " (LINKABLE)")  # decided for this batch alone
    batch = append(con, returning="release")
    second = released(con) - first
    told = [[(token, (shown,)) for token, shown in each.elements()] for each in (first, second)]
    candidates = naive.candidates(told)
    (risk,) = batch.certificate.histories
    assert (risk.people, risk.alone, risk.fewest, risk.releases) == (12, candidates.count(1), min(candidates), 1)
    create(con)
    come(con, list(range(20, 30)), 2)
    assert append(con).certificate.histories[0].releases == 0


@pytest.mark.everything
def test_batches_and_other_releases_are_compared(con: Connection) -> None:
    con.execute("CREATE TABLE people AS SELECT 'P' || i AS patient, i % 4 AS age FROM range(12) AS t(i)")
    con.execute("CREATE ANONYMIZATION POLICY ages ON people (IDENTIFIER patient AS PSEUDONYM; BY age; GUARANTEE k >= 3)")
    con.execute("FROM people ANONYMIZE WITH POLICY ages").fetchall()
    come(con, list(range(12)), 3)
    before = everything(con)
    with pytest.raises(errors.AuditError, match=r"those of 1 earlier release: .* 12 of 12 people are alone"):
        append(con)
    assert everything(con) == before
    con.execute("DELETE FROM kanon_token_releases")
    append(con)
    with pytest.raises(errors.AuditError, match=r"those of 1 earlier release: .* 12 of 12 people are alone"):
        con.execute("FROM people ANONYMIZE WITH POLICY ages").fetchall()


@pytest.mark.everything
def test_the_tokens_of_rows_that_wait_are_not_remembered(con: Connection) -> None:
    """Each round releases fewer rows, and only the last is a release."""
    come(con, list(range(12)), 3)
    con.execute("INSERT INTO visits VALUES (100, 'Q1', 77), (101, 'Q2', 78)")
    batch = append(con)
    assert (batch.released, batch.waiting) == (12, 2)
    assert con.execute("SELECT release, count(*) FROM kanon_tokens GROUP BY ALL").fetchall() == [(1, 12)]
    assert batch.certificate.histories[0].people == 12


@pytest.mark.everything
def test_a_batch_that_is_not_released_is_not_remembered(con: Connection) -> None:
    con.execute("INSERT INTO visits SELECT i, 'P' || i // 2, i // 2 % 7 FROM range(140) AS t(i)")
    parts = POLICY.format(" (LINKABLE)").replace("k >= 3", "k >= 30 PER ROW")
    con.execute(f"CREATE OR REPLACE ANONYMIZATION POLICY research ON visits ({parts})")
    before = everything(con)
    with pytest.raises(errors.AuditError, match="strict: patient is released unchanged and gives back"):
        append(con, strict=True, leftover="suppress")
    assert everything(con) == before


@pytest.mark.everything
def test_batches_whose_tokens_are_not_known_are_refused(con: Connection) -> None:
    come(con, list(range(12)), 3)
    append(con)
    con.execute("DELETE FROM kanon_token_releases")
    come(con, list(range(12, 24)), 3)
    with pytest.raises(errors.SourceError, match="the tokens of 1 earlier batches are not known"):
        append(con)
    create(con, " (LINKABLE)")
    assert append(con).released == 12


@pytest.mark.everything
def test_people_counted_by_tokens(con: Connection) -> None:
    parts = "IDENTIFIER visit, patient AS PSEUDONYM; BY zip; GUARANTEE k >= 3 PER patient"
    con.execute(f"CREATE OR REPLACE ANONYMIZATION POLICY research ON visits ({parts})")
    come(con, list(range(12)), 3)
    append(con)
    assert [name for name, *_ in con.execute("DESCRIBE released").fetchall()] == ["patient", "zip"]
    assert con.execute("SELECT DISTINCT len(people) FROM kanon_ledger_released").fetchall() == [(1,)]
    come(con, [3, *range(20, 29)], 3)
    with pytest.raises(errors.SourceError, match="1 person of 1 new row was released before"):
        append(con)
    batch = append(con, returning="wait")
    assert (batch.released, batch.waiting) == (9, 1)


@pytest.mark.everything
def test_a_file_remembers_batches_from_one_session_to_the_next(tmp_path: Path) -> None:
    for number, zips in enumerate((3, 4)):
        with kanon_sql.connect(str(tmp_path / "clinic.duckdb"), secret="key") as con:
            if not number:
                con.execute("CREATE TABLE visits (visit INTEGER, patient VARCHAR, zip INTEGER)")
                create(con)
            come(con, list(range(12)), zips)
            if number:
                with pytest.raises(errors.AuditError, match="those of 1 earlier release"):
                    append(con, returning="release")
            else:
                assert append(con).certificate.warnings == ()


@pytest.mark.everything
def test_of_two_appends_at_once_one_is_refused(tmp_path: Path) -> None:
    """Each alone may be released, both together single people out; the one that comes second says so in our words."""
    with kanon_sql.connect(str(tmp_path / "clinic.duckdb"), secret="key") as con:
        con.execute(
            "CREATE TABLE people AS SELECT i AS id, i AS visit, i % 4 AS zip, i // 4 % 5 AS age FROM range(100) AS t(i)"
        )
        con.execute("CREATE TABLE again AS FROM people")
        start, told = threading.Barrier(2), []

        def run(cursor: Any, source: str, qi: str) -> None:
            start.wait()
            try:
                kanon_sql.append(source, f"released_{source}", key="visit", con=cursor, policy=qi)
            except errors.KanonError as error:
                told.append(str(error))

        for qi, dropped in (("zip", "age"), ("age", "zip")):
            parts = f"IDENTIFIER id AS PSEUDONYM, {dropped}, visit; BY {qi}; GUARANTEE k >= 6"
            con.execute(f"CREATE ANONYMIZATION POLICY {qi} ON people ({parts})")
        threads = [
            threading.Thread(target=run, args=(con.cursor(), source, qi))
            for source, qi in (("people", "zip"), ("again", "age"))
        ]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert len(told) == 1
        assert "at the same time" in told[0] or "have fewer than 6 candidates" in told[0]
        assert con.execute("SELECT count(*) FROM kanon_token_releases").fetchall() == [(1,)]
