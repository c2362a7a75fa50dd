"""The macros in a bare DuckDB shell, and on Adult."""

from __future__ import annotations

import csv
import gzip
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import audit_oracle
import duckdb
import pytest
import requirement_oracle

ROOT = Path(__file__).parents[2]
ADULT = ROOT.parent / "shared" / "data" / "adult_arx.csv.gz"
ADULT_FULL = ROOT.parent / "shared" / "data" / "adult_full.csv.gz"


def run(shell: str, script: str) -> list[dict[str, object]]:
    """Run a script in the shell, in the folder of kanon.sql, and give the rows of its last query."""
    done = subprocess.run(
        [shell, "-init", "/dev/null", "-batch", "-json"],
        input=f".read kanon.sql\n{script}\n",
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=ROOT / "sql",
        timeout=120,
        check=False,
    )
    assert done.stderr == ""
    assert done.returncode == 0
    return json.loads(done.stdout)


def rows_of(path: Path, columns: list[str] | None = None) -> tuple[list[str], list[audit_oracle.Row]]:
    if not path.exists():
        pytest.skip("the data sets are not beside the project")
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        names = columns or list(reader.fieldnames or [])
        return names, [tuple(row[name] for name in names) for row in reader]


SETUP = """
CREATE TABLE o AS FROM (VALUES ('a', 20, 1e0), ('a', 30, 1e0), ('b', 40, 2e0), ('c', 40, 2e0)) t(zip, age, "odd ""name");
CREATE TABLE r AS SELECT * REPLACE (CASE WHEN zip = 'a' THEN zip END AS zip, CASE WHEN zip <> 'a' THEN age END AS age) FROM o;
CREATE TABLE s AS SELECT hash(i) % 40 AS q, nullif(hash(i * 7) % 9, 8)::INTEGER AS s, (hash(i * 3) % 50)::DOUBLE / 8 AS x
    FROM range(900) AS t(i);
CREATE TABLE tree AS SELECT DISTINCT s AS value, 'g' || coalesce(s // 3, 9) AS parent FROM s
    UNION ALL SELECT 'g' || unnest([0, 1, 2, 9]), '*';
CREATE TABLE levels AS SELECT DISTINCT s AS level0, 'g' || coalesce(s // 3, 9) AS level1, '*' AS level2 FROM s;
CREATE TABLE d AS SELECT a.level0 AS a, b.level0 AS b, CASE WHEN a.level1 = b.level1 THEN 0.5 ELSE 1 END AS distance
    FROM levels AS a, levels AS b WHERE a.level0 IS DISTINCT FROM b.level0;
"""

# As JSON a HUGEINT is a text.
EXACT = "SELECT * REPLACE (t_numerator::BIGINT AS t_numerator, t_denominator::BIGINT AS t_denominator) FROM "


QUERIES = [
    "FROM equivalence_classes('r', ['ZIP', 'odd \"name']) ORDER BY ALL",
    "FROM equivalence_classes('o') ORDER BY ALL",
    "FROM k_anonymity('main.r')",
    "FROM k_anonymity('o', qi := ['age'])",
    "FROM reidentification_risk('r', ['zip', 'age'])",
    "FROM utility('r', 'o', ['zip', 'age'])",
    "FROM utility('r', 'o')",
    "WITH c AS (FROM r) FROM k_anonymity('c') LIMIT 1",
    "FROM l_diversity('s', ['q'], 's')",
    "FROM l_diversity('s', sa := 'S', l := 4)",
    EXACT + "t_closeness('s', ['q'], 's')",
    EXACT + "t_closeness('s', sa := 's', metric := 'ordered')",
    EXACT + "t_closeness('s', ['q'], 'x', 'numeric')",
    EXACT + "t_closeness('s', ['q'], 's', 'hierarchical', 'tree')",
    EXACT + "t_closeness('s', ['q'], 's', 'hierarchical', hierarchy := 'levels')",
    EXACT + "t_closeness('s', ['q'], 's', 'main.d')",
]


@pytest.mark.everything
@pytest.mark.parametrize("query", [QUERIES[0], *(pytest.param(each, marks=pytest.mark.everything) for each in QUERIES[1:])])
def test_the_shell_gives_what_the_library_gives(con: duckdb.DuckDBPyConnection, shell: str, query: str) -> None:
    con.execute(SETUP)
    con.execute(query)
    names = [column[0] for column in con.description]
    expected = [dict(zip(names, row, strict=True)) for row in con.fetchall()]
    found = run(shell, f"{SETUP}{query};")
    assert found == expected


@pytest.mark.everything
def test_collations_in_the_shell(shell: str) -> None:
    script = "CREATE TABLE t (a VARCHAR COLLATE NOCASE); INSERT INTO t VALUES ('a'), ('A'); SELECT k FROM k_anonymity('t');"
    assert run(shell, script) == [{"k": 1}]


