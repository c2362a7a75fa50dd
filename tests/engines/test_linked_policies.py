"""Stored policies whose tokens link the rows of each person: in SQL, and in the release of a whole database."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import duckdb
import pytest

import kanon_sql
from kanon_sql.certificate.history_certificate import HistoryCertificate, stated
from kanon_sql.clause import definition_of
from kanon_sql.engines.duckdb.database.audit import audit_database
from kanon_sql.errors import AuditError, ClauseError, KanonError, PolicyError, SourceError
from kanon_sql.model.policy import Policy
from kanon_sql.model.policy_file import read, written
from kanon_sql.model.stored_policy import StoredPolicy

K, KNOWN = 3, 2

GUARANTEE = f"k >= {K} PER patient LINKED FOR ANY {KNOWN} ROWS"

PEOPLE = "CREATE ANONYMIZATION POLICY people ON patients (IDENTIFIER patient; BY zip, born; GUARANTEE k >= 3; {})"

FACTS = f"CREATE ANONYMIZATION POLICY visits ON stays (IDENTIFIER stay; BY ward, month; GUARANTEE {GUARANTEE}{{}})"


def source(path: Path, people: int = 60, seed: float = 0.5) -> Path:
    with duckdb.connect(str(path)) as con:
        con.execute("SELECT setseed($seed)", {"seed": seed})
        con.execute(
            f"""CREATE TABLE patients AS SELECT i AS patient, 98100 + i % 3 AS zip, 1950 + i % 2 * 10 AS born
            FROM range({people}) t(i)"""
        )
        con.execute(
            f"""CREATE TABLE stays AS SELECT 's' || i AS stay, i // 3 AS patient,
                ['eye', 'skin', 'heart'][1 + (random() * 3)::INT % 3] AS ward, (random() * 2)::INT AS month
            FROM range({3 * people}) t(i)"""
        )
    return path


def policies(path: Path, *statements: str) -> None:
    with kanon_sql.connect(str(path)) as con:
        for each in statements:
            con.execute(each)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return source(tmp_path / "clinic.duckdb")


def require_histories(rows: list[dict], person: str, names: list[str]) -> None:
    """Anybody's own count: any known rows of a person, next to the person's own columns, are those of K people."""
    histories = defaultdict(list)
    for row in rows:
        if row[person] is not None:
            histories[row[person]].append(tuple(row[name] for name in names))
    own = [place for place in range(len(names)) if all(len({row[place] for row in each}) == 1 for each in histories.values())]
    whose = defaultdict(set)
    for token, history in histories.items():
        for size in range(1, KNOWN + 1):
            for known in combinations(sorted(history, key=repr), size):
                whose[tuple(history[0][place] for place in own), known].add(token)
    assert min(map(len, whose.values())) >= K


@pytest.mark.everything
def test_a_policy_releases_what_the_clause_does(database: Path) -> None:
    policies(database, FACTS.format(""))
    with kanon_sql.connect(str(database), secret="s") as con:
        by_policy = con.execute("FROM stays ANONYMIZE WITH POLICY visits").fetchall()
        assert con.execute("FROM anonymize('stays', 'visits')").fetchall() == by_policy
        clause = f"SELECT patient, ward, month FROM stays ANONYMIZE BY ward, month GUARANTEE {GUARANTEE}"
        assert by_policy == con.execute(clause).fetchall()
        part = con.sql("SELECT patient, ward FROM stays ANONYMIZE WITH POLICY visits").to_arrow_table().to_pylist()
        require_histories(part, "patient", ["ward"])
        for text, told in (
            ("SELECT patient FROM stays ANONYMIZE WITH POLICY visits", "the query must return patient and a quasi-identifier"),
            ("EXPLAIN ANONYMIZE FROM stays ANONYMIZE WITH POLICY visits", "links the rows of each person"),
        ):
            with pytest.raises(KanonError, match=told):
                con.execute(text)


@pytest.mark.everything
def test_tokens_are_those_of_one_release(database: Path) -> None:
    """Two releases with common tokens would show together what none of them shows alone."""
    with kanon_sql.connect(str(database), secret="s") as con:

        def tokens(query: str, by: str = "ward, month", k: int = K) -> set[str]:
            clause = f"ANONYMIZE BY {by} GUARANTEE k >= {k} PER patient LINKED FOR ANY 2 ROWS"
            return {token for (token, *_) in con.execute(f"{query} {clause}").fetchall()} - {None}

        every = "SELECT patient, ward, month FROM stays"
        first = tokens(every)
        assert tokens(every) == tokens(every.replace("ward", "WARD"), "MONTH, ward") == first
        others = [
            tokens(every, k=K + 1),
            tokens(f"{every} WHERE stay <> 's1'"),
            tokens("SELECT patient, ward FROM stays", "ward"),
        ]
        assert all(each and not each & first for each in others)
        con.execute(
            "CREATE ANONYMIZATION POLICY p ON patients (IDENTIFIER patient AS PSEUDONYM; BY zip, born; GUARANTEE k >= 3)"
        )
        assert not first & {token for (token, *_) in con.execute("FROM patients ANONYMIZE WITH POLICY p").fetchall()}


@pytest.mark.everything
def test_facts_of_people_are_linked_in_a_released_database(database: Path, tmp_path: Path) -> None:
    policies(database, PEOPLE.format("PERSON patient FROM patients BY zip, born"), FACTS.format("; OF PERSON"))
    found = kanon_sql.release_database(database, tmp_path / "public.duckdb", secret="s")
    certificate = found["stays"]
    assert isinstance(certificate, HistoryCertificate)
    assert certificate.guarantee == GUARANTEE
    assert {"zip", "born"} <= set(certificate.own_columns)
    with duckdb.connect(str(tmp_path / "public.duckdb"), read_only=True) as con:
        rows = con.sql("FROM stays").to_arrow_table().to_pylist()
        assert len(rows) == 180
        require_histories(rows, "patient", ["ward", "month", "zip", "born"])
        shown = con.execute("SELECT DISTINCT zip, born FROM patients").fetchall()
        assert {(row["zip"], row["born"]) for row in rows if row["zip"] and row["born"]} <= set(shown)
        roles = dict(con.execute("SELECT \"column\", role FROM kanon_columns WHERE release = 'stays'").fetchall())
        assert roles["patient"] == "pseudonym"
        assert "any 2 known rows of a person fit at least 3 people" in str(con.execute("FROM kanon_columns").fetchall())
        [[text]] = con.execute("SELECT certificate FROM kanon_certificates WHERE release = 'stays'").fetchall()
    assert stated(text).figures() == certificate.figures()
    audit = audit_database(tmp_path / "public.duckdb")
    assert (audit.broken, audit.tokens) == ([], None)


@pytest.mark.everything
def test_the_audit_counts_known_rows(database: Path, tmp_path: Path) -> None:
    policies(database, FACTS.format(""))
    public = tmp_path / "public.duckdb"
    kanon_sql.release_database(database, public, secret="s")
    with duckdb.connect(str(public)) as con:
        certificate = HistoryCertificate.from_json(con.execute("SELECT certificate FROM kanon_certificates").fetchall()[0][0])
        asked = replace(certificate.asked, k=40, known_rows=3)
        text = replace(certificate, policy=asked.to_json()).to_json()
        con.execute("UPDATE kanon_certificates SET certificate = $text", {"text": text})
    (broken,) = [each for each in audit_database(public).broken if "known" in each or "any 3 rows" in each]
    assert broken.startswith('the table "stays": any 3 rows of a person match only')


@pytest.mark.everything
def test_a_key_beside_the_tokens_is_counted(database: Path, tmp_path: Path) -> None:
    """The table of people of each stay, by a key that the linked rows release unchanged."""
    keep = FACTS.replace("IDENTIFIER stay;", "KEEP stay;").format("")
    query = "SELECT stay, zip FROM stays JOIN patients USING (patient)"
    with kanon_sql.connect(str(database)) as con:
        con.execute(f"CREATE VIEW bills AS {query}")
    policies(database, keep, "CREATE ANONYMIZATION POLICY bills ON bills (KEEP stay; BY zip; GUARANTEE k >= 3)")
    with pytest.raises(AuditError, match="the shared key"):
        kanon_sql.release_database(database, tmp_path / "public.duckdb", secret="s")
    assert not (tmp_path / "public.duckdb").exists()


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(50))
def test_an_attacker_finds_k_people_in_random_databases(tmp_path: Path, seed: int) -> None:
    place = source(tmp_path / "clinic.duckdb", 20 + seed, seed / 50)
    policies(place, PEOPLE.format("PERSON patient FROM patients BY zip, born"), FACTS.format("; OF PERSON"))
    kanon_sql.release_database(place, tmp_path / "public.duckdb")
    with duckdb.connect(str(tmp_path / "public.duckdb"), read_only=True) as con:
        rows = con.sql("FROM stays").to_arrow_table().to_pylist()
    require_histories(rows, "patient", ["ward", "month", "zip", "born"])


STORED = StoredPolicy(
    name="visits",
    table="stays",
    policy=Policy.of(k=3, per="patient", quasi_identifiers=["ward", "month"]),
    identifiers=("stay",),
    kept=("cost",),
    known_rows=2,
)


def test_it_is_read_back() -> None:
    assert StoredPolicy.from_json("visits", "stays", STORED.to_json()) == STORED
    assert read(written([STORED], ".yaml"), "policies.yaml") == [STORED]
    assert f"GUARANTEE {GUARANTEE}" in definition_of(STORED)
    with kanon_sql.connect() as con:
        con.execute("CREATE TABLE stays (stay INT, patient INT, ward INT, month INT, cost INT)")
        con.execute(definition_of(STORED))
        [[text]] = con.execute("SELECT policy FROM (SHOW ANONYMIZATION POLICIES)").fetchall() if False else [[STORED.to_json()]]
    assert StoredPolicy.from_json("visits", "stays", text) == STORED


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ("BY ward IN DIGITS, month", "cannot be combined with other guarantees, recodings"),
        ("BY ward WEIGHT 2, month", "weights"),
        ("BY ward, month LINKED (ward, month)", "linked"),
        ("IDENTIFIER stay AS PSEUDONYM; BY ward, month", "pseudonyms"),
        ("BY ward, month; USING greedy", "solvers"),
    ],
)
def test_what_it_cannot_be_combined_with(parts: str, told: str) -> None:
    with kanon_sql.connect() as con:
        con.execute("CREATE TABLE stays (stay INT, patient INT, ward INT, month INT)")
        with pytest.raises((ClauseError, PolicyError), match=told):
            con.execute(f"CREATE ANONYMIZATION POLICY p ON stays ({parts}; GUARANTEE {GUARANTEE})")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"known_rows": 4}, "known_rows must be 1, 2 or 3"),
        ({"known_rows": True}, "1, 2 or 3"),
        ({"known_rows": "2"}, "1, 2 or 3"),
    ],
)
def test_numbers_are_checked(change: dict, told: str) -> None:
    with pytest.raises(PolicyError, match=told):
        StoredPolicy.from_json("p", "stays", json.dumps(json.loads(STORED.to_json()) | change))


def test_people_have_to_be_counted() -> None:
    with pytest.raises(PolicyError, match='"p" uses known_rows but does not count people'):
        StoredPolicy(name="p", table="stays", policy=Policy.of(k=3, quasi_identifiers=["ward"]), known_rows=2)


def test_a_table_of_people_has_one_row_of_each(database: Path, tmp_path: Path) -> None:
    linked = "CREATE ANONYMIZATION POLICY people ON patients (BY zip, born; GUARANTEE {}; PERSON patient FROM patients)"
    policies(database, linked.format(GUARANTEE))
    with pytest.raises(PolicyError, match="in a table of people each person has one row"):
        kanon_sql.release_database(database, tmp_path / "public.duckdb")


@pytest.mark.parametrize("text", ["[]", "{}", '{"linked_people": 1}', '{"linked_people": 1, "own_columns": 1}'])
def test_a_certificate_that_is_none(text: str) -> None:
    with pytest.raises((KanonError, SourceError, ValueError, TypeError)):
        stated(text)
