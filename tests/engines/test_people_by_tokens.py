"""`AS PSEUDONYM` and `PER` on one column: tokens are released, and people are counted by them."""

from __future__ import annotations

import pytest

import kanon_sql
from kanon_sql.engines.duckdb.connect.connection import Connection
from kanon_sql.errors import AuditError, ClauseError, PolicyError
from kanon_sql.model.stored_policy import StoredPolicy

VISITS = """CREATE TABLE visits AS
    SELECT 'P' || i % 60 AS patient, i // 60 AS visit, '9810' || i % 60 % 4 AS zip, 20 + i % 60 % 3 AS age,
        ['flu', 'gout'][1 + i % 2] AS disease
    FROM range(180) AS t(i)"""
"""Each patient comes three times, and is the same age then: 5 patients have the same zip and age."""

CLASSES = "SELECT count(DISTINCT patient) AS people, count(*) AS n FROM released GROUP BY zip, age"

PARTS = "IDENTIFIER visit, patient AS PSEUDONYM{}; BY zip, age; KEEP disease; GUARANTEE k >= {} PER patient"


@pytest.fixture
def con(shared_clause: Connection) -> Connection:
    shared_clause.execute(VISITS)
    return shared_clause


def create(con: Connection, k: int = 5, linkable: str = "", table: str = "visits") -> None:
    con.execute(f"CREATE OR REPLACE ANONYMIZATION POLICY p ON {table} ({PARTS.format(linkable, k)})")


def test_tokens_are_released_and_people_are_counted_by_them(con: Connection) -> None:
    create(con)
    con.execute("CREATE TABLE released AS FROM visits ANONYMIZE WITH POLICY p")
    assert [name for name, *_ in con.execute("DESCRIBE released").fetchall()] == ["patient", "zip", "age", "disease"]
    query = f"SELECT min(people), min(n), sum(people) FROM ({CLASSES})"
    fewest, rows, people = con.execute(query).fetchall()[0]
    assert (fewest, rows, people) == (5, 15, 60)
    assert con.execute("SELECT count(*) FROM released WHERE regexp_full_match(patient, '[0-9a-f]{32}')").fetchall() == [(180,)]
    certificate = kanon_sql.releases(con)[-1]
    assert certificate.requirements == ("k >= 5", "k >= 5 PER patient")
    assert certificate.unchanged == ("patient", "disease")
    (risk,) = certificate.histories
    assert (risk.column, risk.people, risk.fewest) == ("patient", 60, 5)


def test_five_rows_of_one_person_are_no_class(con: Connection) -> None:
    create(con, k=6)
    con.execute("CREATE TABLE released AS FROM visits ANONYMIZE WITH POLICY p")
    assert con.execute(f"SELECT min(people) FROM ({CLASSES})").fetchall()[0][0] >= 6


@pytest.mark.everything
def test_histories_of_people_are_judged_too(con: Connection) -> None:
    """Five people are in each class, and nobody is in the same classes as somebody else."""
    con.execute("CREATE TABLE moving AS SELECT * REPLACE (hash(patient, visit) % 4 AS zip) FROM visits")
    create(con, table="moving")
    with pytest.raises(AuditError, match=r"the tokens of patient link rows of this release: .* have fewer than 5 candidates"):
        con.execute("FROM moving ANONYMIZE WITH POLICY p").fetchall()
    create(con, linkable=" (LINKABLE)", table="moving")
    con.execute("FROM moving ANONYMIZE WITH POLICY p").fetchall()
    assert kanon_sql.releases(con)[-1].histories[0].fewest < 5


@pytest.mark.everything
@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("VARCHAR COLLATE NOCASE", "CASE WHEN visit = 0 THEN lower(patient) ELSE patient END"),
        ("DOUBLE", "CASE WHEN patient = 'P0' AND visit = 0 THEN '-0.0' ELSE patient[2:] END"),
        ("INTERVAL", "CASE WHEN visit = 0 THEN to_months(1 + patient[2:]::INT) ELSE to_days(30 + 30 * patient[2:]::INT) END"),
    ],
)
def test_people_of_several_texts_are_not_counted_by_tokens(con: Connection, kind: str, value: str) -> None:
    """What the column calls equal is one person, and would have several tokens."""
    con.execute(f"CREATE TABLE spelled (patient {kind}, visit BIGINT, zip VARCHAR, age BIGINT, disease VARCHAR)")
    con.execute(f"INSERT INTO spelled SELECT {value}, visit, zip, age, disease FROM visits")
    create(con, table="spelled")
    with pytest.raises(AuditError, match="the column patient treats different values as the same person") as refused:
        con.execute("FROM spelled ANONYMIZE WITH POLICY p").fetchall()
    assert "P0" not in str(refused.value)


@pytest.mark.everything
def test_people_counted_by_another_column(con: Connection) -> None:
    """The tokens of cases do not count patients: five cases with the same history may be those of one patient."""
    con.execute("CREATE TABLE cases AS SELECT *, patient || visit AS case_id FROM visits")
    parts = "IDENTIFIER patient, visit, case_id AS PSEUDONYM; BY zip, age; KEEP disease; GUARANTEE k >= 5 PER patient"
    con.execute(f"CREATE ANONYMIZATION POLICY q ON cases ({parts})")
    con.execute("FROM cases ANONYMIZE WITH POLICY q").fetchall()
    assert "patient" not in kanon_sql.releases(con)[-1].unchanged
    with pytest.raises(AuditError, match=r"the tokens of case_id link rows .* people are counted by patient"):
        con.execute("FROM (FROM cases UNION ALL FROM cases) ANONYMIZE WITH POLICY q").fetchall()


def test_an_identifier_is_dropped_or_a_pseudonym(con: Connection) -> None:
    with pytest.raises(ClauseError, match="the column is already an identifier"):
        con.execute(f"CREATE ANONYMIZATION POLICY p ON visits ({PARTS.format(', patient', 5)})")
    policy = kanon_sql.Policy.of(k=5, quasi_identifiers=["zip"], per="patient")
    with pytest.raises(PolicyError, match='"patient" is both an identifier and a pseudonym'):
        StoredPolicy(name="p", table="t", policy=policy, identifiers=("patient",), pseudonyms=("patient",))
