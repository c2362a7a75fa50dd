"""The shape of the files: self-contained statements that a loader can re-prefix, and their concatenation."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from collections import Counter
from pathlib import Path
from shutil import copy, copytree

import duckdb
import pytest

SQL = Path(__file__).parents[2] / "sql"
PREFIX = "CREATE OR REPLACE MACRO "
MOST_LINES = 300
NAMES = [
    "beta_likeness",
    "delta_disclosure",
    "equivalence_classes",
    "k_anonymity",
    "history_risk",
    "k_known",
    "l_diversity",
    "reidentification_risk",
    "t_closeness",
    "utility",
]
OTHERS = [
    "correlations",
    "delta_presence",
    "disclosed_cells",
    "greedy_release",
    "group_loss",
    "imputed",
    "imputed_columns",
    "intersection_risk",
    "interval_ends",
    "joint_tables",
    "k_anonymize",
    "k_mapping",
    "l_diversify",
    "marginals",
    "pattern_guided",
    "pearson_correlations",
    "predictability",
    "profile",
    "propensity",
    "repeated_people",
    "safe_harbor",
    "suda_scores",
    "suppression_certificate",
    "t_close",
    "unique_columns",
    "weighted_rows",
]
ARGUMENTS = dict.fromkeys(NAMES, "'t'") | {
    "beta_likeness": "'t', sa := 'a'",
    "delta_disclosure": "'t', sa := 'a'",
    "history_risk": "'t', 'a', ['a'], 1",
    "k_known": "'t', ['a'], 1",
    "l_diversity": "'t', sa := 'a'",
    "t_closeness": "'t', sa := 'a'",
    "utility": "'t', 't'",
}


def copy_of_the_macros(root: Path, place: Path) -> None:
    """Copy what a build needs."""
    for folder in ("sql", "kanon_sql/recognition", "kanon_sql/engines/guarantees"):
        copytree(root / folder, place / folder)
    copy(root / "build_sql.py", place)


def test_the_audits_are_there(macros: list[Path]) -> None:
    assert {path.stem for path in macros} == {*NAMES, *OTHERS}


def test_no_built_file_is_committed(root: Path) -> None:
    if not (root / ".git").exists():
        pytest.skip("not a checkout")
    listed = subprocess.run(["git", "ls-files", "sql"], cwd=root, capture_output=True, text=True, check=True).stdout.split()
    assert {Path(name).parent.name for name in listed if name.endswith(".sql")} == {"macros", "parts"}


def test_every_part_is_in_a_macro(root: Path, macros: list[Path]) -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in (root / "sql").glob("*/*.sql")}
    build = runpy.run_path(str(root / "build_sql.py"))
    made = re.findall(r'_part\(\s*"(\w+)"', (root / "build_sql.py").read_text(encoding="utf-8"))
    named = {*made, *(name for text in texts.values() for name in re.findall(r"@(\w+)\(", text))} - {*build["_RULES"]}
    assert named == {path.stem for path in texts if path.parent.name == "parts"}
    assert {path.stem for path in texts if path.parent.name == "macros"} == {path.stem for path in macros}


def test_a_part_is_used_twice_or_is_a_step_of_a_long_macro(root: Path) -> None:
    """A part that one macro has alone, once, belongs into that macro unless that would be too long to read."""
    texts = {path: path.read_text(encoding="utf-8") for path in (root / "sql").glob("*/*.sql")}
    parts = [path.stem for path in texts if path.parent.name == "parts"]
    users = {name: [path for path, text in texts.items() if f"@{name}(" in text] for name in parts}

    def shortest(path: Path) -> int:
        if path.parent.name == "macros":
            return len((root / "sql" / path.name).read_text(encoding="utf-8").splitlines())
        return min(map(shortest, users[path.stem]))

    named = Counter(name for text in texts.values() for name in re.findall(r"@(\w+)\(", text))
    once = [name for name, count in named.items() if count == 1 and name in users]
    assert [name for name in once if shortest(users[name][0]) <= MOST_LINES] == []


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("@nothing()", "nothing.sql"),
        ("@table()", "part table takes 1 arguments, and 0 are given"),
        ("@table(tbl; qi)", "part table takes 1 arguments, and 2 are given"),
        ("    @table(tbl", "no parenthesis closes the arguments in '@table(tbl'"),
    ],
)
def test_a_mistake_in_a_macro_stops_the_build(root: Path, tmp_path: Path, line: str, said: str) -> None:
    copy_of_the_macros(root, tmp_path)
    built = (tmp_path / "sql" / "k_anonymity.sql").read_text(encoding="utf-8")
    (tmp_path / "sql" / "macros" / "k_anonymity.sql").write_text(f"{line}\n")
    done = subprocess.run([sys.executable, str(tmp_path / "build_sql.py")], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert said in done.stderr
    assert (tmp_path / "sql" / "k_anonymity.sql").read_text(encoding="utf-8") == built


def test_a_build_removes_what_is_gone(root: Path, tmp_path: Path) -> None:
    copy_of_the_macros(root, tmp_path)
    (tmp_path / "sql" / "macros" / "utility.sql").unlink()
    (tmp_path / "sql" / "profile.sql").write_text("-- changed by hand\n")
    subprocess.run([sys.executable, str(tmp_path / "build_sql.py")], check=True)
    here, there = ({path.name: path.read_bytes() for path in (place / "sql").glob("*.sql")} for place in (root, tmp_path))
    assert here.keys() - there.keys() == {"utility.sql"}
    assert all(here[name] == text for name, text in there.items() if name != "kanon.sql")


def test_kanon_sql_is_the_concatenation(macros: list[Path]) -> None:
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
    assert re.match(rf"{name}\([a-z_, :=NUL25'*]+\) AS TABLE\n", statement)
    assert len(duckdb.extract_statements(text)) == 1
    assert text.endswith(";\n")


@pytest.mark.parametrize("name", NAMES)
def test_every_result_column_is_in_the_header(con: duckdb.DuckDBPyConnection, name: str) -> None:
    con.execute("CREATE TABLE t AS SELECT 1 AS a")
    con.execute(f"FROM {name}({ARGUMENTS[name]})")
    header = (SQL / f"{name}.sql").read_text(encoding="utf-8").split(PREFIX)[0]
    columns = header[header.index("-- Result columns") :]
    documented = re.findall(r"^--   (\w+) +(?:BIGINT|DOUBLE|HUGEINT|MAP|VARCHAR\[\]) ", columns, flags=re.MULTILINE)
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
