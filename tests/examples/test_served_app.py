"""The service, asked over HTTP: it serves the release, and there is no way from it to anything else."""

from __future__ import annotations

import html
import importlib.util
import json
import re
import runpy
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import quote

import duckdb
import pytest
from example_process import Service, serving

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("fastapi") is None or importlib.util.find_spec("uvicorn") is None,
    reason="nothing to serve with; hint: pip install fastapi uvicorn",
)

QUASI_IDENTIFIERS = ("zip", "age", "sex")

SLOW = "SELECT sum(hash(a.range, b.range)) AS s FROM range(10000000) a, range(10000000) b"


def generate(root: Path, path: Path, rows: int) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(root / "examples"))
        runpy.run_path(str(root / "examples" / "embedding_app.py"))["generate"](path, rows)
    return path


@pytest.fixture(scope="module")
def raw(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return generate(root, tmp_path_factory.mktemp("raw") / "clinic.duckdb", 1500)


@pytest.fixture(scope="module")
def service(root: Path, raw: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    app = str(root / "examples" / "served_app.py")
    with serving("-W", "error", app, str(raw), "--port", "0", "--seconds", "2", folder=tmp_path_factory.mktemp("served")) as it:
        yield it


@pytest.fixture(scope="module")
def rows(service: Service) -> Any:
    return service.rows("/patients")


def classes(rows: Any) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(row[name] for name in QUASI_IDENTIFIERS) for row in rows)


@pytest.mark.everything
def test_every_row_looks_like_four_others(rows: Any, raw: Path) -> None:
    with duckdb.connect(str(raw), read_only=True) as con:
        before = con.execute("SELECT zip, age, sex, disease FROM patients").fetchall()
    assert min(Counter(row[:3] for row in before).values()) < 5
    assert len(rows) == len(before)
    assert {tuple(row) for row in rows} == {("zip", "age", "sex", "disease")}
    assert min(classes(rows).values()) >= 5
    assert Counter(row["disease"] for row in rows) == Counter(row[3] for row in before)


@pytest.mark.everything
def test_one_disease(service: Service, rows: Any) -> None:
    assert service.rows("/patients", disease="flu") == [row for row in rows if row["disease"] == "flu"]
    assert service.rows("/patients", disease="flu' OR ''='") == []


@pytest.mark.everything
def test_a_query_is_answered_from_the_release(service: Service, rows: Any) -> None:
    found = service.rows("/query", sql="WITH p AS (FROM patients) SELECT zip, count(*) AS n FROM p GROUP BY zip")
    assert {row["zip"]: row["n"] for row in found} == Counter(row["zip"] for row in rows)


@pytest.mark.everything
def test_values_that_json_does_not_have(service: Service) -> None:
    sql = "SELECT 'nan'::DOUBLE AS a, '\\xFF'::BLOB AS b, 1.5 AS c, DATE '2026-01-31' AS d, 1 AS a"
    assert service.rows("/query", sql=sql) == [{"a": None, "b": "ff", "c": "1.5", "d": "2026-01-31", "a_1": 1}]


@pytest.mark.everything
def test_the_start_page_tells_the_figures_and_its_links_are_answered(service: Service, rows: Any) -> None:
    text = service.text("/")
    assert f"{len(rows):,} rows" in text
    assert f"at least {min(classes(rows).values()) - 1} others" in text
    assert f"{len(classes(rows)):,} classes" in text
    links = re.findall(r'<a href="([^"]+)">', text)
    assert [link.partition("?")[0] for link in links] == ["/patients", "/query", "/audit"]
    assert all(json.loads(service.text(html.unescape(link))) for link in links)
    assert "<script" not in text


@pytest.mark.everything
def test_the_certificate_is_not_served(service: Service) -> None:
    """It counts the distinct combinations of the raw rows."""
    assert service.ask("/certificate") == (404, {"detail": "Not Found"})


@pytest.mark.everything
def test_the_audit_counts_the_rows_that_are_served(service: Service, rows: Any) -> None:
    audit = service.rows("/audit")
    assert (audit["k"], audit["classes"], audit["rows"]) == (min(classes(rows).values()), len(classes(rows)), len(rows))
    assert audit["uniques"] == 0
    assert audit["prosecutor_risk"] == 1 / audit["k"]


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        # The raw rows and their file.
        ("SELECT patient FROM patients", 'Referenced column "patient" not found'),
        ("FROM '{raw}'", "file system operations are disabled"),
        ("FROM read_csv('{raw}')", "only the table patients"),
        ("SELECT (SELECT content FROM read_text('{raw}'))", "only the table patients"),
        ("FROM patients WHERE EXISTS (FROM glob('{folder}/*'))", "only the table patients"),
        ("FROM query('FROM read_blob(''{raw}'')')", "only the table patients"),
        ("FROM clinic.patients", "only the table patients"),
        ("FROM released", "Table with name released does not exist"),
        ("ATTACH '{raw}' AS raw", "only one SELECT"),
        ("COPY patients TO '{folder}/leak.csv'", "only one SELECT"),
        ("EXPORT DATABASE '{folder}/leak'", "only one SELECT"),
        # The catalog and the settings.
        ("FROM duckdb_tables()", "only the table patients"),
        ("FROM pg_tables", "only the table patients"),
        ("FROM information_schema.columns", "only the table patients"),
        ("SELECT zip FROM patients WHERE zip IN (SELECT name FROM duckdb_settings())", "only the table patients"),
        ("WITH pg_tables AS (SELECT 1), t AS (FROM pg_tables) FROM t", "only the table patients"),
        ("SELECT [t FOR t IN (SELECT list(name) FROM duckdb_secrets())]", "only the table patients"),
        ("FROM equivalence_classes('patients', ['zip'])", "only the table patients"),
        ("SHOW TABLES", "only the table patients"),
        ("FROM (DESCRIBE patients)", "only the table patients"),
        ("PRAGMA database_list", "only one SELECT"),
        ("FROM pragma_database_list", "only the table patients"),
        ("CALL duckdb_settings()", "only one SELECT"),
        ("SET lock_configuration = false", "only one SELECT"),
        ("RESET enable_external_access", "only one SELECT"),
        ("SELECT getenv('HOME')", "getenv does not exist"),
        # Extensions and the functions of the release.
        ("INSTALL httpfs", "only one SELECT"),
        ("LOAD httpfs", "only one SELECT"),
        ("FROM 'https://127.0.0.1/x.parquet'", "file system operations are disabled"),
        ("FROM k_anonymize('patients', 5)", "only the table patients"),
        ("SELECT kanon_session()", "does not exist"),
        # Anything that is not one SELECT.
        ("SELECT 1; SELECT 2", "only one SELECT"),
        ("", "only one SELECT"),
        ("SELEC 1", "syntax error"),
        ("DELETE FROM patients", "only one SELECT"),
        ("WITH gone AS (DELETE FROM patients RETURNING *) FROM gone", "read-only"),
        ("CREATE TEMP TABLE mine AS FROM patients", "only one SELECT"),
        ("PREPARE mine AS FROM patients", "only one SELECT"),
        ("EXPLAIN ANALYZE FROM patients", "only one SELECT"),
        ("COMMIT", "only one SELECT"),
        ("SELECT $name", "Values were not provided"),
        ("SELECT " + "(" * 3000 + "1" + ")" * 3000, "expression depth"),
        ("SELECT " + "abs(" * 500 + "1" + ")" * 500, "nested too deeply"),
        # What would go on for ever.
        ("FROM patients a, patients b", "more than 10,000 rows"),
        ("SELECT repeat(md5(age::VARCHAR), 1000) AS a FROM patients", "more than 10 MB"),
        ("SELECT repeat('x', 11000000) AS a", "more than 10 MB"),
        (SLOW, "more than 2 s"),
        # What DuckDB neither stops nor counts.
        ("SELECT length(lpad('x', 2000000000, 'y')) AS n", "more than 2 s"),
        ("SELECT length(repeat('x', 2000000000)) AS n", "memory"),
        ("SELECT length([x || 'x' for x in range(100000000)]::VARCHAR) AS n", "memory"),
    ],
)
@pytest.mark.everything
def test_nothing_else_is_reached(service: Service, rows: Any, raw: Path, sql: str, said: str) -> None:
    before = sorted(path.name for path in raw.parent.iterdir())
    status, answer = service.ask("/query", sql=sql.replace("{raw}", str(raw)).replace("{folder}", str(raw.parent)))
    assert status == 400
    assert list(answer) == ["error"]
    assert said in answer["error"]
    assert sorted(path.name for path in raw.parent.iterdir()) == before
    assert service.rows("/patients", disease="flu") == [row for row in rows if row["disease"] == "flu"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT disease::INT FROM patients",
        "SELECT error(disease) FROM patients",
        "FROM patients LIMIT (SELECT max(disease) FROM patients)",
        "SELECT TIMESTAMP '294247-01-01'",
        "SELECT chr(2000000000 + age) FROM patients",
    ],
)
@pytest.mark.everything
def test_an_error_quotes_no_value(service: Service, sql: str) -> None:
    status, answer = service.ask("/query", sql=sql)
    assert status == 400
    assert answer["error"].removeprefix("the query failed: ").isidentifier()


