"""beta-likeness and delta-disclosure privacy at every entrance: the released rows, measured by the definitions."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product
from typing import Any

import pyarrow as pa
import pytest
from requirement_oracle import disclosed, gains_at_most

import kanon_sql
from kanon_sql.engines.duckdb.connect.connection import Connection
from kanon_sql.errors import InfeasibleError
from kanon_sql.model.policy import Policy
from kanon_sql.model.requirements import BetaLikeness, DeltaDisclosure, requirement_from_json

PATIENTS = """SELECT 'P' || (hash(i) % 120) AS patient, (hash(i, 3) % 5)::VARCHAR AS zip, (hash(i, 4) % 3)::VARCHAR AS city,
    (20 + hash(i, 1) % 9)::INT AS age, CASE WHEN i % 17 > 0 THEN ['flu', 'gout', 'acne', 'flu'][1 + (hash(i, 2) % 4)::INT] END
    AS disease FROM range(600) AS t(i)"""


@pytest.fixture
def con(shared_clause: Connection) -> Connection:
    shared_clause.execute(f"CREATE TABLE patients AS {PATIENTS}")
    return shared_clause


def check(rows: list[tuple[Any, ...]], beta: Fraction | None, delta: Fraction | None, k: int = 2) -> int:
    """Check the classes of rows, of which the last cell is sensitive; return how many there are."""
    classes: defaultdict[tuple[Any, ...], Counter[Any]] = defaultdict(Counter)
    for *shown, disease in rows:
        classes[tuple(shown)][disease] += 1
    whole = Counter(row[-1] for row in rows)
    assert whole.total() == 600
    for (_, one), (value, total) in product(classes.items(), whole.items()):
        assert one.total() >= k
        if beta is not None:
            assert gains_at_most(beta, one[value], one.total(), total, 600)
        if delta is not None:
            assert one[value] > 0
            assert disclosed(one[value], one.total(), total, 600) < delta
    return len(classes)


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    ("by", "guarantee", "beta", "delta"),
    [
        ("zip, city, age", "k >= 4 AND beta(disease) <= 1", Fraction(1), None),
        ("zip, city, age", "delta(disease) <= 3/2", None, Fraction(3, 2)),
        ("zip, city, age", "beta(disease) <= 1/2 AND delta(disease) <= 1 AND l(disease) >= 3/2", Fraction(1, 2), Fraction(1)),
        ("zip, city, age LINKED (zip, city)", "beta(disease) <= 1 AND delta(disease) <= 2", Fraction(1), Fraction(2)),
        ("GROUPING SETS ((zip, age), (city), ())", "delta(disease) <= 2", None, Fraction(2)),
        ("zip, city IN HIERARCHY cities, age IN INTERVALS (3)", "beta(disease) <= 1/2", Fraction(1, 2), None),
        ("zip IN SETS, city, age IN RANGES", "k >= 3 AND delta(disease) <= 2 AND beta(disease) <= 2", Fraction(2), Fraction(2)),
    ],
)
def test_the_clause(con: Connection, by: str, guarantee: str, beta: Fraction | None, delta: Fraction | None) -> None:
    con.execute(
        "CREATE TABLE cities AS FROM (VALUES ('0', 'x'), ('1', 'x'), ('2', 'y'), ('x', '*'), ('y', '*')) AS t(value, parent)"
    )
    using = "auto" if "RANGES" in by else "refine"
    shown = "zip, age, city" if "SETS (" in by else "zip, city, age"
    clause = (
        f"FROM (SELECT {shown}, disease FROM patients) ANONYMIZE BY {by} GUARANTEE {guarantee} USING {using} (time_limit = 1)"
    )
    assert check(con.execute(clause).fetchall(), beta, delta) > 2
    certificate = kanon_sql.releases(con)[-1]
    assert certificate.lower_bound <= certificate.cost
    assert Policy.from_json(certificate.policy).to_json() == certificate.policy


@pytest.mark.everything
def test_people_are_counted_beside_them(con: Connection) -> None:
    clause = """FROM patients ANONYMIZE BY zip, city, age
        GUARANTEE k >= 8 PER patient AND beta(disease) <= 1 AND delta(disease) <= 2"""
    check(con.execute(clause).fetchall(), Fraction(1), Fraction(2), k=8)


@pytest.mark.everything
def test_table_functions_stored_policies_and_python(con: Connection) -> None:
    con.execute("CREATE TABLE few AS SELECT zip, city, age, disease FROM patients")
    check(con.execute("FROM beta_like('few', 'disease', 1/2, k := 3)").fetchall(), Fraction(1, 2), None, k=3)
    check(con.execute("FROM delta_private('few', 'disease', '3/2')").fetchall(), None, Fraction(3, 2))
    con.execute(
        "CREATE ANONYMIZATION POLICY near ON few (BY zip, city, age; GUARANTEE beta(disease) <= 1 AND delta(disease) <= 2)"
    )
    check(con.execute("FROM few ANONYMIZE WITH POLICY near").fetchall(), Fraction(1), Fraction(2))
    table = con.sql("FROM few").to_arrow_table()
    assert isinstance(table, pa.Table)
    release = kanon_sql.anonymize(table, sensitive="disease", beta=1, delta="5/2")
    rows = [tuple(row.values()) for row in release.table.to_pylist()]
    check(rows, Fraction(1), Fraction(5, 2))
    assert release.certificate.requirements == ("k >= 2", "beta(disease) <= 1", "delta(disease) <= 5/2")


def test_what_no_mask_can_hold_is_refused(con: Connection) -> None:
    with pytest.raises(InfeasibleError, match="hint: "):
        con.execute(
            "SELECT * EXCLUDE (patient) FROM patients "
            "ANONYMIZE BY GROUPING SETS ((zip, city, age)) GUARANTEE delta(disease) <= 1/2"
        ).fetchall()


@pytest.mark.parametrize(
    "requirement", [BetaLikeness(sensitive="s", beta="1/3"), DeltaDisclosure(sensitive="s", delta=2)], ids=["beta", "delta"]
)
def test_they_are_what_they_say_in_json(requirement: BetaLikeness | DeltaDisclosure) -> None:
    assert requirement_from_json(requirement.to_json()) == requirement
    assert requirement.least_class_size == 1
