"""COPY of a release writes its file whole or not at all; any other COPY is DuckDB's own."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import kanon_sql
from kanon_sql.engines.duckdb.connect.connection import Connection
from kanon_sql.engines.duckdb.files import copying
from kanon_sql.engines.duckdb.versions import TARGET_IS_FIRST_PARAMETER
from kanon_sql.errors import InfeasibleError, SourceError

RELEASES = {
    "clause": "(SELECT zip, age, x FROM p ANONYMIZE BY zip, age GUARANTEE k >= 5)",
    "function": "(FROM k_anonymize('p', 5, qi := ['zip', 'age']))",
    "nested": "(SELECT count(*) AS n, zip FROM k_anonymize('p', 5, qi := ['zip', 'age']) GROUP BY zip)",
    "view": "(FROM released)",
    "view itself": "released",
    "view of the clause": "(FROM by_clause)",
    "macro": "(FROM mine())",
    "every column": "(FROM k_anonymize('q', 5))",
    "people": "(FROM k_anonymize('p', 2, qi := ['zip'], per := 'age'))",
    "sensitive": "(FROM l_diversify('p', 'x', 2, qi := ['zip', 'age']))",
    "masks": "(FROM pattern_guided('p', [['zip'], []], k := 5, qi := ['zip', 'age']))",
    "stored policy": "(SELECT zip, age, x FROM p ANONYMIZE WITH POLICY mine)",
}


class Spy:
    """A connection that remembers what it was asked, and what lay in the folder meanwhile."""

    def __init__(self, raw: duckdb.DuckDBPyConnection) -> None:
        self._raw = raw
        self.asked: list[Any] = []

    def execute(self, query: Any, parameters: Any = None) -> Any:
        self.asked.append(query)
        return self._raw.execute(query, parameters)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._raw, name)


def run_by(connection: Connection, raw: Any) -> None:
    """Let something run the statements in the place of DuckDB's connection."""
    connection._raw = connection._statements._raw = raw


def _filled(connection: Connection) -> Connection:
    connection.execute("CREATE TABLE p AS SELECT i % 11 AS zip, i % 7 AS age, i % 40 AS x FROM range(500) AS t(i)")
    connection.execute("CREATE TABLE q AS SELECT zip, age FROM p")
    connection.execute("CREATE VIEW released AS FROM k_anonymize('p', 5, qi := ['zip', 'age'])")
    connection.execute("CREATE VIEW by_clause AS SELECT * FROM p ANONYMIZE BY zip, age GUARANTEE k >= 5")
    connection.execute("CREATE MACRO mine() AS TABLE FROM k_anonymize('p', 5, qi := ['zip'])")
    connection.execute("CREATE ANONYMIZATION POLICY mine ON p (BY zip, age; KEEP x; GUARANTEE k >= 5)")
    return connection


@pytest.fixture
def con(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connection]:
    monkeypatch.chdir(tmp_path)
    if request.node.get_closest_marker("own_connection"):
        with kanon_sql.connect() as connection:
            yield _filled(connection)
    else:
        connection = request.getfixturevalue("shared_clause")
        raw = connection.raw
        yield _filled(connection)
        run_by(connection, raw)


def in_order(target: str, *others: Any) -> list[Any]:
    """The parameters ``?`` of a COPY in the order in which this version of DuckDB takes them."""
    return [target, *others] if TARGET_IS_FIRST_PARAMETER else [*others, target]


def names() -> set[str]:
    return set(os.listdir())


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("release", RELEASES)
def test_every_release_is_written_in_private_first(con: Connection, release: str) -> None:
    spy = Spy(con.raw)
    run_by(con, spy)
    con.execute(f"COPY {RELEASES[release]} TO 'out.csv' (HEADER)")
    rows = con.fetchall()[0][0]
    assert rows == duckdb.sql("SELECT count(*) FROM read_csv('out.csv', header := true)").fetchall()[0][0] > 0
    assert names() == {"out.csv"}
    assert "/.kanon-" in spy.asked[-1]


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize(
    ("target", "parameters"),
    [
        ("'out.csv'", None),
        ("E'out.csv'", None),
        ("$$out.csv$$", None),
        ("('out' || '.csv')", None),
        ("?", ["out.csv"]),
        ("$1", ["out.csv"]),
        ("$file", {"file": "out.csv"}),
    ],
)
@pytest.mark.parametrize("call", ["execute", "sql"])
def test_targets(con: Connection, target: str, parameters: Any, call: str) -> None:
    text = f"copy /* TO 'x' */ released TO {target} (FORMAT csv)"
    con.sql(text, params=parameters) if call == "sql" else con.execute(text, parameters)
    assert names() == {"out.csv"}


