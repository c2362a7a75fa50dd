"""Tokens and warnings: what is said of linkable ones, when it is said, and what EXPLAIN ANONYMIZE foresees."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

import kanon_sql
from kanon_sql.engines.duckdb.connect.connection import Connection
from kanon_sql.engines.duckdb.release.explanation import explanation_query
from kanon_sql.engines.duckdb.release.query import release_query
from kanon_sql.errors import AuditError, KanonWarning, SourceError
from kanon_sql.model.policy import Policy

PEOPLE = """CREATE TABLE people AS SELECT i AS id, i % 4 AS zip, i // 4 % 5 AS age FROM range(100) AS t(i)"""
"""Each zip and each age has 20 people or more, both together have 5."""

POLICIES = """
    CREATE ANONYMIZATION POLICY zips ON people (IDENTIFIER id AS PSEUDONYM, age; BY zip; GUARANTEE k >= 6);
    CREATE ANONYMIZATION POLICY ages ON people (IDENTIFIER id AS PSEUDONYM, zip; BY age; GUARANTEE k >= 6);
    CREATE ANONYMIZATION POLICY linkable ON people (IDENTIFIER id AS PSEUDONYM (LINKABLE), zip; BY age; GUARANTEE k >= 6);"""

LINKS = "the tokens of id link rows of this release and those of 1 earlier release"

PERMITTED = f"{LINKS}: together, these rows single out 0 of 100 people, and 100 have fewer than 6 candidates"

HINT = "hint: drop id, or permit it with AS PSEUDONYM (LINKABLE)"


@pytest.fixture
def con(tmp_path: Path) -> Iterator[Connection]:
    with kanon_sql.connect(str(tmp_path / "clinic.duckdb"), secret="key") as con:
        con.execute(PEOPLE)
        con.execute(POLICIES)
        yield con


def release(con: Connection, policy: str, source: str = "people") -> list[str]:
    """Make a release, and return its warnings as Python hears them."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        con.execute(f"FROM {source} ANONYMIZE WITH POLICY {policy}").fetchall()
    assert all(each.category is KanonWarning and each.filename == __file__ for each in heard)
    return [str(each.message) for each in heard]


def refusals(con: Connection, policy: str, source: str = "people") -> list[str]:
    """Return what EXPLAIN says of a refusal."""
    lines = con.execute(f"EXPLAIN ANONYMIZE FROM {source} ANONYMIZE WITH POLICY {policy}").fetchall()
    return [value for name, value, *_ in lines if name == "refusal"]


@pytest.mark.everything
def test_linkable_tokens_that_single_people_out_are_a_warning(con: Connection) -> None:
    assert release(con, "zips") == []  # one row a person: nobody is singled out, whoever knows the secret
    assert release(con, "linkable") == [PERMITTED]
    assert kanon_sql.releases(con)[-1].warnings == (PERMITTED,)


def test_linkable_tokens_that_link_nothing_are_not_a_warning(con: Connection) -> None:
    assert release(con, "linkable") == []


@pytest.mark.everything
def test_a_refused_release_announces_nothing(con: Connection) -> None:
    """Nobody gets it, so nobody is warned of what it would have revealed."""
    con.execute("CREATE TABLE noted AS SELECT *, 'at ' || age AS note FROM people")
    con.execute("""CREATE ANONYMIZATION POLICY noted ON noted (
        IDENTIFIER id AS PSEUDONYM, zip; BY age; KEEP note; GUARANTEE k >= 30)""")
    query = "FROM anonymize('noted', 'noted')"
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        con.raw.execute("FROM anonymize('people', 'zips')").fetchall()
        with pytest.raises(duckdb.Error, match=f"AuditError: {LINKS}"):
            con.raw.execute(query).fetchall()
    assert heard == []
    con.execute("DELETE FROM kanon_token_releases")
    with pytest.warns(KanonWarning, match="note is released unchanged and gives back") as found:
        con.raw.execute(query).fetchall()
    assert len(found) == 1


@pytest.mark.everything
@pytest.mark.filterwarnings("error")
def test_a_release_whose_warnings_are_errors_is_not_remembered(con: Connection) -> None:
    con.raw.execute("FROM anonymize('people', 'zips')").fetchall()
    with pytest.raises(duckdb.Error, match="AuditError: warning treated as an error"):
        con.raw.execute("FROM anonymize('people', 'linkable')").fetchall()
    assert con.execute("SELECT name FROM kanon_token_releases").fetchall() == [("zips",)]
    assert len(kanon_sql.releases(con)) == 1


@pytest.mark.everything
def test_explain_says_that_tokens_link_and_what_is_refused(con: Connection) -> None:
    assert refusals(con, "zips") == []
    release(con, "zips")
    may = f"{LINKS}: the release is refused if these rows together leave a person fewer than 6 candidates; {HINT}"
    assert refusals(con, "ages") == [may]
    assert refusals(con, "linkable") == []
    with pytest.raises(AuditError, match=LINKS):
        release(con, "ages")
    assert con.execute("SELECT name FROM kanon_token_releases").fetchall() == [("zips",)]  # EXPLAIN is not remembered


@pytest.mark.everything
def test_explain_names_a_refusal_that_nothing_can_avoid(con: Connection) -> None:
    """Whatever is suppressed, the one person who is absent is told apart, and so is one with two rows."""
    release(con, "zips")
    absent = "(FROM people WHERE id <> 7)"
    certain = "together, even if every cell is suppressed, these rows single out 1 of 100 people, and 1 have"
    assert refusals(con, "ages", absent) == [f"{LINKS}: {certain} fewer than 6 candidates; {HINT}"]
    with pytest.raises(AuditError, match="single out 1 of 100 people"):
        release(con, "zips", absent)
    con.execute("DELETE FROM kanon_token_releases")
    twice = "(FROM people UNION ALL FROM people WHERE id = 7)"
    found = refusals(con, "ages", twice)
    here = "the tokens of id link rows of this release"
    assert found == [f"{here}: {certain} fewer than 6 candidates; {HINT}"]
    con.execute("CREATE TABLE homes AS SELECT *, id // 2 AS home FROM people UNION ALL SELECT *, id // 2 FROM people")
    con.execute("""CREATE ANONYMIZATION POLICY homes ON homes (
        IDENTIFIER id AS PSEUDONYM, age; BY zip; GUARANTEE k >= 6 PER home)""")
    assert refusals(con, "homes", "homes") == [
        f"{here}, but people are counted by home, so these tokens cannot count people; {HINT}"
    ]


def test_explain_refuses_what_is_no_token(con: Connection) -> None:
    given = Policy.of(k=6, quasi_identifiers=["zip"], keep=["id"])
    policy = replace(given, pseudonyms=("id",))
    with pytest.raises(SourceError, match="some values are not tokens"):
        con.execute(explanation_query("SELECT id, zip FROM people", policy)).fetchall()


@pytest.mark.parametrize("keep", [None, (), ("note",)])
def test_a_policy_without_pseudonyms_asks_nothing_of_tokens(keep: tuple[str, ...] | None) -> None:
    policy = Policy.of(k=2, quasi_identifiers=["zip"], keep=keep)
    for query in (release_query("people", policy), explanation_query("FROM people", policy)):
        assert "histor" not in query
        assert "kanon#linked" not in query
