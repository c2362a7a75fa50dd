"""Protected tables in a database file: a later session respects them, and no file holds counts of another's source."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest
from table_attacker import most

import kanon_sql
from kanon_sql.engines.duckdb.connect.connection import Connection
from kanon_sql.errors import KanonWarning, SourceError
from kanon_sql.model.protection import Protection
from kanon_sql.model.secret import Secret

PEOPLE = (
    "CREATE TABLE people AS SELECT 'r' || (range * 7 % 11 % 4) AS region, 's' || (range * 31 % 7 % 2) AS sex, "
    "range * 37 % 5 AS age, range % 50 AS income FROM range(60)"
)
ONE = "SELECT region, sex, count(*) AS n FROM people GROUP BY CUBE (region, sex) PROTECT n >= 5"
OTHER = "SELECT region, age, count(*) AS n, sum(income) AS s FROM people GROUP BY CUBE (region, age) PROTECT n >= 5"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "clinic.duckdb"
    with session(path) as con:
        con.execute(PEOPLE)
    return path


@contextmanager
def session(path: Path | str, **options: Any) -> Iterator[Connection]:
    with closing(kanon_sql.connect(str(path), **options)) as con:
        yield con


def rows(con: Connection, sql: str) -> list[tuple[object, ...]]:
    return sorted(con.execute(sql).fetchall(), key=str)


def remembered(path: Path) -> int:
    with closing(duckdb.connect(str(path))) as con:
        there = con.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'kanon_protected_tables'").fetchall()
        return con.execute("SELECT count(*) FROM kanon_protected_tables").fetchall()[0][0] if there == [(1,)] else 0


@pytest.mark.everything
def test_a_later_session_shows_what_one_session_would(file: Path) -> None:
    with session(file) as con:
        first = rows(con, ONE)
    assert remembered(file) == 1
    with session(file) as con:
        later = rows(con, OTHER)
        assert rows(con, ONE) == first
    assert remembered(file) == 2
    with session(":memory:") as con:
        con.execute(PEOPLE)
        assert rows(con, ONE) == first
        assert rows(con, OTHER) == later
    shared = {row[0]: row[-1] for row in first if row[1] is None}
    assert all((row[2] is None) == (shared[row[0]] is None) for row in later if row[1] is None)
    for row in (each for each in first if each[-1] is None):
        assert most([tuple(each) for each in first], 2, row[:-1]) >= 5


@pytest.mark.everything
@pytest.mark.parametrize(
    ("change", "sql", "text"),
    [
        ("DELETE FROM people WHERE income = 7", ONE, "the source has changed"),
        ("SELECT 1", ONE.replace("GROUP BY", ", range(1) GROUP BY"), "with a different FROM"),
        ("SELECT 1", ONE.replace(">= 5", ">= 30"), "earlier protected table shows a row"),
        ("ALTER TABLE kanon_protected_tables DROP COLUMN base_cells", ONE, "is not the table that remembers"),
        (
            "ALTER TABLE kanon_protected_tables RENAME TO other; CREATE VIEW kanon_protected_tables AS SELECT 1",
            ONE,
            "is not the table",
        ),
        ("UPDATE kanon_protected_tables SET cells = 'x'::BLOB", ONE, "changed later"),
        ("UPDATE kanon_protected_tables SET counting = '{}'", ONE, "changed later"),
        ("UPDATE kanon_protected_tables SET protection = replace(protection, '5', '6')", ONE, "changed later"),
        ("UPDATE kanon_protected_tables SET seal = NULL", ONE, "changed later"),
        ("UPDATE kanon_protected_tables SET suppressed = repeat('\\x01', 15)::BLOB", OTHER, "changed later"),
        ("UPDATE kanon_protected_tables SET counting = replace(counting, 'sex\"', 'sex OR 1\"')", OTHER, "changed later"),
    ],
)
def test_a_later_session_refuses_what_one_session_would(file: Path, change: str, sql: str, text: str) -> None:
    with session(file) as con:
        con.execute(ONE).fetchall()
    with closing(duckdb.connect(str(file))) as plain:
        plain.execute(change)
    with session(file) as con, pytest.raises((SourceError, duckdb.Error), match=text):
        con.execute(sql).fetchall()


@pytest.mark.everything
def test_the_table_function_and_a_cursor_remember_too(file: Path) -> None:
    with closing(duckdb.connect(str(file))) as con:
        kanon_sql.register(con)
        con.execute("FROM protect('people', by := ['region', 'sex'])").fetchall()
        con.execute("CREATE TABLE counts AS FROM protect('people', by := ['age'])")
        con.execute("BEGIN")
        con.execute("CREATE TABLE again AS FROM protect('people', by := ['sex'])")
        con.execute("ROLLBACK")  # its rows could be read before
    assert remembered(file) == 3
    with session(file) as con, pytest.raises(SourceError, match="with a different FROM"):
        con.cursor().execute(ONE.replace("GROUP BY", ", range(1) GROUP BY")).fetchall()


@pytest.mark.everything
def test_no_file_holds_counts_of_another_source(file: Path, tmp_path: Path) -> None:
    public = tmp_path / "public.duckdb"
    with session(public) as con:
        con.execute(f"ATTACH '{file}' AS clinic")
        con.execute(f"CREATE TABLE counts AS {ONE.replace('FROM people', 'FROM clinic.people')}")
        con.execute("CREATE TEMP TABLE visitors AS FROM clinic.people WHERE income < 49")
        con.execute(ONE.replace("people", "visitors")).fetchall()
    assert remembered(public) == 0
    assert remembered(file) == 1


@pytest.mark.everything
@pytest.mark.parametrize(
    "setup", ["CREATE TABLE people AS SELECT 1 AS x", "ATTACH ':memory:' AS m; CREATE TABLE m.people (x INT)"]
)
def test_a_source_that_may_be_elsewhere_is_not_written_and_a_warning_says_so(file: Path, tmp_path: Path, setup: str) -> None:
    public = tmp_path / "public.duckdb"
    with session(public) as con:
        con.execute(setup)
        con.execute(f"ATTACH '{file}' AS clinic")
        con.execute("USE clinic")
        with pytest.warns(KanonWarning, match="its source is not in one database file"):
            con.execute(ONE).fetchall()
        con.execute(f"{ONE.replace('FROM people', 'FROM clinic.people')} USING auto (earlier = 'ignore')").fetchall()
    assert (remembered(public), remembered(file)) == (0, 1)


@pytest.mark.everything
def test_a_database_that_is_read_only_warns(file: Path) -> None:
    with session(file, read_only=True) as con, pytest.warns(KanonWarning, match="read-only"):
        con.execute(ONE).fetchall()
    assert remembered(file) == 0


@pytest.mark.everything
def test_a_table_that_was_removed_from_the_record_does_not_count(file: Path) -> None:
    with session(file) as con:
        con.execute(ONE).fetchall()
    with closing(duckdb.connect(str(file))) as plain:
        plain.execute("DELETE FROM kanon_protected_tables")
        plain.execute("DELETE FROM people WHERE income = 7")
    with session(file) as con:
        assert con.execute(ONE).fetchall()
    assert remembered(file) == 1


@pytest.mark.everything
def test_another_secret_does_not_read_what_it_did_not_write(file: Path) -> None:
    with session(file, secret="one") as con:
        con.execute(ONE).fetchall()
    with session(file, secret="two") as con:
        for sql in (ONE, f"{ONE} USING auto (earlier = 'ignore')"):
            with pytest.raises(SourceError, match="written with a different secret"):
                con.execute(sql).fetchall()
        assert con.execute("SELECT region FROM people ANONYMIZE BY region GUARANTEE k >= 5").fetchall()
    with session(file, secret="one") as con:
        assert con.execute(ONE).fetchall()
    assert remembered(file) == 1


@pytest.mark.everything
def test_a_secret_that_ends_with_the_process_seals_nothing(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kanon_sql.engines.duckdb.connect.session.secret_of", lambda: Secret(b"x", repeatable=False))
    with session(file) as con, pytest.warns(KanonWarning, match="set KANON_SECRET"):
        con.execute(ONE).fetchall()
    assert remembered(file) == 0


@pytest.mark.everything
def test_a_row_of_another_file_is_compared_with_this_source(file: Path, tmp_path: Path) -> None:
    with session(file) as con:
        con.execute(ONE).fetchall()
    other = tmp_path / "other.duckdb"
    with closing(duckdb.connect(str(other))) as plain:
        plain.execute(PEOPLE.replace("range(60)", "range(59)"))
        plain.execute(f"ATTACH '{file}' AS stolen")
        plain.execute("CREATE TABLE kanon_protected_tables AS FROM stolen.kanon_protected_tables")
    with session(other) as con, pytest.raises(SourceError, match="the source has changed"):
        con.execute(ONE).fetchall()


@pytest.mark.everything
def test_a_database_that_is_attached_again_is_read_again(file: Path) -> None:
    with session(":memory:") as con:
        con.execute(f"ATTACH '{file}' AS clinic; USE clinic")
        con.execute(ONE).fetchall()
        con.execute("USE memory; DETACH clinic; ATTACH ':memory:' AS clinic; USE clinic")
        con.session.protected_tables._released.clear()  # as if another process had released it
        assert con.session.protected_tables.countings == []
        con.execute(f"{PEOPLE} WHERE range > 3")
        assert con.execute(ONE).fetchall()
        con.session.protected_tables._released.clear()
        con.execute(f"USE memory; DETACH clinic; ATTACH '{file}' AS clinic; USE clinic; DELETE FROM people WHERE income = 7")
        with pytest.raises(SourceError, match="the source has changed"):
            con.execute(ONE).fetchall()


def test_a_source_of_the_same_transaction_is_remembered_in_its_file(tmp_path: Path) -> None:
    path = tmp_path / "new.duckdb"
    with session(path) as con:
        con.execute(f"BEGIN; {PEOPLE}; CREATE TABLE counts AS {ONE}; COMMIT")
    assert remembered(path) == 1


def test_a_table_of_an_earlier_version_that_counted_no_contributions_is_respected(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch, session(file) as con:
        patch.setattr(Protection, "largest", 1)  # of an earlier version
        before = rows(con, f"{OTHER} AND p(s) >= 10")
    with session(file) as con:
        after = rows(con, ONE)
    assert {row[0]: row[2] for row in before if row[1] is None} == {row[0]: row[2] for row in after if row[1] is None}
