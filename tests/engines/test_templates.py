"""Rules to start from: each policy runs, keeps what its rule asks for, and names the rule on each line it changes."""

from __future__ import annotations

import datetime
import re

import duckdb
import pytest

import kanon_sql
from kanon_sql.engines.duckdb.connect.connection import Connection
from kanon_sql.errors import PolicyError
from kanon_sql.model.policy_file import read, written
from kanon_sql.model.template import KINDS, TEMPLATES, template

PATIENTS = """CREATE TABLE patients AS SELECT 'Name ' || i AS name, 'u' || i || '@x.org' AS email, i AS mrn,
    DATE '1930-01-01' + (i * 37 % 20000)::INTEGER AS born, CASE WHEN i < 3 THEN '03601' ELSE '980' || 10 + i % 50 END AS zip,
    i * 7 % 101 AS age, 1930 + i * 3 % 70 AS birth_year, DATE '2026-01-01' + (i * 11 % 300)::INTEGER AS admitted,
    'Springfield' AS city, i % 12 AS "month", ['f', 'm'][1 + (hash(i) % 2)::INT] AS sex,
    ['flu', 'hiv'][1 + (hash(i, 1) % 2)::INT] AS disease, 'call 206-555-0123' AS note FROM range(300) t(i)"""


@pytest.fixture
def con(shared_clause: Connection) -> Connection:
    shared_clause.execute(PATIENTS)
    return shared_clause


def suggested(con: Connection, name: str, **more: object) -> kanon_sql.Suggestion:
    return kanon_sql.suggest(con.raw.table("patients"), template=name, name="rule", **more)  # type: ignore[arg-type]


@pytest.mark.everything
def test_safe_harbor_leaves_nothing_that_safe_harbor_finds(con: Connection) -> None:
    found = suggested(con, "hipaa-safe-harbor")
    year = datetime.datetime.now(tz=datetime.UTC).year - 90
    assert {each.column: (each.role, each.recoding) for each in found.roles if each.column not in ("sex", "disease")} == {
        **dict.fromkeys(("name", "email", "mrn", "city", "month", "note"), ("identifier", None)),
        "born": ("quasi-identifier", f"INTERVALS ONLY (year) BOTTOM {year}"),
        "zip": ("quasi-identifier", "DIGITS (3)"),
        "age": ("quasi-identifier", "TOP 90"),
        "birth_year": ("quasi-identifier", f"BOTTOM {year}"),
        "admitted": ("quasi-identifier", "INTERVALS ONLY (year)"),
    }
    (areas,) = [each for each in found.notes if "3 rows in areas of at most 20,000 people" in each]
    replaced = areas[areas.index("SELECT") :].removesuffix(".")
    con.execute(found.sql)
    released = con.sql(f"{replaced} FROM patients ANONYMIZE WITH POLICY rule").to_arrow_table()
    assert kanon_sql.releases(con)[-1].suppressed_cells == 0
    assert {label for label in released.column("zip").to_pylist() if label.startswith("0")} == {"000**"}
    with kanon_sql.connect() as other:
        other.register("released", released)
        assert other.execute("FROM safe_harbor('released')").fetchall() == []


@pytest.mark.everything
@pytest.mark.parametrize("name", [name for name in TEMPLATES if name != "hipaa-safe-harbor"])
def test_other_rules_hold(con: Connection, name: str) -> None:
    found, rule = suggested(con, name), template(name)
    con.execute(found.sql.removesuffix("\n);\n") + ";\n    USING greedy)")
    con.sql("SELECT * FROM patients ANONYMIZE WITH POLICY rule").fetchall()
    certificate = kanon_sql.releases(con)[-1]
    assert certificate.smallest_class is None or certificate.smallest_class >= rule.k
    assert f"k >= {rule.k}" in certificate.requirements
    assert any(each.startswith("l(disease") for each in certificate.requirements) == rule.diverse
    assert any(each.startswith("t(disease") for each in certificate.requirements) == (rule.t is not None)
    assert "PSEUDONYM" not in found.sql.partition("CREATE")[2]


@pytest.mark.everything
@pytest.mark.parametrize("name", TEMPLATES)
def test_each_line_names_its_rule(con: Connection, name: str) -> None:
    found, rule = suggested(con, name), template(name)
    assert set(rule.columns) <= {*KINDS}
    assert rule.title in found.sql
    assert rule.source in found.sql
    assert rule.date.isoformat() in found.sql
    lines = found.sql.splitlines()
    for column in ("name", "email", "mrn", "note", "born", "age", "birth_year", "admitted"):
        (line,) = [each for each in lines if re.match(rf" +(IDENTIFIER +|BY +)?{column}\b[^-]*[,;]  -- ", each)]
        assert any(each.rule in line for each in rule.columns.values()), line
    (policy,) = read(written([found.policy], ".json"), "policy.json")
    assert policy == found.policy


@pytest.mark.everything
def test_no_value_is_told(con: Connection) -> None:
    for name in TEMPLATES:
        told = suggested(con, name).sql.partition("CREATE")[2]
        for value in ("Name 1", "u1@", "206-555", "1930", "98000", "flu", "hiv", "Springfield"):
            assert value not in told


@pytest.mark.everything
def test_k_may_be_larger_and_not_smaller(con: Connection) -> None:
    assert "GUARANTEE k >= 20" in suggested(con, "cms-11", k=20).sql
    with pytest.raises(PolicyError, match="the template cms-11 needs k >= 11; hint"):
        suggested(con, "cms-11", k=10)
    with pytest.raises(PolicyError, match=r"there is no template 'hipaa_expert'; hint: did you mean 'hipaa-expert'\?"):
        suggested(con, "hipaa_expert")


def test_a_table_without_zip_codes_or_dates() -> None:
    with duckdb.connect() as con:
        con.execute("CREATE TABLE t AS SELECT i % 4 AS ward, i % 3 AS floor FROM range(60) r(i)")
        found = kanon_sql.suggest(con.table("t"), template="hipaa-safe-harbor")
        assert "GUARANTEE k >= 1" in found.sql
        assert {each.role for each in found.roles} <= {"quasi-identifier", "kept"}


@pytest.mark.everything
def test_safe_harbor_knows_columns_by_content_and_in_other_languages() -> None:
    with kanon_sql.connect() as con:
        con.execute(
            """CREATE TABLE visits AS SELECT 'P' || i // 5 AS "Patienten-ID", 'Meier' || i // 5 AS Nachname,
                'Hauptstr. ' || i AS Anschrift, 20 + i % 78 AS ageatdx, 'seen on ward ' || i || ', the family knows' AS entry,
                '2026-05-0' || 1 + i % 9 AS "day", '2026-05-0' || 1 + i % 9 || 'T10:00:00Z' AS seen, i % 3 AS ward
                FROM range(300) t(i)"""
        )
        found = kanon_sql.suggest(con.raw.table("visits"), template="hipaa-safe-harbor", name="rule", table_as="visits")
        assert {each.column: (each.role, each.recoding) for each in found.roles} == {
            "Patienten-ID": ("person", None),
            **dict.fromkeys(("Nachname", "Anschrift", "entry"), ("identifier", None)),
            "ageatdx": ("quasi-identifier", "TOP 90"),
            **dict.fromkeys(("day", "seen"), ("quasi-identifier", "INTERVALS ONLY (year)")),
            "ward": ("kept", None),
        }
        con.execute(found.sql)
        con.execute("CREATE TABLE released AS FROM visits ANONYMIZE WITH POLICY rule")
        assert con.execute("FROM safe_harbor('released')").fetchall() == []