@pytest.mark.everything
def test_paths_of_the_machine_are_no_settings(service: Service, raw: Path) -> None:
    names = "secret_directory", "extension_directory", "home_directory", "temp_directory"
    (settings,) = service.rows("/query", sql="SELECT " + ", ".join(f"current_setting('{name}')" for name in names))
    assert set(settings.values()) == {""}


@pytest.mark.everything
def test_all_requests_see_one_release(service: Service, rows: Any) -> None:
    def ask(number: int) -> object:
        if number % 2:
            return service.rows("/query", sql="FROM patients") == rows
        return service.rows("/patients") == rows

    with ThreadPoolExecutor(8) as executor:
        assert all(executor.map(ask, range(32)))


@pytest.mark.everything
def test_a_client_that_goes_away_harms_nothing(service: Service, rows: Any) -> None:
    for request in (
        f"GET /query?sql={quote(SLOW)} HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /patients HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /pat",
    ):
        with socket.create_connection(("127.0.0.1", service.port)) as client:
            client.sendall(request.encode())
    assert service.rows("/patients") == rows


LIMITS = """
import resource, sys, time
import pyarrow as pa
from query_process import QueryProcess, RefusedError

table = pa.table({"zip": ["02130"] * 1000})
process = QueryProcess(table, "CREATE MACRO one() AS 1", 1.0)
for sql in sys.argv[1:]:
    if not process.alive:
        process = QueryProcess(table, "CREATE MACRO one() AS 1", 1.0)
    begun = time.monotonic()
    try:
        said = process.ask(sql, {}).decode()
    except RefusedError as error:
        said = str(error)
    print(round(time.monotonic() - begun), said)
process._process.kill()
try:
    process.ask("SELECT 1", {})
except RefusedError as error:
    print(error, process.alive)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


@pytest.mark.everything
def test_the_limits_of_time_and_memory_hold(root: Path, tmp_path: Path) -> None:
    """One call of a function, which DuckDB neither stops nor counts: it ran for 86 s, with 4 GB."""
    bombs = [
        "SELECT length(lpad('x', 2000000000, 'y')) AS n",
        "SELECT count(*) AS n FROM patients",
        "SELECT length(lpad(zip, 400000000, 'y')) AS n FROM patients",
        "SELECT length(repeat(zip, 400000000)) AS n FROM patients",
        "SELECT sum(length(repeat(zip, 30000000))) AS n FROM patients",
        "SELECT list(repeat(zip, 1000000)) AS n FROM patients",
        "SELECT zip FROM patients LIMIT 1",
    ]
    work = f"import sys; sys.path.insert(0, {str(root / 'examples')!r}){LIMITS}"
    done = subprocess.run(
        [sys.executable, "-c", work, *bombs], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    *said, ended, memory = done.stdout.splitlines()
    assert ended == "the query ended its process; hint: it may need too much memory False"
    assert said[1].endswith('[{"n": 1000}]')
    assert said[-1].endswith('[{"zip": "02130"}]')
    for line in (said[0], *said[2:-1]):
        seconds, _, text = line.partition(" ")
        assert int(seconds) < 10  # of one second; the machine may be busy
        assert text in (
            "the query takes more than 1 s",
            "the query needs too much memory",
            "the query ended its process; hint: it may need too much memory",
        )
    assert int(memory) < (500 << 10) + 300_000  # KiB: MEMORY, and what the process had before


@pytest.mark.everything
def test_it_serves_nothing_where_no_release_keeps_the_guarantee(root: Path, tmp_path: Path) -> None:
    small = generate(root, tmp_path / "small.duckdb", 3)
    command = [sys.executable, str(root / "examples" / "served_app.py"), str(small), "--port", "0"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", timeout=120, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "error: the table has 3 rows, fewer than k = 5; hint: choose a smaller k\n"


@pytest.mark.everything
def test_it_serves_invented_patients_by_itself(root: Path, tmp_path: Path) -> None:
    with serving(str(root / "examples" / "served_app.py"), "--port", "0", folder=tmp_path) as service:
        assert service.rows("/audit")["k"] >= 5
