"""The studio in a real browser: the whole way from a file to a folder, silent, on a phone, and with hostile files."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import psutil
import pytest
from axe import axe, chromium, violations

pytestmark = pytest.mark.everything

ROWS = """SELECT 'person ' || i AS name, '98' || (i % 7) || (i % 3) || '1' AS zip, 20 + i * 7 % 60 AS age,
    ['f', 'm'][1 + i % 2] AS sex, ['asthma', 'flu', 'ulcer'][1 + i * i % 3] AS disease FROM range(400) AS t(i)"""

PAGES = (
    "/",
    "/people",
    "/columns",
    "/protection",
    "/result",
    "/hand-over",
    "/counts",
    "/tables",
    "/ledger",
    "/hierarchy?column=sex",
)

HOSTILE = '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>'


@contextmanager
def studio(*arguments: str, folder: Path) -> Iterator[str]:
    """Yield the address that the command prints."""
    command = [sys.executable, "-m", "kanon_sql", "studio", *arguments, "--no-browser"]
    with (
        (folder / "said").open("w") as said,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said, text=True, cwd=folder) as process,
    ):
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()
            process.wait(20)
            said.write(process.stdout.read())


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


def shows(code: Any, text: str) -> None:
    """Wait until the statement has a text: a form changes it by way of the server."""
    from playwright.sync_api import expect

    expect(code).to_contain_text(text, timeout=20_000)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    with duckdb.connect() as con:
        con.execute(f"COPY ({ROWS}) TO $path (FORMAT csv, HEADER)", {"path": str(path)})
    return path


def release(tab: Any) -> None:
    """Go to the guarantee and anonymize."""
    tab.get_by_role("link", name="Protection", exact=True).click()
    tab.get_by_role("button", name="Anonymize").click()
    tab.locator(".verdict").wait_for(timeout=120_000)


VISITS = """SELECT 'P' || lpad((i % 6000)::VARCHAR, 5, '0') AS Patient, 'Müller ' || i % 6000 AS Name,
    strftime(DATE '1935-01-01' + (hash(i % 6000) % 27000)::INT, '%d.%m.%Y') AS Geburtsdatum,
    '8' || lpad((hash(i % 6000, 1) % 60)::VARCHAR, 4, '0') AS PLZ, ['w', 'm'][1 + (hash(i % 6000, 2) % 2)::INT] AS Geschlecht,
    'A' || (hash(i, 3) % 12) AS Diagnose FROM range(15000) AS t(i)"""
"""Visits of 6,000 patients, as a hospital exports them."""

MOST_CLICKS = 25


def test_from_a_messy_file_to_a_verified_folder(browser: Any, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    with duckdb.connect() as con:
        con.execute(f"COPY ({VISITS}) TO $path (FORMAT csv, HEADER, DELIMITER ';')", {"path": str(data / "visits.csv")})
    (data / "visits.csv").write_bytes((data / "visits.csv").read_text(encoding="utf-8").encode("cp1252"))
    clicks = 0
    with studio(folder=tmp_path) as address:
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        tab = context.new_page()
        asked: list[str] = []
        errors: list[str] = []
        tab.on("request", lambda request: asked.append(request.url))
        tab.on("pageerror", lambda error: errors.append(str(error)))
        tab.goto(address)
        assert "token" not in tab.url

        def click(name: str) -> None:
            nonlocal clicks
            tab.get_by_role("button", name=name).first.click(timeout=90_000)
            clicks += 1

        field = tab.get_by_label("Path, URL or pattern")
        field.fill(str(data / "visits.csv"))
        field.press("Enter")
        tab.get_by_text("semicolon, Latin-1, 6 columns").first.wait_for(timeout=60_000)
        click("Read them as dates")
        click("Use this table")

        # people: the page has found who they are
        tab.get_by_role("radio", name="A person can have several rows", checked=True).wait_for(timeout=60_000)
        tab.get_by_text("People are counted by Patient").wait_for()
        click("Next: Columns")
        tab.get_by_label("Role of Name").wait_for(timeout=60_000)
        click("Next: Protection")
        click("Anonymize")
        tab.get_by_text("Every released row is shared by at least 5 people").wait_for(timeout=180_000)
        click("Next: Hand over")
        click("Write and verify")
        tab.get_by_text("Verified:").wait_for(timeout=120_000)
        stored = tab.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")
        assert "Müller" not in stored
        assert {url.split("/")[2] for url in asked if not url.startswith(("data:", "blob:"))} == {address.split("/")[2]}
        assert not [url for url in asked if "ller" in url]
        assert errors == []
    assert clicks <= MOST_CLICKS
    assert (tmp_path / "said").read_text() == ""

    # on another machine, anyone can check the folder next to its source
    moved = data.rename(tmp_path / "moved")
    folder = moved / "visits_released"
    assert "Müller" not in "".join(path.read_text(encoding="utf-8") for path in folder.iterdir())
    done = subprocess.run(
        [sys.executable, "-m", "kanon_sql", *shlex.split((folder / "verify.sh").read_text())[1:]],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    with duckdb.connect() as con:
        con.execute("CREATE TABLE released AS FROM read_csv($path)", {"path": str(folder / "released.csv")})
        names = {name for (name, *_) in con.execute("DESCRIBE released").fetchall()}
    assert names.isdisjoint({"Patient", "Name"})


def test_form_and_statement_change_each_other(browser: Any, file: Path, tmp_path: Path) -> None:
    with studio(str(file), folder=tmp_path) as address:
        tab = browser.new_page()
        tab.goto(address)
        tab.get_by_role("link", name="Protection", exact=True).click()
        tab.get_by_text("SQL of this step").click()
        code = tab.locator(".cm-content")
        k = tab.get_by_label("k", exact=True)
        k.fill("6")
        k.press("Tab")
        shows(code, "k >= 6")
        tab.get_by_role("slider", name="Slider of k of line 1").locator("[tabindex='0']").press("ArrowRight")
        shows(code, "k >= 7")
        code.click()
        tab.keyboard.press("Control+End")
        tab.keyboard.type(" AND t(disease) <= 0.5")
        tab.get_by_label("t", exact=True).wait_for(timeout=20_000)
        tab.keyboard.type(" AND nonsense")
        tab.get_by_text("The form shows the last statement that could be read.").wait_for(timeout=20_000)
        assert "nonsense" in code.inner_text()
        tab.get_by_role("button", name="Anonymize", exact=True).click()
        tab.get_by_text("so nothing was started").wait_for(timeout=20_000)
        tab.get_by_role("button", name="Undo").click()
        shows(code, "k >= 7")
        release(tab)
        release(tab)
        tab.get_by_role("button", name="Next: Hand over").click()
        for name in ("people_released", "people_released_2"):
            tab.get_by_role("button", name="Write and verify").click()
            tab.get_by_text(f"{name} contains").wait_for(timeout=60_000)
    assert (tmp_path / "people_released_2").is_dir()


def test_the_first_screen_takes_less_than_three_seconds(
    browser: Any, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the processor: how long a busy machine takes says nothing."""
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path / "compiled"))
    for _ in ("compiles all modules", "finds them compiled"):
        with studio(str(file), folder=tmp_path) as address:
            tab = browser.new_page()
            tab.goto(address, timeout=120_000)
            tab.get_by_role("heading", name="Open a table").wait_for()
            (process,) = (each for each in psutil.Process().children() if "studio" in each.cmdline())
            taken = process.cpu_times()
    assert taken.user + taken.system < 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_are_accessible_and_narrow(browser: Any, tmp_path: Path, scheme: str) -> None:
    script = axe()
    with studio("--demo", folder=tmp_path) as address:
        context = browser.new_context(viewport={"width": 390, "height": 800}, color_scheme=scheme)
        tab = context.new_page()
        tab.goto(address)
        release(tab)
        root = address.partition("/?")[0]
        for path in PAGES:
            tab.goto(root + path)
            tab.get_by_role("heading", level=1).wait_for()
            tab.wait_for_timeout(1500)
            assert violations(tab, script) == [], path
            assert tab.evaluate("document.documentElement.scrollWidth") <= 390, path


