"""Registering on connections in every state."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import duckdb
import pytest

import kanon_sql
from kanon_sql.engines.duckdb.connect import registration
from kanon_sql.errors import SourceError


@pytest.mark.everything
def test_in_the_middle_of_a_transaction() -> None:
    with duckdb.connect() as con:
        con.execute("BEGIN")
        con.execute("CREATE TABLE t AS SELECT i % 5 AS a, i AS b FROM range(100) r(i)")
        kanon_sql.register(con)
        released = "SELECT count(*) FROM k_anonymize('t', 5, qi := ['a'], keep := ['b'])"
        assert con.execute(released).fetchall() == [(100,)]
        con.execute("COMMIT")
        assert con.execute(released).fetchall() == [(100,)]
        kanon_sql.register(con)
        with con.cursor() as cursor:
            assert cursor.execute(released).fetchall() == [(100,)]


def test_a_checkout_without_the_macros_is_refused(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kanon_sql.engines.duckdb.connect.registration.files", lambda package: tmp_path)
    with pytest.raises(SourceError, match=r"not built; hint: run python build_sql.py in the checkout"):
        registration.macros()


def test_asking_for_releases_leaves_a_pending_result_alone() -> None:
    with kanon_sql.register(duckdb.connect()) as con:
        con.execute("SELECT * FROM range(3)")
        assert kanon_sql.releases(con) == []
        assert con.fetchall() == [(0,), (1,), (2,)]


@pytest.mark.everything
def test_a_file_database_keeps_nothing(tmp_path) -> None:
    path = str(tmp_path / "clinic.db")
    with kanon_sql.connect(path) as con:
        con.execute("CREATE TABLE t AS SELECT i % 5 AS a FROM range(100) r(i)")
        with con.raw.cursor() as cursor:
            assert cursor.execute("SELECT count(*) FROM kanon.k_anonymize('t', 5)").fetchall() == [(100,)]
        with con.cursor() as cursor:
            assert cursor.execute("SELECT count(*) FROM k_anonymize('t', 5)").fetchall() == [(100,)]
    with duckdb.connect(path) as con:
        assert con.execute("SELECT count(*) FROM duckdb_functions() WHERE NOT internal").fetchall() == [(0,)]


@pytest.mark.everything
def test_an_open_connection_does_not_complain_at_the_end() -> None:
    script = "import duckdb, kanon_sql; con = kanon_sql.register(duckdb.connect()); con.execute('SELECT 1')"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


@pytest.mark.everything
def test_a_release_does_not_load_what_it_does_not_need() -> None:
    script = (
        "import sys, duckdb, kanon_sql; con = kanon_sql.register(duckdb.connect());"
        "con.execute('SET enable_progress_bar = false');"  # it shows itself where kernels are compiled first
        "con.execute('CREATE TABLE t AS SELECT i % 3 AS a FROM range(30) r(i)');"
        "con.execute(\"SELECT count(*) FROM k_anonymize('t', 5)\").fetchall();"
        "print([name for name in ('sqlglot', 'ortools', 'rich', 'click') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.everything
def test_a_second_connection_outlives_the_first(tmp_path) -> None:
    """DuckDB lets go of functions with the connection that brought them: a call then ended the process."""
    script = f"""if True:
        import gc, kanon_sql
        first = kanon_sql.connect({str(tmp_path / "x.duckdb")!r})
        first.execute("CREATE TABLE t AS SELECT i % 3 AS a FROM range(20) AS t(i)")
        second = kanon_sql.connect({str(tmp_path / "x.duckdb")!r})
        third = second.cursor()
        for each in (second, third):
            each.execute("SET enable_progress_bar = false")  # it shows itself where kernels are compiled first
        first.close()
        del first
        gc.collect()
        print(len(second.execute("FROM t ANONYMIZE BY a GUARANTEE k >= 4").fetchall()), len(kanon_sql.releases(second)))
        print(len(third.execute("FROM k_anonymize('t', 4)").fetchall()))
    """
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "20 1\n20\n", "")


@pytest.mark.everything
def test_a_file_that_is_called_like_the_schema_of_the_macros(tmp_path) -> None:
    with kanon_sql.connect(str(tmp_path / "kanon.duckdb")) as con:
        con.execute("CREATE TABLE t AS SELECT 1 AS a FROM range(3)")
        assert len(con.cursor().execute("FROM k_anonymize('t', 2)").fetchall()) == 3
    with duckdb.connect(str(tmp_path / "kanon.duckdb")) as plain:
        query = "SELECT count(*) FROM duckdb_functions() WHERE database_name = 'kanon' AND NOT internal"
        assert plain.execute(query).fetchall() == [(0,)]


@pytest.mark.everything
def test_many_threads_register_at_once(tmp_path) -> None:
    with duckdb.connect(str(tmp_path / "x.duckdb")) as con, ThreadPoolExecutor(8) as executor:
        for cursor in executor.map(kanon_sql.register, [con.cursor() for _ in range(16)]):
            assert cursor.execute("SELECT count(*) FROM kanon_releases()").fetchall() == [(0,)]
