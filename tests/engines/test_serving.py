"""Queries over a released database: hostile ones read no file, take no more than their limits, and end no server."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import hospital
import psutil
import pytest

import kanon_sql
from kanon_sql.engines.duckdb.database.fingerprint import fingerprint
from kanon_sql.engines.duckdb.serving.answering import QueryLimits
from kanon_sql.engines.duckdb.serving.asking import Answers
from kanon_sql.engines.duckdb.serving.permitted import refused
from kanon_sql.engines.duckdb.serving.released_file import opened, released_file
from kanon_sql.errors import AuditError, SourceError

LIMITS = QueryLimits(rows=50, characters=20_000, seconds=3.0, megabytes=128)
PLANTED = "planted-words-of-a-file"


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("serving")
    (folder / "policies.yaml").write_text(hospital.POLICIES)
    source = hospital.make(folder / "source.duckdb")
    (folder / "planted.csv").write_text(f"a\n{PLANTED}\n")
    kanon_sql.release_database(source, folder / "public.duckdb", policies=folder / "policies.yaml")
    return folder / "public.duckdb"


@pytest.fixture
def answers(public: Path) -> Iterator[Answers]:
    found = Answers(released_file(public, LIMITS.megabytes), LIMITS)
    yield found
    found.close()


@pytest.mark.everything
def test_a_query_is_answered_from_the_release(answers: Answers, public: Path) -> None:
    asked = "SELECT ward, count(*) AS n FROM stays GROUP BY ward ORDER BY ALL"
    with duckdb.connect(str(public), read_only=True) as con:
        assert answers.ask(asked) == {
            "columns": ["ward", "n"],
            "rows": [list(row) for row in con.execute(asked).fetchall()],
            "complete": True,
        }
    assert answers.ask("FROM stays")["complete"] is False
    assert len(answers.ask("FROM stays")["rows"]) == LIMITS.rows


REACHING = """
FROM read_csv('{planted}') | FROM '{planted}' | FROM read_text('{planted}') | FROM read_blob('{planted}')
FROM sniff_csv('{planted}') | FROM glob('{folder}/*') | ATTACH '{source}' AS s | COPY stays TO '{folder}/out.csv'
FROM query('FROM read_csv(''{planted}'')') | SHOW TABLES
FROM query_table('{planted}') | INSTALL httpfs | LOAD httpfs | SELECT getenv('HOME') | SET enable_external_access = true
RESET lock_configuration | PRAGMA database_list | CREATE TABLE t AS SELECT 1 | CREATE TEMP MACRO count() AS 0 | DROP TABLE stays
DELETE FROM stays | CHECKPOINT | CALL pragma_version() | EXPORT DATABASE 'x' | FROM duckdb_secrets() | SELECT 1; SELECT 2
? | FROM read_json('{planted}') | FROM parquet_scan('{planted}') | DETACH source | USE memory | BEGIN | SELECT $1 | EXECUTE x
SELECT (SELECT content FROM read_text('{planted}')) | VACUUM | SELECT pg_sleep(9) | FROM stays | SELECT count(*) FROM stays
"""

LARGE = """
SELECT length(lpad('', {many}, 'x')) | SELECT repeat('y', {some}) | FROM range(100_000_000_000) | SELECT '{long}'
WITH RECURSIVE t(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM t) SELECT max(i) FROM t | SELECT list(range) FROM range(90_000_000)
SELECT sum(hash(a.range)) FROM range(1_000_000) AS a, range(1_000_000) AS b | SELECT {deep}
SELECT string_agg(range::VARCHAR) FROM range(900_000_000) | SELECT DISTINCT random() FROM range(90_000_000)
FROM stays AS a, stays AS b, stays AS c, stays AS d ORDER BY hash(a, b, c, d)
SELECT DATE '290000-01-01', 'nan'::DOUBLE, '\\xFF'::BLOB, INTERVAL 999999999 months
"""


def hostile(folder: Path, draw: random.Random) -> str:
    """Return a query that reaches out, or takes too much."""
    listed = REACHING if draw.random() < 0.97 else LARGE
    return draw.choice([each.strip() for line in listed.strip().splitlines() for each in line.split(" | ")]).format(
        folder=folder,
        planted=folder / "planted.csv",
        source=folder / "source.duckdb",
        many=draw.randrange(10**8, 2 * 10**9),
        some=draw.randrange(10**4, 10**8),
        long="z" * draw.randrange(200_000),
        deep="(" * 5_000 + "1" + ")" * 5_000,
    )


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(10))
def test_no_query_reads_a_file_or_ends_the_server(answers: Answers, public: Path, seed: int) -> None:
    draw = random.Random(seed)
    before = sorted(each.name for each in public.parent.iterdir()), public.read_bytes()
    for _ in range(1_111 if seed else 15):
        query = hostile(public.parent, draw)
        try:
            answer = answers.ask(query)
        except SourceError as error:
            answer = {"rows": [], "refused": str(error)}
        assert PLANTED not in str(answer)
        assert len(answer["rows"]) <= LIMITS.rows
        assert len(str(answer)) <= 2 * LIMITS.characters
    assert answers.ask("SELECT count(*) AS n FROM patients")["rows"] == [[60]]
    assert (sorted(each.name for each in public.parent.iterdir()), public.read_bytes()) == before


CHANGES = {
    'the table "extra" has no certificate': "CREATE TABLE extra AS SELECT 1 AS a",
    'the rows of the table "stays" differ': "DELETE FROM stays WHERE rowid = 0",
    'the rows of the table "scripts" differ': "ALTER TABLE scripts ADD COLUMN note VARCHAR",
    'has the view "v"': "CREATE VIEW v AS FROM stays",
    'has the macro "m"': "CREATE MACRO m() AS 1",
    'has the type "mood"': "CREATE TYPE mood AS ENUM ('sad')",
    'has the table "other.t"': "CREATE SCHEMA other; CREATE TABLE other.t AS SELECT 1 AS a",
    'the table "patients" is missing': "DROP TABLE patients",
    'the table "stays" has two certificates': "INSERT INTO kanon_certificates FROM kanon_certificates WHERE release = 'stays'",
    'has the view "stays"': "ALTER TABLE stays RENAME TO kept; CREATE VIEW stays AS FROM kept",
    'certificate of "stays" cannot be read': "UPDATE kanon_certificates SET certificate = '{}' WHERE release = 'stays'",
    "was not written by kanon release": "DROP TABLE kanon_columns",
}


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("words", CHANGES)
def test_what_was_not_audited_is_not_served(public: Path, tmp_path: Path, words: str) -> None:
    changed = tmp_path / "changed.duckdb"
    shutil.copy(public, changed)
    with duckdb.connect(str(changed)) as con:
        con.execute(CHANGES[words])
    with pytest.raises((AuditError, SourceError), match=words):
        released_file(changed, LIMITS.megabytes)


@pytest.mark.parametrize(
    ("macro", "words"),
    [
        ("SELECT 1", 'the table "stays" has a class smaller than 3'),
        ("CREATE MACRO k_anonymity(a, b) AS TABLE SELECT 9 AS k, 9 AS rows", 'has the macro "k_anonymity"'),
    ],
)
def test_a_row_alone_is_not_served_under_a_forged_fingerprint(public: Path, tmp_path: Path, macro: str, words: str) -> None:
    forged = tmp_path / "forged.duckdb"
    shutil.copy(public, forged)
    with duckdb.connect(str(forged)) as con:
        con.execute("UPDATE stays SET ward = 'nobody else' WHERE rowid = 0")
        mark = fingerprint(con, "main.stays")
        con.execute("UPDATE kanon_certificates SET fingerprint = ? WHERE release = 'stays'", [mark])
        con.execute(macro)
    with pytest.raises(AuditError, match=words):
        released_file(forged, LIMITS.megabytes)


@pytest.mark.everything
def test_another_file_in_the_place_of_the_checked_one_is_not_served(public: Path, tmp_path: Path) -> None:
    place = tmp_path / "public.duckdb"
    shutil.copy(public, place)
    answers = Answers(released_file(place, LIMITS.megabytes), LIMITS)
    place.unlink()
    with duckdb.connect(str(place)) as con:
        con.execute("CREATE TABLE patients AS SELECT 'raw' AS name")
    with pytest.raises(SourceError, match="the database changed after it was checked"):
        answers.ask("FROM patients")
    with pytest.raises(SourceError, match="there is no database"):
        released_file(tmp_path / "none.duckdb", LIMITS.megabytes)


_KILLED = """
import os, signal, sys, threading, time
from kanon_sql.engines.duckdb.serving.asking import Answers
from kanon_sql.engines.duckdb.serving.permitted import refused
from kanon_sql.engines.duckdb.serving.answering import QueryLimits
from kanon_sql.engines.duckdb.serving.released_file import opened, released_file