@pytest.mark.everything
def test_parameters_of_the_query_stay(con: Connection) -> None:
    assert con.execute("COPY (FROM released LIMIT ?) TO ?", in_order("a.csv", 7)).fetchall() == [(7,)]
    assert con.execute("COPY (FROM released LIMIT $2) TO $1", ["b.csv", 8]).fetchall() == [(8,)]
    con.executemany("COPY (FROM released LIMIT ?) TO ?", [in_order("c.csv", 3), in_order("d.csv", 4)])
    assert {name: len(Path(name).read_text().splitlines()) for name in names()} == {
        "a.csv": 8,
        "b.csv": 9,
        "c.csv": 4,
        "d.csv": 5,
    }


@pytest.mark.everything
def test_many_statements_run_in_their_order(con: Connection) -> None:
    text = (
        "CREATE TABLE n AS FROM p; COPY (FROM k_anonymize('n', 5, qi := ['zip'])) TO 'a.parquet'; "
        "SELECT count(*) FROM 'a.parquet' WHERE x < ?"
    )
    assert con.execute(text, [1000]).fetchall() == [(500,)]
    with pytest.raises(duckdb.ParserException):
        con.execute("COPY released TO 'b.csv'; SELEKT 1")
    assert names() == {"a.parquet"}


@pytest.mark.everything
@pytest.mark.sweep
@pytest.mark.parametrize("options", ["PARTITION_BY (zip)", "PER_THREAD_OUTPUT", "FILE_SIZE_BYTES 1000"])
def test_folders_appear_whole_at_a_new_name(con: Connection, options: str) -> None:
    con.execute(f"COPY released TO 'out' (FORMAT csv, {options})")
    before = sorted(Path("out").rglob("*"))
    assert before
    for again in ("", ", OVERWRITE", ", APPEND"):
        with pytest.raises(
            SourceError, match=r"exists; hint: choose a new folder, because only new folders can be written in one step"
        ):
            con.execute(f"COPY released TO 'out' (FORMAT csv, {options}{again})")
    assert (names(), sorted(Path("out").rglob("*"))) == ({"out"}, before)
    Path("empty").mkdir()
    con.execute(f"COPY released TO 'empty' (FORMAT csv, {options})")
    assert list(Path("empty").iterdir())


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("COPY released TO '/dev/stdout' (FORMAT csv)", "in one step, because it is not a regular file; hint"),
        ("COPY released TO 'pipe' (FORMAT csv)", "in one step, because it is not a regular file; hint"),
        ("COPY released TO stdout", "must be a file name in quotes"),
        ("COPY released TO 's3://bucket/out.csv'", "an address such as s3:"),
        ("COPY released TO 'file:///tmp/out.csv'", "an address such as file:"),
        ("COPY released TO 'nowhere/out.csv'", "there is no folder"),
        ("COPY released TO 'out.csv' (RETURN_FILES)", "RETURN_FILES"),
        ("EXPLAIN ANALYZE COPY released TO 'out.csv'", "EXPLAIN ANALYZE would write"),
        ("EXPLAIN (ANALYZE, FORMAT json) COPY released TO 'out.csv'", "EXPLAIN ANALYZE would write"),
        ("EXECUTE prepared('out.csv')", "a prepared COPY would write"),
    ],
)
def test_what_cannot_appear_in_one_step_is_refused(con: Connection, statement: str, message: str) -> None:
    os.mkfifo("pipe")
    con.execute("PREPARE prepared AS COPY released TO $1")
    with pytest.raises(SourceError, match=message):
        con.execute(statement)
    assert names() == {"pipe"}


@pytest.mark.sweep
@pytest.mark.parametrize(
    "statement",
    [
        "COPY p TO 'raw.csv'",
        "cOpY (SELECT 1 AS \"kanon#rows\") TO\n'raw.csv' -- as it stands",
        "COPY p TO 'raw' (FORMAT csv, PARTITION_BY (zip))",
        "COPY (FROM k_anonymity('p', ['zip'])) TO 'raw.csv'",
        "EXPLAIN COPY released TO 'out.csv'",
        "EXPLAIN ANALYZE COPY p TO 'raw.csv'",
        "COPY p FROM 'in.csv'",
    ],
)
def test_whatever_releases_nothing_reaches_duckdb_byte_for_byte(con: Connection, statement: str) -> None:
    con.raw.execute("COPY p TO 'in.csv'")
    spy = Spy(con.raw)
    run_by(con, spy)
    con.execute(statement)
    if "kanon#" not in statement:  # a name of ours, so it is written with care
        assert spy.asked == [statement]
    assert names() <= {"in.csv", "raw.csv", "raw"}


def test_a_long_text_of_ours_is_not_parsed_to_look_for_a_copy() -> None:
    sent = 'SELECT "kanon#copy"'
    assert copying.run(None, lambda query, _: query, sent, None, written="FROM p ANONYMIZE BY zip GUARANTEE k >= 2") == sent  # type: ignore[arg-type]


