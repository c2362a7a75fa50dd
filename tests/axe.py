"""Pages in a real browser, checked by axe-core: neither is part of the project, and each test says what it lacks."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@contextmanager
def chromium() -> Iterator[Any]:
    """Yield a browser, or skip the test."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("there is no chromium")
    with playwright.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


def axe() -> str:
    """Return the script of axe-core, or skip the test."""
    name = os.environ.get("KANON_AXE")
    if name is None:
        pytest.skip(
            "KANON_AXE names no axe.min.js; hint: npm install axe-core, then KANON_AXE=node_modules/axe-core/axe.min.js"
        )
    return Path(name).read_text(encoding="utf-8")


def violations(tab: Any, script: str) -> list[tuple[str, list[str]]]:
    """Return the rules that a page breaks, each with the elements that do."""
    tab.evaluate(script)
    found = tab.evaluate("axe.run()")["violations"]
    return [(each["id"], [node["html"] for node in each["nodes"]]) for each in found]
