"""Quasi-identifiers that SQL calls equal but that look different: they are one value, and take one look."""

from __future__ import annotations

import itertools
from random import Random

import duckdb
import pytest

import kanon_sql
from kanon_sql.engines.duckdb.connect.connection import Connection

DOMAINS = {
    "DOUBLE": ("0.0::DOUBLE", "-0.0::DOUBLE", "1.0::DOUBLE"),
    "FLOAT": ("0.0::FLOAT", "-0.0::FLOAT", "1.0::FLOAT"),
    "nan": ("'nan'::DOUBLE", "-'nan'::DOUBLE", "1.0::DOUBLE"),
    "INTERVAL": ("INTERVAL '1 month'", "INTERVAL '30 days'", "INTERVAL '31 days'"),
    "hours": ("INTERVAL '1 day'", "INTERVAL '24 hours'", "INTERVAL '2 days'"),
    "DOUBLE[]": ("[0.0::DOUBLE]", "[-0.0::DOUBLE]", "[1.0::DOUBLE]"),
    "STRUCT": ("{'x': 0.0::DOUBLE, 'y': 'a'}", "{'x': -0.0::DOUBLE, 'y': 'a'}", "{'x': 0.0::DOUBLE, 'y': 'b'}"),
    "INTERVAL[]": ("[INTERVAL '1 month']", "[INTERVAL '30 days']", "[INTERVAL '31 days']"),
    "MAP": ("MAP {1: 0.0::DOUBLE}", "MAP {1: -0.0::DOUBLE}", "MAP {1: 1.0::DOUBLE}"),
}


def looks(con: duckdb.DuckDBPyConnection, query: str) -> list[tuple[object, ...]]:
    """Return rows as a reader sees them."""
    return sorted(con.execute(f"SELECT CAST(COLUMNS(*) AS VARCHAR) FROM ({query})").fetchall(), key=str)


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("qi", [", qi := ['q', 'r']", ""])
def test_equal_values_are_one_value(shared: duckdb.DuckDBPyConnection, domain: str, qi: str) -> None:
    # Three rows of one zip and equal values, three of another: at k = 3 nothing has to be hidden.
    same, equal, other = DOMAINS[domain]
    rows = [(same, 1), (equal, 1), (same, 1), (equal, 2), (equal, 2), (same, 2), (other, 2), (other, 2), (other, 2)]
    found = set()
    for order in itertools.islice(itertools.permutations(rows), 0, None, 60_000):
        cells = ", ".join(f"({q}, {r})" for q, r in order)
        shared.execute(f"CREATE OR REPLACE TABLE t AS FROM (VALUES {cells}) AS t(q, r)")
        shown = looks(shared, f"FROM k_anonymize('t', 3{qi})")
        certificate = kanon_sql.releases(shared)[-1]
        assert certificate.cost == 0
        assert certificate.row_types == 3
        assert len(set(shown)) == 3, "a reader sees three classes"
        found.add(str(shown))
    assert len(found) == 1, "the look does not depend on the order of the rows"


def test_equal_values_in_the_explanation(shared_clause: Connection) -> None:
    shared_clause.execute("CREATE TABLE t AS SELECT CASE WHEN i % 2 = 0 THEN 0.0 ELSE -0.0 END::DOUBLE AS q FROM range(6) r(i)")
    explained = shared_clause.sql("EXPLAIN ANONYMIZE SELECT * FROM t ANONYMIZE BY q GUARANTEE k >= 3")
    told = dict(explained.project("property, value").fetchall())
    assert told["row types"] == "1"


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("kind", ["RANGES", "SETS", "INTERVALS"])
def test_labels_of_equal_values_show_the_one_look(shared_clause: Connection, domain: str, kind: str) -> None:
    same, equal, other = DOMAINS[domain]
    for values in ((same, equal), (equal, equal), (same, same)):
        cells = ", ".join(f"({each})" for each in (*values, values[0], other, other, other))
        shared_clause.execute(f"CREATE OR REPLACE TABLE t AS FROM (VALUES {cells}) AS t(q)")
        plain = looks(shared_clause, "SELECT * FROM t ANONYMIZE BY q GUARANTEE k >= 3")
        labels = looks(shared_clause, f"SELECT * FROM t ANONYMIZE BY q IN {kind} GUARANTEE k >= 3")
        assert [label.strip('"') for (label,) in labels] == [look for (look,) in plain]


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("python", [False, True], ids=["SQL", "Python"])
def test_rows_beside_equal_values_follow_what_they_hold(shared_clause: Connection, domain: str, python: bool) -> None:
    # One rare row hides some of twelve frequent ones, which differ in the look of another column only.
    same, equal, _ = DOMAINS[domain]
    rows = [("rare", same), *(("frequent", (same, equal)[number % 2]) for number in range(12))]
    found = set()
    for seed in range(6):
        Random(seed).shuffle(rows)
        cells = ", ".join(f"({zip_code!r}, {d})" for zip_code, d in rows)
        shared_clause.execute(f"CREATE OR REPLACE TABLE t AS FROM (VALUES {cells}) AS t(zip, d)")
        if python:
            given = shared_clause.sql("FROM t").to_arrow_table()
            shown = kanon_sql.anonymize(given, k=4, quasi_identifiers=["zip"], secret="s").table
        else:
            shown = shared_clause.sql("FROM k_anonymize('t', 4, qi := ['zip'])").to_arrow_table()
        shared_clause.register("shown", shown)
        found.add(str(shared_clause.sql("SELECT zip, CAST(d AS VARCHAR) FROM shown").fetchall()))
        shared_clause.unregister("shown")
    assert len(found) == 1, "neither which rows are hidden nor their order depends on the order of the source"
