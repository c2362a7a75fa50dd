"""The magic of notebooks, in a shell of IPython without a kernel."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import kanon_sql

IPython = pytest.importorskip("IPython", reason="the magic needs IPython; hint: pip install 'kanon-sql[notebook]'")

RELEASE = "SELECT zip, age, disease FROM {} ANONYMIZE BY zip, age GUARANTEE k >= 2"


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A shell that writes nothing into the user's folders, with the magic."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    settings = Config(HistoryManager={"enabled": False})
    with pytest.MonkeyPatch.context() as patched:
        patched.delenv("VIRTUAL_ENV", raising=False)  # of whoever runs the tests: IPython warns where it is another one
        found = InteractiveShell.instance(config=settings, ipython_dir=str(tmp_path_factory.mktemp("ipython")))
    found.run_line_magic("load_ext", "kanon_sql")
    yield found
    InteractiveShell.clear_instance()


@pytest.fixture
def shell(session: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The shell with a data frame, an empty database, and a list of what is displayed."""
    shown: list[Any] = []
    monkeypatch.setattr("kanon_sql.engines.notebook.magic.display", shown.append)
    with kanon_sql.connect() as con:
        people = pd.DataFrame({"zip": list("112233"), "age": [1, 1, 2, 2, 3, 4], "disease": list("abcabc")})
        session.user_ns.update(people=people, con=con, shown=shown)
        session.run_line_magic("kanon", "con")
        yield session


@pytest.mark.everything
def test_a_cell_releases_a_data_frame_and_shows_its_certificate(shell: Any) -> None:
    shell.run_cell_magic("kanon", "released", RELEASE.format("people"))
    released, certificate = shell.user_ns["shown"]
    assert shell.user_ns["released"] is released
    assert released.groupby(["zip", "age"], dropna=False).size().min() >= 2
    assert len(released) == 6
    assert certificate.smallest_class == 2
    assert shell.user_ns["con"].execute("FROM duckdb_views() WHERE NOT internal AND view_name = 'people'").fetchall() == []


@pytest.mark.everything
def test_every_statement_runs_and_only_new_certificates_are_shown(shell: Any) -> None:
    shell.run_cell_magic("kanon", "", f"CREATE TABLE a AS {RELEASE.format('people')}; CREATE TABLE b AS FROM a;")
    assert [type(each).__name__ for each in shell.user_ns["shown"]] == ["Certificate"]
    shell.user_ns["shown"].clear()
    shell.run_cell_magic("kanon", "", "SELECT count(*) AS n FROM b")
    (result,) = shell.user_ns["shown"]
    assert result["n"].tolist() == [6]


def test_a_table_of_the_database_comes_before_a_variable(shell: Any) -> None:
    shell.run_cell_magic("kanon", "", "CREATE TABLE people AS SELECT 1 AS one")
    shell.run_cell_magic("kanon", "found", "FROM people")
    assert shell.user_ns["found"].columns.tolist() == ["one"]


@pytest.mark.everything
@pytest.mark.parametrize("make", ["CREATE TABLE {} AS {}", "BEGIN; CREATE TABLE {} AS {}"])
def test_a_release_that_is_called_like_its_source_is_what_later_statements_read(shell: Any, tmp_path: Path, make: str) -> None:
    file = tmp_path / "out.csv"
    made = make.format("people", RELEASE.format("people"))
    shell.run_cell_magic("kanon", "found", f"{made}; COPY people TO '{file}'; SELECT * FROM people")
    for released in (shell.user_ns["found"], pd.read_csv(file)):
        assert released.groupby(["zip", "age"], dropna=False).size().min() >= 2


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("line", "cell", "text"),
    [
        ("", "SELECT * FROM nowhere", "nowhere does not exist"),
        ("", "SELECT zip FROM people ANONYMIZE BY zip", "GUARANTEE"),
        (
            "",
            "SELECT DISTINCT zip FROM people ANONYMIZE BY zip GUARANTEE k >= 2",
            "DISTINCT can merge several people",
        ),
        ("two names", "SELECT 1", "one variable"),
        ("1name", "SELECT 1", "one variable"),
        ("class", "SELECT 1", "one variable"),
        ("", None, "hint: write %kanon clinic.duckdb"),
        ("no/such/folder/clinic.duckdb", None, "(?i)cannot open file"),
    ],
)
def test_errors_are_told_without_a_traceback(shell: Any, line: str, cell: str | None, text: str) -> None:
    from IPython.core.error import UsageError

    with pytest.raises(UsageError, match=text) as caught:
        shell.run_line_magic("kanon", line) if cell is None else shell.run_cell_magic("kanon", line, cell)
    assert caught.value.__context__ is None
    assert shell.user_ns["shown"] == []


def test_a_failed_transaction_can_be_rolled_back(shell: Any) -> None:
    with pytest.raises(Exception, match="nowhere"):
        shell.run_cell_magic("kanon", "", "BEGIN; FROM people; FROM nowhere")
    shell.run_cell_magic("kanon", "seen", "ROLLBACK; FROM people")
    assert len(shell.user_ns["seen"]) == 6
    shell.user_ns["people"] = shell.user_ns["people"].head(4)
    shell.run_cell_magic("kanon", "left", "SELECT count(*) AS n FROM people")
    assert shell.user_ns["left"]["n"].tolist() == [4]


@pytest.mark.everything
def test_a_line_opens_a_database_file(shell: Any, tmp_path: Path) -> None:
    shell.run_line_magic("kanon", str(tmp_path / "clinic.duckdb"))
    shell.run_cell_magic("kanon", "", "CREATE TABLE t AS SELECT 1 AS one")
    shell.magics_manager.registry["KanonMagics"].connection.close()
    with kanon_sql.connect(str(tmp_path / "clinic.duckdb")) as con:
        assert con.execute("FROM t").fetchall() == [(1,)]
