"""Where tokens are remembered: in the database, from one process to the next, and by the session where no database does it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import kanon_sql
from kanon_sql.engines.duckdb.connect.connection import Connection
from kanon_sql.errors import AuditError, KanonError, PolicyError, SourceError

SECRET = "key"

PEOPLE = """CREATE TABLE people AS SELECT i AS id, i % 4 AS zip, i // 4 % 5 AS age FROM range(100) AS t(i)"""
"""Each zip and each age has 20 people or more, both together have 5."""

POLICIES = """
    CREATE ANONYMIZATION POLICY zips ON people (IDENTIFIER id AS PSEUDONYM, age; BY zip; GUARANTEE k >= 6);
    CREATE ANONYMIZATION POLICY ages ON people (IDENTIFIER id AS PSEUDONYM, zip; BY age; GUARANTEE k >= 6);
    CREATE ANONYMIZATION POLICY linkable ON people (IDENTIFIER id AS PSEUDONYM (LINKABLE), zip; BY age; GUARANTEE k >= 6);"""

REFUSED = "and those of 1 earlier release: .* 0 of 100 people, and 100 have fewer than 6 candidates"

PERMITTED = (
    "the tokens of id link rows of this release and those of 1 earlier release: together, these rows single out 0 of 100 "
    "people, and 100 have fewer than 6 candidates"
)

