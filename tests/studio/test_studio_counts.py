"""Tables of counts and several tables in a real browser: to a folder that verifies, by clicks only."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from axe import axe, chromium
from studio.test_studio_browser import studio

pytestmark = pytest.mark.everything

HOSTILE = "<img src=x onerror=window.pwned=1>"

PEOPLE = f"""SELECT 'P' || i // 2 AS patient_id, CASE WHEN i // 2 % 7 > 0 THEN 'ward ' || i // 2 % 3 END AS ward,
    1940 + hash(i // 2) % 50 AS born, ['f', 'm'][1 + (hash(i // 2, 1) % 2)::INT] AS sex,
    CASE WHEN i < 4 THEN '{HOSTILE}' ELSE 'group ' || (hash(i // 2, 2) % 4) END AS kind,
    '2020-0' || 1 + i % 9 || '-11' AS seen FROM range(1200) AS t(i)"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


def option(tab: Any, label: str, *names: str) -> None:
    tab.get_by_label(label, exact=True).click(timeout=60_000)
    for name in names:
        tab.get_by_role("option", name=name, exact=True).click()
    if len(names) > 1:
        tab.keyboard.press("Escape")


def of_ours(tab: Any) -> list[tuple[str, list[str]]]:
    """Return what axe finds in the parts of a page; the frame around them is the same on all pages."""
    tab.evaluate(axe())
    found = tab.evaluate("axe.run({include: ['.panel', '.verdict', '.fold'].map((part) => [part])})")["violations"]
    return [(each["id"], [node["html"] for node in each["nodes"]]) for each in found]


def test_a_table_of_counts_is_saved_and_verified(browser: Any, tmp_path: Path) -> None:
    with duckdb.connect() as con:
        con.execute(f"COPY ({PEOPLE}) TO $path (FORMAT csv, HEADER, DELIMITER ';')", {"path": str(tmp_path / "visits.csv")})
    with studio("visits.csv", folder=tmp_path) as address:
        tab = browser.new_page(viewport={"width": 390, "height": 844}, color_scheme="dark")
        root = address.partition("/?")[0]
        tab.goto(address)
        tab.get_by_role("heading", level=1).wait_for(timeout=60_000)
        tab.goto(f"{root}/counts")
        tab.get_by_text("patient_id tells them apart").wait_for(timeout=60_000)
        option(tab, "Count by", "ward", "kind", "seen")
        tab.get_by_role("button", name="Make the table").click()

        # refusals end by clicks
        tab.get_by_role("button", name="Leave out seen (it changes for 600 people)").click(timeout=60_000)
        tab.get_by_role("button", name="Count empty cells as 'unknown'").click(timeout=60_000)
        tab.get_by_text("No count of 1 to 4 people can be worked out from this table.").wait_for(timeout=60_000)
        tab.get_by_text("fewer than 5 people").first.wait_for()
        assert tab.locator("td.number").first.evaluate("each => getComputedStyle(each).textAlign") == "right"
        assert tab.get_by_role("cell", name="Total", exact=True).count() > 2
        assert tab.get_by_role("cell", name="NULL").count() == 0

        # choices and table are kept
        tab.reload()
        tab.get_by_text("No count of 1 to 4 people can be worked out from this table.").wait_for(timeout=60_000)
        tab.get_by_role("checkbox", name="Count empty cells as 'unknown'").wait_for()
        tab.get_by_text("SQL of this step").click()
        tab.get_by_text("PROTECT n >= 5 PER patient_id").wait_for()
        assert of_ours(tab) == []
        assert tab.evaluate("document.documentElement.scrollWidth") <= 390

        tab.get_by_role("button", name="Save and verify").click()
        tab.get_by_text("Verified. The table is in").wait_for(timeout=90_000)
        assert of_ours(tab) == []
        assert tab.evaluate("window.pwned") is None

        # a second table is safe together with the saved one, and goes into another folder
        option(tab, "Count by", "sex", "kind")
        tab.get_by_role("button", name="Make the table").click()
        tab.get_by_text("saved in visits_counts").wait_for(timeout=90_000)
        assert tab.get_by_label("New folder").input_value() == str(tmp_path / "visits_counts_2")
        tab.get_by_role("button", name="Forget table 2").click()
        tab.get_by_text("saved in visits_counts").wait_for(state="detached")
    assert (tmp_path / "said").read_text() == ""
    command = (tmp_path / "visits_counts" / "verify.sh").read_text().split()[1:]
    verified = subprocess.run(
        [sys.executable, "-m", "kanon_sql", *command],
        cwd=tmp_path / "visits_counts", check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert verified.stdout.startswith("verified")


def test_policies_of_several_tables_are_built_on_the_page(browser: Any, tmp_path: Path) -> None:
    hostile = HOSTILE.replace('"', '""')
    with duckdb.connect(str(tmp_path / "clinic.duckdb")) as con:
        con.execute(f"""
            CREATE TABLE patients AS
            SELECT 'P' || i AS patient, 1940 + i % 5 AS born, i % 3 AS "{hostile}" FROM range(90) AS t(i);
            CREATE TABLE stays AS SELECT 'P' || i % 90 AS patient, 'ward ' || i % 2 AS ward FROM range(180) AS t(i)""")
    with studio(folder=tmp_path) as address:
        tab = browser.new_page(viewport={"width": 390, "height": 844})
        root = address.partition("/?")[0]
        tab.goto(address)
        tab.goto(f"{root}/tables")
        tab.get_by_label("DuckDB database").fill("clinic.duckdb")
        tab.get_by_role("button", name="Show its tables").click()
        tab.get_by_role("checkbox", name="patients: 90 rows").click(timeout=60_000)
        tab.get_by_text("Columns of patients").wait_for(timeout=60_000)
        tab.get_by_role("checkbox", name="stays: 180 rows").click()
        tab.get_by_text("Columns of stays").click(timeout=60_000)
        tab.get_by_text("tells people apart; not released").nth(1).wait_for()
        option(tab, "Role of ward", "quasi-identifier")

        # choices are kept, and the plan says what they mean
        tab.reload()
        tab.get_by_role("button", name="Show the plan").click(timeout=60_000)
        tab.get_by_role("cell", name="those of patients").wait_for()
        tab.get_by_role("cell", name="quasi-identifiers: ward").wait_for()
        assert of_ours(tab) == []
        tab.get_by_role("button", name="Release all tables").click()
        tab.get_by_text("Verified: the database was opened again").wait_for(timeout=90_000)
        assert of_ours(tab) == []
        assert tab.evaluate("document.documentElement.scrollWidth") <= 390
        assert tab.evaluate("window.pwned") is None
    assert (tmp_path / "said").read_text() == ""
    command = [sys.executable, "-m", "kanon_sql", "audit", "clinic_released.duckdb"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
