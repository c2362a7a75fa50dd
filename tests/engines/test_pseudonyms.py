"""IDENTIFIER x AS PSEUDONYM: keyed tokens in the place of identifiers."""

from __future__ import annotations

import hmac
from collections.abc import Iterator

import pytest

import kanon_sql
from kanon_sql.engines.duckdb.connect.connection import Connection
from kanon_sql.errors import ClauseError, PolicyError
from kanon_sql.model.stored_policy import StoredPolicy

CREATE = """CREATE ANONYMIZATION POLICY p ON visits (
    IDENTIFIER ssn, patient AS PSEUDONYM (LINKABLE); BY zip, age; KEEP ward; GUARANTEE k >= 4)"""


@pytest.fixture
def con() -> Iterator[Connection]:
    with kanon_sql.connect(secret="key") as con:
        con.execute(
            """CREATE TABLE visits AS SELECT 'ssn' || i AS ssn, CASE WHEN i % 10 > 0 THEN i % 10 // 2 END AS patient,
            '9810' || i % 3 AS zip, 20 + i % 5 AS age, i % 2 AS ward FROM range(60) t(i)"""
        )
        yield con


@pytest.mark.everything
def test_tokens_are_equal_for_equal_values_and_null_stays(con: Connection) -> None:
    con.execute(CREATE)
    con.execute("CREATE TABLE released AS FROM visits ANONYMIZE WITH POLICY p")
    assert [name for name, *_ in con.execute("DESCRIBE released").fetchall()] == ["patient", "zip", "age", "ward"]
    counts = dict(con.execute("SELECT patient, count(*) FROM released GROUP BY 1").fetchall())
    key = hmac.digest(b"key", b"kanon-sql 1: pseudonyms", "sha256")
    tokens = {hmac.digest(key, str(value).encode(), "sha256")[:16].hex(): 12 if value else 6 for value in range(5)}
    assert counts == {None: 6, **tokens}
    assert con.execute("SELECT patient FROM anonymize('visits', 'p') EXCEPT SELECT patient FROM released").fetchall() == []


@pytest.mark.everything
def test_another_secret_gives_other_tokens(con: Connection) -> None:
    con.execute(CREATE)
    mine = {row[0] for row in con.execute("FROM visits ANONYMIZE WITH POLICY p").fetchall()}
    with kanon_sql.connect(secret="other") as other:
        other.raw.register("t", con.raw.sql("FROM visits").to_arrow_table())
        other.execute("CREATE TABLE visits AS FROM t")
        other.execute(CREATE)
        theirs = {row[0] for row in other.execute("FROM visits ANONYMIZE WITH POLICY p").fetchall()}
    assert mine & theirs == {None}


@pytest.mark.everything
def test_the_token_of_a_moment_follows_no_time_zone(con: Connection) -> None:
    """The text of a moment is another one in each zone, and so was its token."""
    con.execute("CREATE TABLE calls AS SELECT make_timestamptz(1000000 * (i // 2)) AS moment, i % 2 AS zip FROM range(12) t(i)")
    con.execute("INSERT INTO calls VALUES (NULL, 0), (NULL, 1)")
    con.execute("CREATE ANONYMIZATION POLICY moments ON calls (IDENTIFIER moment AS PSEUDONYM; BY zip; GUARANTEE k >= 2)")
    tokens = []
    for zone in ("UTC", "Asia/Tokyo", "America/St_Johns"):
        con.execute(f"SET TimeZone = '{zone}'")
        tokens.append(sorted(map(str, con.execute("SELECT moment FROM (FROM calls ANONYMIZE WITH POLICY moments)").fetchall())))
    con.execute("RESET TimeZone")
    assert tokens[0] == tokens[1] == tokens[2]
    assert len(set(tokens[0])) == 7


def test_a_pseudonym_that_gives_cells_back_is_warned_of(con: Connection) -> None:
    con.execute("CREATE TABLE one AS SELECT i // 2 AS patient, i // 2 % 7 AS zip, i // 2 % 5 AS age FROM range(140) t(i)")
    con.execute("CREATE ANONYMIZATION POLICY q ON one (IDENTIFIER patient AS PSEUDONYM; BY zip, age; GUARANTEE k >= 9 PER ROW)")
    con.execute("FROM one ANONYMIZE WITH POLICY q").fetchall()
    certificate = kanon_sql.releases(con)[-1]
    assert certificate.unchanged == ("patient",)
    assert any(each.startswith("patient is released unchanged and gives back 100.0%") for each in certificate.warnings)


def test_a_linkable_pseudonym_is_stored_as_one(con: Connection) -> None:
    con.execute(
        "CREATE ANONYMIZATION POLICY p ON visits (IDENTIFIER ssn, patient as pseudonym (linkable), zip; BY age; "
        "KEEP ward; GUARANTEE k >= 4)"
    )
    ((name, table, text, _),) = con.execute("SHOW ANONYMIZATION POLICIES").fetchall()
    stored = StoredPolicy.from_json(name, table, text)
    assert (stored.identifiers, stored.pseudonyms, stored.linkable) == (("ssn", "zip"), ("patient",), ("patient",))
    assert stored.to_json() == text
    with pytest.raises(PolicyError, match='the column "ssn" is linkable but not a pseudonym'):
        StoredPolicy.from_json(name, table, text.replace('"linkable":["patient"]', '"linkable":["ssn"]'))


@pytest.mark.everything
@pytest.mark.parametrize(
    ("part", "message"),
    [
        ("IDENTIFIER ssn AS TOKEN, patient", "released AS PSEUDONYM"),
        ("IDENTIFIER ssn, ssn AS PSEUDONYM, patient", "the column is already an identifier"),
        (
            "IDENTIFIER ssn (LINKABLE), patient",
            r"unknown option .*; hint: write IDENTIFIER id AS PSEUDONYM \(LINKABLE\)",
        ),
        ("IDENTIFIER ssn, patient AS PSEUDONYM (LINKED)", "unknown option of an identifier"),
        ("IDENTIFIER ssn, patient AS PSEUDONYM LINKABLE", "expected a semicolon or"),
    ],
)
def test_bad_definitions(con: Connection, part: str, message: str) -> None:
    with pytest.raises(ClauseError, match=message):
        con.execute(f"CREATE ANONYMIZATION POLICY p ON visits ({part}; BY zip, age; KEEP ward; GUARANTEE k >= 4)")