ONLY_HERE = "no database file records the tokens of id: later releases with the same secret are not compared with them"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A database with people and policies."""
    path = tmp_path / "clinic.duckdb"
    with kanon_sql.connect(str(path), secret=SECRET) as con:
        con.execute(PEOPLE)
        con.execute(POLICIES)
    return path


@pytest.fixture
def con() -> Iterator[Connection]:
    with kanon_sql.connect(secret=SECRET) as con:
        con.execute(PEOPLE)
        con.execute(POLICIES)
        yield con


def release(con: Connection, policy: str) -> kanon_sql.Certificate:
    con.execute(f"FROM people ANONYMIZE WITH POLICY {policy}").fetchall()
    return kanon_sql.releases(con)[-1]


@pytest.mark.everything
def test_a_database_remembers_from_one_session_to_the_next(file: Path) -> None:
    with kanon_sql.connect(str(file), secret=SECRET) as con:
        assert release(con, "zips").warnings == ()
    with kanon_sql.connect(str(file), secret=SECRET) as con:
        with pytest.raises(AuditError, match=REFUSED):
            release(con, "ages")
        assert release(con, "zips").histories[0].releases == 0  # made again
    with kanon_sql.connect(str(file), secret="another") as con:
        assert release(con, "ages").histories[0].releases == 0  # under another secret, these are other tokens
    with kanon_sql.connect(str(file), secret=SECRET) as con:
        found = release(con, "linkable")
        assert (found.histories[0].releases, found.histories[0].fewest) == (1, 5)
        assert found.warnings == (PERMITTED,)


@pytest.mark.everything
def test_a_release_of_a_transaction_that_is_rolled_back_is_remembered(file: Path) -> None:
    """Its rows may have been read, or copied into a file."""
    with kanon_sql.connect(str(file), secret=SECRET) as con:
        con.execute("BEGIN")
        con.execute("CREATE TABLE released AS FROM people ANONYMIZE WITH POLICY zips")
        con.execute("ROLLBACK")
        with pytest.raises(AuditError, match=REFUSED):
            release(con, "ages")


@pytest.mark.everything
def test_a_database_that_cannot_remember_releases_linkable_tokens_only(file: Path) -> None:
    with kanon_sql.connect(str(file), secret=SECRET) as con:
        release(con, "zips")
    with kanon_sql.connect(str(file), secret=SECRET, read_only=True) as con:
        with pytest.raises(SourceError, match="the tokens cannot be recorded in a read-only database"):
            release(con, "ages")
        assert kanon_sql.releases(con) == []
        assert release(con, "linkable").histories[0].releases == 1


@pytest.mark.everything
def test_tables_of_another_shape_are_refused(file: Path) -> None:
    with kanon_sql.connect(str(file), secret=SECRET) as con:
        con.execute("CREATE TABLE kanon_tokens (mine INT)")
        with pytest.raises(SourceError, match=r'"clinic"."main"."kanon_tokens" are not kanon-sql.s token tables'):
            release(con, "zips")


@pytest.mark.everything
def test_all_attached_databases_are_asked(file: Path) -> None:
    with kanon_sql.connect(str(file), secret=SECRET) as con:
        release(con, "zips")
    with kanon_sql.connect(secret=SECRET) as con:
        con.execute(PEOPLE)
        con.execute(POLICIES)
        con.execute(f"ATTACH '{file}' AS clinic (READ_ONLY)")
        with pytest.raises(AuditError, match=REFUSED):
            release(con, "ages")


@pytest.mark.everything
def test_a_database_in_memory_remembers_as_long_as_it_lives(con: Connection) -> None:
    assert [each.startswith(ONLY_HERE) for each in release(con, "zips").warnings] == [True]
    with pytest.raises(AuditError, match=REFUSED):
        release(con, "ages")
    assert release(con, "linkable").warnings == (PERMITTED,)


@pytest.mark.everything
def test_a_secret_that_no_other_session_has_is_no_reason_to_warn(con: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(con.session.secret), "repeatable", property(lambda _: False), raising=False)
    assert release(con, "zips").warnings == ()


@pytest.mark.everything
def test_of_two_releases_at_once_one_is_refused(con: Connection) -> None:
    done: list[str] = []

    def run(cursor: Any, policy: str) -> None:
        try:
            cursor.execute(f"CREATE TABLE of_{policy} AS FROM people ANONYMIZE WITH POLICY {policy}")
            done.append("released")
        except KanonError as error:
            done.append(type(error).__name__)

    threads = [threading.Thread(target=run, args=(con.cursor(), policy)) for policy in ("zips", "ages")]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(done) == ["AuditError", "released"]


def json_policy(*quasi_identifiers: str, **more: Any) -> str:
    return json.dumps(
        {
            "quasi_identifiers": [{"column": name} for name in quasi_identifiers],
            "requirements": [{"type": "k", "k": 6}],
            "keep": ["id"],
            "pseudonyms": ["id"],
            **more,
        }
    )


@pytest.mark.everything
def test_tokens_of_a_policy_that_no_database_holds_are_remembered_by_the_session(con: Connection) -> None:
    con.execute("CREATE TABLE tokens AS SELECT md5(id::VARCHAR) AS id, zip, age FROM people")
    released = "SELECT count(*) FROM anonymize('{}', '{}')"
    con.execute("CREATE VIEW zips AS SELECT id, zip FROM tokens")
    con.execute("CREATE VIEW ages AS SELECT id, age FROM tokens")
    con.execute(released.format("zips", json_policy("zip"))).fetchall()
    con.execute(released.format("zips", json_policy("zip"))).fetchall()
    with pytest.raises(AuditError, match=REFUSED):
        con.execute(released.format("ages", json_policy("age"))).fetchall()
    con.execute(released.format("ages", json_policy("age", linkable=["id"]))).fetchall()
    assert kanon_sql.releases(con)[-1].histories[0].fewest == 5
    assert con.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'kanon_tokens'").fetchall() == [(0,)]


def test_values_that_are_no_tokens_are_refused(con: Connection) -> None:
    with pytest.raises(SourceError, match="the policy lists id as pseudonyms, but some values are not tokens") as refused:
        con.execute(f"FROM anonymize('people', '{json_policy('zip', 'age')}')").fetchall()
    assert "99" not in str(refused.value)
    assert kanon_sql.releases(con) == []


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"linkable": ["zip"]}, 'the column "zip" is linkable but not a pseudonym'),
        ({"keep": []}, 'the pseudonym "id" is not kept'),
        ({"pseudonyms": ["zip"], "keep": ["id"]}, 'the pseudonym "zip" has a second role'),
        ({"pseudonyms": ["id", "ID"]}, 'the column "ID" occurs twice in the pseudonyms'),
        ({"pseudonyms": [3]}, "a pseudonym must be a column name, got int"),
        ({"keep": None}, 'the pseudonym "id" is not kept'),
        ({"pseudonyms": ["no"], "keep": ["id", "no"]}, 'unknown column "no" in KEEP'),
        ({"pseudonyms": "id"}, "pseudonyms must be a list"),
    ],
)
def test_roles_that_contradict_each_other(con: duckdb.DuckDBPyConnection, more: dict[str, Any], message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        con.execute(f"FROM anonymize('people', '{json_policy('zip', 'age', **more)}')").fetchall()
