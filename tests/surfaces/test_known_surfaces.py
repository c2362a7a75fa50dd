"""Guarantees by known columns on every surface: the released classes are counted again by DuckDB, set by set."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from click.testing import CliRunner

import kanon_sql
from kanon_sql.cli import main
from kanon_sql.errors import AuditError

COLUMNS = ["zip", "age", "sex", "job"]

GUARANTEE = "k >= 4 PER person FOR ANY 2 COLUMNS AND l(disease) >= 2 FOR ANY 2 COLUMNS"

REQUIREMENTS = [
    {"type": "known", "of": {"type": "people", "k": 4, "per": "person"}, "columns": 2},
    {"type": "known", "of": {"type": "l", "sensitive": "disease", "l": "2"}, "columns": 2},
]

Release = duckdb.DuckDBPyRelation


def people() -> pa.Table:
    """Return visits of people; a second column of these is kept, to count them in the release."""
    draw = random.Random(5)
    person = [draw.randrange(75) for _ in range(150)]
    return pa.table(
        {
            "zip": [f"98{draw.choice('001123')}" for _ in person],
            "age": [20 + 10 * draw.choice((0, 0, 1, 2, 3)) for _ in person],
            "sex": [draw.choice("fm") for _ in person],
            "job": [draw.choice("aabbcd") for _ in person],
            "disease": [draw.choice("xxyzw") for _ in person],
            "person": person,
            "whose": person,
        }
    )


def by_clause(_: Path) -> pa.Table:
    con = kanon_sql.connect()
    con.register("visits", people())
    con.execute("CREATE TABLE visits_stored AS FROM visits")
    query = f"SELECT * FROM visits_stored ANONYMIZE BY {', '.join(COLUMNS)} KEEP whose GUARANTEE {GUARANTEE}"
    return con.sql(query).to_arrow_table()


def by_function(_: Path) -> pa.Table:
    con = kanon_sql.register(duckdb.connect())
    con.register("visits", people())
    con.execute("CREATE TABLE visits_stored AS FROM visits")
    called = "l_diversify('visits_stored', 'disease', 2, qi := $qi, k := 4, per := 'person', known := 2, keep := ['whose'])"
    return con.sql(f"FROM {called}", params={"qi": COLUMNS}).to_arrow_table()


def by_policy(_: Path) -> pa.Table:
    con = kanon_sql.register(duckdb.connect())
    con.register("visits", people())
    con.execute("CREATE TABLE visits_stored AS FROM visits")
    policy = {
        "quasi_identifiers": [{"column": name} for name in COLUMNS],
        "requirements": REQUIREMENTS,
        "keep": ["whose"],
    }
    return con.sql("FROM anonymize('visits_stored', $policy)", params={"policy": json.dumps(policy)}).to_arrow_table()


def by_python(_: Path) -> pa.Table:
    options = {"quasi_identifiers": COLUMNS, "sensitive": "disease", "l": 2, "per": "person", "known": 2, "keep": ["whose"]}
    return kanon_sql.anonymize(people(), 4, **options).table  # type: ignore[arg-type]


def by_command(folder: Path) -> pa.Table:
    """Release a file, verify the release, and audit it in both ways."""
    source, released, certificate = (str(folder / name) for name in ("in.parquet", "out.parquet", "cert.json"))
    duckdb.connect().from_arrow(people()).write_parquet(source)
    qi = ["--qi", ",".join(COLUMNS)]
    guarantee = ["--k", "4", "--per", "person", "--known", "2", "--sensitive", "disease", "--l", "2", "--keep", "whose"]
    for arguments, code in (
        (["anonymize", source, "-o", released, *qi, *guarantee, "--certificate", certificate], 0),
        (["verify", source, released, certificate], 0),
        (["audit", released, *qi, "--sensitive", "disease", "--known", "2", "--k", "4", "--l", "2"], 0),
        (["audit", released, *qi, "--sensitive", "disease", "--k", "4", "--l", "2"], 1),
    ):
        done = CliRunner().invoke(main, arguments)
        assert done.exit_code == code, done.output
    return duckdb.connect().read_parquet(released).to_arrow_table()


@pytest.mark.everything
@pytest.mark.parametrize("surface", [by_clause, by_function, by_policy, by_python, by_command])
def test_each_surface_counts_people_and_values_by_known_columns(surface: Callable[[Path], pa.Table], tmp_path: Path) -> None:
    released = surface(tmp_path)
    assert "person" not in released.column_names
    con = duckdb.connect()
    con.register("released", released)
    for one, other in combinations(COLUMNS, 2):
        shown = f"coalesce({one}::VARCHAR, '') || '/' || coalesce({other}::VARCHAR, '')"
        con.execute(f"CREATE OR REPLACE TEMP VIEW shown AS SELECT {shown} AS class, disease, whose FROM released")
        counted = (
            "SELECT class, count(DISTINCT whose), count(*), max(list_count) FROM (SELECT *, count(*) OVER (PARTITION BY class, "
        )
        for _, somebody, rows, most in con.execute(f"{counted}disease) AS list_count FROM shown) GROUP BY class").fetchall():
            assert somebody >= 4
            assert 2 * most <= rows
    hidden = sum(released.column(name).null_count for name in COLUMNS)
    assert 0 < hidden < 4 * 300


@pytest.mark.everything
def test_python_audits_values_by_known_columns() -> None:
    released = by_python(Path())
    asked = {"quasi_identifiers": COLUMNS, "sensitive": "disease", "k": 4, "l": 2}
    assert kanon_sql.audit(released, known=2, **asked).k_known >= 4
    with pytest.raises(AuditError, match=r"l\(disease\) >= 3 FOR ANY 2 COLUMNS does not hold"):
        kanon_sql.audit(released, known=2, **{**asked, "l": 3})


@pytest.mark.everything
def test_explain_and_certificate_name_the_sets() -> None:
    con = kanon_sql.connect()
    con.register("visits", people())
    con.execute("CREATE TABLE visits_stored AS FROM visits")
    query = f"FROM visits_stored ANONYMIZE BY {', '.join(COLUMNS)} KEEP whose GUARANTEE {GUARANTEE}"
    lines = dict(row[:2] for row in con.execute(f"EXPLAIN ANONYMIZE SELECT * {query}").fetchall())
    assert lines["sets of known columns"] == "6"
    con.execute(f"SELECT * {query}").fetchall()
    certificate = kanon_sql.releases(con)[-1]
    assert certificate.requirements == tuple(GUARANTEE.split(" AND "))
    assert (certificate.known_columns, certificate.sets_audited) == (2, 12)
    assert any("in classes that break l(disease) >= 2" in warning for warning in certificate.warnings)
