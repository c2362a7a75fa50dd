"""The release in plain SQL in clients without Python: the stock shell, and DuckDB-Wasm in Node."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import duckdb
import pytest

import kanon_sql

ROOT = Path(__file__).parents[2]
ADULT = ROOT.parent / "shared" / "data" / "adult_full.csv.gz"
ADULT_2 = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country", "salary-class"]
PLAIN_GREEDY = 40_475
"""Suppressed cells of the plain greedy on Adult-2, k = 5, which is not strictly k-anonymous."""


@pytest.mark.everything
def test_the_page_shows_what_the_shell_prints(shell: str) -> None:
    page = (ROOT / "docs" / "how_to" / "without_python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```sql\n(.*?)```\n```text\n(.*?)```", page, flags=re.DOTALL)
    assert len(blocks) >= 2
    done = subprocess.run(
        [shell, "-init", "/dev/null", "-batch"],
        input="".join(statements for statements, _ in blocks),
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=ROOT / "sql",
        timeout=120,
        check=True,
    )
    assert done.stderr == ""
    assert done.stdout == "".join(shown for _, shown in blocks)


@pytest.mark.everything
def test_adult_2_in_the_shell(shell: str) -> None:
    if not ADULT.exists():
        pytest.skip("the data sets are not beside the project")
    script = f""".read kanon.sql
        CREATE TABLE adult AS SELECT row_number() OVER () AS number, * FROM read_csv('{ADULT}', all_varchar := true);
        CREATE TABLE released AS FROM k_anonymize('adult', 5, qi := {ADULT_2}, unlisted_limit := 1);
        SELECT k, "rows", (SELECT suppressed_cells FROM utility('released', 'adult', {ADULT_2})) AS cells
        FROM k_anonymity('released', {ADULT_2});"""
    done = subprocess.run(
        [shell, "-init", "/dev/null", "-batch", "-json"],
        input=script,
        capture_output=True,
        text=True,
        cwd=ROOT / "sql",
        timeout=120,
        check=True,
    )
    assert done.stderr == ""
    figures = json.loads(done.stdout)[0]
    assert figures["rows"] == 32_561
    assert figures["k"] >= 5
    assert figures["cells"] <= 1.02 * PLAIN_GREEDY


def in_wasm(statements: list[str]) -> subprocess.CompletedProcess[str]:
    """Run statements in DuckDB-Wasm, which is looked for where Node looks: `npm install @duckdb/duckdb-wasm`, or NODE_PATH."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    found = subprocess.run(
        ["node", "-e", "require.resolve('@duckdb/duckdb-wasm')"], capture_output=True, check=False, cwd=ROOT, env=os.environ
    )
    if found.returncode:
        pytest.skip("DuckDB-Wasm is not installed (npm install @duckdb/duckdb-wasm)")
    return subprocess.run(
        ["node", str(Path(__file__).with_name("release_in_wasm.cjs"))],
        input=json.dumps(["SET autoload_known_extensions = false", *statements]),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=ROOT,
        env=os.environ | {"NODE_PATH": os.pathsep.join([os.environ.get("NODE_PATH", ""), str(ROOT / "node_modules")])},
    )


@pytest.mark.everything
def test_in_wasm(con: duckdb.DuckDBPyConnection) -> None:
    kanon = (ROOT / "sql" / "kanon.sql").read_text(encoding="utf-8")
    table = "CREATE TABLE t AS SELECT i * 7 % 11 AS a, i * i % 5 AS b, i AS c FROM range(60) AS r(i)"
    call = "SELECT * FROM k_anonymize('t', 3, qi := ['a', 'b'], keep := ['c'])"
    done = in_wasm([kanon, table, call])
    assert done.stderr == ""
    assert [tuple(row.values()) for row in json.loads(done.stdout)] == con.execute(f"{table}; {call}").fetchall()
    masks = "[['a IN INTERVALS (4)', 'b IN DIGITS (1)'], []]"
    levels = f"SELECT * FROM pattern_guided('t', {masks}, k := 3, qi := ['a', 'b'], keep := ['c'])"
    done = in_wasm([kanon, table, levels])
    assert done.stderr == ""
    assert [tuple(row.values()) for row in json.loads(done.stdout)] == con.execute(levels).fetchall()
    refused = in_wasm([kanon, table, call.replace("3", "70")])
    assert refused.returncode == 1
    assert "kanon: rows are left over" in refused.stderr


@pytest.mark.everything
def test_the_package_opens_a_file_into_which_the_shell_has_read_the_macros(shell: str, tmp_path: Path) -> None:
    file = tmp_path / "clinic.duckdb"
    script = ".read kanon.sql\nCREATE TABLE t AS SELECT i % 3 AS zip FROM range(9) AS t(i);"
    command = [shell, "-init", "/dev/null", "-batch", str(file)]
    subprocess.run(command, input=script, text=True, capture_output=True, cwd=ROOT / "sql", timeout=120, check=True)
    with kanon_sql.connect(file) as con:
        assert len(con.execute("FROM k_anonymize('t', 3, qi := ['zip'])").fetchall()) == 9