@pytest.mark.everything
def test_errors_in_the_shell(shell: str) -> None:
    for call, text in (
        ("k_anonymity('t; DROP TABLE t')", "tbl is not the name of a table"),
        ("k_anonymity('(SELECT 1)')", "tbl is not the name of a table"),
        ("l_diversity('t')", "sa is missing"),
        ("l_diversity('t', ['a'], 's', l := NULL)", "l is not a whole number"),
        ("t_closeness('t', ['s'], 's')", "sa is one of the columns of qi"),
        ("t_closeness('t', ['a'], 's', 'hierarchical')", "hierarchy is not the name of a table: NULL"),
        ("t_closeness('t', ['a'], 's', 'hierarchical', 't')", "the columns of the hierarchy are not"),
        ("t_closeness('t', ['a'], 's', 'numeric')", "sa holds NULL"),
    ):
        done = subprocess.run(
            [shell, "-init", "/dev/null", "-batch"],
            input=f".read kanon.sql\nCREATE TABLE t AS SELECT 1 AS a, NULL::INTEGER AS s;\nFROM {call};\n",
            capture_output=True,
            text=True,
            encoding="utf-8",
            cwd=ROOT / "sql",
            timeout=120,
            check=False,
        )
        assert f"kanon: {text}" in done.stderr


@pytest.mark.everything
def test_the_blocks_of_the_page_run_in_the_shell(con: duckdb.DuckDBPyConnection, shell: str) -> None:
    blocks = re.findall(
        r"```sql\n(.*?)```", (ROOT / "docs" / "reference" / "audit.md").read_text(encoding="utf-8"), flags=re.DOTALL
    )
    assert blocks
    statements = "\n".join(blocks).replace(".read kanon.sql\n", "")
    con.execute(statements)
    done = subprocess.run(
        [shell, "-init", "/dev/null", "-batch"],
        input=f".read kanon.sql\n{statements}\n",
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=ROOT / "sql",
        timeout=120,
        check=False,
    )
    assert done.stderr == ""


@pytest.mark.everything
def test_adult(con: duckdb.DuckDBPyConnection, one: Callable[..., dict[str, object]]) -> None:
    names, rows = rows_of(ADULT)
    assert len(names) == 9
    con.execute("CREATE TABLE adult AS FROM read_csv($1, all_varchar := true)", [str(ADULT)])
    assert one("FROM k_anonymity('adult', $1)", [names]) == audit_oracle.k_anonymity(rows)
    assert one("FROM k_anonymity('adult')") == audit_oracle.k_anonymity(rows)
    assert one("FROM reidentification_risk('adult')") == pytest.approx(audit_oracle.reidentification_risk(rows))
    hide = {"occupation", "age", "workclass"}
    con.execute("CREATE TABLE released AS SELECT * REPLACE (NULL AS occupation, NULL AS age, '*' AS workclass) FROM adult")
    released = [
        tuple("*" if name == "workclass" else None if name in hide else v for name, v in zip(names, row, strict=True))
        for row in rows
    ]
    found = one("FROM utility('released', 'adult')")
    assert found == pytest.approx(audit_oracle.utility(released, rows))
    assert found["suppressed_cells"] == 3 * len(rows)


@pytest.mark.everything
def test_adult_and_its_sensitive_attributes(one: Callable[..., dict[str, object]], con: duckdb.DuckDBPyConnection) -> None:
    names, rows = rows_of(ADULT)
    con.execute("CREATE TABLE adult AS FROM read_csv($1, all_varchar := true)", [str(ADULT)])
    for sensitive in ("occupation", "salary-class"):
        qi = ["sex", "race", "marital-status"]
        pairs = [(tuple(row[names.index(name)] for name in qi), row[names.index(sensitive)]) for row in rows]
        assert one("FROM l_diversity('adult', $1, $2)", [qi, sensitive]) == requirement_oracle.l_diversity(pairs)
        expected = requirement_oracle.t_closeness(pairs, requirement_oracle.equal)
        assert one("FROM t_closeness('adult', $1, $2)", [qi, sensitive]) == expected
        values = sorted({value for _, value in pairs})
        expected = requirement_oracle.t_closeness(pairs, requirement_oracle.ordered(values))
        assert one("FROM t_closeness('adult', $1, $2, 'ordered')", [qi, sensitive]) == expected


@pytest.mark.everything
def test_adult_2_in_the_shell(shell: str) -> None:
    columns = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country", "salary-class"]
    _, rows = rows_of(ADULT_FULL, columns)
    script = f"CREATE TABLE adult AS FROM read_csv('{ADULT_FULL}', all_varchar := true); FROM k_anonymity('adult', {columns});"
    assert run(shell, script) == [pytest.approx(audit_oracle.k_anonymity(rows))]