@pytest.mark.everything
def test_a_refused_release_leaves_the_old_file(con: Connection) -> None:
    Path("out.csv").write_text("old")
    for text in ("COPY (FROM k_anonymize('p', 501, qi := ['zip'])) TO 'out.csv'", "COPY (FROM nowhere) TO 'out.csv'"):
        with pytest.raises((InfeasibleError, duckdb.CatalogException)):
            con.execute(text)
    # This fails while the file is being written.
    late = "CASE WHEN row_number() OVER () > 400 THEN error('late') ELSE x END"
    with pytest.raises(SourceError, match="could not run the statement: Invalid Input Error; hint"):
        con.execute(f"COPY (SELECT * REPLACE ({late} AS x) FROM released) TO 'out.csv' (FORMAT csv, USE_TMP_FILE false)")
    assert (names(), Path("out.csv").read_text()) == ({"out.csv"}, "old")


@pytest.mark.everything
def test_a_file_is_replaced_and_a_link_keeps_pointing(con: Connection) -> None:
    Path("folder").mkdir()
    Path("folder/real.csv").write_text("old")
    Path("link.csv").symlink_to("folder/real.csv")
    con.execute("COPY released TO 'link.csv'")
    assert Path("link.csv").is_symlink()
    assert len(Path("folder/real.csv").read_text().splitlines()) == 501
    assert os.listdir("folder") == ["real.csv"]


@pytest.mark.everything
@pytest.mark.own_connection
def test_home_is_that_of_duckdb(con: Connection, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    con.execute(f"SET home_directory = '{tmp_path / 'home'}'")
    con.execute("COPY released TO '~/out.csv'")
    assert os.listdir("home") == ["out.csv"]


@pytest.mark.everything
@pytest.mark.own_connection
def test_what_duckdb_may_not_write_is_not_written(con: Connection, tmp_path: Path) -> None:
    (tmp_path / "permitted").mkdir()
    con.execute(f"SET allowed_directories = ['{tmp_path / 'permitted'}/']")
    con.execute("SET enable_external_access = false")
    with pytest.raises(SourceError, match="Permission Error"):
        con.execute("COPY released TO 'out.csv'")
    con.execute(f"COPY released TO '{tmp_path / 'permitted' / 'out.csv'}'")
    assert (names(), os.listdir("permitted")) == ({"permitted"}, ["out.csv"])


@pytest.mark.everything
def test_no_row_may_mean_no_file(con: Connection) -> None:
    con.execute("COPY (FROM released WHERE x < 0) TO 'out.csv' (FORMAT csv, WRITE_EMPTY_FILE false)")
    assert names() == set()


@pytest.mark.everything
@pytest.mark.parametrize("vanishes", [".kanon-*", ".kanon-*/out/*"])
def test_a_private_folder_that_vanishes_is_an_error(con: Connection, tmp_path: Path, vanishes: str) -> None:
    class Vanishing(Spy):
        def execute(self, query: Any, parameters: Any = None) -> Any:
            done = super().execute(query, parameters)
            for path in tmp_path.glob(vanishes):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            return done

    run_by(con, Vanishing(con.raw))
    with pytest.raises(SourceError, match="vanished"):
        con.execute("COPY released TO 'out.csv'")
    assert names() == set()


@pytest.mark.everything
@pytest.mark.parametrize("extra", ["shape.shx", "released.tmp"])
def test_a_format_of_several_files_is_refused(con: Connection, tmp_path: Path, extra: str) -> None:
    class Several(Spy):
        def execute(self, query: Any, parameters: Any = None) -> Any:
            done = super().execute(query, parameters)
            (folder,) = tmp_path.glob(".kanon-*/out")
            (folder / extra).write_text("also")
            return done

    run_by(con, Several(con.raw))
    with pytest.raises(SourceError, match="writes several files"):
        con.execute("COPY released TO 'shape.csv'")
    assert names() == set()


@pytest.mark.everything
@pytest.mark.own_connection
def test_too_little_memory_leaves_nothing(con: Connection) -> None:
    con.execute("CREATE TABLE large AS SELECT i % 50 AS zip, repeat(md5(i::VARCHAR), 9) AS note FROM range(60000) AS t(i)")
    con.execute("SET temp_directory = ''")
    con.execute("SET memory_limit = '30MB'")
    with pytest.raises(SourceError, match="Out of Memory Error"):
        con.execute("COPY (FROM k_anonymize('large', 5, qi := ['zip'], algorithm := 'greedy')) TO 'out.csv'")
    assert names() == set()


@pytest.mark.everything
@pytest.mark.own_connection
def test_another_connection_may_change_the_table_meanwhile(con: Connection) -> None:
    other = con.cursor()

    class Meddling(Spy):
        def execute(self, query: Any, parameters: Any = None) -> Any:
            other.execute("DROP TABLE IF EXISTS p")
            return super().execute(query, parameters)

    run_by(con, Meddling(con.raw))
    with pytest.raises(SourceError, match="Catalog Error"):
        con.execute("COPY released TO 'out.csv'")
    assert names() == set()
