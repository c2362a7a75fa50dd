"""The page Open: what can be chosen, how it is read, what is remembered, and what errors say."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from kanon_sql.engines.duckdb.files.csv_cells import read_forms
from kanon_sql.engines.duckdb.files.dialect import Dialect
from kanon_sql.engines.duckdb.files.places import Place
from kanon_sql.errors import SourceError
from kanon_sql.studio.browsing import folder
from kanon_sql.studio.opening import Opening
from kanon_sql.studio.reading import forms_for, in_words, mixed
from kanon_sql.studio.recent import MOST, Recent
from kanon_sql.studio.session import Session
from kanon_sql.studio.uploads import destination

HEADER = "id;born;seen;cost;city\n"

BROKEN = {
    "ragged.csv": (HEADER + "1;2;3;4;5\n1;2;3;4;5;6\n", "line 3 has 6 fields"),
    "title.csv": ("A list of visits\n" + HEADER + "1;2;3;4;5\n" * 3, "no header in line 1"),
    "open.csv": (HEADER + '1;2;3;4;"secret\n', "a quote that opens in line 2"),
    "zero.csv": (HEADER + "1;2;3;4;sec\0ret\n", "line 2 contains a zero byte"),
}


def messy(rows: int = 30) -> str:
    """Return visits with mixed forms of dates, and numbers with a decimal comma."""
    lines = (
        f"{n};{n % 28 + 1:02}.03.1950;{f'2024-05-{n % 28 + 1:02}' if n % 3 else f'{n % 28 + 1:02}.05.2024'};{n},5;München\n"
        for n in range(rows)
    )
    return HEADER + "".join(lines)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    found = Session(recent=Recent(tmp_path / "settings" / "recent.json"))
    yield found
    found.end()


def opened(session: Session, path: Path, **changes: Any) -> Opening:
    session.choose(Opening(str(path), **changes))
    assert session.opening is not None
    assert session.opening.look()
    return session.opening


def test_a_file_is_read_before_it_is_the_source(session: Session, tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    path.write_text(messy(), encoding="cp1252")
    opening = opened(session, path)
    found = opening.reading
    assert (session.source, opening.wrong) == (None, None)
    assert found is not None
    assert found.words == "semicolon, Latin-1, 5 columns"
    assert found.columns == (
        ("id", "whole number"), ("born", "text"), ("seen", "text"), ("cost", "text"), ("city", "text")
    )  # fmt: skip
    born, seen, cost = found.unread
    assert mixed(born) == "born has dates such as 31.12.2024. They were read as text."
    counted = "Among 29 different values: 19 such as 2024-12-31, 10 such as 31.12.2024."
    assert mixed(seen) == f"seen mixes forms of dates. {counted}"
    assert "decimal comma" in mixed(cost)
    assert "--encoding iso8859-1" not in found.sql
    opening.dialect = Dialect(dates=tuple(forms_for(opening.dialect, [born, seen])), decimal=",")
    opening.look()
    assert opening.reading is not None
    assert [kind for _, kind in opening.reading.columns] == ["whole number", "date", "date", "number", "text"]
    assert opening.reading.unread == ()
    session.use()
    assert session.source is not None
    assert session.source.rows == 30
    assert session.opening is None
    assert [each.dialect.decimal for each in session.recent.places] == [","]


@pytest.mark.parametrize("name", BROKEN)
def test_errors_say_where_and_what_to_do_on_the_page(session: Session, tmp_path: Path, name: str) -> None:
    text, words = BROKEN[name]
    (tmp_path / name).write_text(text)
    wrong = opened(session, tmp_path / name).wrong
    assert wrong is not None
    assert words in wrong
    assert name in wrong
    assert "; hint: " in wrong
    assert "--" not in wrong
    assert "secret" not in wrong
    with pytest.raises(SourceError, match="no table has been read"):
        session.use()


def test_a_wrong_delimiter_can_be_chosen_again(session: Session, tmp_path: Path) -> None:
    (tmp_path / "hash.csv").write_text("a#b\n1,5#2\n2,5#3\n2,5#3\n")
    opening = opened(session, tmp_path / "hash.csv")
    assert opening.wrong is not None
    assert "choose another delimiter" in opening.wrong
    opening.dialect = Dialect(delimiter="#")
    opening.look()
    assert opening.wrong is None
    assert opening.source is not None
    assert opening.source.columns == ["a", "b"]


def test_options_are_fields_and_urls_show_no_secret() -> None:
    assert in_words("x; hint: pass a different --encoding") == "x; hint: choose another encoding"
    assert in_words("cannot read https://me:pass@host/x.csv?token=abc: lost") == "cannot read https://host/x.csv: lost"


def test_tables_and_sheets_are_listed(session: Session, tmp_path: Path) -> None:
    path = tmp_path / "clinic.duckdb"
    with duckdb.connect(path) as con:
        con.execute(
            "CREATE TABLE visits AS SELECT 1 AS id; CREATE TABLE staff AS SELECT 2 AS id; CREATE TABLE kanon_log AS SELECT 3"
        )
    opening = opened(session, path)
    assert opening.undecided
    assert opening.inside == ["staff", "visits"]
    opening.table = "visits"
    opening.look()
    assert opening.source is not None
    assert opening.source.name == "visits"
    session.use()
    assert session.remembering == path
    (tmp_path / "none.duckdb").write_bytes(b"no database")
    assert "has no tables that can be read" in str(opened(session, tmp_path / "none.duckdb").wrong)


def test_a_dropped_file_is_private_and_goes_with_the_session(session: Session, tmp_path: Path) -> None:
    path = destination(session.folder, "../..\\évil/vis<b>its;.csv")
    assert path.name == "vis_b_its_.csv"
    assert path.is_relative_to(session.folder)
    if sys.platform != "win32":
        assert {stat.S_IMODE(each.stat().st_mode) for each in (path.parent, session.folder)} == {0o700}
    path.write_text("a;b\n1\n")
    wrong = opened(session, path, dropped=True).wrong
    assert wrong is not None
    assert str(session.folder) not in wrong
    path.write_text("a;b\n1;2\n")
    assert opened(session, destination(session.folder, "other.csv"), dropped=True).wrong is not None
    assert not path.exists()  # it was not used
    used = destination(session.folder, "visits.csv")
    used.write_text("a;b\n1;2\n")
    opened(session, used, dropped=True)
    session.use()
    assert used.exists()
    assert session.recent.places == []
    assert session.next_to_source("out").parent == Path.cwd()
    session.end()
    assert not used.exists()


def test_recent_files_are_paths_in_a_private_file(tmp_path: Path) -> None:
    path = tmp_path / "settings" / "recent.json"
    recent = Recent(path)
    for number in range(MOST + 2):
        (tmp_path / f"{number}.csv").write_text("name\nsecret\n")
        recent.remember(Place.of(str(tmp_path / f"{number}.csv"), dialect=Dialect(delimiter=";")))
    recent.remember(Place.of("https://example.org/x.csv?token=1"))
    assert [each.path.name for each in recent.places] == [f"{number}.csv" for number in range(MOST + 1, 1, -1)]
    assert recent.places[0].dialect.delimiter == ";"
    assert "secret" not in path.read_text()
    assert "example" not in path.read_text()
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    (tmp_path / f"{MOST + 1}.csv").unlink()
    assert recent.places[0].path.name == f"{MOST}.csv"
    for broken in ("{", '["a", {"file": 3}, {"file": "x.csv", "dates": 1}]', "[" * 100_000, "3"):
        path.write_text(broken)
        assert recent.places == []
    recent.remember(Place.of(str(tmp_path / "2.csv")))
    assert len(json.loads(path.read_text())) <= MOST
    recent.forget()
    assert not path.exists()


def test_folders_are_listed_by_names(tmp_path: Path) -> None:
    for name in ("b.csv", "A.parquet", ".hidden.csv", "notes.txt"):
        (tmp_path / name).write_text("12345")
    (tmp_path / "deep").mkdir()
    (tmp_path / ".git").mkdir()
    found = folder(tmp_path)
    assert [each.name for each in found.folders] == ["deep"]
    assert [(each.path.name, each.size) for each in found.files] == [("A.parquet", 5), ("b.csv", 5)]
    assert found.parent == Path(os.path.realpath(tmp_path)).parent
    assert [each.path.name for each in folder(tmp_path, "PAR").files] == ["A.parquet"]
    with pytest.raises(SourceError, match="cannot open the folder"):
        folder(tmp_path / "nowhere")


@pytest.mark.parametrize(("others", "said"), [(0, 0), (10, 1), (11, 0)])
def test_few_values_that_are_no_dates_are_reported_wherever_they_are(others: int, said: int) -> None:
    with duckdb.connect() as con:
        con.execute(
            f"CREATE TABLE t AS SELECT CASE WHEN i < {others} THEN 'later' ELSE '31.12.2024' END AS d FROM range(100) t(i)"
        )
        remarks = read_forms(con, "t", ("%d.%m.%Y",), decimal_comma=False)
        assert len(remarks) == said
        assert [kind for _, kind, *_ in con.execute("DESCRIBE t").fetchall()] == ["VARCHAR" if others else "DATE"]


DROP = """async ([name, text]) => {
    const data = new DataTransfer(); data.items.add(new File([text], name));
    const fire = (at, kind) => at.dispatchEvent(new DragEvent(kind, {dataTransfer: data, bubbles: true, cancelable: true}));
    const zone = document.querySelector('.drop');
    fire(zone, 'dragenter'); fire(zone, 'dragover');
    await new Promise(done => setTimeout(done, 300));
    fire(document.querySelector('.q-uploader__dnd') ?? zone, 'drop');
}"""


@pytest.mark.everything
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_file_is_dropped_read_and_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheme: str) -> None:
    from axe import axe, chromium, violations
    from studio.test_studio_browser import studio

    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    script = axe()
    (tmp_path / "visits.csv").write_text(messy(), encoding="cp1252")
    hostile = "<img src=x onerror='window.pwned=1'>.csv"
    (tmp_path / hostile).write_text(HEADER + "1;2;3;4;5;6\n")

    def checked(tab: Any) -> None:
        assert violations(tab, script) == []
        assert tab.evaluate("document.documentElement.scrollWidth") <= 390
        assert tab.evaluate("window.pwned") is None

    with studio(folder=tmp_path) as address, chromium() as browser:
        context = browser.new_context(viewport={"width": 390, "height": 844}, color_scheme=scheme)
        context.set_default_timeout(60_000)
        tab = context.new_page()
        tab.goto(address)
        tab.get_by_text("Drop a file here").wait_for()
        tab.get_by_role("button", name="visits.csv").wait_for()
        checked(tab)

        # a broken file of the list, by keyboard
        tab.get_by_role("button", name="onerror").focus()
        tab.keyboard.press("Enter")
        tab.get_by_text("line 2 has 6 fields").wait_for()
        checked(tab)
        tab.get_by_role("button", name="Use this table").click()
        tab.get_by_text("no table has been read").wait_for()
        tab.get_by_role("button", name="Choose another file").click()

        # a good one that is dropped: its rows are shown only on request
        tab.get_by_text("Drop a file here").wait_for()
        tab.evaluate(DROP, ["visits.csv", messy()])
        tab.get_by_text("Read as: semicolon, UTF-8, 5 columns").wait_for()
        assert "München" not in tab.content()
        tab.get_by_role("button", name="Read them as dates").click()
        tab.get_by_text("dates as 31.12.2024").wait_for()
        tab.get_by_role("button", name="Read them as numbers").click()
        tab.get_by_text("dates as 31.12.2024; decimal comma").wait_for()
        tab.get_by_role("button", name="Show 20 rows").click()
        tab.get_by_text("München").first.wait_for()
        checked(tab)
        tab.get_by_role("button", name="Use this table").click()
        tab.wait_for_url("**/people")

        # it is open, and another one can be
        tab.goto(address.partition("/?")[0])
        tab.get_by_text("a private copy").wait_for()
        tab.get_by_role("button", name="Open another").click()
        tab.get_by_label("Path, URL or pattern").fill("visits.csv")
        tab.get_by_label("Path, URL or pattern").press("Enter")
        tab.get_by_text("Read as: semicolon, Latin-1, 5 columns").wait_for()
        tab.get_by_label("Encoding").click()
        tab.get_by_role("option", name="Windows-1250").click()
        tab.get_by_text("cp1250, 5 columns").wait_for()
        tab.get_by_role("button", name="Use this table").click()
        tab.wait_for_url("**/people")
        tab.goto(address.partition("/?")[0])
        tab.get_by_role("button", name="Open another").click()
        tab.get_by_role("button", name="Forget these").wait_for()
        checked(tab)
        tab.get_by_role("button", name="Forget these").click()
        tab.get_by_role("button", name="Open another").click()
        tab.get_by_text("The files that you open are listed here.").wait_for()
    assert (tmp_path / "said").read_text() == ""