if __name__ == "__main__":
    answers = Answers(released_file(sys.argv[1], 128), QueryLimits(seconds=600))
    answers.ask("SELECT 1")
    print(answers._process.pid, flush=True)
    threading.Thread(target=answers.ask, args=("SELECT sum(hash(a.range)) FROM range(10**7) AS a, range(10**7) AS b",)).start()
    time.sleep(1)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.everything
def test_a_query_ends_with_the_server(public: Path, tmp_path: Path) -> None:
    (tmp_path / "killed.py").write_text(_KILLED)
    ran = subprocess.run(
        [sys.executable, tmp_path / "killed.py", public], stdout=subprocess.PIPE, text=True, check=False, timeout=60
    )
    asked = int(ran.stdout)
    end = time.monotonic() + 20
    while psutil.pid_exists(asked) and psutil.Process(asked).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < end
        time.sleep(0.2)


SERVER = """
FROM duckdb_databases() | FROM duckdb_databases | FROM system.main.duckdb_settings() | FROM information_schema.tables
FROM main.duckdb_databases | FROM sqlite_master | FROM pragma_database_list() | DESCRIBE duckdb_databases | SHOW DATABASES
SELECT current_setting('secret_directory') | SELECT list_transform(['home_directory'], x -> current_setting(x))
VALUES (getvariable('x')) | FROM stays QUALIFY row_number() OVER (ORDER BY current_setting('home_directory')) = 1
SELECT * FROM stays WHERE ward IN (SELECT path FROM duckdb_databases) | FROM query('SELECT 1')
FROM stays ORDER BY (SELECT max(value) FROM duckdb_settings())
WITH duckdb_databases AS (SELECT 1) FROM (WITH duckdb_databases AS (SELECT 2) SELECT 3), duckdb_databases
SELECT sum(1) OVER w FROM stays WINDOW w AS (ORDER BY (SELECT max(path) FROM duckdb_databases()))
"""

