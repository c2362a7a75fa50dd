"""The site in a real browser: readable by everybody, in both colour schemes, as narrow as a phone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe import axe, chromium, violations

PAGES = ["index", "choose", "explanation/l_diversity", "reference/sql", "reference/python", "appendix/benchmarks"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.mark.everything
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("page", PAGES)
def test_axe_finds_no_violation(browser: Any, request: pytest.FixtureRequest, page: str, width: int, scheme: str) -> None:
    script = axe()
    site: Path = request.getfixturevalue("site")  # built only where there is something to check it with
    tab = browser.new_page(viewport={"width": width, "height": 844}, color_scheme=scheme)
    tab.goto((site / f"{page}.html").as_uri())
    tab.wait_for_function("[...document.querySelectorAll('.highlight pre')].every(each => each.querySelector('button'))")
    assert not violations(tab, script)
    tab.close()
