"""The shape of the files: self-contained statements that a loader can re-prefix, and their concatenation."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import pytest

SQL = Path(__file__).parents[2] / "sql"
PREFIX = "CREATE OR REPLACE MACRO "
NAMES = [
    "beta_likeness",
    "delta_disclosure",
    "equivalence_classes",
    "k_anonymity",
    "l_diversity",
    "reidentification_risk",
    "t_closeness",
    "utility",
]
OTHERS = [
    "delta_presence",
    "intersection_risk",
    "interval_ends",
    "k_anonymize",
    "k_mapping",
    "pattern_guided",
    "profile",
    "suda_scores",
    "suppression_certificate",
    "unique_columns",
]
ARGUMENTS = dict.fromkeys(NAMES, "'t'") | {
    "beta_likeness": "'t', sa := 'a'",
    "delta_disclosure": "'t', sa := 'a'",
    "l_diversity": "'t', sa := 'a'",
    "t_closeness": "'t', sa := 'a'",
    "utility": "'t', 't'",
}


def test_the_audits_are_there(macros: list[Path]) -> None:
    assert {path.stem for path in macros} == {*NAMES, *OTHERS}


def test_kanon_sql_is_the_concatenation(macros: list[Path]) -> None:
    """Regenerate it with: cd sql && cat $(ls *.sql | grep -v kanon.sql | LC_ALL=C sort) > kanon.sql ."""
    together = "".join(path.read_text(encoding="utf-8") for path in macros)
    assert (SQL / "kanon.sql").read_text(encoding="utf-8") == together


@pytest.mark.parametrize("name", NAMES)
def test_one_statement_a_file_under_a_header(name: str) -> None:
    text = (SQL / f"{name}.sql").read_text(encoding="utf-8")
    header, statement = text.split(PREFIX)
    assert all(line.startswith("--") for line in header.splitlines())
    assert header.startswith(f"-- {name}(")
    for section in ("-- Arguments:", "-- Result columns", "-- Cost:"):
        assert section in header
    assert re.match(rf"{name}\([a-z_, :=NUL2'*]+\) AS TABLE\n", statement)
    assert len(duckdb.extract_statements(text)) == 1
    assert text.endswith(";\n")


@pytest.mark.parametrize("name", NAMES)
def test_every_result_column_is_in_the_header(con: duckdb.DuckDBPyConnection, name: str) -> None:
    con.execute("CREATE TABLE t AS SELECT 1 AS a")
    con.execute(f"FROM {name}({ARGUMENTS[name]})")
    header = (SQL / f"{name}.sql").read_text(encoding="utf-8").split(PREFIX)[0]
    columns = header[header.index("-- Result columns") :]
    documented = re.findall(r"^--   (\w+) +(?:BIGINT|DOUBLE|HUGEINT|MAP) ", columns, flags=re.MULTILINE)
    assert documented == [column[0] for column in con.description if column[0] != "a"]


@pytest.mark.sweep
@pytest.mark.parametrize("name", NAMES)
def test_a_macro_stands_alone_under_each_prefix(name: str) -> None:
    text = (SQL / f"{name}.sql").read_text(encoding="utf-8")
    arguments = ARGUMENTS[name]
    with duckdb.connect() as con:
        con.execute("CREATE TABLE t AS SELECT 1 AS a")
        con.execute(text.replace(PREFIX, "CREATE OR REPLACE TEMP MACRO "))
        assert len(con.execute(f"FROM {name}({arguments})").fetchall()) == 1
    with duckdb.connect() as con:
        con.execute("CREATE TABLE t AS SELECT 1 AS a")
        con.execute("ATTACH ':memory:' AS kanon")
        con.execute(text.replace(PREFIX, "CREATE OR REPLACE MACRO kanon.main."))
        assert len(con.execute(f"FROM kanon.{name}({arguments})").fetchall()) == 1
        with con.cursor() as cursor:
            assert len(cursor.execute(f"FROM kanon.{name}({arguments})").fetchall()) == 1


def test_no_python_is_registered(con: duckdb.DuckDBPyConnection) -> None:
    rows = con.execute(
        "SELECT function_name FROM duckdb_functions() WHERE NOT internal AND function_type NOT IN ('macro', 'table_macro')"
    )
    assert rows.fetchall() == []
