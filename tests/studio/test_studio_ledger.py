"""The page Published tables: what files of any tool prove together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from axe import axe, violations
from studio.test_studio_browser import browser, studio

from kanon_sql.errors import KanonError
from kanon_sql.studio.published import Published

__all__ = ["browser"]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "all.csv").write_text("age,n\n10-19,61\n0-9,65\nTotal,126\n")
    (tmp_path / "older.csv").write_text("age,n\n10-19,60\n")
    return tmp_path


def test_tables_are_added_audited_and_removed(files: Path) -> None:
    ledger = Published()
    with pytest.raises(KanonError, match="no ledger is chosen; hint: "):
        ledger.open(" ")
    ledger.open(str(files / "ledger.duckdb"))
    assert ledger.tables == ()
    ledger.add(str(files / "all.csv"), "age", measure="n", condition="", rounded=None)
    ledger.look(5, 60)
    assert ledger.verdict()[0] == "good"
    ledger.add(str(files / "older.csv"), "age", measure="", condition="age >= 15", rounded=None)
    assert ledger.audit is None  # another table may prove more
    ledger.look(5, 60)
    assert ledger.audit is not None
    assert ledger.verdict() == ("bad", "1 group of 1 to 4 people can be proven from these tables.")
    assert ledger.audit.findings[0].text.endswith("One person: age 10 to 14.")
    with pytest.raises(KanonError, match="hint: "):
        ledger.add(str(files / "older.csv"), "sex", measure="n", condition="", rounded=None)
    ledger.remove(2)
    ledger.look(5, 60)
    assert ledger.verdict()[0] == "good"


@pytest.mark.everything
def test_the_page(browser: Any, files: Path) -> None:
    with studio(folder=files) as address:
        tab = browser.new_page(viewport={"width": 390, "height": 844})
        tab.goto(address)
        tab.get_by_role("link", name="Published tables").click()
        tab.get_by_label("File", exact=True).fill(str(files / "ledger.duckdb"))
        tab.get_by_role("button", name="Open").click()
        tab.get_by_text("The ledger is empty").wait_for()
        for name, condition in (("all.csv", ""), ("older.csv", "age >= 15")):
            tab.get_by_label("Published file").fill(str(files / name))
            tab.get_by_label("Counted by").fill("age")
            tab.get_by_label("Only people with (SQL)").fill(condition)
            tab.get_by_role("button", name="Add the table").click()
            tab.get_by_text(f"{name}: by age").wait_for()
        tab.get_by_role("button", name="Audit the tables").click()
        tab.get_by_text("One person: age 10 to 14.").wait_for(timeout=60_000)
        assert violations(tab, axe()) == []
        assert tab.evaluate("document.documentElement.scrollWidth") <= 390
