"""Draw the pictures of the studio in the documentation: ``PYTHONPATH=tests python tests/studio/screenshots.py``."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from axe import chromium
from studio.test_studio_browser import release, studio

ASSETS = Path(__file__).parents[2] / "docs" / "assets"

WIDTH, HEIGHT = 1100, 700


def main() -> None:
    """Release the demo table and draw two pages."""
    with TemporaryDirectory() as folder, studio("--demo", folder=Path(folder)) as address, chromium() as browser:
        tab = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        tab.goto(address)
        tab.get_by_role("link", name="Protection", exact=True).click()
        tab.get_by_role("heading", name="Guarantee", exact=True).wait_for(timeout=60_000)
        tab.wait_for_timeout(1_000)
        tab.screenshot(path=ASSETS / "studio_protection.png")
        release(tab)
        tab.get_by_role("heading", name="Values before and after").wait_for(timeout=60_000)
        tab.wait_for_timeout(1_500)
        tab.screenshot(path=ASSETS / "studio_result.png")


if __name__ == "__main__":
    main()