def test_groups_by_hand(browser: Any, file: Path, tmp_path: Path) -> None:
    with studio(str(file), folder=tmp_path) as address:
        tab = browser.new_page()
        tab.goto(address)
        tab.goto(address.partition("/?")[0] + "/hierarchy?column=sex")
        tab.get_by_label("Labels").click()
        for name in ("f", "m"):
            tab.get_by_role("option", name=name, exact=True).click()
        tab.keyboard.press("Escape")
        tab.get_by_label("Name of the group").fill("person")
        tab.get_by_role("button", name="Group", exact=True).click()
        tab.get_by_role("cell", name="person").first.wait_for()
        tab.get_by_role("button", name="Use these groups").click()
        release(tab)
        tab.get_by_role("button", name="Next: Hand over").click()
        tab.get_by_role("button", name="Write and verify").click()
        tab.get_by_text("Verified:").wait_for(timeout=60_000)
    assert (tmp_path / "people_released" / "people_sex.csv").read_text() == "f;person;*\nm;person;*\n"


def test_groups_by_dragging(browser: Any, file: Path, tmp_path: Path) -> None:
    with studio(str(file), folder=tmp_path) as address:
        tab = browser.new_page()
        tab.goto(address)
        tab.goto(address.partition("/?")[0] + "/hierarchy?column=sex")
        boxes = tab.locator(".box")

        def drag(label: str, box: str) -> None:
            source = tab.locator(".chip", has_text=re.compile(f"^{label}$"))
            source.drag_to(tab.get_by_role("group", name=box, exact=True))

        drag("f", "New group")
        tab.get_by_role("group", name="group 1", exact=True).get_by_text("f").wait_for()
        drag("m", "group 1")
        tab.get_by_role("cell", name="group 1").nth(1).wait_for()
        assert boxes.count() == 3
        drag("f", "Without a group")
        tab.get_by_role("group", name="Without a group").get_by_text("f", exact=True).wait_for()
        assert violations(tab, axe()) == []