PERMITTED = """
FROM stays | SELECT ward, count(*) FROM main.stays GROUP BY ALL | WITH a AS (FROM stays) FROM a | DESCRIBE stays | SHOW TABLES
SELECT * FROM stays, range(2) AS r(i) | VALUES (1) | FROM unnest([1, 2]) | SUMMARIZE stays | FROM kanon_certificates
"""


def split(queries: str) -> list[str]:
    return [query.strip() for line in queries.strip().split("\n") for query in line.split("|")]


def test_a_query_names_releases_and_functions_of_values_only(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "public.duckdb")) as con:
        con.execute("CREATE TABLE stays AS SELECT 'a' AS ward; CREATE TABLE kanon_certificates AS SELECT 1 AS release")
    with opened(tmp_path / "public.duckdb", 128) as con:
        assert [query for query in split(SERVER) if refused(con, query) is None] == []
        assert [query for query in split(PERMITTED) if refused(con, query) is not None] == []


@pytest.mark.everything
def test_no_answer_has_a_path_of_the_server(answers: Answers, public: Path) -> None:
    found = public.parent
    for query in [*split(SERVER), f"SELECT error('{public}')", "SELECT 1 +"]:
        with pytest.raises(SourceError) as error:
            answers.ask(query)
        assert str(found) not in str(error.value)
        assert str(Path.home()) not in str(error.value)


@pytest.mark.everything
def test_a_slow_query_delays_no_other(public: Path) -> None:
    answers = Answers(released_file(public, LIMITS.megabytes), QueryLimits(seconds=600.0))
    with ThreadPoolExecutor(2) as threads:
        slow = [threads.submit(answers.ask, "SELECT count(*) FROM range(1_000_000_000_000)") for _ in range(2)]
        time.sleep(0.2)
        assert answers.ask("SELECT 2 AS a")["rows"] == [[2]]
        assert not any(each.done() for each in slow)
        answers.close()
        for each in slow:
            with pytest.raises(SourceError):
                each.result()


@pytest.mark.everything
def test_every_line_of_an_agent_has_an_answer(public: Path) -> None:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    ask = {"name": "query", "arguments": {"sql": "SELECT 'x\ud800' AS a"}}
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": ask}),
        "no JSON",
        json.dumps({"id": 3, "neither": "request nor answer"}),
    ]
    command = [sys.executable, "-m", "kanon_sql", "serve", str(public)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("\n".join(lines) + "\n")
        process.stdin.flush()
        answered = {each.get("id"): each for each in (json.loads(process.stdout.readline()) for _ in range(4))}
        process.stdin.close()
    assert answered.keys() == {1, 2, 3, None}
    assert answered[2]["result"]["structuredContent"]["rows"] == [["x?"]]
    assert answered[3]["error"]["code"] == -32600
    assert answered[None]["error"]["code"] == -32700
