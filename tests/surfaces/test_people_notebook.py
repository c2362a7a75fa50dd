"""The people table and hostile names in a notebook: nothing is assigned that was refused, and no name is code."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest

import kanon_sql
from kanon_sql.errors import KanonWarning

IPython = pytest.importorskip("IPython", reason="the magic needs IPython; hint: pip install 'kanon-sql[notebook]'")


pytestmark = pytest.mark.filterwarnings("always::kanon_sql.errors.KanonWarning")

RELEASE = "SELECT * FROM {} ANONYMIZE BY zip GUARANTEE k >= 5"

KEPT = "SELECT name, zip FROM people ANONYMIZE BY zip KEEP name GUARANTEE k >= 5"

REFUSED = (
    "columns have no role and look like identifiers of people: person_id (by its name); name (by its name); nothing was "
    "released; hint: "
)

CLAUSE = f"{REFUSED}remove them from the SELECT, or write KEEP person_id, name to release them on purpose"

FUNCTION = f"{REFUSED}pass drop := ['person_id', 'name'], or pass keep := ['person_id', 'name'] to release them on purpose"

WARNED = "warning: name is released unchanged and singles out 100.0% of the rows (values shared by fewer than 5 rows)\n"

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{user_ns}",
    "a\nwarning: none",
    "\x1b[2J",
    "'; DROP TABLE t; --",
]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    settings = Config(HistoryManager={"enabled": False})
    with pytest.MonkeyPatch.context() as patched:
        patched.delenv("VIRTUAL_ENV", raising=False)
        found = InteractiveShell.instance(config=settings, ipython_dir=str(tmp_path_factory.mktemp("ipython")))
    found.run_line_magic("load_ext", "kanon_sql")
    yield found
    InteractiveShell.clear_instance()


@pytest.fixture
def shell(session: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The shell with a table of people, an empty database, and a list of what is displayed."""
    shown: list[Any] = []
    monkeypatch.setattr("kanon_sql.engines.notebook.magic.display", shown.append)
    numbers = range(200)
    people = pd.DataFrame({"person_id": numbers, "name": [f"N{i}" for i in numbers], "zip": [i % 2 for i in numbers]})
    odd = pd.DataFrame({"zip": people["zip"], **{name: list(numbers) for name in HOSTILE}})
    with kanon_sql.connect() as con:
        session.user_ns.update(people=people, odd=odd, con=con, shown=shown, out="before")
        session.user_ns.pop("fresh", None)
        session.run_line_magic("kanon", "con")
        yield session


def tables(shell: Any) -> list[str]:
    return [name for (name,) in shell.user_ns["con"].execute("SELECT table_name FROM duckdb_tables()").fetchall()]


def refused(shell: Any, line: str, cell: str) -> str:
    from IPython.core.error import UsageError

    with pytest.raises(UsageError) as caught:
        shell.run_cell_magic("kanon", line, cell)
    assert caught.value.__context__ is None
    assert shell.user_ns["shown"] == []
    return str(caught.value)


@pytest.mark.everything
@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (RELEASE.format("people"), CLAUSE),
        (f"CREATE TABLE t AS {RELEASE.format('people')}", CLAUSE),
        (f"SELECT 1 AS one; {RELEASE.format('people')}; SELECT 2 AS two", CLAUSE),
        ("FROM k_anonymize('people', 5, qi := ['zip'])", FUNCTION),
    ],
)
def test_names_are_refused_and_nothing_is_assigned_or_written(shell: Any, cell: str, said: str) -> None:
    assert refused(shell, "out", cell) == said
    assert shell.user_ns["out"] == "before"
    assert refused(shell, "fresh", cell) == said
    assert "fresh" not in shell.user_ns
    assert tables(shell) == []
    assert shell.user_ns["con"].execute("SELECT count(*) FROM duckdb_views() WHERE NOT internal").fetchall() == [(0,)]


@pytest.mark.everything
def test_a_warning_is_shown_each_time_and_in_the_certificate(shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        shell.run_cell_magic("kanon", "out", KEPT)
        assert capsys.readouterr().err == WARNED
    assert len(shell.user_ns["out"]) == 200
    assert "name is released unchanged" in shell.user_ns["shown"][-1]._repr_html_()


@pytest.mark.everything
def test_of_several_statements_the_warnings_of_those_that_ran_are_shown(shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(shell, "fresh", f"CREATE TABLE t AS {KEPT}; {RELEASE.format('people')}") == CLAUSE
    assert capsys.readouterr().err == WARNED
    assert "fresh" not in shell.user_ns
    assert tables(shell) == ["t"]


@pytest.mark.everything
def test_warnings_that_are_errors_leave_nothing(shell: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", KanonWarning)
        said = refused(shell, "fresh", f"CREATE TABLE t AS {KEPT}")
    assert said.startswith("warning treated as an error: name is released unchanged")
    assert "fresh" not in shell.user_ns
    assert tables(shell) == []


@pytest.mark.everything
def test_names_of_columns_are_never_html_nor_steer_the_terminal(shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert "\x1b" not in refused(shell, "out", RELEASE.format("odd"))
    kept = ", ".join('"' + name.replace('"', '""') + '"' for name in HOSTILE)
    shell.run_cell_magic("kanon", "out", f"SELECT * FROM odd ANONYMIZE BY zip KEEP {kept} GUARANTEE k >= 5")
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == len(HOSTILE)
    assert all(line.startswith('warning: "') and line.isprintable() for line in lines)
    released, certificate = shell.user_ns["shown"]
    assert released.columns.tolist() == ["zip", *HOSTILE]
    for shown in (released, certificate):
        html = shown._repr_html_()
        assert "<script" not in html
        assert "<img" not in html


@pytest.mark.sweep
@pytest.mark.parametrize("line", ["out; import os", "out.x", "out[0]", "out = 1", "!ls", "print(out)", "None"])
def test_what_is_no_variable_is_no_code(shell: Any, line: str) -> None:
    assert "one variable name" in refused(shell, line, "SELECT 1 AS one")
    assert shell.user_ns["out"] == "before"


@pytest.mark.everything
def test_a_variable_called_like_a_release_does_not_take_its_place(shell: Any) -> None:
    """The raw table of the notebook is called like what a statement has just made of it."""
    shell.user_ns["Größe"] = shell.user_ns["people"]
    released = "SELECT zip FROM {} ANONYMIZE BY zip GUARANTEE k >= 5"
    for raw, stored in (('"Größe"', "GRÖSSE"), ("people", "PEOPLE")):
        shell.run_cell_magic("kanon", "out", f"CREATE TABLE {stored} AS {released.format(raw)}; FROM {stored}")
        assert shell.user_ns["out"].columns.tolist() == ["zip"]