def test_masks_and_linked_columns_both_ways(browser: Any, file: Path, tmp_path: Path) -> None:
    with studio(str(file), folder=tmp_path) as address:
        tab = browser.new_page()
        tab.goto(address)
        tab.get_by_role("link", name="Protection", exact=True).click()
        tab.get_by_text("Which cells of a row may be suppressed").click()
        tab.get_by_text("SQL of this step").click()
        code = tab.locator(".cm-content")
        code.get_by_text("GUARANTEE").wait_for()
        code.click()
        tab.keyboard.press("Control+A")
        tab.keyboard.type("SELECT zip, age, sex FROM people ANONYMIZE BY zip, age, sex LINKED (zip, age) GUARANTEE k >= 3")
        tab.get_by_role("button", name="Unlink zip, age").click()
        tab.get_by_label("Columns to link").click()
        for name in ("age", "sex"):
            tab.get_by_role("option", name=name).click()
        tab.keyboard.press("Escape")
        tab.get_by_role("button", name="Link", exact=True).click()
        tab.get_by_role("button", name="Unlink age, sex").wait_for()
        shows(code, "LINKED (age, sex)")
        tab.get_by_label("Permitted masks").click()
        tab.get_by_role("option", name="all columns or none").click()
        tab.get_by_label("Mask 2 shows nothing").wait_for()
        shows(code, "GROUPING SETS ((zip, age, sex), ())")
        tab.get_by_label("Mask 2 shows nothing").click()
        tab.get_by_role("option", name="zip").click()
        tab.keyboard.press("Escape")
        tab.get_by_label("Mask 2 shows", exact=True).wait_for()
        shows(code, "GROUPING SETS ((zip, age, sex), (zip))")
        tab.get_by_role("button", name="Unlink age, sex").click()
        tab.get_by_role("button", name="Unlink age, sex").wait_for(state="detached")
        tab.get_by_role("button", name="Remove mask 1").click()
        tab.get_by_text("columns that no mask shows: age").wait_for()


def test_names_and_values_with_scripts_are_text(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "hostile.parquet"
    quoted = HOSTILE.replace('"', '""')
    with duckdb.connect() as con:
        con.execute(
            f"""COPY (SELECT $bad || (i % 3) AS "{quoted}", i % 5 AS n, $bad AS zip FROM range(200) AS t(i))
                TO $path (FORMAT parquet)""",
            {"bad": HOSTILE, "path": str(path)},
        )
    with studio(str(path), folder=tmp_path) as address:
        tab = browser.new_page()
        tab.goto(address)
        tab.get_by_role("heading", name="Open a table").wait_for()
        release(tab)
        root = address.partition("/?")[0]
        for page in PAGES:
            tab.goto(root + page)
            tab.get_by_role("heading", level=1).wait_for()
            tab.wait_for_timeout(1500)
            assert tab.evaluate("window.pwned") is None, page


def test_a_thousand_columns(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    names = [f"column {number}" for number in range(1_000)]
    path.write_text("\n".join([",".join(names), *[",".join(str((i * j) % 3) for j in range(1_000)) for i in range(30)]]) + "\n")
    with studio(str(path), folder=tmp_path) as address:
        tab = browser.new_page()
        tab.goto(address, timeout=120_000)
        tab.goto(address.partition("/?")[0] + "/columns")
        tab.get_by_text("988 columns were not recognized").wait_for(timeout=180_000)
        tab.get_by_label("Find a column").fill("column 999")
        tab.get_by_label("Role of column 999", exact=True).wait_for(timeout=20_000)


def test_strangers_are_refused(file: Path, tmp_path: Path) -> None:
    with studio(str(file), folder=tmp_path) as address:
        root, _, token = address.partition("/?token=")
        cookie = {"Cookie": f"kanon_studio_{root.rpartition(':')[2]}={token}"}
        port = root.rpartition(":")[2]
        told = []
        for path, headers in (
            ("/", {}),
            ("/?token=guess", {}),
            ("/", {**cookie, "Origin": "http://evil.example"}),
            ("/", {**cookie, "Host": f"rebound.example:{port}"}),
            ("/_nicegui/../../../../etc/passwd", {}),
            ("/_nicegui_ws/socket.io/?EIO=4&transport=polling", {}),
        ):
            request = urllib.request.Request(root + path, headers=headers)
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(request, timeout=20)
            told.append(refused.value.code)
            refused.value.close()
        assert set(told) == {403}
        inside = urllib.request.Request(f"{root}/_nicegui/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd", headers=cookie)
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(inside, timeout=20)
        assert refused.value.code == 404
        refused.value.close()
        with urllib.request.urlopen(urllib.request.Request(root + "/", headers=cookie), timeout=60) as answer:
            assert answer.status == 200
